"""One open workspace: loaded once, kept up to date with its files; what changes is told once, whoever did it."""

import asyncio
import math
import os
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol, TypeVar

from holdfast.app import BuiltApp, build_app, check_folder
from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.home import FOLDER
from holdfast.core.memory import FOLDERS, Entry, Status
from holdfast.core.search import Select
from holdfast.core.value import Value
from holdfast.exchange.removal.server_removal import DatabaseMatches, PurgeWords
from holdfast.exchange.sync.sync_workspace import SyncRunning
from holdfast.index.change_detection import ChangeDetector, DetectedChange, EntrySummary, File, WatchedApp
from holdfast.index.entries import is_candidate
from holdfast.index.open_index import IndexDamaged
from holdfast.library.persistent_memory import PersistentMemory
from holdfast.review.queue_cache import CacheTime, ConflictCache, Found
from holdfast.review.relations import RelationFinder
from holdfast.server.http.agent_runs import WorkspaceRuns
from holdfast.server.http.etags import made_batch
from holdfast.server.http.security.callers import Caller, current_caller, presence_of_caller
from holdfast.server.http.streams.workspace_stream import Hub
from holdfast.server.http.streams.workspace_watch import WorkspaceWatcher
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

ASIDE_MOST = 2
AT_ONCE = 500
HELD_MOST = 64
LOOKED_AT = 16
CANDIDATES = "candidates/"

T = TypeVar("T")


class CacheCounters(Protocol):
    """Where the cache's doings are counted."""

    def cache(self, what: str) -> None:
        """Count a `hit`, a `miss`, an `eviction`, or a `stale` one: memory that had to be refreshed."""


class ServedApp(WatchedApp, BuiltApp):
    """A workspace over files, with a sight."""


class EntryDifference(Value):
    """What became of entries between two looks."""

    added: tuple[EntrySummary, ...] = ()
    changed: tuple[EntrySummary, ...] = ()
    removed: tuple[EntrySummary, ...] = ()


class MirrorLink(Protocol):
    """What a workspace's folder is a mirror of: a project of a team's database."""

    @property
    def registered(self) -> RegisteredWorkspace:
        """The project as a row of the registry."""

    def is_behind(self) -> bool:
        """Whether others changed something since the last time."""

    def doubt(self) -> None:
        """Look again at the next chance."""

    def sync(self, app: App) -> object:
        """Take what others changed, send what changed here."""

    def purge(self, words: PurgeWords, why: str) -> DatabaseMatches:
        """Take something out of the database, and search it for that."""


