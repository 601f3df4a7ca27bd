"""Open sockets, each with whose token opened it: one whose token was removed, here or by a command, is let go."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from holdfast.server.http.security.callers import Caller

LOOK_EVERY = 1.0


class Openings:
    """The sockets that are open. One task looks after all of them, while there are any."""

    def __init__(self, holds: Callable[[Caller], bool], every: float = LOOK_EVERY) -> None:
        """`holds`: whether a caller's token is still good."""
        self._holds, self._every = holds, every
        self._open: dict[object, tuple[Caller, Callable[[], Awaitable[None]]]] = {}
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def opened(self, caller: Caller, let_go: Callable[[], Awaitable[None]]) -> Iterator[None]:
        """A socket as long as it is open; `let_go` closes it, and may be asked again."""
        key = object()
        self._open[key] = caller, let_go
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look(), name="openings")
        try:
            yield
        finally:
            del self._open[key]

    async def _look(self) -> None:
        while self._open:
            await asyncio.sleep(self._every)
            held = {caller: self._holds(caller) for caller, _ in self._open.values()}
            gone = [let_go() for caller, let_go in self._open.values() if not held[caller]]
            # A socket that ended meanwhile is what was wanted.
            await asyncio.gather(*gone, return_exceptions=True)
