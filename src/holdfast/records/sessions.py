"""Sessions: the list of them, and one as a conversation, opened at any of its turns."""

import os
from collections.abc import Collection, Mapping
from typing import Any

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.core.event import JournalRecord
from holdfast.core.value import Value, as_dict
from holdfast.harvest.journal_events import read_all_events, read_session_events
from holdfast.index.find_event import find_event
from holdfast.phrases.foreign_words import why_foreign
from holdfast.records.build_conversation import build_conversation, count_branches
from holdfast.trust.visibility import may_show_events
from holdfast.workspace import App

__all__ = [
    "Conversation",
    "OpenedSession",
    "SessionSummary",
    "Turn",
    "TurnKind",
    "count_branches",
    "list_sessions",
    "open_session",
    "turn_json",
]

OURS = "holdfast"
MOST_SHOWN = 12
_TITLE = 120


class NoSuchSession(NotFound):
    """No session has this id."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"There is no session {wanted!r} in this journal.",
            "`holdfast session list` lists them; `holdfast harvest` reads those that hooks did not tell.",
        )


class AmbiguousSession(BadRequest):
    """A beginning that several sessions share."""

    def __init__(self, wanted: str, found: list[str]) -> None:
        more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
        super().__init__(
            f"{wanted!r} is the beginning of {len(found)} sessions: {', '.join(found[:MOST_SHOWN])}{more}.",
            "give more of the id.",
        )


class NoSuchTurn(NotFound):
    """No turn has this id."""

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"There is no turn {wanted!r} in this journal.",
            "`holdfast show` and `holdfast session show` print the ids.",
        )


class SessionHeldBack(Refused):
    """An agent asks for what the user has not allowed."""

    def __init__(self) -> None:
        super().__init__(
            "What was said here is held back: the user has not allowed this workspace.",
            "ask the user to type in a terminal of their own: holdfast allow",
        )


class SessionSummary(Value):
    """A session in the list."""

    id: str
    client: str
    started: str
    last: str
    turns: int = 0
    title: str = ""
    branches: int = 0
    injected_tokens: int = 0


class OpenedSession(Value):
    """A session that is shown, and the turn it is opened at."""

    conversation: Conversation
    turn: str = ""


def list_sessions(app: App, *, limit: int = 0, client: str = "") -> list[SessionSummary]:
    """Every session, the newest first."""
    require_visible(app)
    tallies: dict[str, _Tally] = {}
    injected: dict[str, int] = {}
    for record in read_all_events(journal_path(app)):
        name, of = str(record.data.get("session", "")), str(record.data.get("client", ""))
        data = record.data.get("data")
        if of == OURS and record.data.get("name") == "injected" and isinstance(data, Mapping):
            injected[name] = injected.get(name, 0) + int(data.get("tokens", 0))
        if not name or of == OURS or not isinstance(data, Mapping) or client not in {"", of}:
            continue
        extra = data.get("extra")
        name = str(extra.get("parent") or name) if isinstance(extra, Mapping) else name
        tallies.setdefault(name, _Tally(of)).take(record, data)
    listed = sorted(
        (tally.listed(name, injected.get(name, 0)) for name, tally in tallies.items()),
        key=lambda each: each.started,
        reverse=True,
    )
    return listed[: limit or None]


class _Tally:
    """What the list says of a session. Words that were told and harvested both count once."""

    def __init__(self, client: str) -> None:
        self._client = client
        self._times = ("", "")
        self._title = ("", "")
        self._said: dict[tuple[str, str], tuple[int, int]] = {}
        self._calls: set[str] = set()
        self._steps = 0
        self._links: set[str] = set()

    def take(self, record: JournalRecord, data: Mapping[str, Any]) -> None:
        """Count an event."""
        first, last = self._times
        self._times = (min(first, record.ts) if first else record.ts, max(last, record.ts))
        name = str(record.data.get("name", ""))
        match name:
            case "prompt" | "answer" | "message":
                text = str(data.get(name if name != "message" else "text", ""))
                harvested = data.get("harvested") is True
                live, read = self._said.get((name, text[:400]), (0, 0))
                self._said[name, text[:400]] = (live + (not harvested), read + harvested)
                if name == "prompt" and not why_foreign(text) and (not self._title[1] or record.ts < self._title[0]):
                    self._title = (record.ts, " ".join(text.split())[:_TITLE])
            case "after_tool" | "tool_failed" | "before_tool":
                call = str(data.get("call", ""))
                self._calls |= {call} if call else set()
                self._steps += not call and name != "before_tool"
            case "link":
                self._links |= {str(data.get("of", ""))} if data.get("parent") else set()

    def listed(self, name: str, injected: int) -> SessionSummary:
        """What was counted."""
        # Told and harvested, the same words may stand twice: they were said as often as the fuller account has them.
        said = sum(max(live, read) if live and read else live + read for live, read in self._said.values())
        first, last = self._times
        return SessionSummary(
            id=name,
            client=self._client,
            started=first,
            last=last,
            turns=said + len(self._calls) + self._steps,
            title=self._title[1],
            branches=len(self._links),
            injected_tokens=injected,
        )


def open_session(app: App, wanted: str = "", turn: str = "") -> OpenedSession:
    """A session by its id or a beginning of it, or the one that a turn belongs to."""
    require_visible(app)
    event = _find_event(app, turn) if turn else None
    name = _find_session_id(app, wanted) if wanted else session_of(event) if event else ""
    if not name:
        raise NoSuchSession(wanted)
    found = build_conversation(read_session_events(journal_path(app), {name}), name, app.workspace)
    if event is None:
        return OpenedSession(conversation=found)
    at = _turn_of(found, event)
    if not at:
        raise NoSuchTurn(turn)
    return OpenedSession(conversation=found, turn=at)


def turn_json(turn: Turn) -> dict[str, Any]:
    """A turn as programs read it."""
    return {**as_dict(turn), "kind": str(turn.kind), "input": dict(turn.input), "extra": dict(turn.extra)}


def require_visible(app: App) -> None:
    """Refuse an agent where the user has not allowed what was said to be shown."""
    if app.client and not may_show_events(app):
        raise SessionHeldBack


def journal_path(app: App) -> str:
    """The folder of the journal."""
    return os.path.join(app.folder, "journal")


def _find_session_id(app: App, wanted: str) -> str:
    return choose_session(wanted, [each.id for each in list_sessions(app)])


def choose_session(wanted: str, found: Collection[str]) -> str:
    """The one session that an id or a beginning of it means."""
    if wanted in found:
        return wanted
    near = [name for name in found if name.lower().startswith(wanted.lower())]
    if len(near) > 1:
        raise AmbiguousSession(wanted, near)
    if not near:
        raise NoSuchSession(wanted)
    return near[0]


def _find_event(app: App, turn: str) -> JournalRecord:
    record = find_event(app, turn) or _find_by_prefix(app, turn)
    if record is None:
        raise NoSuchTurn(turn)
    return record


def _find_by_prefix(app: App, turn: str) -> JournalRecord | None:
    found = [record for record in read_all_events(journal_path(app)) if record.id.startswith(turn.upper())][:2]
    if len(found) > 1:
        raise BadRequest(f"{turn!r} is the beginning of several turns.", "give more of the id.")
    return found[0] if found else None


def session_of(record: JournalRecord) -> str:
    """The session an event belongs to: of a subagent's own, its parent's."""
    data = record.data.get("data")
    extra = data.get("extra") if isinstance(data, Mapping) else None
    parent = extra.get("parent") if isinstance(extra, Mapping) else None
    return str(parent or record.data.get("session", ""))


def _turn_of(found: Conversation, event: JournalRecord) -> str:
    """The turn that an event is part of: its own, or that of its tool call, or the same words told by a hook."""
    if any(turn.id == event.id for turn in found.turns):
        return event.id
    data = event.data.get("data")
    call = str(data.get("call", "")) if isinstance(data, Mapping) else ""
    of_call = [turn.id for turn in found.turns if call and turn.call == call]
    said = str(data.get("prompt") or data.get("answer") or "") if isinstance(data, Mapping) else ""
    of_words = [turn.id for turn in found.turns if said and turn.text == said]
    near = [turn.id for turn in found.turns if turn.ts <= event.ts]
    return next((ids[-1] for ids in (of_call, of_words, near) if ids), "")
