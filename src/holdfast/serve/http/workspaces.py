"""Workspaces that are open: each loaded once, kept in step with its files, put aside when others need the room."""

import asyncio
import math
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Depends, Path, Request

from holdfast.backends.sqlite.index import IndexDamaged
from holdfast.config.home import FOLDER
from holdfast.config.identity import workspace_id
from holdfast.config.registry import BrokenRegistry, Registered, Registry
from holdfast.domain.errors import HoldfastError, NotFound, Unavailable
from holdfast.domain.memory import FOLDERS, Entry, Status
from holdfast.domain.search import Select
from holdfast.domain.value import Value
from holdfast.memory.agents import let_go
from holdfast.memory.clashes import Clashes, Found
from holdfast.memory.entries import is_candidate
from holdfast.memory.open import App, check_folder
from holdfast.memory.persistent import PersistentMemory
from holdfast.memory.relating import Look
from holdfast.memory.syncing import AnotherSync
from holdfast.serve.http.events.hub import Hub
from holdfast.serve.http.events.watching import Watcher
from holdfast.serve.http.running import RunKeeper
from holdfast.serve.http.sight import Moved, Row, Sight

MOST = 16
ASIDE_MOST = 2
AT_ONCE = 500
HELD_MOST = 64
LOOKED_AT = 16
ID = re.compile(r"[0-9a-f]{16}")
CANDIDATES = "candidates/"

T = TypeVar("T")
File = tuple[str, str]


class NoSuchWorkspace(NotFound):
    """A workspace that this server does not know, or whose folder is gone."""

    def __init__(self, workspace: str, gone: str = "") -> None:
        said = f"its folder {gone!r} is gone" if gone else "this server knows none of that id"
        super().__init__(
            f"There is no workspace {workspace[:40]!r}: {said}.",
            "`GET /api/workspaces` lists them; `holdfast init` in a folder makes one."
            if not gone
            else "put the folder back, or run `holdfast init` where it is now.",
        )


class Counts(Protocol):
    """Where the cache's doings are counted."""

    def cache(self, what: str) -> None:
        """Count a `hit`, a `miss`, an `eviction`, or a `stale` one: memory that had to be brought in step."""


class Difference(Value):
    """What became of entries between two looks."""

    added: tuple[Row, ...] = ()
    changed: tuple[Row, ...] = ()
    removed: tuple[Row, ...] = ()


class Link(Protocol):
    """What a workspace's folder is a mirror of: a project of a team's database."""

    @property
    def registered(self) -> Registered:
        """The project as a row of the registry."""

    def is_behind(self) -> bool:
        """Whether others changed something since the last time."""

    def doubt(self) -> None:
        """Look again at the next chance."""

    def bring_together(self, app: App) -> object:
        """Take what others changed, send what changed here."""


class Mirrors(Protocol):
    """The projects of a team, each a workspace of this server."""

    def rows(self) -> list[Registered]:
        """Every project that is seen."""

    def mirror(self, workspace_id: str) -> Link | None:
        """A project by its workspace's id."""

    def listen(self, woken: Callable[[str], None]) -> None:
        """Have the id of each workspace told that others changed; from a thread of its own."""

    def close(self) -> None:
        """Listen no more."""


