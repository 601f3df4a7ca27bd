"""Layers 2 and 3 of finding: what happened around a point, and memories in full."""

from collections.abc import Sequence

from holdfast.domain.event import Record
from holdfast.domain.ids import is_ulid
from holdfast.domain.memory import Entry, Evidence, Scope
from holdfast.domain.search import Select
from holdfast.domain.value import Value
from holdfast.memory.allow import reachable
from holdfast.memory.entries import NoSuchId, entries_with, is_candidate
from holdfast.memory.forms import moment, shown_path
from holdfast.recall.timeline import EventItem, Item, MemoryItem
from holdfast.recall.timeline import timeline as around_point
from holdfast.wiring.app import App
from holdfast.wiring.git import ask
from holdfast.wiring.reach import events_for_agents

__all__ = ["Commit", "EventItem", "Item", "MemoryItem", "Shown", "event_with", "events_among", "show", "timeline"]

HISTORY = 20


class Commit(Value):
    """One change of a memory's file in git."""

    commit: str
    date: str
    author: str
    subject: str


class Shown(Value):
    """A memory in full: the events it came from, and its file's history."""

    entry: Entry
    evidence: tuple[tuple[Evidence, Record | None], ...]
    history: tuple[Commit, ...]


def show(app: App, ids: Sequence[str]) -> list[Shown]:
    """Layer 3: everything about some memories. Two entries with one id are both shown."""
    entries = reachable(app, [entry for wanted in ids for entry in entries_with(app, wanted)])
    return [Shown(entry=entry, evidence=_evidence(app, entry), history=_history(app, entry)) for entry in entries]


def events_among(app: App, ids: Sequence[str]) -> tuple[list[Record], list[str]]:
    """The events that some ids name, as far as whoever asks may see them, and the ids that name none."""
    if app.client and not events_for_agents(app):
        return [], list(ids)
    found = {wanted: event_with(app, wanted) for wanted in ids if is_ulid(wanted.upper())}
    records = [record for record in found.values() if record is not None]
    return records, [wanted for wanted in ids if found.get(wanted) is None]


def timeline(app: App, point: str, before: int, after: int) -> list[Item]:
    """Layer 2: events and memories around an id or a time; without one, the latest."""
    entries = reachable(app, [entry for entry in app.index.select(Select()) if not is_candidate(entry)])
    items = around_point(app.index, around=_point(app, point), before=before, after=after, entries=entries)
    if app.client and not events_for_agents(app):
        return [item for item in items if not isinstance(item, EventItem)]
    return list(items)


def _point(app: App, point: str) -> str:
    if not point:
        return "9999"
    if moment(point):
        return point
    try:
        memory = entries_with(app, point)[0].memory
    except NoSuchId:
        record = event_with(app, point)
        if record is None:
            raise
        return record.ts
    return memory.updated or memory.valid_from


def event_with(app: App, event_id: str) -> Record | None:
    """The journal's record of an event."""
    wanted = event_id.upper()
    found = app.index.events(wanted, 0, 1) if is_ulid(wanted) else ()
    # A deleted neighbour moves where a record is read from, never past it.
    record = next(app.journal.read(found[0].place), None) if found else None
    return record if record and record.id == wanted else None


def _evidence(app: App, entry: Entry) -> tuple[tuple[Evidence, Record | None], ...]:
    return tuple((evidence, event_with(app, evidence.event)) for evidence in entry.memory.evidence)


def _history(app: App, entry: Entry) -> tuple[Commit, ...]:
    if entry.scope is not Scope.WORKSPACE:
        return ()
    form = "--format=%h%x1f%aI%x1f%an%x1f%s"
    logged = ask(app.workspace, "log", "--follow", "--no-ext-diff", f"-n{HISTORY}", form, "--", shown_path(app, entry))
    rows = (line.split("\x1f", 3) for line in (logged or "").splitlines())
    return tuple(Commit(commit=r[0], date=r[1], author=r[2], subject=r[3]) for r in rows if len(r) == 4)
