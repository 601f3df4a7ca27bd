"""Looks that take long: beside the rest, once for all who ask at the same time, kept until something changes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from holdfast.memory.open import App
from holdfast.serve.http.workspaces import Workspace

MOST = 64
T = TypeVar("T")
State = tuple[int, int]

_kept: WeakKeyDictionary[Workspace, OrderedDict[object, tuple[State, asyncio.Task[Any]]]] = WeakKeyDictionary()


async def slowly(workspace: Workspace, key: object, verb: Callable[[App], T]) -> T:
    """What a verb says, looked up aside; the same answer as before while files and events are as they were."""
    await workspace.look()
    state = workspace.state, workspace.events
    kept = _kept.setdefault(workspace, OrderedDict())
    found = kept.get(key)
    if found is None or found[0] != state or _failed(found[1]):
        found = kept[key] = state, asyncio.create_task(workspace.aside(verb))
        while len(kept) > MOST:
            kept.popitem(last=False)
    kept.move_to_end(key)
    answer: T = await asyncio.shield(found[1])
    return answer


def forget(workspace: Workspace) -> None:
    """What was looked up counts no more: something changed that neither files of memory nor events tell of."""
    _kept.pop(workspace, None)


def _failed(task: "asyncio.Task[Any]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
