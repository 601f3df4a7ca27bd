"""What was purged and shall not come back: marks without words, kept in the journal and honoured by every sync.

A mark is `memory:ID`, `file:SHA256` or `event:ID`. Marks made here go to every side. Those of a side are kept as
that side's: they are passed on to no other, and take away exact copies of what both had (see
exchange/sync/remote_deletions.py). A text of the same id that somebody changed stays where it is, and goes nowhere.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256

from holdfast.core.errors import Refused
from holdfast.core.event import BEGINNING, Cursor, Event, JournalRecord
from holdfast.core.memory import Entry, Scope
from holdfast.forget.capture_traces import drop_traces, find_record_files
from holdfast.forget.purge_marks import Marks
from holdfast.index.entries import CANDIDATES
from holdfast.index.open_index import cached_index_path, discard_index, index_path
from holdfast.recall.triples.app_triples import forget_triples
from holdfast.records.refresh_records import forget_state, refresh_records
from holdfast.render.refresh import refresh_generated
from holdfast.review.batches import drop_batches
from holdfast.review.conflict_pairs import forget_pairs
from holdfast.system.folders import WritableFolder
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import (
    FileAlreadyThere,
    FileChangedSinceRead,
    lock_folder,
    put_file,
    read_file,
    swap_file,
)
from holdfast.vault.parse_memory import parse
from holdfast.workspace import App

__all__ = [
    "PURGED",
    "accept_marks",
    "apply_marks",
    "drop_marked",
    "events_of",
    "has_peer_marks",
    "ids_of",
    "lift_peer_marks",
    "mark_entries",
    "mark_events",
    "mark_files",
    "names_in_event",
    "names_of",
    "note_marks",
    "read_marks",
    "read_own_marks",
    "sums_of",
    "sync_marks",
]

PURGED = "memory.purged"
CLIENT = "holdfast"
STATE = os.path.join("state", "gone.json")
MEMORY, FILE, EVENT = "memory:", "file:", "event:"
LONGEST = 200
AT_ONCE = 500
BUNDLE = "a bundle"


def mark_entries(entries: Iterable[Entry], whole: Collection[str] = ()) -> set[str]:
    """The marks of memories; with the sums of the files that hold nothing else."""
    return {f"{MEMORY}{entry.memory.id}" for entry in entries} | mark_files(whole)


def mark_files(sums: Iterable[str]) -> set[str]:
    """The marks of whole files, by their sums: of memory, or bundles."""
    return {f"{FILE}{each}" for each in sums}


def mark_events(records: Iterable[JournalRecord]) -> set[str]:
    """The marks of events, also by the ids that they came with."""
    return {f"{EVENT}{each}" for record in records for each in names_of(record)}


def names_of(record: JournalRecord) -> set[str]:
    """What an event is called: here, and in the journal or bundle that it came from."""
    return names_in_event(record.id, record.data)


def names_in_event(own: str, event: Mapping[str, object]) -> set[str]:
    """What an event of this id is called, by what it says."""
    known = {own, str(event.get("key", "")).rpartition(":")[2]}
    return {each for each in (*known, str(_read_origin(event).get("id", ""))) if _is_id(each)}


def _read_origin(event: Mapping[str, object]) -> Mapping[str, object]:
    """What an event that an import brought says of where it came from; empty where it was said here."""
    data = event.get("data")
    came = data.get("imported") if isinstance(data, dict) else None
    return came if isinstance(came, dict) else {}


def ids_of(found: Collection[str]) -> frozenset[str]:
    """The ids of memories among marks."""
    return frozenset(each.removeprefix(MEMORY) for each in found if each.startswith(MEMORY))


def events_of(found: Collection[str]) -> frozenset[str]:
    """The ids of events among marks."""
    return frozenset(each.removeprefix(EVENT) for each in found if each.startswith(EVENT))


def sums_of(found: Collection[str]) -> frozenset[str]:
    """The sums of whole files among marks."""
    return frozenset(each.removeprefix(FILE) for each in found if each.startswith(FILE))


def note_marks(app: App, found: Collection[str], side: str = "") -> None:
    """Keep marks, made here or a side's; durable on return."""
    listed = sorted(found)
    told = {"from": side} if side else {}
    events = []
    for at in range(0, len(listed), AT_ONCE):
        some = listed[at : at + AT_ONCE]
        key = f"purged:{sha256(json.dumps([*some, side] if side else some).encode()).hexdigest()}"
        events.append(Event(client=CLIENT, name=PURGED, key=key, data={"marks": some, **told}))
    if events:
        app.journal.append(events)


