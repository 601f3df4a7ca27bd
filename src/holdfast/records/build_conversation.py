"""A session's events → its conversation: turns, what follows what, and whose words they are."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from holdfast.clients.payload import is_unique_id, to_snake_case
from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.event import JournalRecord
from holdfast.core.tool_text import text_of
from holdfast.core.user_answers import describe_choice, read_choices, read_refusal
from holdfast.core.value import replace
from holdfast.harvest.hook_events import MARK, SessionHookEvents
from holdfast.harvest.transcript_pieces import text_in, value_key, words_key
from holdfast.phrases.foreign_words import SYSTEMS, why_foreign
from holdfast.records.tool_steps import says_failure

OURS = "holdfast"
LONGEST_TITLE = 120
AGENT_TOOLS = frozenset({"agent", "task", "spawn_agent", "delegate"})
_SAY_SO = frozenset({"claude-code", "claude-like", "vscode", "opencode"})
_STEPS = frozenset({"before_tool", "after_tool", "tool_failed"})
_KINDS = {
    "session_start": TurnKind.START,
    "subagent_start": TurnKind.START,
    "prompt": TurnKind.PROMPT,
    "foreign_prompt": TurnKind.PROMPT,
    "subagent_prompt": TurnKind.PROMPT,
    "answer": TurnKind.ANSWER,
    "message": TurnKind.ANSWER,
    "subagent_stop": TurnKind.ANSWER,
    "after_compact": TurnKind.CUT,
    "session_end": TurnKind.END,
}
_WORDS = {TurnKind.PROMPT: "prompt", TurnKind.CUT: "summary"}
_TAKEN = frozenset({
    "prompt", "answer", "text", "summary", "tool", "call", "input", "output", "error", "model", "agent", "transcript",
    "redacted",
})  # fmt: skip


def build_conversation(records: Iterable[JournalRecord], session: str, workspace: str = "") -> Conversation:
    """The conversation of a session, out of its events and those of its subagents' own sessions."""
    events = [record for record in records if _belongs_to_session(record, session)]
    # A hook is told words alone: the transcript says of some, later, that nobody typed them.
    untyped = frozenset(filter(None, map(read_mark, events)))
    kept, same = _drop_repeated([record for record in events if not read_mark(record)])
    builder = _Builder(session, same, untyped)
    for record in sorted(kept, key=lambda record: (record.ts, record.id)):
        builder.take(record)
    turns = builder.turns()
    client = next((str(r.data["client"]) for r in events if r.data.get("session") == session), "")
    return Conversation(session=session, client=client, workspace=workspace, title=_title(turns), turns=turns)


def read_mark(record: JournalRecord) -> str:
    """The prompt of which a record says that nobody typed it; nothing for other records."""
    data = record.data.get("data")
    return text_in(data, "of") if record.data.get("name") == MARK and isinstance(data, Mapping) else ""


def count_branches(found: Conversation) -> int:
    """How many turns begin a branch beside another one that follows the same turn."""
    heads: dict[tuple[str, str], int] = {}
    for turn in found.turns:
        if turn.kind not in (TurnKind.OTHER, TurnKind.START, TurnKind.END):
            heads[turn.parent, turn.agent] = heads.get((turn.parent, turn.agent), 0) + 1
    return sum(count - 1 for (parent, _), count in heads.items() if parent and count > 1)


def _belongs_to_session(record: JournalRecord, session: str) -> bool:
    data = record.data.get("data")
    if record.kind != "event" or record.data.get("client") == OURS or not isinstance(data, Mapping):
        return False
    return record.data.get("session") == session or _parent_of(data) == session


def _parent_of(data: Mapping[str, Any]) -> str:
    extra = data.get("extra")
    return text_in(extra, "parent") if isinstance(extra, Mapping) else ""