class Workspace:
    """One workspace's memory, loaded, with its streams and its runs.

    Everything that touches memory runs in the workspace's own thread. Before each verb the files are looked at, so
    that an answer shows what the command line, a hook or an editor changed a moment ago. What changed is published
    once, whoever sees it first: a request, the watcher, or the verb that wrote it.
    """

    def __init__(self, registered: Registered, counts: Counts, link: Link | None = None) -> None:
        """`link`: what the folder is a mirror of, if it is one."""
        self._link = link
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
        self._rows: Mapping[File, tuple[Row, ...]] = {}
        self._held: dict[object, tuple[tuple[int, int], Any]] = {}
        self._held_aside: dict[object, tuple[int, Any]] = {}
        self._memories = 0
        self._clashes = Clashes()
        self._clashing: asyncio.Task[None] | None = None
        self.hub = Hub()
        self.watcher = Watcher(self)
        self.runs = RunKeeper(self)

    async def load(self) -> None:
        """Open the files, and read everything."""
        check_folder(os.path.join(self.path, FOLDER))
        self._loop = asyncio.get_running_loop()
        await self._in_thread(self._load)

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

    @property
    def busy(self) -> bool:
        """Whether somebody listens, something runs, or a verb is under way: then it is not put aside."""
        return bool(self._under_way or self.watcher.held or self.runs.busy)

    async def do(self, verb: Callable[[App], T]) -> T:
        """Run a verb on memory that is in step with its files; one at a time."""
        if self._closed:
            return await self.aside(verb)
        return await self._in_thread(partial(self._do, verb))

    async def change(self, verb: Callable[[App], T]) -> T:
        """Run a verb that writes; what it changed is published before this returns."""
        if self._closed:
            return await self.aside(verb)
        return await self._in_thread(partial(self._change, verb))

    async def aside(self, verb: Callable[[App], T]) -> T:
        """Run a slow look with an app of its own, beside the rest."""
        async with self._asides:
            return await asyncio.to_thread(self._alone, verb)

    async def look(self) -> bool:
        """Look at the files now and publish what changed; whether anything did. Cheap when nothing has."""
        return not self._closed and await self._in_thread(self._look) is not Moved.NOTHING

    def touched(self, why: str) -> None:
        """Something was changed by other ways than `change`: look at once. From the event loop."""
        if self._closed:
            return
        self._sight_doubts()
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

    def clashes(self, candidates: Sequence[Entry], seconds: float) -> Mapping[str, Found | None]:
        """What candidates are to memory, by id: None for those not looked at yet, after so long. For `do`."""
        going_on = self._clashing is not None and not self._clashing.done()
        left = self._clashes.look(self._app, candidates, 0.0 if going_on and math.isfinite(seconds) else seconds)
        if left and not going_on:
            self._loop.call_soon_threadsafe(self._look_on, left)
        return {each.memory.id: self._clashes.known(each) for each in candidates}

    async def close(self) -> None:
        """End what runs, then let go of the files."""
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
            memories, some = self._memories, left[begin : begin + LOOKED_AT]
            found = await self.aside(partial(_looked, some))
            if not await self._in_thread(partial(self._put_clashes, memories, found)):
                return
            self.hub.publish("memory_changed", {"ids": [each.memory.id for each, _ in found], "removed": []})

    def _put_clashes(self, memories: int, found: Sequence[tuple[Entry, Found]]) -> bool:
        """Keep what was found, if memory is still as it was: who asks again has it looked at anew."""
        if memories != self._memories:
            return False
        for candidate, related in found:
            self._clashes.put(candidate, related)
        return True

    async def _in_thread(self, work: Callable[[], T]) -> T:
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._under_way -= 1

    def _load(self) -> None:
        self._app = App(self.path)
        self._bring()
        self._sight = Sight(self._app)
        self._sight.look()
        self._rows = self._sight.rows
        self._take(self._app.index.select(Select()))

    def _do(self, verb: Callable[[App], T]) -> T:
        self._before()
        try:
            return verb(self._app)
        except IndexDamaged:
            # Opening it again builds it anew from the files.
            self._app.refresh()
            return verb(self._app)

    def _change(self, verb: Callable[[App], T]) -> T:
        self._before()
        try:
            # Not again where the index is damaged: half of it may be done. Whoever asks next has it mended.
            return verb(self._app)
        except IndexDamaged:
            self._app.refresh()
            raise
        finally:
            self._bring()
            self._look()

    def _before(self) -> None:
        """Have memory in step, and count what that took."""
        moved = self._look()
        if not self._new:
            self._counts.cache("stale" if moved is Moved.FILES else "hit")
        self._new = False

    def _bring(self) -> None:
        """Bring a mirror and its database together. While that is away, what is here serves, and goes there later."""
        if self._link is None:
            return
        try:
            self._link.bring_together(self._app)
        except (Unavailable, AnotherSync):
            self._link.doubt()

    def _look(self) -> Moved:
        if self._link is not None and self._link.is_behind():
            self._bring()
        self._app.notices.clear()
        moved = self._sight.look()
        if moved is Moved.EVENTS:
            self.events += 1
        if moved is Moved.FILES:
            self.state += 1
            self._take_moved()
        return moved

    def _take_moved(self) -> None:
        """Read again what moved, and tell of it."""
        before, now = self._rows, self._sight.rows
        if before is now:
            return
        files = [key for key in before.keys() | now.keys() if before.get(key) != now.get(key)]
        rows = [(before.get(key, ()), now.get(key, ())) for key in files]
        taken = self._entries_of([row.id for _, after in rows for row in after], set(files))
        for key in files:
            self._files.pop(key, None)
        self._take(taken)
        self._rows = now
        found = _difference([row for was, _ in rows for row in was], [row for _, is_ in rows for row in is_])
        changed = [entry for entry in taken if not is_candidate(entry)]
        removed = {row.id for row in found.removed if not _is_candidate(row)}
        self._memories += bool(changed or removed)
        self._clashes.moved(self._app, self.candidates, changed, removed)
        self._publish(found)

    def _entries_of(self, ids: Sequence[str], files: set[File]) -> list[Entry]:
        found: list[Entry] = []
        for begin in range(0, len(ids), AT_ONCE):
            found += self._app.index.select(Select(ids=tuple(ids[begin : begin + AT_ONCE])))
        return [entry for entry in found if (str(entry.scope), entry.path) in files]

    def _take(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            key = str(entry.scope), entry.path
            self._files[key] = (*self._files.get(key, ()), entry)

    def _publish(self, found: Difference) -> None:
        waits = {row.id for row in (*found.added, *found.changed) if _waits(row)}
        added = {row.id for row in found.added if _waits(row)}
        for entry in self.candidates if added else ():
            memory = entry.memory
            if memory.id in added:
                self.hub.publish("candidate_added", {"id": memory.id, "type": str(memory.type), "title": memory.title})
        gone = [row.id for row in (*found.removed, *found.changed) if _is_candidate(row) and row.id not in waits]
        if gone:
            self.hub.publish("candidate_removed", {"ids": gone})
        ids = [row.id for row in (*found.added, *found.changed) if not _is_candidate(row)]
        ids += [row.id for row in found.changed if _waits(row)]
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
        app = App(self.path)
        try:
            return verb(app)
        finally:
            let_go(app)

    def _sight_doubts(self) -> None:
        self._thread.submit(self._sight.doubt)

    def _let_go(self) -> None:
        self._sight.close()
        let_go(self._app)


class WorkspaceManager:
    """The workspaces of a home folder's registry, and the ones given; at most so many are open at once."""

    def __init__(
        self, home: str, *, most: int = MOST, metrics: Counts, also: Sequence[str] = (), mirrors: Mirrors | None = None
    ) -> None:
        """`also`: folders of workspaces that come first, whether or not they are registered. `mirrors`: a team's."""
        self._mirrors = mirrors
        self._registry = Registry(home)
        self._most, self._counts = most, metrics
        self._also = {workspace_id(path): path for path in also}
        self._open: OrderedDict[str, asyncio.Task[Workspace]] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    def known(self) -> list[Registered]:
        """Every workspace: those given first, then the registry's by path. One that cannot be read is left out."""
        if self._mirrors is not None:
            return sorted(self._mirrors.rows(), key=lambda row: row.path)
        given = [self._given(name) for name in self._also]
        found = [row for name in self._registry.ids() if name not in self._also and (row := self._row(name))]
        return [*given, *sorted(found, key=lambda row: row.path)]

    def broken(self) -> list[BrokenRegistry]:
        """What of the registry cannot be read."""
        found = []
        for name in self._registry.ids():
            try:
                self._registry.get(name)
            except BrokenRegistry as error:
                found.append(error)
        return found

    def open_now(self) -> list[Workspace]:
        """The workspaces that are loaded."""
        return [task.result() for task in self._open.values() if task.done() and not task.exception()]

    def loaded(self, wanted: str) -> Workspace | None:
        """A workspace if it is loaded."""
        return next((each for each in self.open_now() if each.id == wanted), None)

    async def opened(self, wanted: str) -> Workspace:
        """A workspace, loaded. Two who ask at once get one. Raises NoSuchWorkspace."""
        registered = self._find(wanted)
        task = self._open.get(wanted)
        if task is None:
            self._counts.cache("miss")
            task = asyncio.get_running_loop().create_task(self._load(registered))
            self._open[wanted] = task
        self._open.move_to_end(wanted)
        try:
            found = await asyncio.shield(task)
        except BaseException:
            if task.done() and self._open.get(wanted) is task:
                del self._open[wanted]
            raise
        if found.path != registered.path:
            # It was moved: the same id never has two paths, so this is another registry's row.
            await self.put_aside(wanted)
            return await self.opened(wanted)
        self._make_room()
        return found

    async def put_aside(self, wanted: str) -> None:
        """Close a workspace if it is open."""
        task = self._open.pop(wanted, None)
        if task is not None:
            await (await task).close()

    async def close(self) -> None:
        """Close all: runs end so that they can go on later, and nothing half-written stays."""
        tasks = list(self._open.values())
        self._open.clear()
        opened = await asyncio.gather(*tasks, return_exceptions=True)
        found = [each for each in opened if isinstance(each, Workspace)]
        await asyncio.gather(*(each.close() for each in found), *self._closing, return_exceptions=True)

    async def _load(self, registered: Registered) -> Workspace:
        link = self._mirrors.mirror(registered.workspace_id) if self._mirrors is not None else None
        workspace = Workspace(registered, self._counts, link)
        await workspace.load()
        return workspace

    def _make_room(self) -> None:
        while len(self._open) > self._most:
            idle = (name for name, task in self._open.items() if _is_idle(task))
            oldest = next(idle, None)
            if oldest is None or oldest == next(reversed(self._open)):
                return
            self._counts.cache("eviction")
            task = asyncio.get_running_loop().create_task(self._open.pop(oldest).result().close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _find(self, wanted: str) -> Registered:
        row = self._row(wanted) if ID.fullmatch(wanted) else None
        if row is None:
            raise NoSuchWorkspace(wanted)
        if not os.path.isdir(os.path.join(row.path, FOLDER)):
            raise NoSuchWorkspace(wanted, row.path)
        return row

    def wake(self, wanted: str) -> None:
        """Others changed a workspace: look at it now, if it is loaded. From the event loop."""
        found = self.loaded(wanted)
        if found is not None:
            found.touched("the team's database moved")

    def _row(self, wanted: str) -> Registered | None:
        if self._mirrors is not None:
            mirror = self._mirrors.mirror(wanted)
            return mirror.registered if mirror is not None else None
        if wanted in self._also:
            return self._given(wanted)
        try:
            return self._registry.get(wanted)
        except BrokenRegistry:
            return None

    def _given(self, wanted: str) -> Registered:
        try:
            found = self._registry.get(wanted)
        except BrokenRegistry:
            found = None
        return found or Registered(workspace_id=wanted, path=self._also[wanted])


async def workspace(
    request: Request, wid: Annotated[str, Path(description="The workspace's id.", pattern="^[0-9a-f]{16}$")]
) -> Workspace:
    """The workspace that a path names; a dependency."""
    manager: WorkspaceManager = request.app.state.serving.workspaces
    return await manager.opened(wid)


Opened = Annotated[Workspace, Depends(workspace)]


def _looked(candidates: Sequence[Entry], app: App) -> list[tuple[Entry, Found]]:
    look = Look(app)
    return [(each, look.at(each)) for each in candidates]


def _is_idle(task: asyncio.Task[Workspace]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and not task.result().busy


def _is_candidate(row: Row) -> bool:
    return row.path.startswith(CANDIDATES)


def _waits(row: Row) -> bool:
    return _is_candidate(row) and row.status == Status.CANDIDATE


def _difference(before: Sequence[Row], now: Sequence[Row]) -> Difference:
    was, is_ = ({(row.scope, row.path, row.id): row for row in rows} for rows in (before, now))
    return Difference(
        added=tuple(row for key, row in is_.items() if key not in was),
        changed=tuple(row for key, row in is_.items() if key in was and was[key] != row),
        removed=tuple(row for key, row in was.items() if key not in is_),
    )
