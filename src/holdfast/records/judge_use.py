"""What came of what a session was told: each memory used, ignored or contradicted. A pure function of its events."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.core.event import JournalRecord
from holdfast.core.path_scope import applies_to
from holdfast.core.tool_text import text_of
from holdfast.core.value import Value, as_dict, replace
from holdfast.core.word_lists import word_set
from holdfast.phrases.triggers import find_triggers
from holdfast.records.dependencies import find_added_packages
from holdfast.records.tool_steps import ToolStep, step_of
from holdfast.records.use_cues import flatten_text

USED, IGNORED, CONTRADICTED = "used", "ignored", "contradicted"
TOLD, HELD, MIXED = "told", "held", "mixed"
OURS = "holdfast"
TELLINGS = {"injected": TOLD, "withheld": HELD}
# Of an answer, an input or an output, as much as is looked at.
LONGEST = 200_000
NEAR = 4
MOST_UNREAD = 20
_DENIALS = word_set(
    "not no never stop avoid without drop dropped remove removed don dont doesn didn isn aren won nicht kein "
    "keine nie ohne pas sans jamais nunca sin tampoco"
)
_TURNS = frozenset({"but", "sondern", "mais", "sino", "rather", "instead"})
_CLAUSES = re.compile(r"[,.;:!?\n()–—]|\s-\s")
_CHINESE = re.compile(r"(?:不要|不再|不|别|没)用?\s*$")


class InjectedMemory(Value):
    """One memory in one session: how often it was told, for how many tokens, and what came of it."""

    id: str
    type: str
    verdict: str = IGNORED
    why: str = ""
    told: int = 0
    tokens: int = 0
    avoided: bool = False
    repeated: bool = False


class SessionUse(Value):
    """A session that was told something, or from which it was withheld.

    `unread`: manifests that it wrote and that cannot be read: nothing can be said of what they brought in.
    """

    session: str
    client: str
    since: str
    ts: str
    event: str
    arm: str = ""
    tokens: int = 0
    prompts: int = 0
    checks: int = 0
    failed: int = 0
    corrections: int = 0
    memories: tuple[InjectedMemory, ...] = ()
    unread: tuple[str, ...] = ()


def judge_use(session: str, records: Iterable[JournalRecord], workspace: str) -> SessionUse | None:
    """What came of everything told in a session; None when nothing was. Records of others are passed over."""
    judge = _UseJudge(session, workspace)
    for record in records:
        judge.take(record)
    return judge.verdict()


def to_line(used: SessionUse) -> dict[str, Any]:
    """The session's line in use.jsonl."""
    return as_dict(used) | {"memories": [as_dict(memory) for memory in used.memories]}


def from_line(data: Mapping[str, Any]) -> SessionUse:
    """The session that a line tells of. Raises ValueError, KeyError or TypeError for anything else."""
    memories = tuple(InjectedMemory(**memory) for memory in data["memories"])
    if not isinstance(data["session"], str) or not isinstance(data["ts"], str):
        raise TypeError("a line without its session")
    unread = tuple(map(str, data.get("unread", ())))
    return SessionUse(**{**data, "memories": memories, "unread": unread})