class OpenWorkspace:
    """One workspace's memory, loaded, with its streams and its runs.

    Everything that touches memory runs in the workspace's own thread. Before each verb the files are looked at, so
    that an answer shows what the command line, a hook or an editor changed a moment ago. What changed is published
    once, whoever sees it first: a request, the watcher, or the verb that wrote it.
    """

    def __init__(
        self,
        registered: RegisteredWorkspace,
        counts: CacheCounters,
        link: MirrorLink | None = None,
        flags: Mapping[str, str] | None = None,
    ) -> None:
        """`link`: what the folder is a mirror of, if it is one. `flags`: settings that the server was started with."""
        self._link = link
        self.flags = flags or {}
        self.id, self.path = registered.workspace_id, registered.path
        self.name = os.path.basename(self.path) or self.path
        self.state = 0
        self.events = 0
        self._counts = counts
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"workspace-{self.id}")
        self._asides = asyncio.Semaphore(ASIDE_MOST)
        self._under_way = 0
        self._closed = False
        self._new = True
        self._tasks: set[asyncio.Task[Any]] = set()
        self._files: dict[File, tuple[Entry, ...]] = {}
        self._turns: list[datetime] = []
        self.era = 0
        self._held: dict[object, tuple[tuple[int, int], Any]] = {}
        self._held_aside: dict[object, tuple[int, Any]] = {}
        self._clashes = ConflictCache()
        self._clashing: asyncio.Task[None] | None = None
        self.hub = Hub()
        self.watcher = WorkspaceWatcher(self)
        self.runs = WorkspaceRuns(self)

    async def load(self) -> None:
        """Open the files, and read everything."""
        check_folder(os.path.join(self.path, FOLDER))
        self._loop = asyncio.get_running_loop()
        await self._in_thread(self._load)

    @property
    def link(self) -> MirrorLink | None:
        """What the folder is a mirror of."""
        return self._link

    @property
    def folder(self) -> str:
        """Where the workspace keeps its memory, its runs and its state."""
        return os.path.join(self.path, FOLDER)

    @property
    def memory(self) -> PersistentMemory:
        """The memory as loaded. For the workspace's thread: inside `do`."""
        return self.held("memory", lambda app: PersistentMemory(app, read=self._stores()))

    @property
    def entries(self) -> Sequence[Entry]:
        """Every memory, superseded and rejected ones too, no candidates; newest first. For `do`."""
        return self.held("entries", lambda _: self._newest(candidates=False))

    @property
    def candidates(self) -> Sequence[Entry]:
        """Every candidate, those turned down too; newest first. For `do`."""
        return self.held("candidates", lambda _: self._newest(candidates=True))

    def now(self) -> datetime:
        """The time, by the clock of the workspace."""
        return self._app.clock.now()

    @property
    def busy(self) -> bool:
        """Whether somebody listens, something runs, or a verb is under way: then it is not put aside."""
        return bool(self._under_way or self.watcher.held or self.runs.busy)

    async def do(self, verb: Callable[[App], T]) -> T:
        """Run a verb on memory that is up to date with its files; one at a time."""
        if self._closed:
            return await self.aside(verb)
        return await self._in_thread(partial(self._do, verb))

    async def change(self, verb: Callable[[App], T]) -> T:
        """Run a verb that writes; what it changed is published before this returns."""
        made: list[str] = []
        decided = _note_batches(made, _decide_as(current_caller.get(), verb))
        done = await (self.aside(decided) if self._closed else self._in_thread(partial(self._change, decided)))
        made_batch.set(made[-1] if made else "")
        return done

    async def aside(self, verb: Callable[[App], T]) -> T:
        """Run a slow look with an app of its own, beside the rest."""
        async with self._asides:
            return await asyncio.to_thread(self._alone, verb)

    async def look(self) -> bool:
        """Look at the files now and publish what changed; whether anything did. Cheap when nothing has."""
        return not self._closed and await self._in_thread(self._look) is not DetectedChange.NOTHING

    def touched(self, why: str) -> None:
        """Something was changed by other ways than `change`: look at once. From the event loop."""
        if self._closed:
            return
        self._sight_doubts()
        if self._link is not None:
            self._link.doubt()
        task = asyncio.get_running_loop().create_task(self._look_quietly(), name=f"touched: {why}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def held_aside(self, key: object, make: Callable[[App], T]) -> T:
        """Something slow, made aside once until files change."""
        found = self._held_aside.get(key)
        if found is None or found[0] != self.state:
            found = self.state, await self.aside(make)
            self._held_aside[key] = found
        made: T = found[1]
        return made

    def held(self, key: object, make: Callable[[App], T], *, events: bool = False) -> T:
        """Something costly, made once until files (or, if they matter, events) change. For the workspace's thread."""
        state = self.state, self.events if events else 0
        found = self._held.pop(key, None)
        if found is None or found[0] != state:
            found = state, make(self._app)
        # Put last: what was not asked for the longest goes first.
        self._held[key] = found
        while len(self._held) > HELD_MOST:
            del self._held[next(iter(self._held))]
        made: T = found[1]
        return made

    def conflicts(self, candidates: Sequence[Entry], seconds: float) -> Mapping[str, Found | None]:
        """What candidates are to memory, by id: None for those not looked at yet, after so long. For `do`."""
        going_on = self._clashing is not None and not self._clashing.done()
        left = self._clashes.look(self._app, candidates, 0.0 if going_on and math.isfinite(seconds) else seconds)
        if left and not going_on:
            self._loop.call_soon_threadsafe(self._look_on, left)
        return {each.memory.id: self._clashes.known(self._app, each) for each in candidates}

    def known_conflicts(self, candidate: Entry) -> Found | None:
        """What a candidate is to memory as it is now, if that was looked at. For `do` and `change`."""
        return self._clashes.known(self._app, candidate)

    async def close(self) -> None:
        """End what runs, then release the files."""
        await self.runs.close()
        self._closed = True
        self.watcher.close()
        self.hub.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
        self._thread.shutdown(wait=False)

    async def _look_quietly(self) -> None:
        # Whoever asks for what cannot be read is told why.
        with suppress(HoldfastError, OSError):
            await self.look()

    def _look_on(self, left: Sequence[Entry]) -> None:
        """Look at the rest of a queue beside; one such look at a time."""
        if not self._closed and (self._clashing is None or self._clashing.done()):
            self._clashing = self._loop.create_task(self._look_at(left), name="conflicts")
            self._tasks.add(self._clashing)
            self._clashing.add_done_callback(self._tasks.discard)

    async def _look_at(self, left: Sequence[Entry]) -> None:
        # What cannot be looked at now is looked at when somebody asks again.
        with suppress(HoldfastError, OSError):
            await self._look_at_all(left)

    async def _look_at_all(self, left: Sequence[Entry]) -> None:
        for begin in range(0, len(left), LOOKED_AT):
            since = await self._in_thread(lambda: self._clashes.mark)
            found = await self.aside(partial(_relate_candidates, left[begin : begin + LOOKED_AT]))
            await self._in_thread(partial(self._put_clashes, since, found))
            self.hub.publish("memory_changed", {"ids": [each.memory.id for each, _ in found], "removed": []})

    def _put_clashes(self, since: CacheTime, found: Sequence[tuple[Entry, Found]]) -> None:
        """Keep what was found, as far as memory did not change under it: who asks again has that looked at again."""
        for candidate, related in found:
            self._clashes.put(candidate, related, since)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._under_way -= 1

    def _load(self) -> None:
        self._app = ServedApp(self.path, self.flags)
        self._bring()
        self._sight = ChangeDetector(self._app)
        self._sight.look()
        self._take(self._app.index.select(Select()))

    def _do(self, verb: Callable[[App], T]) -> T:
        self._before()
        try:
            return verb(self._app)
        except IndexDamaged:
            # Opening it again rebuilds it from the files.
            self._app.reopen()
            return verb(self._app)

    def _change(self, verb: Callable[[App], T]) -> T:
        self._before()
        try:
            # Not again where the index is damaged: half of it may be done. Whoever asks next has it fixed.
            return verb(self._app)
        except IndexDamaged:
            self._app.reopen()
            raise
        finally:
            self._bring()
            self._look()

    def _before(self) -> None:
        """Have memory up to date, and count what that took."""
        moved = self._look()
        if not self._new:
            self._counts.cache("stale" if moved is DetectedChange.FILES else "hit")
        self._new = False

    def _bring(self) -> None:
        """Bring a mirror and its database together. While that is away, what is here serves, and goes there later."""
        if self._link is None:
            return
        try:
            self._link.sync(self._app)
        except (Unavailable, SyncRunning):
            self._link.doubt()

    def _look(self) -> DetectedChange:
        if self._link is not None and self._link.is_behind():
            self._bring()
        self._app.notices.clear()
        moved = self._sight.look()
        self._turn()
        if moved is DetectedChange.EVENTS:
            self.events += 1
        if moved is DetectedChange.FILES:
            self.state += 1
            self._take_moved()
        return moved

    def _turn(self) -> None:
        """Memories begin and end to hold as time goes by: what was found before one did may not be so any more."""
        passed = bisect_right(self._turns, self._app.clock.now())
        if passed:
            self.era += passed
            del self._turns[:passed]
            self._clashes.forget()

    def _take_moved(self) -> None:
        """Read again what moved, and tell of it."""
        moved = self._sight.moved
        if not moved:
            # Other settings: another model may find others near.
            self._clashes.forget()
            return
        taken = self._entries_of([row.id for each in moved.values() for row in each.now], moved.keys())
        for file in moved:
            self._files.pop(file, None)
        self._take(taken)
        before = [row for each in moved.values() for row in each.before]
        found = _difference(before, [row for each in moved.values() for row in each.now])
        changed = [entry for entry in taken if not is_candidate(entry)]
        self._clashes.moved(changed, {row.id for row in found.removed})
        self._publish(found, taken)

    def _entries_of(self, ids: Sequence[str], files: Collection[File]) -> list[Entry]:
        found: list[Entry] = []
        for begin in range(0, len(ids), AT_ONCE):
            found += self._app.index.select(Select(ids=tuple(ids[begin : begin + AT_ONCE])))
        return [entry for entry in found if (str(entry.scope), entry.path) in files]

    def _take(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            key = str(entry.scope), entry.path
            self._files[key] = (*self._files.get(key, ()), entry)
        self._turns = sorted({*self._turns, *_find_validity_changes(entries, self._app.clock.now())})

    def _publish(self, found: EntryDifference, taken: Sequence[Entry]) -> None:
        waits = {row.id for row in (*found.added, *found.changed) if _is_waiting(row)}
        added = {row.id for row in found.added if _is_waiting(row)}
        for memory in (entry.memory for entry in taken):
            if memory.id in added:
                self.hub.publish("candidate_added", {"id": memory.id, "type": str(memory.type), "title": memory.title})
        gone = [row.id for row in (*found.removed, *found.changed) if _is_candidate(row) and row.id not in waits]
        if gone:
            self.hub.publish("candidate_removed", {"ids": gone})
        ids = [row.id for row in (*found.added, *found.changed) if not _is_candidate(row)]
        ids += [row.id for row in found.changed if _is_waiting(row)]
        removed = [row.id for row in found.removed if not _is_candidate(row)]
        if ids or removed:
            self.hub.publish("memory_changed", {"ids": ids, "removed": removed})

    def _newest(self, *, candidates: bool) -> Sequence[Entry]:
        found = [entry for file in self._files.values() for entry in file if is_candidate(entry) is candidates]
        return sorted(found, key=lambda entry: (entry.memory.updated, entry.memory.id), reverse=True)

    def _stores(self) -> Mapping[str, Sequence[Entry]]:
        accepted = [each for each in reversed(self.entries) if each.memory.status is Status.ACCEPTED]
        return {name: [e for e in accepted if e.memory.type is kind] for kind, name in FOLDERS.items()}

    def _alone(self, verb: Callable[[App], T]) -> T:
        app = build_app(self.path, self.flags)
        try:
            return verb(app)
        finally:
            app.close()

    def _sight_doubts(self) -> None:
        self._thread.submit(self._sight.doubt)

    def _let_go(self) -> None:
        self._sight.close()
        self._app.close()


def _decide_as(caller: Caller | None, verb: Callable[[App], T]) -> Callable[[App], T]:
    """A verb that knows who asked for it."""

    def run(app: App) -> T:
        app.presence = presence_of_caller(app, caller) if caller is not None else None
        try:
            return verb(app)
        finally:
            app.presence = None

    return run


def _note_batches(made: list[str], verb: Callable[[App], T]) -> Callable[[App], T]:
    """A verb that tells by which ids what it changed can be undone."""

    def run(app: App) -> T:
        app.batches.clear()
        try:
            return verb(app)
        finally:
            made.extend(app.batches)

    return run


def _relate_candidates(candidates: Sequence[Entry], app: App) -> list[tuple[Entry, Found]]:
    look = RelationFinder(app)
    return [(each, look.at(each)) for each in candidates]


def _find_validity_changes(entries: Sequence[Entry], now: datetime) -> Iterator[datetime]:
    """The moments from now on at which some entry begins or ends to hold."""
    yesterday = (now - timedelta(days=1)).date().isoformat()
    dates = {date for entry in entries for date in (entry.memory.valid_from, entry.memory.valid_until)}
    found = (parse_moment(date) for date in dates if date >= yesterday)
    return (each for each in found if each is not None and each > now)


def _is_candidate(row: EntrySummary) -> bool:
    return row.path.startswith(CANDIDATES)


def _is_waiting(row: EntrySummary) -> bool:
    return _is_candidate(row) and row.status == Status.CANDIDATE


def _difference(before: Sequence[EntrySummary], now: Sequence[EntrySummary]) -> EntryDifference:
    was, is_ = ({(row.scope, row.path, row.id): row for row in rows} for rows in (before, now))
    return EntryDifference(
        added=tuple(row for key, row in is_.items() if key not in was),
        changed=tuple(row for key, row in is_.items() if key in was and was[key] != row),
        removed=tuple(row for key, row in was.items() if key not in is_),
    )