def has_peer_marks(record: JournalRecord) -> bool:
    """Whether a record is a side's marks: no business of another side."""
    data = record.data.get("data")
    return record.data.get("name") == PURGED and isinstance(data, dict) and ("from" in data or "imported" in data)


def lift_peer_marks(app: App, side: str) -> None:
    """A side that is left has no say any more: its marks keep nothing away."""
    if side in _load_known(app).sides:
        app.journal.append([Event(client=CLIENT, name=PURGED, data={"marks": [], "from": side, "lifted": True})])


def read_marks(app: App) -> frozenset[str]:
    """Every mark that is kept here, whoever made it: nothing of it comes by an import."""
    known = _load_known(app)
    return frozenset(known.marks.union(*known.sides.values()))


def read_own_marks(app: App, side: str = "") -> frozenset[str]:
    """The marks that were made here; with those of one side, where it is named."""
    known = _load_known(app)
    return frozenset(known.marks | known.sides.get(side, set()))


def _load_known(app: App) -> "_Known":
    """The journal is read on from where it was read last."""
    known = _Known(app)
    known.read_on()
    return known


class _Known:
    """The marks by what was read of the journal: made here, of sides, and obeyed. Lost, it is rebuilt."""

    def __init__(self, app: App) -> None:
        self._app, self._path = app, os.path.join(app.folder, STATE)
        held = read_json_cache(self._path)
        at = held.get("journal")
        sides = held.get("sides")
        whole = isinstance(at, list) and len(at) == 2 and all(isinstance(each, int) for each in at)
        whole = whole and isinstance(sides, dict)
        self._cursor = Cursor(segment=at[0], offset=at[1]) if whole and isinstance(at, list) else BEGINNING
        self.marks = filter_marks(held.get("marks", ())) if whole else set()
        self.obeyed = filter_marks(held.get("obeyed", ())) if whole else set()
        listed = sides.items() if whole and isinstance(sides, dict) else ()
        self.sides: dict[str, set[str]] = {str(side): filter_marks(found) for side, found in listed}

    def read_on(self) -> None:
        """Take in what the journal has more."""
        begun = self._cursor
        for record in self._app.journal.read(self._cursor):
            self._cursor = record.after
            data = record.data.get("data")
            if record.data.get("name") == PURGED and record.data.get("client") == CLIENT and isinstance(data, dict):
                self._take(data)
        if self._cursor != begun:
            self.keep()

    def _take(self, data: Mapping[str, object]) -> None:
        # A bundle's marks are the bundle's: whoever made it sends nothing to our sides.
        side = BUNDLE if "imported" in data else str(data.get("from", ""))
        if data.get("lifted"):
            self.sides.pop(side, None)
        elif side:
            self.sides[side] = self.sides.get(side, set()) | filter_marks(data.get("marks", ()))
        else:
            self.marks |= filter_marks(data.get("marks", ()))

    def keep(self) -> None:
        """Write it down."""
        at = [self._cursor.segment, self._cursor.offset]
        sides = {side: sorted(found) for side, found in self.sides.items()}
        held = {"journal": at, "marks": sorted(self.marks), "obeyed": sorted(self.obeyed), "sides": sides}
        put_file(self._path, json.dumps(held).encode())


def filter_marks(found: object) -> set[str]:
    """Of what others call marks, those that are some."""
    listed = found if isinstance(found, list | tuple) else ()
    return {each for each in map(str, listed) if each.startswith((MEMORY, FILE, EVENT)) and len(each) <= LONGEST}


def sync_marks(app: App, there: Marks, side: str, *, gives: bool = True, cache: bool = False) -> frozenset[str]:
    """Bring the marks of two places together, before their files; those of the other side.

    `cache`: all that is here is theirs, so their marks are obeyed at once, and are ours to pass on. Otherwise they are
    kept as theirs; what they take is the sync's to see, and of events those that came here by an import.
    """
    known, theirs = _load_known(app), frozenset(filter_marks(list(there.list_marks())))
    ours = frozenset(known.marks)
    if cache:
        note_marks(app, theirs - ours)
        apply_marks(app, events=True)
    elif new := theirs - ours - known.sides.get(side, set()):
        note_marks(app, new, side)
        _drop_named_events(app, events_of(new), said_here=False)
    if gives and (lacking := ours - theirs):
        # Who may only read brings nothing back either.
        with suppress(Refused):
            there.add_marks(sorted(lacking))
    return theirs


