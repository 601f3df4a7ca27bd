"""A workspace, an executor in it, and words for calls."""

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from holdfast.act.execute.bubblewrap import Sandbox
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.execute.run_trust import Approve
from holdfast.core.model import ToolCall, ToolResult
from holdfast.core.run import Task, Trust

RUN = "run-2026-11-15-120000-abc"
BARE = Sandbox(missing="not in this test")
T = TypeVar("T")


def executor(
    root: Path, trust: Trust = Trust.WORKSPACE, approve: Approve | None = None, run: str = RUN, **given: Any
) -> ToolExecutor:
    """Hands in a workspace, without a sandbox unless one is given."""
    folder = root / ".holdfast" / "runs" / run
    return ToolExecutor(str(root), str(folder), trust, approve, **{"sandbox": BARE, **given})


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=arguments)


def within(hands: ToolExecutor, work: Callable[[ToolExecutor], Awaitable[T]]) -> T:
    """Work with hands, which are closed at the end."""

    async def whole() -> T:
        try:
            return await work(hands)
        finally:
            await hands.close()

    return asyncio.run(whole())


def done(hands: ToolExecutor, *calls: ToolCall, task: Task | None = None) -> list[ToolResult]:
    """The results of calls, one after the other."""

    async def work(hands: ToolExecutor) -> list[ToolResult]:
        return [await hands.call(each, task) for each in calls]

    return within(hands, work)


def one(hands: ToolExecutor, name: str, **arguments: Any) -> ToolResult:
    """The result of one call."""
    [result] = done(hands, call(name, **arguments))
    return result


def tree(root: Path) -> dict[str, tuple[str, int, bytes | str]]:
    """Everything below a folder but ours: kind, mode, and bytes or target."""
    found: dict[str, tuple[str, int, bytes | str]] = {}
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name not in {".holdfast", ".git"}]
        for name in [*inner, *names]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            key = os.path.relpath(path, root)
            if stat.S_ISLNK(status.st_mode):
                found[key] = ("link", 0, os.readlink(path))
            elif stat.S_ISDIR(status.st_mode):
                found[key] = ("folder", stat.S_IMODE(status.st_mode), b"")
            elif stat.S_ISREG(status.st_mode):
                found[key] = ("file", stat.S_IMODE(status.st_mode), Path(path).read_bytes())
            else:
                found[key] = ("other", 0, b"")
    return found


def run_async(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)
