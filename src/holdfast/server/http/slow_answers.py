"""Looks that take long: beside the rest, once for all who ask at the same time, kept until something changes."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from holdfast.core.value import Value
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.workspace import App

MOST = 64
# What files of memory and events do not tell of (a client's files, a run's, the disk) is looked at again after this.
SECONDS = 5.0
T = TypeVar("T")


class _Kept(Value):
    """An answer, or the look that will give it: of which state, and when it was asked for."""

    state: tuple[int, int]
    at: float
    task: "asyncio.Task[Any]"

    def counts(self, state: tuple[int, int], seconds: float) -> bool:
        """Whether it is still an answer."""
        failed = self.task.done() and (self.task.cancelled() or self.task.exception() is not None)
        fresh = not self.task.done() or time.monotonic() - self.at < seconds
        return self.state == state and fresh and not failed


_kept: WeakKeyDictionary[OpenWorkspace, OrderedDict[object, _Kept]] = WeakKeyDictionary()


async def look_up_cached(
    workspace: OpenWorkspace, key: object, verb: Callable[[App], T], seconds: float = SECONDS
) -> T:
    """What a verb says, looked up aside; the same answer while files and events are as they were, for so long."""
    await workspace.look()
    state = workspace.state, workspace.events
    kept = _kept.setdefault(workspace, OrderedDict())
    found = kept.get(key)
    if found is None or not found.counts(state, seconds):
        task = asyncio.create_task(workspace.aside(verb))
        found = kept[key] = _Kept(state=state, at=time.monotonic(), task=task)
        while len(kept) > MOST:
            kept.popitem(last=False)
    kept.move_to_end(key)
    answer: T = await asyncio.shield(found.task)
    return answer


def clear_cache(workspace: OpenWorkspace) -> None:
    """What was looked up counts no more."""
    _kept.pop(workspace, None)