class _UseJudge:
    """Takes a session's events in their order."""

    def __init__(self, session: str, workspace: str) -> None:
        self._workspace = workspace
        self._sessions = {session}
        self._used = SessionUse(session=session, client="", since="", ts="", event="")
        self._seen: set[str] = set()
        self._texts: list[str] = []
        self._watched: dict[str, _MemoryWatch] = {}
        self._arms: set[str] = set()

    def take(self, record: JournalRecord) -> None:
        data = record.data.get("data")
        if record.kind != "event" or not isinstance(data, Mapping):
            return
        extra = data.get("extra")
        if isinstance(extra, Mapping) and extra.get("parent") in self._sessions:
            self._sessions.add(str(record.data.get("session", "")))
        if str(record.data.get("session", "")) not in self._sessions:
            return
        name, at = str(record.data.get("name", "")), f"{record.ts[:19]}Z"
        if record.data.get("client") == OURS:
            if name in TELLINGS:
                self._told(name, data, record.id)
            return
        client = self._used.client or str(record.data.get("client", ""))
        self._used = replace(self._used, client=client, since=self._used.since or at, ts=max(at, self._used.ts))
        self._happened(name, data, record.id, at)

    def verdict(self) -> SessionUse | None:
        if not self._arms:
            return None
        arms = {arm for arm in self._arms if arm}
        arm = arms.pop() if len(arms) == 1 else MIXED if arms else ""
        # A memory that was withheld cannot have been followed.
        memories = () if self._arms == {HELD} else tuple(watch.result() for watch in self._watched.values())
        return replace(self._used, arm=arm, memories=memories)

    def _told(self, name: str, data: Mapping[str, Any], event: str) -> None:
        share = data.get("holdout")
        self._arms.add(TELLINGS[name] if share or name == "withheld" else "")
        self._used = replace(self._used, event=self._used.event or event)
        if name == "withheld":
            return
        tokens = data.get("tokens")
        self._used = replace(self._used, tokens=self._used.tokens + (tokens if isinstance(tokens, int) else 0))
        about = data.get("about")
        ids = data.get("ids")
        for memory in ids if isinstance(ids, list) else ():
            cues = about.get(memory) if isinstance(about, Mapping) else None
            if not isinstance(memory, str):
                continue
            if memory not in self._watched:
                self._watched[memory] = _MemoryWatch(memory, cues if isinstance(cues, Mapping) else {}, self._stood)
            self._watched[memory].again(cues if isinstance(cues, Mapping) else {})

    def _stood(self, cue: str) -> bool:
        """Whether a name stood in the session before now."""
        return all(word in self._seen for word in cue.split()) and any(f" {cue} " in text for text in self._texts)

    def _happened(self, name: str, data: Mapping[str, Any], event: str, at: str) -> None:
        match name:
            case "prompt":
                self._prompted(str(data.get("prompt", ""))[:LONGEST])
            case "answer" | "subagent_stop":
                self._agent_said(text_of(data.get("answer")))
            case "before_tool":
                self._agent_said(_words(data.get("input")))
            case "after_tool" | "tool_failed":
                self._tool(name, data, event, at)
            case _:
                return

    def _prompted(self, prompt: str) -> None:
        denied = [watch.user_said(prompt) for watch in self._watched.values()]
        corrects = any(denied) or any(trigger.kind == "correction" for trigger in find_triggers(prompt))
        self._used = replace(
            self._used, prompts=self._used.prompts + 1, corrections=self._used.corrections + int(corrects)
        )
        self._note(flatten_text(prompt))

    def _agent_said(self, text: str) -> None:
        found = flatten_text(text[:LONGEST])
        for watch in self._watched.values():
            watch.agent_said(text, found)
        self._note(found)

    def _tool(self, name: str, data: Mapping[str, Any], event: str, at: str) -> None:
        step = step_of(data, name, event, at, self._workspace, self._used.client)
        if step.check:
            self._used = replace(self._used, checks=self._used.checks + 1, failed=self._used.failed + int(step.failed))
        self._agent_said(_words(data.get("input")))
        brought = find_added_packages(step, data.get("input"))
        unread = tuple(dict.fromkeys((*self._used.unread, *brought.unread)))
        self._used = replace(self._used, unread=unread[:MOST_UNREAD])
        output = flatten_text((text_of(data.get("output")) or str(data.get("error", "")))[:LONGEST])
        for watch in self._watched.values():
            watch.tool_ran(step, brought.names, output if step.failed or step.check else "", _words(data.get("input")))
        self._note(output)

    def _note(self, text: str) -> None:
        self._texts.append(text)
        self._seen.update(text.split())


