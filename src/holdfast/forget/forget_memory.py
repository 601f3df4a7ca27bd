"""Forget: the one verb for removal. First a plan that a person can read, then the deed, then the proof."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from holdfast.core.errors import NotFound
from holdfast.core.event import Event, JournalRecord
from holdfast.core.memory import Entry
from holdfast.core.memory_json import to_json
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.distil.memory_page import refresh_memory_page
from holdfast.forget.capture_traces import drop_traces, find_record_files
from holdfast.forget.purge_proof import PurgeProof, list_files_below, prove_files
from holdfast.forget.removal_query import ForgetQuery, find_long_lines, words_of
from holdfast.forget.side_files import drop_side_files
from holdfast.forget.tombstones import mark_entries, mark_events, names_of, note_marks
from holdfast.harvest.purged_captures import describe_purged, forget_purged_list
from holdfast.index.entries import NoSuchId, find_entry, to_vault_entry, vault_of
from holdfast.index.maintenance import rebuild
from holdfast.index.open_index import cached_index_path, discard_index, index_path
from holdfast.recall.statement_cache import FILE as STATEMENTS
from holdfast.recall.triples.app_triples import forget_triples
from holdfast.records.refresh_records import refresh_records
from holdfast.render.refresh import refresh_rendered_blocks
from holdfast.review.batches import Batch, drop_batches
from holdfast.review.conflict_pairs import forget_pairs
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import put_file, read_file
from holdfast.trust.allow import mark_as_own
from holdfast.trust.standing import EVIDENCE, FORGOTTEN, describe_evidence, drop_settled_words, settle
from holdfast.vault.entry_json import now
from holdfast.vault.parse_memory import parse
from holdfast.workspace import App, need_person

__all__ = [
    "ForgetPlan", "PurgeProof", "forget", "plan_ids", "plan_query", "prove",
    "purge", "read_tombstone_words",
]  # fmt: skip

LARGEST_LOG = 64 * 1024 * 1024
# Folders of files whose lines stand each for itself.
LINES = ("log", "changes", "logs")


class AlreadyForgotten(NotFound):
    """An id that was forgotten before."""

    def __init__(self, wanted: str, when: str) -> None:
        super().__init__(
            f"{wanted!r} was forgotten on {when[:10]}.",
            f"`holdfast forget {wanted} --purge` takes the last traces away.",
        )


class ForgetPlan(Value):
    """What would go: memories and candidates, events, lines of the daily log, record files or lines of them."""

    query: ForgetQuery
    entries: tuple[Entry, ...] = ()
    events: tuple[JournalRecord, ...] = ()
    log_lines: tuple[tuple[str, str], ...] = ()
    records: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing would go."""
        return not (self.entries or self.events or self.log_lines or self.records)


def plan_ids(app: App, ids: Sequence[str], *, purging: bool = False) -> ForgetPlan:
    """What goes with some ids, of memories, candidates or events. A purge also takes the journal's copies."""
    need_person(app, f"forget {' '.join(ids)}")
    refresh_records(app)
    entries: list[Entry] = []
    events: list[JournalRecord] = []
    for wanted in ids:
        try:
            entries.append(find_entry(app, wanted))
        except NoSuchId:
            events.extend(_find_traces(app, wanted, purging=purging))
    if purging:
        events.extend(_find_tellings(app, {entry.memory.id for entry in entries}))
    lines = tuple(line for entry in entries for line in find_long_lines(entry.memory.body))
    lines += tuple(line for record in events for line in find_long_lines(read_tombstone_words(record)))
    named = (*(entry.memory.id for entry in entries), *(each.upper() for each in ids))
    sought = ForgetQuery(ids=tuple(dict.fromkeys(named)), events=tuple(record.id for record in events), lines=lines)
    plan = ForgetPlan(query=sought, entries=tuple(entries), events=tuple(events))
    return replace(plan, records=_find_records(app, plan))


def _find_traces(app: App, wanted: str, *, purging: bool) -> list[JournalRecord]:
    """The event that an id names, or what the journal keeps of a memory that was forgotten."""
    exact = [record for record in _read_events(app) if record.id == wanted.upper()]
    copies = [record for record in _read_events(app) if _is_copy_of(record, wanted.upper())]
    if not exact and not copies:
        raise NoSuchId(wanted)
    if not exact and not purging:
        raise AlreadyForgotten(wanted, copies[-1].ts)
    return exact or [record for record in copies if read_tombstone_words(record)]


