"""A workspace and what its team has of it, synced: nothing is overwritten that only one side knows.

What the other side changes or takes away here is one batch, which `undo` takes back; but nothing that was purged is.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256

from holdfast.core.errors import BadRequest, Conflict
from holdfast.core.event import Event, JournalRecord
from holdfast.core.memory import Entry, Memory, MemoryFile, Scope, Status
from holdfast.core.value import Value, replace
from holdfast.exchange.bundle_format.merge_texts import candidate_name, read_text_version
from holdfast.exchange.peer import Held, Peer, PeerRefused
from holdfast.exchange.sync.journal_events_sync import event_of, split_into_batches
from holdfast.exchange.sync.remote_deletions import (
    OtherPeers,
    SyncDeletion,
    TooManyDeletions,
    check_deletions,
    find_deletions,
)
from holdfast.exchange.sync.serve_sync import is_shared
from holdfast.exchange.sync.sync_records import RecordSync, choose_record_way
from holdfast.exchange.sync.sync_state import ReceivedFile, SyncState, state_folder, state_of
from holdfast.exchange.three_way import SyncAction, SyncStep, plan_steps, state_name
from holdfast.forget.tombstones import (
    drop_marked,
    events_of,
    filter_marks,
    has_peer_marks,
    ids_of,
    names_of,
    read_own_marks,
    sums_of,
    sync_marks,
)
from holdfast.index.entries import CANDIDATES, MEMORY
from holdfast.records.team_forms import LARGEST, RECORDS
from holdfast.records.team_records import TeamRecords
from holdfast.render.refresh import refresh_generated
from holdfast.review.batches import Batch
from holdfast.system.folders import WritableFolder
from holdfast.system.lock import try_lock
from holdfast.system.safe_write import FileAlreadyThere, FileChangedSinceRead, lock_folder, read_file, swap_file
from holdfast.trust.allow import find_registration
from holdfast.vault.file_vault import IdTaken
from holdfast.vault.parse_memory import parse
from holdfast.vault.promotion import PROMOTE_TO
from holdfast.workspace import App

__all__ = [
    "BOTH",
    "PULL",
    "PUSH",
    "Direction",
    "SyncConflict",
    "SyncDeletion",
    "SyncRefusal",
    "SyncReport",
    "SyncScope",
    "SyncStep",
    "TooManyDeletions",
    "list_unsent_steps",
    "sync_workspace",
]

BOTH, PULL, PUSH = "both", "pull", "push"
Direction = str
ROUNDS = 3
AHEAD = 100
EVENT = "event"
OURS = frozenset({SyncAction.PUSH, SyncAction.WITHDRAW})
THEIRS = frozenset({SyncAction.PULL, SyncAction.DROP, SyncAction.CONFLICT})
CLASH_OF, CLASH_WITH = "clash_of", "clash_with"


class SyncRunning(Conflict):
    """Two at once."""

    def __init__(self) -> None:
        super().__init__("Another sync is at work here.", "wait until it is done; it does the same.")


class NoWorkspaceToSync(BadRequest):
    """Nothing here that a team could have."""

    def __init__(self) -> None:
        super().__init__("Only a workspace is shared with a team.", "run it inside one.")


class SyncConflict(Value):
    """A file that both sides changed: theirs stands, and ours waits as these candidates. `author`: who changed it."""

    path: str
    author: str
    candidates: tuple[str, ...]


class SyncRefusal(Value):
    """What one side will never take of the other: a path, or an event's id; and why."""

    what: str
    why: str


