"""What was purged and shall not come back: marks without words, kept in the journal and honoured by every sync.

A mark is `memory:ID`, `file:SHA256` or `event:ID`. An exact copy that comes or lies here goes; a text of the same id
that somebody changed stays where it is, and goes nowhere.
"""

import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from hashlib import sha256

from holdfast.domain.errors import Refused
from holdfast.domain.event import BEGINNING, Cursor, Event, Record
from holdfast.domain.memory import Entry, Scope
from holdfast.memory.batches import drop_batches
from holdfast.memory.contradictions import forget_pairs
from holdfast.memory.entries import CANDIDATES
from holdfast.memory.forgetting.traces import drop_traces, traces
from holdfast.ports.marks import Marks
from holdfast.vault.disk import Place
from holdfast.vault.write import AlreadyThere, Moved, locked, put_file, swap_file
from holdfast.wiring.app import App
from holdfast.wiring.derived import read_derived
from holdfast.wiring.index import cached_index, discard, index_path
from holdfast.wiring.records import catch_up, forget_state
from holdfast.wiring.rendering import in_step
from holdfast.wiring.triples import forget_triples

__all__ = [
    "PURGED", "events_of", "exchange", "ids_of", "mark_entries", "mark_events", "marks", "names_of", "note", "obey",
    "sums_of", "take_marks",
]  # fmt: skip

PURGED = "memory.purged"
CLIENT = "holdfast"
STATE = os.path.join("state", "gone.json")
MEMORY, FILE, EVENT = "memory:", "file:", "event:"
LONGEST = 200
AT_ONCE = 500


def mark_entries(entries: Iterable[Entry], whole: Collection[str] = ()) -> set[str]:
    """The marks of memories; with the sums of the files that hold nothing else."""
    return {f"{MEMORY}{entry.memory.id}" for entry in entries} | {f"{FILE}{each}" for each in whole}


def mark_events(records: Iterable[Record]) -> set[str]:
    """The marks of events, also by the ids that they came with."""
    return {f"{EVENT}{each}" for record in records for each in names_of(record)}


def names_of(record: Record) -> set[str]:
    """What an event is called: here, and in the journal or bundle that it came from."""
    data = record.data.get("data")
    came = data.get("imported") if isinstance(data, dict) else None
    known = {record.id, str(record.data.get("key", "")).rpartition(":")[2]}
    return {each for each in (*known, str(came.get("id", "")) if isinstance(came, dict) else "") if _is_id(each)}


def ids_of(found: Collection[str]) -> frozenset[str]:
    """The ids of memories among marks."""
    return frozenset(each.removeprefix(MEMORY) for each in found if each.startswith(MEMORY))


def events_of(found: Collection[str]) -> frozenset[str]:
    """The ids of events among marks."""
    return frozenset(each.removeprefix(EVENT) for each in found if each.startswith(EVENT))


def sums_of(found: Collection[str]) -> frozenset[str]:
    """The sums of whole files among marks."""
    return frozenset(each.removeprefix(FILE) for each in found if each.startswith(FILE))


def note(app: App, found: Collection[str]) -> None:
    """Keep marks; durable on return."""
    listed = sorted(found)
    events = []
    for at in range(0, len(listed), AT_ONCE):
        some = listed[at : at + AT_ONCE]
        key = f"purged:{sha256(json.dumps(some).encode()).hexdigest()}"
        events.append(Event(client=CLIENT, name=PURGED, key=key, data={"marks": some}))
    if events:
        app.journal.append(events)


def marks(app: App) -> frozenset[str]:
    """Every mark that is kept here. The journal is read on from where it was read last."""
    known = _Known(app)
    known.read_on()
    return frozenset(known.marks)


