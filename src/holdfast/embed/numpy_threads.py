"""How many threads numpy computes with."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def one_thread() -> Callable[[], AbstractContextManager[Any]]:
    """A context in which numpy keeps to one thread; by `threadpoolctl`, and none where that is not installed.

    The matrices here are small. Two threads won a third on an idle machine, and took ten times as long on a busy one,
    where each waits for the other in a circle; an agent's machine is busy.
    """
    if find_spec("threadpoolctl") is None:
        return nullcontext
    limit = import_module("threadpoolctl").ThreadpoolController().limit
    return lambda: limit(limits=1, user_api="blas")