class SyncReport(Value):
    """What a sync did. `left`: files that moved under our hands again and again; the next sync takes them up.

    `records`: how many runs' files, ratings and lines of cost came and went. `refused`: what stays on its side.
    `deletions`: what the other side took away here. `first`: the first time with this side.
    """

    pulled: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()
    conflicts: tuple[SyncConflict, ...] = ()
    events: int = 0
    left: tuple[str, ...] = ()
    planned: tuple[SyncStep, ...] = ()
    records: tuple[int, int] = (0, 0)
    refused: tuple[SyncRefusal, ...] = ()
    deletions: tuple[SyncDeletion, ...] = ()
    first: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything moved here."""
        return bool(self.pulled or self.conflicts)


class SyncScope(Value):
    """What is synced: which way, whose memory, candidates and records too, events too.

    `cache`: all that is here came from there, or goes there. `trusted`: it may take what it likes, and nothing is kept
    to undo it. `yes`: a person said that it may take much. `pass_on`: what came from other sides goes there too.
    """

    direction: Direction = BOTH
    scope: Scope = Scope.WORKSPACE
    places: tuple[str, ...] = (MEMORY,)
    events: bool = False
    cache: bool = False
    trusted: bool = False
    yes: bool = False
    pass_on: bool = False


ALL = SyncScope()


def sync_workspace(app: App, shared: Peer, what: SyncScope = ALL, *, dry_run: bool = False) -> SyncReport:
    """Bring memory (and, where asked for, candidates and events) together with what the team has."""
    if not app.workspace:
        raise NoWorkspaceToSync
    with _lock_sync(state_folder(app, what.scope), shared.name):
        state = state_of(app, what.scope, shared.name)
        if dry_run:
            return SyncReport(planned=tuple(_plan_sync(app, shared, state, what)), first=not state.known)
        gives = what.direction in (BOTH, PUSH)
        theirs = sync_marks(app, shared.marks, shared.name, gives=gives, cache=what.cache)
        # Of a cache, they were obeyed already.
        heeds = what.direction in (BOTH, PULL) and not what.cache
        return _SyncRun(app, shared, state, what, theirs if heeds else frozenset()).run()


def list_unsent_steps(app: App, name: str, what: SyncScope = ALL) -> list[SyncStep]:
    """What changed here since the last sync, as far as this side knows by itself: nobody is asked."""
    state = state_of(app, what.scope, name)
    known = {path: Held(sha256=sha) for path, sha in state.base.items()}
    return [each for each in _find_steps(app, known, state, what) if each.does in OURS]


class _SyncRun:
    """One sync, in rounds: what moved under our hands is looked at again."""

    def __init__(self, app: App, shared: Peer, state: SyncState, what: SyncScope, theirs: Collection[str]) -> None:
        self._app, self._shared, self._state, self._what = app, shared, state, what
        self._theirs = theirs
        self._pulled: dict[str, None] = {}
        self._pushed: dict[str, None] = {}
        self._clashes: list[SyncConflict] = []
        self._refused: dict[str, str] = {}
        self._records = RecordSync(TeamRecords(app), shared, state.base)
        self._ahead = _ReadAhead(shared, ())
        self._taken: list[SyncDeletion] = []
        self._first, self._by_sum = not state.known, False
        self._batch = Batch(app, f"sync with {shared.name}")
        purged = read_own_marks(app, shared.name)
        self._purged, self._purged_sums, self._unsaid = ids_of(purged), sums_of(purged), events_of(purged)

    def run(self) -> SyncReport:
        """All of it."""
        left: list[str] = []
        for _ in range(ROUNDS):
            clashes = len(self._clashes)
            left = self._round(whole=bool(left))
            # A conflict left candidates here, which the others may want to see.
            if not left and clashes == len(self._clashes):
                break
        sent = self._send() if self._what.events and self._what.direction in (BOTH, PUSH) else 0
        if RECORDS in self._what.places and self._what.direction in (BOTH, PUSH):
            self._refused |= dict.fromkeys(TeamRecords(self._app).too_large(), f"it has more than {LARGEST} bytes")
        refused = {**self._records.refused, **self._refused}
        return SyncReport(
            pulled=tuple(self._pulled), pushed=tuple(self._pushed), conflicts=tuple(self._clashes), events=sent,
            left=tuple(left), records=(len(set(self._records.pulled)), len(set(self._records.pushed))),
            refused=tuple(SyncRefusal(what=what, why=why) for what, why in refused.items()),
            deletions=tuple(self._taken),
            first=self._first,
        )  # fmt: skip

    def _heed(self, steps: Sequence[SyncStep]) -> bool:
        """Look at all that would go from here, before anything does; then do as the marks say. Raises TakesMany.

        Whether anything went, so that the steps are others now.
        """
        theirs, self._theirs = self._theirs, frozenset()
        if not theirs and (self._what.trusted or not any(step.does is SyncAction.DROP for step in steps)):
            return False
        here = _files(self._app, self._what.scope)
        dooms = find_deletions(self._state, here, theirs, yes=self._what.yes)
        if not self._what.trusted and not self._what.yes:
            check_deletions(self._state, _filter_direction(steps, self._what), dooms, here)
        if not dooms:
            return False
        ids = drop_marked(self._app, self._what.scope, dooms, self._shared.name)
        self._taken += [SyncDeletion(what=each, why=f"purged, by a mark of {self._shared.name}") for each in ids]
        self._state.obeyed += dooms.values()
        self._state.took += dooms.values()
        self._state.keep()
        return True

    @cached_property
    def _others(self) -> OtherPeers:
        return OtherPeers(self._app, self._what.scope, self._shared.name)

    def _round(self, *, whole: bool) -> list[str]:
        """Look at both sides and take every step; the files that moved meanwhile."""
        before = self._sent
        mark, there = self._there(whole=whole)
        every = _find_steps(self._app, there, self._state, self._what)
        if self._heed(every):
            every = _find_steps(self._app, there, self._state, self._what)
        meant = _filter_direction(every, self._what)
        self._ahead = _ReadAhead(self._shared, [e.path for e in meant if e.does in THEIRS and not _is_record(e.path)])
        left = [each.path for each in meant if not _is_record(each.path) and not self._take(each, there.get(each.path))]
        left += self._records.take([each for each in meant if _is_record(each.path)])
        if not left and len(meant) == len(every):
            self._state.marks |= dict.fromkeys(self._what.places, "" if self._by_sum and self._sent != before else mark)
        self._state.keep()
        if self._pulled or self._clashes:
            refresh_generated(self._app)
        return left

    @property
    def _sent(self) -> int:
        """How much was written there so far."""
        return len(self._pushed) + len(self._records.pushed)

    def _there(self, *, whole: bool) -> tuple[str, Mapping[str, Held]]:
        """Where the other side's history stands, and its files: what changed since last time, or all of them.

        A mark says that both sides agreed at that place. What did not move since is as it was then.
        """
        marks = {self._state.marks.get(place, "") for place in self._what.places}
        news = self._shared.since(marks.pop() if len(marks) == 1 and not whole else "")
        told = self._shared.files() if news.files is None else news.files
        odd = [path for path in told if not _is_record(path) and not is_shared(path)]
        self._refused |= dict.fromkeys(odd, "no memory can be called so")
        self._by_sum = news.by_sum
        then = {path: Held(sha256=sha) for path, sha in self._state.base.items()} if news.files is not None else {}
        found = {path: held for path, held in {**then, **told}.items() if held is not None}
        return news.mark, {path: held for path, held in found.items() if path not in odd} if odd else found

    def _take(self, step: SyncStep, held: Held | None) -> bool:
        """Take one step; False where a side moved meanwhile."""
        if step.does is SyncAction.AGREE:
            self._state.agreed(step.path, step.here)
            return True
        if step.does in OURS:
            return self._push(step)
        data = self._ahead.read(step.path) if step.there else None
        if _sum(data) != step.there:
            return False
        if self._is_purged(data, step):
            return True
        kept = self._kept(step, held, data) if step.does is SyncAction.CONFLICT else ()
        self._came(step, held)
        if not self._put(step, data):
            return False
        self._state.agreed(step.path, step.there)
        self._pulled[step.path] = None
        if step.does is SyncAction.DROP:
            self._state.note_deletion(step.here)
            self._taken.append(
                SyncDeletion(what=step.path, why=f"`holdfast undo` takes it back; removed by {self._shared.name}")
            )
        if step.does is SyncAction.CONFLICT:
            self._clashes.append(SyncConflict(path=step.path, author=held.author if held else "", candidates=kept))
        return True

    def _push(self, step: SyncStep) -> bool:
        data = self._read(step.path) if step.here else None
        if self._is_purged(data, step) or self._is_between_others(step):
            return True
        try:
            if _sum(data) != step.here or self._shared.swap(step.path, data, step.there):
                return False
        except PeerRefused as error:
            self._refused[step.path] = str(error)
            return True
        self._state.agreed(step.path, step.here)
        self._pushed[step.path] = None
        return True

    def _is_between_others(self, step: SyncStep) -> bool:
        """Whether another side gave or took a file: this one hears of it only when a person passes it on."""
        if self._what.trusted or self._what.pass_on:
            return False
        before = self._state.base.get(step.path, "")
        gave, took = self._others.gave(step.path, step.here), self._others.took(before) if not step.here else ""
        if gave:
            self._refused[step.path] = f"it came from {gave}, and is yours to pass on: --pass-on"
        if took:
            self._refused[step.path] = f"{took} took it away here; it stays there, unless you say --pass-on"
        return bool(gave or took)

    def _came(self, step: SyncStep, held: Held | None) -> None:
        """Whose it is, known before it is there: a candidate of somebody else is never taken for the user's."""
        if self._what.trusted or not step.there:
            return
        self._state.came[step.path] = ReceivedFile(sha256=step.there, author=held.author if held else "")
        if step.path.startswith(f"{CANDIDATES}/"):
            self._state.keep()

    def _put(self, step: SyncStep, data: bytes | None) -> bool:
        """Put the team's bytes in the place of ours, if those are still as we saw them; ours can be had back."""
        if self._what.trusted or not step.here:
            return _put(self._app, self._what.scope, step, data)
        ids = sorted(_ids(self._parsed(self._read(step.path), step))) or [""]
        try:
            return self._batch.set_file(self._what.scope, step.path, ids[0], before=step.here, after=data)
        except (FileChangedSinceRead, FileAlreadyThere):
            return False

    def _is_purged(self, data: bytes | None, step: SyncStep) -> bool:
        """Whether a file holds what was purged: it stays where somebody changed it since, and goes nowhere."""
        if data is None or not self._purged or not self._purged & _ids(self._parsed(data, step)):
            return False
        exact = _sum(data) in self._purged_sums
        if not exact or step.does in OURS:
            more = "--yes takes it away here too" if exact else "a text of this id goes nowhere any more"
            self._refused[step.path] = f"it was purged: {more}"
        if exact and step.there:
            self._shared.swap(step.path, None, step.there)
        return True

    def _kept(self, step: SyncStep, held: Held | None, data: bytes | None) -> tuple[str, ...]:
        """Our text of a file that is about to be replaced, as candidates; again and again the same ones."""
        theirs = {e.memory.id: read_text_version(e.memory).sum for e in self._parsed(data, step).entries}
        ours = self._parsed(self._read(step.path), step).entries
        return tuple(
            self._candidate(entry, held)
            for entry in ours
            if theirs.get(entry.memory.id) != read_text_version(entry.memory).sum
            and entry.memory.id not in self._purged
        )

    def _candidate(self, entry: Entry, held: Held | None) -> str:
        memory = entry.memory
        name = candidate_name(self._shared.name, memory.id, read_text_version(memory).sum)
        author = (held.author if held else "") or "somebody"
        why = f"{author} changed {memory.id} at the same time; theirs stands"
        made: Memory = replace(
            memory, id=name, status=Status.CANDIDATE, because=why,
            extra={**memory.extra, CLASH_OF: memory.id, CLASH_WITH: self._shared.name, **self._goes_to()},
        )  # fmt: skip
        with suppress(IdTaken):
            self._app.candidates.add(made)
        return name

    def _goes_to(self) -> dict[str, str]:
        """A team's memory goes back to the team, whichever workspace it waits in."""
        return {PROMOTE_TO: str(Scope.TEAM)} if self._what.scope is Scope.TEAM else {}

    def _parsed(self, data: bytes | None, step: SyncStep) -> MemoryFile:
        return parse(data or b"", path=step.path.partition("/")[2], scope=self._what.scope)

    def _read(self, path: str) -> bytes | None:
        return read_file(*_place(self._app, self._what.scope, path))

    def _send(self) -> int:
        """Events that the team's journal has not; a chunk that was sent is not sent again."""
        begin = self._state.cursor
        return sum(self._send_chunk(chunk) for chunk in split_into_batches(self._app.journal.read(begin), begin))

    def _send_chunk(self, chunk: Sequence[JournalRecord]) -> int:
        told = [record for record in chunk if record.kind == EVENT and not has_peer_marks(record)]
        said = [record for record in told if not names_of(record) & self._unsaid]
        fresh = self._append([event_of(record, record.id) for record in said])
        self._state.cursor = chunk[-1].after
        self._state.keep()
        return fresh

    def _append(self, events: Sequence[Event]) -> int:
        """Send events; how many were new there. One that is refused stops none of the others."""
        if not events:
            return 0
        try:
            return sum(receipt.fresh for receipt in self._shared.append(events))
        except PeerRefused as error:
            if len(events) > 1:
                half = len(events) // 2
                return error.fresh + self._append(events[:half]) + self._append(events[half:])
            self._refused[events[0].key] = str(error)
            self._state.refuse(events[0].key, str(error))
            return 0


