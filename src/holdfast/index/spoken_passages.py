"""Turns and pages → spoken passages: what was said in sessions, and written down in logs, runs and research."""

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.event import JournalRecord
from holdfast.core.search import Spoken
from holdfast.core.times import canonical_time
from holdfast.core.tool_words import list_tool_words
from holdfast.index.extract_names import Written, normalize_name, spell_names
from holdfast.index.name_kinds import PERSON
from holdfast.index.terms import split_terms

TURN, RUN, LOG, RESEARCH = "turn", "run", "log", "research"
KINDS = (TURN, RUN, LOG, RESEARCH)
USER, AGENT, SUBAGENT = "user", "agent", "subagent"
PARTS = frozenset({USER, AGENT, SUBAGENT, "assistant", "tool", "system"})
# Which events are turns, who speaks in them, and in which field.
TURNS = {
    "prompt": (USER, "prompt"),
    "answer": (AGENT, "answer"),
    "message": (AGENT, "text"),
    "subagent_stop": (SUBAGENT, "answer"),
}
# In which somebody may say something through a tool.
TOOLS = frozenset({"after_tool", "tool_failed"})
LONGEST = 1500
MOST_PARTS = 200


def turns_of(record: JournalRecord) -> tuple[Spoken, ...]:
    """What an event says, in passages; nothing for events in which nobody speaks."""
    name, data = str(record.data.get("name", "")), record.data.get("data")
    if name in TOOLS:
        return _tool_turns(record, data)
    said_by, field = TURNS.get(name, ("", ""))
    text = data.get(field) if said_by and isinstance(data, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        return ()
    session, client = str(record.data.get("session", "")), str(record.data.get("client", ""))
    head: dict[str, Any] = {"kind": TURN, "id": record.id, "group": session, "client": client, "said_by": said_by}
    return tuple(_passages(text, head | {"ts": canonical_time(record.ts)}))


def _tool_turns(record: JournalRecord, data: object) -> tuple[Spoken, ...]:
    """What is said through a tool: answers in a form, the words of a refusal, a list of todos."""
    given = data.get("input") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(given, Mapping):
        return ()
    result = data.get("output") or data.get("error")
    lines: dict[str, list[str]] = {}
    for who, line in list_tool_words(str(data.get("tool", "")), given, result):
        lines.setdefault(who, []).append(line)
    said = next(((who, "\n".join(lines[who])) for who in (USER, AGENT) if who in lines), None)
    if said is None:
        return ()
    session, client = str(record.data.get("session", "")), str(record.data.get("client", ""))
    head = {"kind": TURN, "id": record.id, "group": session, "client": client, "said_by": said[0]}
    return tuple(_passages(said[1], head | {"ts": canonical_time(record.ts)}))


def page_of(kind: str, path: str, ts: str, text: str) -> tuple[Spoken, ...]:
    """A page in passages, without its frontmatter."""
    if text.startswith("---\n"):
        text = text.partition("\n---\n")[2]
    head = {"kind": kind, "id": path, "group": path, "client": "", "said_by": "", "ts": ts}
    return tuple(_passages(text, head))


def spell_spoken_names(text: str, said_by: str) -> Mapping[str, Written]:
    """The names of a passage, and who said it unless that is only a part that is played: with kind and spelling."""
    return spell_names(text, [(normalize_name(said_by), PERSON, said_by)] if said_by and said_by not in PARTS else ())


def _passages(text: str, head: Mapping[str, Any]) -> Iterator[Spoken]:
    for part, words in enumerate(_parts(_drop_surrogates(text))):
        if part == MOST_PARTS:
            return
        names = tuple(spell_spoken_names(words, head["said_by"]))
        yield Spoken(part=part, text=words, terms=tuple(split_terms(words)), names=names, **head)


def _parts(text: str) -> Iterator[str]:
    """Text in pieces of a readable length, cut at paragraphs, lines or words."""
    rest = text.strip()
    while len(rest) > LONGEST:
        cut = max(rest.rfind("\n\n", LONGEST // 3, LONGEST), 0) or rest.rfind("\n", LONGEST // 3, LONGEST)
        cut = cut if cut > 0 else rest.rfind(" ", LONGEST // 3, LONGEST)
        cut = cut if cut > 0 else LONGEST
        yield rest[:cut].strip()
        rest = rest[cut:].strip()
    if rest:
        yield rest


def _drop_surrogates(text: str) -> str:
    # JSON can spell half a surrogate pair; no UTF-8 can.
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