def _find_tellings(app: App, ids: set[str]) -> list[JournalRecord]:
    """The events that say what a memory can be known again by: they hold names of its words."""
    if not ids:
        return []
    found = ((record, record.data.get("data")) for record in _read_events(app))
    about = ((record, data.get("about")) for record, data in found if isinstance(data, dict))
    return [record for record, known in about if isinstance(known, dict) and ids & known.keys()]


def plan_query(app: App, sought: ForgetQuery) -> ForgetPlan:
    """What holds some words here."""
    refresh_records(app)
    entries = [entry for entry in app.index.select(Select()) if _is_meant(entry, sought)]
    events = [record for record in _read_events(app) if _is_event_meant(record, sought)]
    lines = [(path, line) for path, text in _read_logs(app) for line in text.splitlines() if sought.holds(line)]
    plan = ForgetPlan(query=sought, entries=tuple(entries), events=tuple(events), log_lines=tuple(lines))
    return replace(plan, records=_find_records(app, plan))


def _is_meant(entry: Entry, sought: ForgetQuery) -> bool:
    return entry.memory.id in sought.ids or (sought.by_words and sought.holds(words_of(to_json(entry.memory))))


def _is_event_meant(record: JournalRecord, sought: ForgetQuery) -> bool:
    if names_of(record) & {*sought.events} or any(
        _is_copy_of(record, i) and read_tombstone_words(record) for i in sought.ids
    ):
        return True
    holds = sought.holds_derived if record.data.get("client") == "holdfast" else sought.holds
    return sought.by_words and holds(words_of(dict(record.data)))


def forget(app: App, plan: ForgetPlan, why: str) -> None:
    """Take it out of sight: files go; the journal keeps a tombstone, with what a memory said, until a purge."""
    # What was done to them before is not to be undone behind it; the forgetting itself is.
    drop_batches(app, {entry.memory.id for entry in plan.entries})
    changes = Batch(app, "forget")
    for entry in plan.entries:
        _write_tombstone(app, entry, why, changes.remove(entry))
    if plan.events:
        app.journal.delete([record.id for record in plan.events], why)
    _drop_log_lines(plan)
    _drop_records(app, plan)
    forget_triples(app, [entry.memory.id for entry in plan.entries])
    app.refresh()
    refresh_memory_page(app)
    refresh_rendered_blocks(app)


def purge(app: App, plan: ForgetPlan, why: str) -> PurgeProof:
    """Take it off the disk: vault, journal, log, index; then search every file for it.

    Cut short, the same again takes the rest: what is to go is told by the words, not by how far this came.
    """
    why = "" if plan.query.holds(why) else why
    gone = {entry.memory.id for entry in plan.entries} | _find_forgotten(app, plan)
    events = [
        *plan.events,
        *(r for r in _read_events(app) if any(_is_copy_of(r, i) and read_tombstone_words(r) for i in gone)),
    ]
    # Before anything goes: whoever syncs from now on brings nothing of it back.
    note_marks(app, mark_entries(plan.entries, _hash_whole_files(app, plan)) | mark_events(events))
    if marks := describe_purged(events):
        app.journal.append(marks)
        forget_purged_list(app.folder)
    gone_events = {each for record in events for each in (record.id, *names_of(record))}
    for entry in plan.entries:
        vault_of(app, entry).remove(to_vault_entry(entry))
        _write_tombstone(app, entry, why, "", gone_events)
    if events:
        app.journal.delete(sorted(gone_events), why)
    app.journal.compact()
    _drop_log_lines(plan)
    _drop_records(app, plan)
    drop_side_files(app, plan.query)
    drop_settled_words(app, gone_events)
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(app.folder, STATEMENTS))
    forget_pairs(app)
    forget_triples(app, sorted(gone))
    _rename(app, plan)
    app.refresh()
    # A table emptied still holds words in its free pages: the files themselves must go.
    for path in (cached_index_path(app), index_path(app)):
        discard_index(path)
    rebuild(app)
    refresh_memory_page(app)
    refresh_rendered_blocks(app)
    return prove(app, plan)