def accept_marks(app: App, found: Collection[str]) -> None:
    """Keep marks that another machine sent, and do as they say."""
    note_marks(app, frozenset(filter_marks(list(found))) - read_own_marks(app))
    apply_marks(app, events=True)


def apply_marks(app: App, *, events: bool, bundles: bool = False) -> None:
    """Take away the exact copies that lie here, and events that were purged elsewhere; each mark is obeyed once.

    `events`: also those that were said here, and not only those that came by an import. `bundles`: also the marks that
    came by one; for whoever knows that it was the user's own.
    """
    known = _load_known(app)
    new = (known.marks | (known.sides.get(BUNDLE, set()) if bundles else set())) - known.obeyed
    if not new:
        return
    app.refresh()
    sums = sums_of(new)
    here = {path: held.sha256 for (scope, path), held in app.index.sources().items() if scope == Scope.WORKSPACE}
    removed = [path for path, sha in here.items() if sha in sums and _drop(app, Scope.WORKSPACE, path, sha)]
    unsaid = _drop_named_events(app, events_of(new), said_here=events)
    # What could be undone holds the words, also where the file went before.
    drop_batches(app, ids_of(new))
    if removed or unsaid:
        _drop_memory_traces(app, ids_of(new))
    known = _Known(app)
    known.obeyed |= new
    known.keep()


def drop_marked(app: App, scope: Scope, dooms: Mapping[str, str], side: str) -> list[str]:
    """Take away files (path and sum) that a side's marks name, with what could be undone; the ids that they held.

    No word of them stays: whoever had it purged has the right to be forgotten.
    """
    found: dict[str, None] = {}
    for path, sha in dooms.items():
        place, inner = _find_place(app, scope, path)
        inside = parse(read_file(place, inner) or b"", path=inner, scope=scope).entries
        if _drop(app, scope, path, sha):
            found |= dict.fromkeys([entry.memory.id for entry in inside] or [f"file {sha[:12]}"])
    drop_batches(app, found)
    if found:
        note_marks(app, {f"{MEMORY}{each}" for each in found if " " not in each} - read_own_marks(app, side), side)
        number = f"{len(dooms)} memory file{'s' * (len(dooms) > 1)}"
        app.notices.append(
            f"purged by others, and so gone from here too: {number}. By marks of {side}: {', '.join(found)}"
        )
        _drop_memory_traces(app, found)
    return list(found)


def _drop(app: App, scope: Scope, path: str, sha: str) -> bool:
    """Remove a file that has this sum; False where it moved meanwhile."""
    place, inner = _find_place(app, scope, path)
    try:
        with lock_folder(place):
            swap_file(place, inner, None, then=sha)
    except (FileChangedSinceRead, FileAlreadyThere):
        return False
    return True


def _find_place(app: App, scope: Scope, path: str) -> tuple[WritableFolder, str]:
    place, _, inner = path.partition("/")
    return WritableFolder(root=os.path.join(app.root_of(scope), place), private=place == CANDIDATES), inner


def _drop_named_events(app: App, gone: Collection[str], *, said_here: bool) -> bool:
    """Take events of these names away, also those `said_here`; whether there were any.

    Who names an event by its id had it: nobody guesses one.
    """
    named = (r for r in app.journal.read() if r.kind == "event" and not names_of(r).isdisjoint(gone)) if gone else ()
    doomed = [record for record in named if said_here or _read_origin(record.data)]
    if doomed:
        _drop_events(app, doomed)
    return bool(doomed)


def _drop_memory_traces(app: App, ids: Collection[str]) -> None:
    forget_pairs(app)
    forget_triples(app, sorted(ids))
    _rebuild_index(app)
    refresh_generated(app)


def _drop_events(app: App, doomed: list[JournalRecord]) -> None:
    ids = {record.id for record in doomed}
    app.journal.delete(sorted(ids | {each for record in doomed for each in names_of(record)}), "purged elsewhere")
    app.journal.compact()
    for day in {record.ts[:10] for record in doomed}:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(app.folder, "log", f"{day}.md"))

    def holds(text: str) -> bool:
        return any(each in text for each in ids)

    drop_traces(app, find_record_files(app, holds, lambda _: False), holds, lambda _: False, ids)
    forget_state(app)
    refresh_records(app)


def _rebuild_index(app: App) -> None:
    """A table emptied still holds words in its free pages: the files themselves must go."""
    app.refresh()
    for path in (cached_index_path(app), index_path(app)):
        discard_index(path)


def _is_id(text: str) -> bool:
    return len(text) == 26 and text.isalnum() and text.isascii()
