"""uvicorn in our hands: bound before anything is promised, told when it answers, stopped without loss."""

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Generator
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
from types import FrameType

import uvicorn
from h11 import IDLE
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.server.http.binding import ServeOptions
from holdfast.server.http.http_app import make_app
from holdfast.server.http.running_lock import announce_server
from holdfast.server.http.security.server_names import ServerNames
from holdfast.server.http.server_state import Serving
from holdfast.server.http.streams.frames import FrameProtocol

LARGEST_HEAD = 65_536
LARGEST_MESSAGE = 65_536
HEAD_WITHIN = 10.0
SOCKETS_WITHIN = 5.0
REQUESTS_WITHIN = 10
PAUSE = 0.02
KEPT_ALIVE = 30
OPEN_FILES = 4_096
HEARTBEAT = 20.0


def serve_on(serving: Serving, wanted: ServeOptions, listening: socket.socket, up: Callable[[str], None]) -> None:
    """Serve until a signal says stop. `up` is told the address once it answers."""
    _allow_files()
    server = Server(configure_uvicorn(serving, wanted), serving, up)
    with announce_server(serving.home, serving.own.url):
        server.run(sockets=[listening])


def _allow_files() -> None:
    """Every socket is a file to the system, and many systems give a process fewer than our sockets may be."""
    soft, hard = getrlimit(RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != RLIM_INFINITY and soft < wanted:
        setrlimit(RLIMIT_NOFILE, (wanted, hard))


def read_server_names(wanted: ServeOptions, listening: socket.socket) -> ServerNames:
    """The names that a server on this socket answers to."""
    return ServerNames(
        scheme="https" if wanted.certificate else "http",
        port=listening.getsockname()[1],
        bound=wanted.host,
        names=(*wanted.proxied, *wanted.names),
        behind_proxy=bool(wanted.proxied),
    )


def configure_uvicorn(serving: Serving, wanted: ServeOptions | None = None) -> uvicorn.Config:
    """uvicorn's settings for us. A proxy's word on who asks is taken from this machine alone."""
    given = wanted or ServeOptions()
    return uvicorn.Config(
        make_app(serving),
        http=HeadTimeoutProtocol,
        ws=FrameProtocol,
        ws_max_size=LARGEST_MESSAGE,
        ws_ping_interval=HEARTBEAT,
        ws_ping_timeout=HEARTBEAT,
        ws_per_message_deflate=False,
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(given.proxied),
        forwarded_allow_ips="127.0.0.1,::1",
        timeout_graceful_shutdown=REQUESTS_WITHIN,
        timeout_keep_alive=KEPT_ALIVE,
        ssl_certfile=given.certificate or None,
        ssl_keyfile=given.key or None,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )


class Server(uvicorn.Server):
    """uvicorn that tells when it answers, and lets sockets send what they hold before it stops."""

    def __init__(self, config: uvicorn.Config, serving: Serving, up: Callable[[str], None]) -> None:
        super().__init__(config)
        self._serving = serving
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        if self.started:
            self._up(self._serving.own.url)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nothing new, let sockets and requests end, then close."""
        for server in self.servers:
            server.close()
        self._serving.stopping.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SOCKETS_WITHIN):
                while self._serving.sockets:
                    await asyncio.sleep(PAUSE)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at the first signal; at the second, at once. A stop that was asked for is no failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, _: FrameType | None) -> None:
        """A signal."""
        if self.should_exit:
            # Files are put in their place whole, so nothing is torn by this.
            signal.signal(sig, signal.SIG_DFL)
            signal.raise_signal(sig)
        self.should_exit = True


class HeadTimeoutProtocol(H11Protocol):
    """HTTP that does not wait for ever for a request's head: who sends it byte by byte is let go."""

    head_timeout = HEAD_WITHIN
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """A client connects."""
        super().connection_made(transport)
        self._limit = self.loop.call_later(self.head_timeout, self._too_slow)

    def data_received(self, data: bytes) -> None:
        """Some bytes."""
        super().data_received(data)
        waits = self.conn.their_state is IDLE
        if self._limit is not None and not waits:
            self._limit.cancel()
            self._limit = None
        elif self._limit is None and waits and self.conn.trailing_data[0]:
            self._limit = self.loop.call_later(self.head_timeout, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        if self._limit is not None:
            self._limit.cancel()
        super().connection_lost(exc)

    def _too_slow(self) -> None:
        self._limit = None
        if self.conn.their_state is IDLE and self.transport.get_protocol() is self:
            self.transport.close()
