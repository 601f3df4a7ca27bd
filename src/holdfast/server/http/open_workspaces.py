"""Workspaces that are open: each loaded once, kept up to date with its files, put aside when others need the room."""

import asyncio
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Protocol

from fastapi import Depends, Path, Request

from holdfast.config.registry import BrokenRegistry, RegisteredWorkspace, Registry
from holdfast.config.teams import TeamHere
from holdfast.core.errors import NotFound
from holdfast.core.home import FOLDER
from holdfast.server.http.open_workspace import CacheCounters, MirrorLink, OpenWorkspace
from holdfast.workspace import make_workspace_id

MOST = 16
ID = re.compile(r"[0-9a-f]{16}")


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


class TeamProjects(Protocol):
    """The projects of a team, each a workspace of this server."""

    @property
    def team(self) -> TeamHere:
        """The team, and the workspace of its own memory."""

    def rows(self) -> list[RegisteredWorkspace]:
        """Every project that is seen."""

    def mirror(self, workspace_id: str) -> MirrorLink | None:
        """A project by its workspace's id."""

    def listen(self, woken: Callable[[str], None]) -> None:
        """Have the id of each workspace told that others changed; from a thread of its own."""

    def close(self) -> None:
        """Listen no more."""


class WorkspaceManager:
    """The workspaces of a home folder's registry, and the ones given; at most so many are open at once."""

    def __init__(
        self,
        home: str,
        *,
        most: int = MOST,
        metrics: CacheCounters,
        also: Sequence[str] = (),
        mirrors: TeamProjects | None = None,
        flags: Mapping[str, str] | None = None,
    ) -> None:
        """`also`: folders of workspaces that come first, whether or not they are registered. `mirrors`: a team's.

        `flags`: settings that hold in each of them, whatever files and environment say.
        """
        self._mirrors = mirrors
        self._flags = flags or {}
        self._registry = Registry(home)
        self._most, self._counts = most, metrics
        self._also = {make_workspace_id(path): path for path in also}
        self._open: OrderedDict[str, asyncio.Task[OpenWorkspace]] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    def known(self) -> list[RegisteredWorkspace]:
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

    def open_now(self) -> list[OpenWorkspace]:
        """The workspaces that are loaded."""
        return [task.result() for task in self._open.values() if task.done() and not task.exception()]

    def loaded(self, wanted: str) -> OpenWorkspace | None:
        """A workspace if it is loaded."""
        return next((each for each in self.open_now() if each.id == wanted), None)

    async def opened(self, wanted: str) -> OpenWorkspace:
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
        found = [each for each in opened if isinstance(each, OpenWorkspace)]
        await asyncio.gather(*(each.close() for each in found), *self._closing, return_exceptions=True)

    async def _load(self, registered: RegisteredWorkspace) -> OpenWorkspace:
        link = self._mirrors.mirror(registered.workspace_id) if self._mirrors is not None else None
        workspace = OpenWorkspace(registered, self._counts, link, self._flags)
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

    def _find(self, wanted: str) -> RegisteredWorkspace:
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

    def _row(self, wanted: str) -> RegisteredWorkspace | None:
        if self._mirrors is not None:
            mirror = self._mirrors.mirror(wanted)
            return mirror.registered if mirror is not None else None
        if wanted in self._also:
            return self._given(wanted)
        try:
            return self._registry.get(wanted)
        except BrokenRegistry:
            return None

    def _given(self, wanted: str) -> RegisteredWorkspace:
        try:
            found = self._registry.get(wanted)
        except BrokenRegistry:
            found = None
        return found or RegisteredWorkspace(workspace_id=wanted, path=self._also[wanted])


async def resolve_workspace(
    request: Request, wid: Annotated[str, Path(description="The workspace's id.", pattern="^[0-9a-f]{16}$")]
) -> OpenWorkspace:
    """The workspace that a path names; a dependency."""
    manager: WorkspaceManager = request.app.state.serving.workspaces
    return await manager.opened(wid)


Opened = Annotated[OpenWorkspace, Depends(resolve_workspace)]


def _is_idle(task: asyncio.Task[OpenWorkspace]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and not task.result().busy
