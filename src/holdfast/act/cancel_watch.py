"""A run that can be ended from outside: whoever asks leaves a request in its folder, and it looks there as it goes.

No signal is sent: a process's number may be another's by now.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TypeVar

from holdfast.act.run_files import AgentRun
from holdfast.core.run import CancelRequest

T = TypeVar("T")
PAUSE = 0.2


class RunCancelled(Exception):
    """Somebody wants the run to end."""

    def __init__(self, request: CancelRequest) -> None:
        self.request = request
        super().__init__(request.words)


async def stream_until_cancelled(happening: AsyncGenerator[T, None], run: AgentRun) -> AsyncGenerator[T, None]:
    """What happens, until somebody asks for the end. Raises AskedToEnd; what is under way was ended then."""
    asked = asyncio.ensure_future(_wait_for_request(run))
    try:
        while not asked.done():
            coming = asyncio.ensure_future(_next(happening))
            try:
                await asyncio.wait((coming, asked), return_when=asyncio.FIRST_COMPLETED)
            finally:
                await _cancel_and_wait(coming)
            if coming.cancelled():
                break
            found = coming.result()
            if found is None:
                return
            yield found[0]
        raise RunCancelled(asked.result())
    finally:
        asked.cancel()


async def _next(happening: AsyncGenerator[T, None]) -> tuple[T] | None:
    try:
        return (await anext(happening),)
    except StopAsyncIteration:
        return None


async def _cancel_and_wait(coming: "asyncio.Future[tuple[T] | None]") -> None:
    """Wait for what was cut short: it ends its commands and leaves files whole."""
    if not coming.done():
        coming.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await coming


async def _wait_for_request(run: AgentRun) -> CancelRequest:
    while True:
        if (found := run.cancel_asked()) is not None:
            return found
        await asyncio.sleep(PAUSE)
