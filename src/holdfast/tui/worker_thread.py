"""The one thread in which all work on memory is done, so that keys are answered at once.

What a person asks for comes first, then what is shown, then what is looked through in the background.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import Future, wait
from enum import IntEnum
from queue import PriorityQueue
from threading import Thread
from typing import Any, TypeVar

from holdfast.workspace import App

T = TypeVar("T")
Job = Callable[[App], Any]
_Queued = tuple[int, int, Job, Future[Any]]


class Urgency(IntEnum):
    """How soon something is done."""

    ASKED = 0
    SHOWN = 1
    BEHIND = 2


class JobThread:
    """Does one job after the other with an app that nobody else touches."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._numbers = itertools.count()
        self._jobs: PriorityQueue[_Queued] = PriorityQueue()
        self._closed = False
        self._asked: set[Future[Any]] = set()
        # A look at an embedder that does not answer must not keep a person from leaving.
        self._thread = Thread(target=self._work, name="desk", daemon=True)
        self._thread.start()

    def ask(self, job: Callable[[App], T], urgency: Urgency = Urgency.ASKED) -> "Future[T]":
        """Have something done; a future that is cancelled before its turn is not."""
        future: Future[T] = Future()
        if urgency is Urgency.ASKED:
            self._asked.add(future)
            future.add_done_callback(self._asked.discard)
        self._jobs.put((urgency, next(self._numbers), job, future))
        return future

    def close(self) -> None:
        """Wait for what a person asked for, and for nothing else."""
        self._closed = True
        wait(list(self._asked))

    def _work(self) -> None:
        while True:
            urgency, _, job, future = self._jobs.get()
            if self._closed and urgency != Urgency.ASKED:
                future.cancel()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                done = job(self._app)
            except BaseException as error:
                # Whoever asked is told; the thread goes on.
                future.set_exception(error)
            else:
                future.set_result(done)
