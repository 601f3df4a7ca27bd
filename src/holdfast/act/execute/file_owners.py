"""Who may write which file while several tasks run: one task at a time, and nobody waits in a circle."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count

from holdfast.core.errors import Conflict

PATIENCE = 300.0


class OwnedByOther(Conflict):
    """A file that another task writes."""

    def __init__(self, path: str, owner: str, why: str) -> None:
        self.path, self.owner = path, owner
        super().__init__(
            f"'{path}' belongs to task '{owner}', which still runs; {why}.",
            "leave it to that task, and say what it must know.",
        )


class Owners:
    """The files of the tasks that run. A path that ends in `/` is a folder and all below it."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._owned: dict[str, set[str]] = {}
        self._waits: dict[str, set[str]] = {}
        self._begun: set[str] = set()
        self._calls = count(1)
        self._moved = asyncio.Event()

    async def begin(self, task: str, produces: Iterable[str] = ()) -> None:
        """A task starts; it owns what it produces once nobody else does. Raises OwnedByOther."""
        await self.claim(task, tuple(produces))
        self._begun.add(task)

    async def claim(self, task: str, paths: Sequence[str]) -> None:
        """Own some more files, all or none, for as long as the task runs. Waits for other tasks; raises OwnedByOther.

        Who would close a circle of waiting is told so at once.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._patience
        try:
            while found := self._taken(task, paths):
                path, owner = found
                if self._reaches(owner, task):
                    raise OwnedByOther(path, owner, "and it waits for a file of this one")
                self._waits[task] = {owner}
                if loop.time() >= ends:
                    raise OwnedByOther(path, owner, f"it was waited for {self._patience:g} s")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._moved.wait(), ends - loop.time())
        finally:
            self._waits.pop(task, None)
        self._owned.setdefault(task, set()).update(paths)

    @asynccontextmanager
    async def writing(self, task: str, paths: Sequence[str]) -> AsyncIterator[None]:
        """Write files. A task that has begun owns them from now on; any other has them for this one write."""
        owner = task if task in self._begun else f"{task or 'the run'} ({next(self._calls)})"
        await self.claim(owner, paths)
        try:
            yield
        finally:
            if owner != task:
                self.end(owner)

    def end(self, task: str) -> None:
        """A task is over; its files are anybody's."""
        self._owned.pop(task, None)
        self._begun.discard(task)
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    def of_others(self, task: str) -> list[str]:
        """The files that other tasks own."""
        return sorted({path for owner, paths in self._owned.items() if owner != task for path in paths})

    def owner_of(self, path: str) -> str:
        """The task that owns a file; empty for none."""
        return next(
            (task for task, paths in self._owned.items() if any(_paths_overlap(path, each) for each in paths)), ""
        )

    def _taken(self, task: str, paths: Iterable[str]) -> tuple[str, str] | None:
        for path in paths:
            for owner, owned in self._owned.items():
                if owner != task and any(_paths_overlap(path, each) for each in owned):
                    return path, owner
        return None

    def _reaches(self, start: str, goal: str) -> bool:
        seen, left = set[str](), [start]
        while left:
            task = left.pop()
            if task == goal:
                return True
            if task not in seen:
                seen.add(task)
                left += self._waits.get(task, ())
        return False


def _paths_overlap(one: str, other: str) -> bool:
    """Whether two paths are the same, or one is a folder around the other."""
    if one.rstrip("/") == other.rstrip("/"):
        return True
    return (one.endswith("/") and other.startswith(one)) or (other.endswith("/") and one.startswith(other))
