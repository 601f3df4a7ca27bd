"""What a session was told: each telling as it was heard, when, for which event, why, and what came of it."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from holdfast.core.errors import NotFound
from holdfast.core.event import JournalRecord
from holdfast.core.value import Value, as_dict
from holdfast.harvest.journal_events import read_all_events
from holdfast.records.injection_marks import NO_MARK, InjectionMark, read_marks
from holdfast.records.memory_use import read_use
from holdfast.records.sessions import choose_session, journal_path, require_visible, session_of
from holdfast.workspace import App

OURS = "holdfast"
TELLINGS = {"injected": "told", "withheld": "withheld"}
# The events that something is told for, and the fields that say how one came about.
CAUSES = frozenset({"session_start", "prompt", "before_tool", "subagent_start", "before_compact"})
CAUSE_FIELDS = ("source", "trigger", "tool")
LONGEST_PROMPT = 160


class MemoryInjection(Value):
    """One memory of a telling: why it was told, what came of it in the session, and what a person said of it."""

    id: str
    type: str = ""
    why: str = ""
    tokens: int = 0
    came_of_it: str = ""
    marked: str = ""
    wrong: bool = False
    always: bool = False
    irrelevant: int = 0


class InjectionEvent(Value):
    """One time that a session was told something. `at` names the event, `prompt` the words it was told for.

    `cause`: how a session began (`startup`, `resume`, `compact`, …), or which tool was about to run.
    """

    ts: str
    at: str
    tokens: int
    cause: str = ""
    text: str = ""
    prompt: str = ""
    agent: str = ""
    withheld: bool = False
    memories: tuple[MemoryInjection, ...] = ()


class SessionInjections(Value):
    """All that one session was told."""

    session: str
    client: str = ""
    tellings: tuple[InjectionEvent, ...] = ()

    @property
    def tokens(self) -> int:
        """How many tokens that was."""
        return sum(telling.tokens for telling in self.tellings if not telling.withheld)


class NothingInjected(NotFound):
    """No session heard anything."""

    def __init__(self) -> None:
        super().__init__(
            "No session here was told anything yet.", "the next session of an agent is, once something was accepted."
        )


class _Cause(Value):
    """What an event that something was told for says of itself."""

    word: str = ""
    prompt: str = ""


NO_CAUSE = _Cause()


class _Journal(Value):
    """What a journal has of tellings: they, the events they were for, and each session's client."""

    records: tuple[JournalRecord, ...]
    causes: Mapping[str, _Cause]
    clients: Mapping[str, str]

    @property
    def injected(self) -> Mapping[str, str]:
        """The sessions that heard something, the last first."""
        return dict.fromkeys((_session(record) for record in reversed(self.records)), "")


def read_injections(app: App, wanted: str = "") -> SessionInjections:
    """What a session heard, by the beginning of its id; without one, the last that heard something."""
    require_visible(app)
    journal = _read_journal(app)
    if not wanted and not journal.injected:
        raise NothingInjected
    session = (
        choose_session(wanted, {**journal.injected, **journal.clients}) if wanted else next(iter(journal.injected))
    )
    client = journal.clients.get(session, "")
    return SessionInjections(session=session, client=client, tellings=tuple(_tellings(app, session, journal)))


def injections_to_json(found: SessionInjections) -> dict[str, Any]:
    """A session's tellings for programs."""
    tellings = [
        as_dict(telling) | {"memories": [as_dict(each) for each in telling.memories]} for telling in found.tellings
    ]
    return {"session": found.session, "client": found.client, "tokens": found.tokens, "tellings": tellings}


def _read_journal(app: App) -> _Journal:
    records: list[JournalRecord] = []
    causes: dict[str, _Cause] = {}
    clients: dict[str, str] = {}
    for record in read_all_events(journal_path(app)):
        name, client = record.data.get("name"), str(record.data.get("client", ""))
        if name in TELLINGS:
            records.append(record)
        elif name in CAUSES:
            prompt = _shorten(_find_word(record, ("prompt",)))
            causes[record.id] = _Cause(word=_find_word(record, CAUSE_FIELDS), prompt=prompt)
        if client != OURS and (session := session_of(record)):
            clients.setdefault(session, client)
    return _Journal(records=tuple(records), causes=causes, clients=clients)


def _session(record: JournalRecord) -> str:
    return str(record.data.get("session", ""))


def _tellings(app: App, session: str, journal: _Journal) -> Iterator[InjectionEvent]:
    came, marks = _find_use(app, session), read_marks(app)
    for record in journal.records:
        data = record.data.get("data")
        if _session(record) != session or not isinstance(data, Mapping):
            continue
        about = data.get("about")
        about = about if isinstance(about, Mapping) else {}
        cause = journal.causes.get(str(data.get("for", "")), NO_CAUSE)
        memories = tuple(
            _memory(str(name), about.get(name), came, marks.get(str(name), NO_MARK)) for name in data.get("ids", ())
        )
        yield InjectionEvent(
            ts=record.ts, at=str(data.get("at", "")), tokens=int(data.get("tokens", 0)), text=str(data.get("told", "")),
            cause=cause.word, prompt=cause.prompt, agent=str(data.get("agent", "")),
            withheld=record.data.get("name") == "withheld", memories=memories,
        )  # fmt: skip


def _memory(name: str, about: object, came: Mapping[str, str], mark: InjectionMark) -> MemoryInjection:
    known = about if isinstance(about, Mapping) else {}
    tokens = known.get("tokens", 0)
    return MemoryInjection(
        id=name, type=str(known.get("type", "")), why=str(known.get("why", "")),
        tokens=tokens if isinstance(tokens, int) else 0, came_of_it=came.get(name, ""), marked=mark.describe(),
        wrong=mark.wrong, always=mark.always, irrelevant=mark.irrelevant,
    )  # fmt: skip


def _find_use(app: App, session: str) -> dict[str, str]:
    return {
        memory.id: f"{memory.verdict}: {memory.why}" if memory.why else memory.verdict
        for used in read_use(app)[0]
        if used.session == session
        for memory in used.memories
    }


def _find_word(record: JournalRecord, fields: Collection[str]) -> str:
    """The first of these fields that an event's data has."""
    data = record.data.get("data")
    found = (data.get(field) for field in fields) if isinstance(data, Mapping) else ()
    return next((" ".join(each.split()) for each in found if isinstance(each, str) and each.strip()), "")


def _shorten(words: str) -> str:
    return words if len(words) <= LONGEST_PROMPT else f"{words[: LONGEST_PROMPT - 1]}…"