def _drop_repeated(events: list[JournalRecord]) -> tuple[list[JournalRecord], dict[str, str]]:
    """Each event once: what was harvested first and told by a hook later stands twice in the journal.

    Besides, which record stands for each key, and for those that are left out.
    """
    heard: dict[str, SessionHookEvents] = {}
    for record in events:
        if record.data["data"].get("harvested") is not True:
            known = heard.setdefault(str(record.data.get("session")), SessionHookEvents())
            known.note(record.id, record.ts, str(record.data.get("name")), record.data["data"])
    # Every harvested event: from the first to the last of them the transcript reaches, as far as it is known here.
    kept, same = [], {}
    for record in events:
        told = ""
        if record.data["data"].get("harvested") is True and str(record.data.get("session")) in heard:
            told = _find_hook_record(record, heard[str(record.data.get("session"))])
        if not told:
            kept.append(record)
        same[f"#{record.id}"] = told or record.id
        if record.data.get("key"):
            same[str(record.data["key"])] = told or record.id
    return kept, same


def _find_hook_record(record: JournalRecord, heard: SessionHookEvents) -> str:
    """The record in which a hook told a harvested event too, or nothing."""
    data = record.data["data"]
    turn = text_in(data, "turn")
    match record.data.get("name"):
        case "prompt":
            return heard.prompt(turn, words_key(text_in(data, "prompt")), record.ts)
        case "answer":
            return heard.answer(turn, words_key(text_in(data, "answer")), record.ts)
        case "subagent_stop":
            return heard.answer(turn, words_key(text_in(data, "answer")), record.ts, text_in(data, "agent") or "?")
        case "after_tool" | "tool_failed":
            call, tool = text_in(data, "call"), text_in(data, "tool")
            return heard.tool(call, tool, value_key(data.get("input")), record.ts, telling=is_unique_id(call))
        case "after_compact":
            return heard.cut(record.ts)
    return ""


class _Builder:
    """Takes events in the order of their times."""

    def __init__(self, session: str, same: Mapping[str, str], untyped: Collection[str] = ()) -> None:
        self._session = session
        self._untyped = untyped
        self._same = same
        self._turns: dict[str, Turn] = {}
        self._links: list[tuple[str, str]] = []
        # Calls that have begun: by their id, or by tool and input where the client gives none.
        self._open: dict[tuple[str, str], list[str]] = {}
        self._calls: dict[str, str] = {}
        self._moved: dict[str, str] = {}

    def take(self, record: JournalRecord) -> None:
        """Take one event."""
        name, data = str(record.data.get("name", "")), record.data["data"]
        own = str(record.data.get("session", ""))
        agent = text_in(data, "agent") or (own if own != self._session else "")
        if name == "link":
            self._links.append((text_in(data, "of"), text_in(data, "parent")))
        elif name in _STEPS:
            self._step(record, name, data, agent)
        elif name == "tool_batch":
            self._batch(data)
        else:
            made = _turn(record, name, data, agent)
            self._turns[record.id] = replace(made, foreign=True) if record.id in self._untyped else made

    def turns(self) -> tuple[Turn, ...]:
        """All turns, each with the one it follows."""
        ordered = sorted(self._turns.values(), key=lambda turn: (turn.ts, turn.id))
        parents = self._parents(ordered)
        return tuple(replace(turn, parent=parents.get(turn.id, "")) for turn in ordered)

    # Tool steps

    def _step(self, record: JournalRecord, name: str, data: Mapping[str, Any], agent: str) -> None:
        call = text_in(data, "call")
        slot = (agent, call or f"{text_in(data, 'tool')} {value_key(data.get('input')).hex()}")
        waiting = self._open.get(slot, [])
        if name == "before_tool":
            if call and call in self._calls and not waiting and is_unique_id(call):
                return
            waiting = self._open.setdefault(slot, [])
            waiting.append(record.id)
            self._turns[record.id] = _build_tool_turn(record, name, data, agent, None)
        else:
            begun = self._turns.pop(waiting.pop(0)) if waiting else None
            if begun is not None:
                self._moved[begun.id] = record.id
            self._turns[record.id] = _build_tool_turn(record, name, data, agent, begun)
        if call:
            self._calls[call] = record.id

    def _batch(self, data: Mapping[str, Any]) -> None:
        """A batch repeats its calls; of those that nothing else tells how they went, it does."""
        extra = data.get("extra")
        calls = extra.get("tool_calls") if isinstance(extra, Mapping) else None
        for call in calls if isinstance(calls, list) else ():
            known = self._calls.get(text_in(call, "tool_use_id"), "") if isinstance(call, Mapping) else ""
            turn = self._turns.get(known)
            if turn and turn.extra.get("name") == "before_tool" and not turn.output:
                self._turns[known] = replace(turn, output=text_of(call.get("tool_response")))

    # What follows what

    def _parents(self, ordered: list[Turn]) -> dict[str, str]:
        told = {self._found(of): self._found(parent) for of, parent in self._links}
        parents: dict[str, str] = {}
        last: dict[str, str] = {}
        for turn in ordered:
            above = last.get(turn.agent, "")
            if not above and turn.agent:
                above = self._caller(turn, ordered)
            if turn.id in told:
                above = told[turn.id]
            parents[turn.id] = above if above != turn.id else ""
            if turn.kind is not TurnKind.OTHER:
                last[turn.agent] = turn.id
        return parents

    def _found(self, ref: str) -> str:
        """The turn that a link names."""
        if ref.startswith("@"):
            return self._calls.get(ref[1:], "")
        found = self._same.get(ref, "")
        return self._moved.get(found, found)

    def _caller(self, first: Turn, ordered: list[Turn]) -> str:
        """The call that started a subagent: it names it, or gave it these words, or is the nearest before it."""
        tools = [turn for turn in ordered if turn.kind is TurnKind.TOOL and turn.agent != first.agent]
        named = [turn for turn in tools if turn.extra.get("started") == first.agent]
        asked = [turn for turn in tools if first.text and text_in(turn.input, "prompt") == first.text]
        near = [turn for turn in tools if turn.tool.lower() in AGENT_TOOLS and turn.ts <= first.ts]
        return next((found[-1].id for found in (named, asked, near) if found), "")