def prove(app: App, plan: ForgetPlan) -> PurgeProof:
    """Search every file we keep for the words that went."""
    found = [entry.path for entry in _find_misnamed(app, plan)]
    found += [path for path in _find_records(app, plan) if path not in found]
    return prove_files(app, plan.query, found)


def _hash_whole_files(app: App, plan: ForgetPlan) -> set[str]:
    """The sums of the files that go whole, since each entry in them does."""
    going = {entry.memory.id for entry in plan.entries}
    sums = set()
    for entry in plan.entries:
        bare = to_vault_entry(entry)
        folder = os.path.join(app.root_of(entry.scope), entry.path.removesuffix(bare.path).rstrip("/"))
        data = read_file(WritableFolder(root=folder), bare.path)
        inside = parse(data or b"", path=bare.path, scope=entry.scope).entries
        sums |= {entry.sha256} if {each.memory.id for each in inside} <= going else set()
    return sums


def _find_forgotten(app: App, plan: ForgetPlan) -> set[str]:
    """The ids asked for of which the journal alone knows."""
    return {each for each in plan.query.ids if any(_is_copy_of(record, each) for record in _read_events(app))}


def _find_records(app: App, plan: ForgetPlan) -> tuple[str, ...]:
    return tuple(find_record_files(app, lambda text: _is_derived_from_plan(text, plan), plan.query.named))


def _is_derived_from_plan(text: str, plan: ForgetPlan) -> bool:
    """Whether a record holds the words, or names an event that goes."""
    return plan.query.holds(text) or any(record.id in text for record in plan.events)


def _drop_records(app: App, plan: ForgetPlan) -> None:
    gone = {record.id for record in plan.events}
    drop_traces(app, plan.records, lambda text: _is_derived_from_plan(text, plan), plan.query.named, gone)


def _read_events(app: App) -> Iterator[JournalRecord]:
    return (record for record in app.journal.read() if record.kind == "event")


def _is_copy_of(record: JournalRecord, memory_id: str) -> bool:
    data = record.data.get("data")
    return isinstance(data, dict) and data.get("id") == memory_id and record.data.get("name") == FORGOTTEN


def read_tombstone_words(record: JournalRecord) -> str:
    """What a tombstone still says of a memory that was forgotten."""
    data = record.data.get("data")
    return str(data.get("removed", "")) if isinstance(data, dict) else ""


def _write_tombstone(app: App, entry: Entry, why: str, text: str, gone: Collection[str] = ()) -> None:
    """What stays of a memory: `text` until a purge, and of its events those that are not `gone` too."""
    evidence = [
        [event if event not in gone else "", *rest] for event, *rest in describe_evidence(entry.memory, purged=not text)
    ]
    data = {"id": entry.memory.id, "sha256": entry.sha256, "why": why, "text": f"{entry.memory.id} forgotten"}
    removed = {"removed": text} if text else {}
    app.journal.append([Event(client="holdfast", name=FORGOTTEN, data={**data, **removed, EVIDENCE: evidence})])
    settle(app, evidence, now(app))


def _read_logs(app: App) -> Iterator[tuple[str, str]]:
    for path in (each for name in LINES for each in list_files_below(os.path.join(app.folder, name))):
        if os.path.getsize(path) <= LARGEST_LOG:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                yield path, file.read()


def _drop_log_lines(plan: ForgetPlan) -> None:
    for path in {path for path, _ in plan.log_lines}:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            lines = file.read().splitlines(keepends=True)
        kept = "".join(line for line in lines if not plan.query.holds(line))
        put_file(path, kept.encode("utf-8", "surrogateescape"))


def _rename(app: App, plan: ForgetPlan) -> None:
    """A file's name may hold words of a title it once had."""
    app.refresh()
    for entry in _find_misnamed(app, plan):
        vault = vault_of(app, entry)
        vault.remove(to_vault_entry(entry))
        mark_as_own(app, vault.create(entry.memory))
    app.refresh()


def _find_misnamed(app: App, plan: ForgetPlan) -> list[Entry]:
    named = plan.query.named
    return [e for e in app.index.select(Select()) if named(e.path) and not named(e.memory.title)]
