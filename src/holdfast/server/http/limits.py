"""How much a caller may ask: size, rate, time, sockets. Who has no token is slowed down."""

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Protocol

from starlette.datastructures import Headers, QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.errors import BadRequest, HoldfastError, Refused, Unavailable
from holdfast.core.value import Value
from holdfast.server.http.metrics import SOCKETS, Metrics
from holdfast.server.http.problems import NoToken, render_problem, request_id
from holdfast.server.http.security.callers import Caller, Right, current_caller
from holdfast.server.http.security.guards import is_private
from holdfast.server.http.security.open_sockets import Openings
from holdfast.server.http.security.server_tokens import TokenStore
from holdfast.server.http.security.tickets import Tickets
from holdfast.server.http.streams.frames import close_socket

OPEN_PATHS = frozenset({("POST", "/api/session")})
NO_TICKET = 4401
TRY_LATER = 1013
MOST_BUCKETS = 10_000
# What a checkout sends may be large: an event with what a tool gave back, a run's events.
LARGE_PATHS = re.compile(r"/api/workspace/[0-9a-f]{16}/sync/(events|swap|swaps)")
LARGE_AT_ONCE = 4

logger = logging.getLogger("holdfast.server")


class RequestLimits(Value):
    """The limits of a server."""

    body: int = 1_000_000
    large_body: int = 32_000_000
    per_second: float = 100.0
    burst: float = 400.0
    guesses_per_second: float = 5.0
    guesses: float = 100.0
    seconds: float = 60.0
    sockets: int = 1_000


class BodyTooLarge(BadRequest):
    """A body beyond the limit."""

    http_status = 413
    http_headers = {"Connection": "close"}  # noqa: RUF012  # never changed

    def __init__(self, most: int) -> None:
        super().__init__(f"The body has more than {most} bytes.", "send less at a time.")


class TooManyRequests(Refused):
    """Asked too often."""

    http_status = 429

    def __init__(self, seconds: float) -> None:
        wait = max(1, ceil(seconds))
        self.http_headers = {"Retry-After": str(wait)}
        super().__init__("Too many requests.", f"wait {wait} s.")


class TookTooLong(Unavailable):
    """Work that did not end in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"This took longer than {seconds:g} s.", "it may still be done: look before you ask for it again."
        )


class NoTokens(Unavailable):
    """The tokens could not be read."""

    def __init__(self) -> None:
        super().__init__("The server cannot read its tokens.", "its log says why.")


class Buckets:
    """A bucket of tokens for each name: filled at a rate, emptied by use."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """Take one; 0 when there was one, else the seconds until there is."""
        now = self._clock()
        left, then = self._held.pop(name, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        wait = 0.0 if left >= 1 else (1 - left) / self._per_second
        self._held[name] = (left if wait else left - 1, now)
        if len(self._held) > MOST_BUCKETS:
            self._held.popitem(last=False)
        return wait


class LimitedServer(Protocol):
    """What the door needs of the server."""

    tokens: TokenStore
    tickets: Tickets
    metrics: Metrics
    limits: RequestLimits

    def slow_down(self, address: str) -> None:
        """Somebody there gave no good word: raise TooMany where that was too often."""


class CallerLimits:
    """Knows callers by their tokens, and holds everyone to the limits."""

    def __init__(self, app: ASGIApp, keeper: LimitedServer) -> None:
        self._app = app
        self._keeper = keeper
        self._limits = keeper.limits
        self._rates = Buckets(self._limits.per_second, self._limits.burst)
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)
        self._openings = Openings(self._holds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or answer."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._admit(scope)
            async with asyncio.timeout(self._limits.seconds):
                body = await self._received(scope, receive)
        except TimeoutError:
            await render_problem(TookTooLong(self._limits.seconds), request_id(scope))(scope, receive, send)
        except HoldfastError as error:
            await render_problem(error, request_id(scope))(scope, receive, send)
        else:
            if body is not None:
                await self._in_time(scope, _replay_body(body, receive), send)

    def _admit(self, scope: Scope) -> None:
        """Know the caller, or raise."""
        address = str((scope.get("client") or ("", 0))[0])
        caller: Caller | None = None
        if is_private(scope["path"]) and (scope["method"], scope["path"]) not in OPEN_PATHS:
            caller = self._caller(scope, address)
            scope["state"]["caller"] = caller
            current_caller.set(caller)
        wait = self._rates.take(caller.name if caller else f"@{address}")
        if wait:
            raise TooManyRequests(wait)

    def _caller(self, scope: Scope, address: str) -> Caller:
        given = Headers(scope=scope).getlist("authorization")
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        caller = self._known(token.strip()) if kind.lower() == "bearer" else None
        if caller is None:
            self._keeper.slow_down(address)
            raise NoToken
        return caller

    def _known(self, token: str) -> Caller | None:
        try:
            return self._keeper.tokens.caller(token)
        except HoldfastError as error:
            # Whose fault it is, and where the file lies, is nothing for who has no token.
            logger.error("tokens", exc_info=error)
            raise NoTokens from error

    async def _received(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, or None of one who left. Who may change memory may send larger ones, a few at a time."""
        caller: Caller | None = scope.get("state", {}).get("caller")
        may = caller is not None and caller.may(Right.REVIEW) and LARGE_PATHS.fullmatch(scope["path"])
        if not may or self._told(scope, self._limits.large_body) <= self._limits.body:
            return await self._body(scope, receive, self._limits.body)
        async with self._large:
            return await self._body(scope, receive, self._limits.large_body)

    def _told(self, scope: Scope, most: int) -> int:
        """How long a body says it is. Raises BodyTooLarge."""
        told = Headers(scope=scope).get("content-length", "0")
        if not told.isascii() or not told.isdigit() or int(told[:20]) > most:
            raise BodyTooLarge(most)
        return int(told)

    async def _body(self, scope: Scope, receive: Receive, most: int) -> bytes | None:
        """All of it: no route meets one that is cut."""
        self._told(scope, most)
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            size += len(part)
            if size > most:
                raise BodyTooLarge(most)
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)

    async def _in_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        limit = asyncio.timeout(self._limits.seconds)
        try:
            async with limit:
                await self._app(scope, receive, told)
        except TimeoutError:
            if begun or not limit.expired():
                raise
            await render_problem(TookTooLong(self._limits.seconds), request_id(scope))(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._keeper.metrics.value(SOCKETS) > self._limits.sockets:
            await _refuse_socket(receive, send, TRY_LATER, "too many sockets")
            return
        ticket = QueryParams(scope["query_string"]).get("ticket", "")
        caller = self._keeper.tickets.redeem(ticket)
        if caller is None or not self._holds(caller):
            await _refuse_socket(receive, send, NO_TICKET, "no good ticket")
            return
        scope["state"]["caller"] = caller
        current_caller.set(caller)
        with self._openings.opened(caller, partial(close_socket, scope, send, NO_TICKET, "this token is gone")):
            await self._app(scope, receive, send)

    def _holds(self, caller: Caller) -> bool:
        try:
            return self._keeper.tokens.holds(caller)
        except HoldfastError as error:
            logger.error("tokens", exc_info=error)
            return False


async def _refuse_socket(receive: Receive, send: Send, code: int, reason: str) -> None:
    """Browsers show a page why a socket closed only if it was open."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code, "reason": reason})


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """The body once more, for the route that reads it."""
    given = False

    async def heard() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return heard