class _Known:
    """The marks by what was read of the journal, and those that were obeyed. Lost, it is made anew."""

    def __init__(self, app: App) -> None:
        self._app, self._path = app, os.path.join(app.folder, STATE)
        held = read_derived(self._path)
        at = held.get("journal")
        whole = isinstance(at, list) and len(at) == 2 and all(isinstance(each, int) for each in at)
        self._cursor = Cursor(segment=at[0], offset=at[1]) if whole and isinstance(at, list) else BEGINNING
        self.marks = clean(held.get("marks", ())) if whole else set()
        self.obeyed = clean(held.get("obeyed", ())) if whole else set()

    def read_on(self) -> None:
        """Take in what the journal has more."""
        begun = self._cursor
        for record in self._app.journal.read(self._cursor):
            self._cursor = record.after
            data = record.data.get("data")
            if record.data.get("name") == PURGED and record.data.get("client") == CLIENT and isinstance(data, dict):
                self.marks |= clean(data.get("marks", ()))
        if self._cursor != begun:
            self.keep()

    def keep(self) -> None:
        """Write it down."""
        at = [self._cursor.segment, self._cursor.offset]
        held = {"journal": at, "marks": sorted(self.marks), "obeyed": sorted(self.obeyed)}
        put_file(self._path, json.dumps(held).encode())


def clean(found: object) -> set[str]:
    """Of what others call marks, those that are some."""
    listed = found if isinstance(found, list | tuple) else ()
    return {each for each in map(str, listed) if each.startswith((MEMORY, FILE, EVENT)) and len(each) <= LONGEST}


def exchange(app: App, there: Marks, *, takes: bool = True, gives: bool = True, cache: bool = False) -> None:
    """Bring the marks of two places together, before their files. `takes`: exact copies here go.

    `cache`: all that is here is theirs, events too. Otherwise what was said here stays here, and is not sent again.
    """
    ours, theirs = marks(app), frozenset(clean(list(there.gone())))
    note(app, theirs - ours)
    if takes:
        obey(app, events=cache)
    if gives and (lacking := ours - theirs):
        # Who may only read brings nothing back either.
        with suppress(Refused):
            there.bury(sorted(lacking))


def take_marks(app: App, found: Collection[str]) -> None:
    """Keep marks that another machine sent, and do as they say."""
    note(app, frozenset(clean(list(found))) - marks(app))
    obey(app, events=True)


def obey(app: App, *, events: bool) -> None:
    """Take away the exact copies that lie here, and events that were purged elsewhere; each mark is obeyed once."""
    known = _Known(app)
    known.read_on()
    new = known.marks - known.obeyed
    if not new:
        return
    removed, gone = _drop_files(app, sums_of(new)), events_of(new) if events else frozenset[str]()
    doomed = [r for r in app.journal.read() if r.kind == "event" and names_of(r) & gone] if gone else []
    if doomed:
        _drop_events(app, doomed)
    if removed and not events:
        app.notices.append(f"purged by others, and so gone from here too: {removed} memory file{'s' * (removed > 1)}.")
    # What could be undone holds the words, also where the file went before.
    drop_batches(app, ids_of(new))
    if removed or doomed:
        forget_pairs(app)
        forget_triples(app, sorted(ids_of(new)))
        _index_anew(app)
        in_step(app)
    known = _Known(app)
    known.obeyed |= new
    known.keep()


def _drop_files(app: App, sums: Collection[str]) -> int:
    """How many went."""
    app.refresh()
    gone = 0
    for (scope, path), held in app.index.sources().items() if sums else ():
        if held.sha256 in sums and scope != Scope.USER:
            place, _, inner = path.partition("/")
            root = Place(root=os.path.join(app.root_of(Scope(scope)), place), private=place == CANDIDATES)
            with suppress(Moved, AlreadyThere), locked(root):
                swap_file(root, inner, None, then=held.sha256)
                gone += 1
    return gone


def _drop_events(app: App, doomed: list[Record]) -> None:
    ids = {record.id for record in doomed}
    app.journal.delete(sorted(ids | {each for record in doomed for each in names_of(record)}), "purged elsewhere")
    app.journal.compact()
    for day in {record.ts[:10] for record in doomed}:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(app.folder, "log", f"{day}.md"))

    def holds(text: str) -> bool:
        return any(each in text for each in ids)

    drop_traces(app, traces(app, holds, lambda _: False), holds, lambda _: False, ids)
    forget_state(app)
    catch_up(app)


def _index_anew(app: App) -> None:
    """A table emptied still holds words in its free pages: the files themselves must go."""
    app.refresh()
    for path in (cached_index(app), index_path(app)):
        discard(path)


def _is_id(text: str) -> bool:
    return len(text) == 26 and text.isalnum() and text.isascii()
