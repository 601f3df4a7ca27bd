"""A reply that is read in a thread of its own, as an asynchronous iterator."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress

from holdfast.core.model import Delta
from holdfast.system.http import Halt

SECONDS_TO_END = 5.0
Piece = Delta | BaseException | None


async def read_in_thread(read: Callable[[Halt], Iterator[Delta]]) -> AsyncGenerator[Delta, None]:
    """What `read` gives, piece by piece. Closing this ends the request, also while it waits."""
    loop = asyncio.get_running_loop()
    came: asyncio.Queue[Piece] = asyncio.Queue()
    halt = Halt()

    def put(piece: Piece) -> None:
        # The loop may be gone when nobody waits for the rest any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(came.put_nowait, piece)

    def run() -> None:
        try:
            for delta in read(halt):
                put(delta)
                if halt:
                    break
            put(None)
        except BaseException as error:  # told to whoever iterates
            put(error)

    thread = threading.Thread(target=run, name="holdfast-model", daemon=True)
    thread.start()
    try:
        while (piece := await came.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        halt.now()
        await asyncio.to_thread(thread.join, SECONDS_TO_END)