class _ReadAhead:
    """The team's files, read some at a time before they are asked for, in the order in which they will be."""

    def __init__(self, shared: Peer, paths: Sequence[str]) -> None:
        self._shared, self._paths = shared, list(paths)
        self._held: Mapping[str, bytes] = {}
        self._asked: set[str] = set()

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None when it is gone."""
        if path not in self._asked:
            begin = self._paths.index(path)
            some, self._paths = self._paths[begin : begin + AHEAD], self._paths[begin + AHEAD :]
            self._held, self._asked = self._shared.fetch(some), set(some)
        return self._held.get(path)


def _plan_sync(app: App, shared: Peer, state: SyncState, what: SyncScope) -> list[SyncStep]:
    """What a sync would do: nothing is written, neither here nor there."""
    found = _filter_moving(app, _filter_direction(_find_steps(app, shared.files(), state, what), what))
    if what.direction == PUSH:
        return found
    dooms = find_deletions(state, _files(app, what.scope), filter_marks(list(shared.marks.list_marks())), yes=what.yes)
    rest = [each for each in found if each.path not in dooms]
    return [*(SyncStep(path=path, does=SyncAction.DROP, here=sha) for path, sha in dooms.items()), *rest]


def _find_steps(app: App, there: Mapping[str, Held], state: SyncState, what: SyncScope) -> list[SyncStep]:
    """Every step that syncs both sides."""
    meant = tuple(f"{place}/" for place in what.places)
    here = {path: sha for path, sha in _files(app, what.scope).items() if path.startswith(meant)}
    here |= TeamRecords(app).sums() if RECORDS in what.places else {}
    theirs = {path: held.sha256 for path, held in there.items() if path.startswith(meant)}
    base = {path: sha for path, sha in state.base.items() if path.startswith(meant)}
    return plan_steps(base, here, theirs)


def _filter_direction(found: Sequence[SyncStep], what: SyncScope) -> list[SyncStep]:
    """The steps that go the way that was asked for."""
    left_out = {BOTH: frozenset[SyncAction](), PULL: OURS, PUSH: THEIRS}[what.direction]
    return [each for each in found if each.does not in left_out]


def _filter_moving(app: App, found: Sequence[SyncStep]) -> list[SyncStep]:
    """The steps by which something would move."""
    here = TeamRecords(app)
    return [
        each
        for each in found
        if not _is_record(each.path) or choose_record_way(each, here) not in (None, SyncAction.AGREE)
    ]


def _is_record(path: str) -> bool:
    return path.startswith(f"{RECORDS}/")


def _files(app: App, wanted: Scope) -> dict[str, str]:
    """The files of a scope with their sums, by paths that begin with their place."""
    app.refresh()
    return {path: source.sha256 for (scope, path), source in app.index.sources().items() if scope == wanted}


def _place(app: App, scope: Scope, path: str) -> tuple[WritableFolder, str]:
    place, _, inner = path.partition("/")
    return WritableFolder(root=os.path.join(app.root_of(scope), place), private=place == CANDIDATES), inner


def _put(app: App, scope: Scope, step: SyncStep, data: bytes | None) -> bool:
    """Put the team's bytes in the place of ours, if those are still as we saw them."""
    place, inner = _place(app, scope, step.path)
    try:
        with lock_folder(place):
            swap_file(place, inner, data, then=step.here)
    except (FileChangedSinceRead, FileAlreadyThere):
        return False
    ours = scope is Scope.WORKSPACE and step.path.startswith(f"{MEMORY}/")
    if data is not None and ours and find_registration(app) is not None:
        # The team took it: it may reach agents as what the user wrote may.
        app.registry.learn(app.workspace_id, [_sum(data)])
    return True


@contextmanager
def _lock_sync(folder: str, name: str) -> Iterator[None]:
    with try_lock(os.path.join(folder, f"{state_name(name)}.lock")) as held:
        if held < 0:
            raise SyncRunning
        yield


def _ids(found: MemoryFile) -> set[str]:
    return {entry.memory.id for entry in found.entries}


def _sum(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
