"""Layers 2 and 3 of finding: what happened around a point, and memories in full."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.core.event import JournalRecord
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry, Evidence
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.index.entries import NoSuchId, find_entries, is_candidate
from holdfast.index.find_event import find_event
from holdfast.recall.citations.citation_status import CitationDrift, drift_json, drop_marks, locate_cited_code
from holdfast.recall.memory_history import MemoryAtTime, memory_at_time_json, read_at_time, versions_of
from holdfast.recall.timeline import EventItem, Item, MemoryItem
from holdfast.recall.timeline import build_timeline as around_point
from holdfast.trust.allow import filter_visible
from holdfast.trust.sync_authors import SyncAuthors
from holdfast.trust.visibility import may_show_events
from holdfast.vault.entry_json import entry_json, parse_moment
from holdfast.workspace import App

__all__ = [
    "EventItem",
    "FileCommit",
    "Item",
    "MemoryItem",
    "ShownMemory",
    "agent_json",
    "build_timeline",
    "find_events",
    "show",
    "show_to_agent",
    "shown_json",
]

HISTORY = 20
SHORT = 10


class FileCommit(Value):
    """One change of a memory's file in git."""

    commit: str
    date: str
    author: str
    subject: str


class ShownMemory(Value):
    """A memory in full: the events it came from, how the code it cites stands, and its history.

    With `then`, as it was at a moment: `entry` is that of then.
    """

    entry: Entry
    evidence: tuple[tuple[Evidence, JournalRecord | None], ...]
    history: tuple[FileCommit, ...] = ()
    drifts: tuple[CitationDrift, ...] = ()
    then: MemoryAtTime | None = None


def show(app: App, ids: Sequence[str], as_of: str = "") -> list[ShownMemory]:
    """Layer 3: everything about some memories, now or at a time. Two entries with one id are both shown."""
    entries = filter_visible(app, [entry for wanted in ids for entry in find_entries(app, wanted)])
    if as_of:
        return [_show_at_time(app, read_at_time(app, entry, as_of)) for entry in entries]
    return [
        ShownMemory(
            entry=cited.entry, evidence=_find_evidence(app, cited.entry), history=_read_commits(app, cited.entry),
            drifts=cited.drifts,
        )
        for cited in locate_cited_code(app, entries)
    ]  # fmt: skip


def show_to_agent(app: App, ids: Sequence[str], as_of: str = "") -> list[ShownMemory]:
    """Memories in full for an agent: without the events and commits, which take room and answer little."""
    entries = filter_visible(app, [entry for wanted in ids for entry in find_entries(app, wanted)])
    if as_of:
        found = [read_at_time(app, entry, as_of) for entry in entries]
        return [ShownMemory(entry=each.entry, evidence=(), then=each) for each in found]
    return [ShownMemory(entry=each.entry, evidence=(), drifts=each.drifts) for each in locate_cited_code(app, entries)]


def agent_json(app: App, shown: ShownMemory, newer: Mapping[str, str]) -> dict[str, Any]:
    """A memory in full for an agent."""
    return drop_marks(shown_json(app, shown, newer))


def shown_json(app: App, shown: ShownMemory, newer: Mapping[str, str]) -> dict[str, Any]:
    """A memory in full for programs."""
    form = entry_json(app, shown.entry, newer)
    if sender := SyncAuthors(app).of(shown.entry):
        form["from"] = sender
    if shown.drifts:
        form["cites"] = [drift_json(drift) for drift in shown.drifts]
    if shown.then:
        form["as_of"] = memory_at_time_json(shown.then)
    return form


def find_events(app: App, ids: Sequence[str]) -> tuple[list[JournalRecord], list[str]]:
    """The events that some ids name, as far as whoever asks may see them, and the ids that name none."""
    if app.client and not may_show_events(app):
        return [], list(ids)
    found = {wanted: find_event(app, wanted) for wanted in ids if is_ulid(wanted.upper())}
    records = [record for record in found.values() if record is not None]
    return records, [wanted for wanted in ids if found.get(wanted) is None]


def build_timeline(app: App, point: str, before: int, after: int, there: Sequence[Entry] | None = None) -> list[Item]:
    """Layer 2: events and memories around an id or a time; without one, the latest. `there`: all memories."""
    found = app.index.select(Select()) if there is None else there
    entries = filter_visible(app, [entry for entry in found if not is_candidate(entry)])
    items = around_point(app.index, around=_resolve_point(app, point), before=before, after=after, entries=entries)
    if app.client and not may_show_events(app):
        return [item for item in items if not isinstance(item, EventItem)]
    return list(items)


def _resolve_point(app: App, point: str) -> str:
    if not point:
        return "9999"
    if parse_moment(point):
        return point
    try:
        memory = find_entries(app, point)[0].memory
    except NoSuchId:
        record = find_event(app, point)
        if record is None:
            raise
        return record.ts
    return memory.updated or memory.valid_from


def _find_evidence(app: App, entry: Entry) -> tuple[tuple[Evidence, JournalRecord | None], ...]:
    return tuple((evidence, find_event(app, evidence.event)) for evidence in entry.memory.evidence)


def _show_at_time(app: App, found: MemoryAtTime) -> ShownMemory:
    return ShownMemory(entry=found.entry, evidence=_find_evidence(app, found.entry), then=found)


def _read_commits(app: App, entry: Entry) -> tuple[FileCommit, ...]:
    found = versions_of(app, entry).found[:HISTORY]
    return tuple(
        FileCommit(commit=v.commit[:SHORT], date=v.authored, author=v.author, subject=v.subject) for v in found
    )