def _turn(record: JournalRecord, name: str, data: Mapping[str, Any], agent: str) -> Turn:
    kind = _KINDS.get(name, TurnKind.OTHER)
    text = text_in(data, _WORDS.get(kind, "answer")) or text_in(data, "text")
    if kind is TurnKind.OTHER:
        text = text or text_in(data, "error") or text_in(data, "prompt")
    return Turn(
        id=record.id,
        kind=kind,
        ts=record.ts,
        agent=agent,
        text=text,
        model=text_in(data, "model"),
        foreign=kind is TurnKind.PROMPT and _is_foreign(name, data, text),
        extra=_other_fields(name, data),
    )


def _is_foreign(name: str, data: Mapping[str, Any], text: str) -> bool:
    if name != "prompt":
        return True
    return text_in(data, "source") in SYSTEMS or bool(why_foreign(text))


def _build_tool_turn(record: JournalRecord, name: str, data: Mapping[str, Any], agent: str, begun: Turn | None) -> Turn:
    given = data.get("input")
    output = text_of(data.get("output")) or text_in(data, "error")
    client = str(record.data.get("client", ""))
    rest = _other_fields(name, data)
    result = data.get("output")
    started = text_in(result, "agentId") if isinstance(result, Mapping) else ""
    if started:
        rest["started"] = started
    tool, shape = text_in(data, "tool") or (begun.tool if begun else ""), _input(given, begun)
    choices = () if agent else read_choices(tool, shape, result, output)
    return Turn(
        id=record.id,
        kind=TurnKind.TOOL,
        ts=begun.ts if begun else record.ts,
        agent=agent,
        tool=tool,
        call=text_in(data, "call"),
        input=shape,
        output=output or "\n".join(map(describe_choice, choices)),
        failed=name == "tool_failed" or (client not in _SAY_SO and says_failure(output, "")),
        model=text_in(data, "model"),
        refusal="" if agent else read_refusal(output),
        choices=choices,
        extra=rest,
    )


def _input(given: object, begun: Turn | None) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if begun is not None:
        return begun.input
    return {} if given is None else {"input": given}


def _other_fields(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": to_snake_case(name), **{key: value for key, value in data.items() if key not in _TAKEN}}


def _title(turns: Iterable[Turn]) -> str:
    said = _users_prompts(turns)
    return next((" ".join(text.split())[:LONGEST_TITLE] for text in said if text.strip()), "")


def _users_prompts(turns: Iterable[Turn]) -> Iterator[str]:
    return (turn.text for turn in turns if turn.kind is TurnKind.PROMPT and not turn.foreign and not turn.agent)