class _MemoryWatch:
    """One memory, from the moment it was told."""

    def __init__(self, memory: str, cues: Mapping[str, Any], stood: Any) -> None:
        self._told = InjectedMemory(id=memory, type=str(cues.get("type", "")))
        names = _texts(cues, "for")
        self._names = names
        self._fresh = [name for name in names if not stood(name)]
        self._rejected, self._error, self._globs = _texts(cues, "not"), _texts(cues, "err"), _texts(cues, "at")
        self._in_play = False
        self._passed = self._failed = 0

    def again(self, cues: Mapping[str, Any]) -> None:
        tokens = cues.get("tokens")
        told = self._told
        self._told = replace(told, told=told.told + 1, tokens=told.tokens + (tokens if isinstance(tokens, int) else 0))

    def user_said(self, prompt: str) -> bool:
        denied = next((name for name in self._names if denies_name(prompt, name)), "")
        if denied:
            self._judge(CONTRADICTED, f"the user said no to {denied}")
        return bool(denied)

    def agent_said(self, text: str, found: str) -> None:
        if self._told.id in text:
            self._judge(USED, "cited")
            return
        name = next((name for name in self._fresh if f" {name} " in found), "")
        if name:
            self._judge(USED, f"{name} stands in what came after")

    def tool_ran(self, step: ToolStep, brought: Mapping[str, str], output: str, given: str) -> None:
        for name in self._rejected:
            way = brought.get(name.replace(" ", ""))
            if way:
                self._judge(CONTRADICTED, f"{name} was {way}")
        self._in_play = self._in_play or self._touches(step) or self._names_in(given)
        self._failed += step.failed
        self._passed += bool(step.check) and not step.failed
        if self._error and output and all(f" {word} " in output for word in self._error):
            self._told = replace(self._told, repeated=True)
            self._judge(CONTRADICTED, "the same error came back")

    def result(self) -> InjectedMemory:
        # Without words of its error, only passed checks and no failure at all show that it stayed away.
        stayed_away = not self._told.repeated if self._error else bool(self._passed and not self._failed)
        avoided = self._told.type == "failure" and self._in_play and stayed_away
        return replace(self._told, avoided=avoided and self._told.verdict != CONTRADICTED)

    def _touches(self, step: ToolStep) -> bool:
        return bool(self._globs) and any(applies_to(self._globs, path) for path in step.files)

    def _names_in(self, given: str) -> bool:
        return any(f" {name} " in flatten_text(given[:LONGEST]) for name in self._names)

    def _judge(self, verdict: str, why: str) -> None:
        if self._told.verdict == IGNORED or (verdict == CONTRADICTED and self._told.verdict != CONTRADICTED):
            self._told = replace(self._told, verdict=verdict, why=why)


def denies_name(prompt: str, name: str) -> bool:
    """Whether a prompt says no to a name: a denial a few words before it, in the same clause."""
    if f" {name} " not in flatten_text(prompt):
        return False
    for clause in _CLAUSES.split(prompt):
        words = flatten_text(clause)
        at = words.find(f" {name} ")
        before = words[:at].split()[-NEAR:] if at >= 0 else []
        if {"instead", "of"} <= set(before[-2:]):
            return True
        turned = max((place for place, word in enumerate(before) if word in _TURNS), default=-1)
        if _DENIALS & set(before[turned + 1 :]):
            return True
        place = clause.lower().find(name.split(maxsplit=1)[0])
        if at >= 0 and place > 0 and _CHINESE.search(clause[:place]):
            return True
    return False


def _texts(cues: Mapping[str, Any], key: str) -> Sequence[str]:
    found = cues.get(key)
    return [each for each in found if isinstance(each, str) and each] if isinstance(found, list) else []


def _words(given: object) -> str:
    """All texts in a tool's input; what an edit replaces was there before."""
    match given:
        case str():
            return given
        case Mapping():
            return "\n".join(_words(value) for key, value in given.items() if not str(key).startswith("old"))
        case list():
            return "\n".join(map(_words, given))
        case _:
            return ""
