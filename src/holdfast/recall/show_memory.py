"""Layers 2 and 3 of finding: what happened around a point, and memories in full."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.core.event import Record
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry, Evidence
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.index.entries import NoSuchId, entries_with, is_candidate
from holdfast.journal.imported_ids import moved_to
from holdfast.recall.citations.citation_status import Drift, drift_json, drop_marks, looked
from holdfast.recall.memory_history import Then, then, then_json, versions_of
from holdfast.recall.timeline import EventItem, Item, MemoryItem
from holdfast.recall.timeline import timeline as around_point
from holdfast.trust.allow import reachable
from holdfast.trust.sync_authors import Senders
from holdfast.trust.visibility import events_for_agents
from holdfast.vault.entry_json import entry_json, moment
from holdfast.workspace import App

__all__ = [
    "Commit", "EventItem", "Item", "MemoryItem", "Shown", "event_with", "events_among", "seen_json", "show",
    "shown_json", "timeline", "whole_seen",
]  # fmt: skip

HISTORY = 20
SHORT = 10


class Commit(Value):
    """One change of a memory's file in git."""

    commit: str
    date: str
    author: str
    subject: str


class Shown(Value):
    """A memory in full: the events it came from, how the code it cites stands, and its history.

    With `then`, as it was at a moment: `entry` is that of then.
    """

    entry: Entry
    evidence: tuple[tuple[Evidence, Record | None], ...]
    history: tuple[Commit, ...] = ()
    drifts: tuple[Drift, ...] = ()
    then: Then | None = None


def show(app: App, ids: Sequence[str], as_of: str = "") -> list[Shown]:
    """Layer 3: everything about some memories, now or at a time. Two entries with one id are both shown."""
    entries = reachable(app, [entry for wanted in ids for entry in entries_with(app, wanted)])
    if as_of:
        return [_shown_then(app, then(app, entry, as_of)) for entry in entries]
    return [
        Shown(
            entry=cited.entry, evidence=_evidence(app, cited.entry), history=_history(app, cited.entry),
            drifts=cited.drifts,
        )
        for cited in looked(app, entries)
    ]  # fmt: skip


def whole_seen(app: App, ids: Sequence[str], as_of: str = "") -> list[Shown]:
    """Memories in full for an agent: without the events and commits, which take room and answer little."""
    entries = reachable(app, [entry for wanted in ids for entry in entries_with(app, wanted)])
    if as_of:
        found = [then(app, entry, as_of) for entry in entries]
        return [Shown(entry=each.entry, evidence=(), then=each) for each in found]
    return [Shown(entry=each.entry, evidence=(), drifts=each.drifts) for each in looked(app, entries)]


def seen_json(app: App, shown: Shown, newer: Mapping[str, str]) -> dict[str, Any]:
    """A memory in full for an agent."""
    return drop_marks(shown_json(app, shown, newer))


def shown_json(app: App, shown: Shown, newer: Mapping[str, str]) -> dict[str, Any]:
    """A memory in full for programs."""
    form = entry_json(app, shown.entry, newer)
    if sender := Senders(app).of(shown.entry):
        form["from"] = sender
    if shown.drifts:
        form["cites"] = [drift_json(drift) for drift in shown.drifts]
    if shown.then:
        form["as_of"] = then_json(shown.then)
    return form


def events_among(app: App, ids: Sequence[str]) -> tuple[list[Record], list[str]]:
    """The events that some ids name, as far as whoever asks may see them, and the ids that name none."""
    if app.client and not events_for_agents(app):
        return [], list(ids)
    found = {wanted: event_with(app, wanted) for wanted in ids if is_ulid(wanted.upper())}
    records = [record for record in found.values() if record is not None]
    return records, [wanted for wanted in ids if found.get(wanted) is None]


def timeline(app: App, point: str, before: int, after: int, there: Sequence[Entry] | None = None) -> list[Item]:
    """Layer 2: events and memories around an id or a time; without one, the latest. `there`: all memories."""
    found = app.index.select(Select()) if there is None else there
    entries = reachable(app, [entry for entry in found if not is_candidate(entry)])
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
    """The journal's record of an event; of one that came by a bundle, by the id it had there too."""
    wanted = event_id.upper()
    found = app.index.events(wanted, 0, 1) if is_ulid(wanted) else ()
    if not found and is_ulid(wanted) and (here := moved_to(app, wanted)):
        wanted, found = here, app.index.events(here, 0, 1)
    # A deleted neighbour moves where a record is read from, never past it.
    record = next(app.journal.read(found[0].place), None) if found else None
    return record if record and record.id == wanted else None


def _evidence(app: App, entry: Entry) -> tuple[tuple[Evidence, Record | None], ...]:
    return tuple((evidence, event_with(app, evidence.event)) for evidence in entry.memory.evidence)


def _shown_then(app: App, found: Then) -> Shown:
    return Shown(entry=found.entry, evidence=_evidence(app, found.entry), then=found)


def _history(app: App, entry: Entry) -> tuple[Commit, ...]:
    found = versions_of(app, entry).found[:HISTORY]
    return tuple(Commit(commit=v.commit[:SHORT], date=v.authored, author=v.author, subject=v.subject) for v in found)
