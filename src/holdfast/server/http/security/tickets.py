"""Tickets: a browser cannot send a token when it opens a socket, so it gets a word that opens one."""

import secrets
import time
from collections.abc import Callable

from holdfast.core.errors import HoldfastError
from holdfast.server.http.security.callers import Caller

GOOD_FOR = 30.0
MOST = 10_000


class TooManyTickets(HoldfastError):
    """More tickets than sockets could be."""

    http_status = 429
    http_headers = {"Retry-After": str(int(GOOD_FOR))}  # noqa: RUF012  # never changed

    def __init__(self) -> None:
        super().__init__("Too many tickets wait to be used.", "open the sockets, or wait half a minute.")


class Tickets:
    """Tickets that wait, each good once and for half a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, tuple[float, Caller]] = {}

    def issue(self, caller: Caller) -> str:
        """A ticket with a caller's own rights."""
        self._drop_old()
        if len(self._open) >= MOST:
            raise TooManyTickets
        ticket = secrets.token_urlsafe(24)
        self._open[ticket] = (self._clock() + GOOD_FOR, caller)
        return ticket

    def redeem(self, ticket: str) -> Caller | None:
        """Whose ticket this was; it opens nothing more."""
        until, caller = self._open.pop(ticket, (0.0, None))
        return caller if caller is not None and self._clock() < until else None

    def _drop_old(self) -> None:
        now = self._clock()
        for ticket in [ticket for ticket, (until, _) in self._open.items() if until < now]:
            del self._open[ticket]
