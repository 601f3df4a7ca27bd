"""HTTP to others, in one way: proxies of the environment, TLS verified, no redirects, a time and a size for everything.

A connection serves one request. Why the standard library is enough: docs/adr/0008.
"""

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection, InvalidURL
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit

from holdfast.core.value import Value
from holdfast.system import http_errors
from holdfast.system.http_proxies import HttpProxy, bracketed, is_loopback, proxy_for

AT_ONCE = 1 << 16
TAKEN = range(200, 300)
LONGEST_PAUSE = 1e6
USUAL_PORTS: Mapping[str, int] = {"http": 80, "https": 443}


class HttpTimes(Value):
    """Seconds to be connected, through a proxy and TLS too; to wait for a piece; and for all of it."""

    connect: float
    piece: float
    total: float


class HttpRequest(Value):
    """What is asked: a path behind the client's address, headers, and a body or none."""

    method: str = "GET"
    path: str = ""
    headers: Mapping[str, str] = {}
    body: bytes | None = None

    def __repr__(self) -> str:
        return f"HttpRequest({self.method!r}, {self.path!r})"


class HttpWhole(Value):
    """An answer that was read to its end."""

    status: int
    reason: str
    headers: HTTPMessage
    data: bytes


class Halt:
    """Lets another thread end a request, wherever it waits."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def now(self) -> None:
        """End it."""
        self._asked.set()
        with self._lock:
            if self._socket is not None:
                _cut(self._socket)

    def __bool__(self) -> bool:
        return self._asked.is_set()

    def pause(self, seconds: float) -> None:
        """Wait, unless it ends before."""
        self._asked.wait(seconds)

    def hold(self, connected: socket.socket | None) -> None:
        """The connection that waits now."""
        with self._lock:
            self._socket = connected
        if self and connected is not None:
            _cut(connected)


class HttpAnswer:
    """An answer that is being read: its status and headers, and pieces that come in time."""

    def __init__(self, response: HTTPResponse, exchange: "_Exchange") -> None:
        self._response, self._exchange = response, exchange
        self.status, self.reason, self.headers = response.status, response.reason, response.headers

    def pieces(self, most: int) -> Iterator[bytes]:
        """The body as it comes. Raises NoExchange where it is larger than `most`, or ends before its end."""
        wanted, size = self._response.length, 0
        while wanted is None or size < wanted:
            with self._exchange.told():
                piece = self._response.read1(AT_ONCE)
                if not piece:
                    self._exchange.require_end(known=wanted is not None)
                    return
            size += len(piece)
            if size > most:
                raise http_errors.AnswerTooLarge(self._exchange.host, most)
            yield piece

    def whole(self, most: int) -> bytes:
        """All of the body."""
        return b"".join(self.pieces(most))


class HttpClient:
    """An address to ask. What is secret in a request's headers is in no message and no name of it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._scheme, self._name = parts.scheme, parts.hostname or ""
        self._port = _port(parts)
        self._path, self._query = parts.path.rstrip("/"), parts.query
        self._context: ssl.SSLContext | None = None
        self.host = parts.netloc.rpartition("@")[2]
        self.local = is_loopback(self._name)

    def __repr__(self) -> str:
        return f"HttpClient({self.host!r})"

    @contextmanager
    def open(self, request: HttpRequest, times: HttpTimes, halt: Halt | None = None) -> Iterator[HttpAnswer]:
        """The answer to a request, whatever its status, to be read inside. Raises NoExchange."""
        if not self._port:
            raise http_errors.UnsendableRequest(self.host)
        proxy = proxy_for(self._scheme, self._name, self._port)
        exchange = _Exchange(self.host, proxy, times, Halt() if halt is None else halt)
        try:
            with exchange.told():
                response = self._asked(request, exchange, proxy)
            yield HttpAnswer(response, exchange)
        finally:
            exchange.close()

    def ask(self, request: HttpRequest, times: HttpTimes, most: int) -> HttpWhole:
        """The whole answer to a request, whatever its status. Raises NoExchange."""
        with self.open(request, times) as answer:
            data = answer.whole(most)
            return HttpWhole(status=answer.status, reason=answer.reason, headers=answer.headers, data=data)

    def _asked(self, request: HttpRequest, exchange: "_Exchange", proxy: HttpProxy | None) -> HTTPResponse:
        target, headers = self._target(request.path), {"User-Agent": "holdfast", "Connection": "close"}
        # With TLS the proxy was told where to and by whom already, and sees nothing of this.
        reader = proxy if self._scheme == "http" else None
        if reader is not None:
            target, headers = f"http://{_authority(self._name, self._port)}{target}", {**headers, **reader.headers}
        connection = self._connection(exchange, proxy)
        connection.request(request.method, target, request.body, {**headers, **request.headers})
        answer = connection.getresponse()
        if reader is not None and answer.status == http_errors.NEEDS_NAME:
            raise http_errors.ProxyRefused(self.host, reader.host, answer.status)
        return answer

    def _target(self, path: str) -> str:
        query = f"?{self._query}" if self._query and not path else ""
        return f"{self._path}{path}{query}" or "/"

    def _connection(self, exchange: "_Exchange", proxy: HttpProxy | None) -> HTTPConnection:
        """A connection that is open, through the proxy and TLS."""
        exchange.reach(*((proxy.name, proxy.port) if proxy else (self._name, self._port)))
        made = HTTPConnection(self._name, self._port)
        if self._scheme == "https":
            if proxy is not None:
                exchange.tunnel(_authority(self._name, self._port), proxy)
            context = self._verifying()
            exchange.secure(context, self._name)
            made = HTTPSConnection(self._name, self._port, context=context)
        made.sock = exchange.line()
        return made

    def _verifying(self) -> ssl.SSLContext:
        """The system's certificates, or those that SSL_CERT_FILE and SSL_CERT_DIR name."""
        if self._context is None:
            self._context = ssl.create_default_context()
            self._context.set_alpn_protocols(["http/1.1"])
        return self._context


class _Exchange:
    """One request over one connection: how long it may take, who may end it, and errors told as ours."""

    def __init__(self, host: str, proxy: HttpProxy | None, times: HttpTimes, halt: Halt) -> None:
        begun = time.monotonic()
        self.host, self._proxy = host, proxy.host if proxy else ""
        self._times, self._halt = times, halt
        self._ends = begun + times.total
        self._connected_by = begun + min(times.connect, times.total)
        self._socket: socket.socket | None = None

    def reach(self, name: str, port: int) -> None:
        """Connect to one of a host's addresses; each has its share of the time."""
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        for left, (family, kind, protocol, _, address) in zip(range(len(found), 0, -1), found, strict=True):
            try:
                made = socket.socket(family, kind, protocol)
                self._hold(made)
                made.settimeout(self._to_connect() / left)
                made.connect(address)
                self._hold(made)
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                self.close()
                if left == 1:
                    raise
            else:
                return

    def tunnel(self, wanted: str, proxy: HttpProxy) -> None:
        """Have the proxy connect us to where we want to go."""
        line = _Line(self._connected(), self._to_connect)
        headers = "".join(f"{name}: {value}\r\n" for name, value in {"Host": wanted, **proxy.headers}.items())
        line.sendall(f"CONNECT {wanted} HTTP/1.1\r\n{headers}\r\n".encode("ascii"))
        with closing(HTTPResponse(cast("socket.socket", line), method="CONNECT")) as answer:
            answer.begin()
            if answer.status not in TAKEN:
                raise http_errors.ProxyRefused(self.host, proxy.host, answer.status)

    def secure(self, context: ssl.SSLContext, name: str) -> None:
        """Speak TLS from here on, with a certificate that proves the name."""
        made = context.wrap_socket(self._connected(), server_hostname=name, do_handshake_on_connect=False)
        self._hold(made)
        made.settimeout(self._to_connect())
        made.do_handshake()

    def line(self) -> "_Line":
        """What the request and its answer go over."""
        return _Line(self._connected(), self._to_wait)

    def require_end(self, *, known: bool) -> None:
        """Nothing more comes: an end, unless somebody cut it or more was announced."""
        if self._halt:
            raise http_errors.RequestGivenUp(self.host)
        if known:
            raise http_errors.LineBroke(self.host, "the answer broke off", self._proxy)

    def close(self) -> None:
        """End the connection."""
        self._halt.hold(None)
        if self._socket is not None:
            self._socket.close()

    @contextmanager
    def told(self) -> Iterator[None]:
        """Errors of sockets and of the library, told as ours."""
        try:
            yield
        except (OSError, HTTPException, ValueError) as error:
            raise self._ours(error) from None

    def _ours(self, error: Exception) -> http_errors.NoExchange:
        if self._halt:
            return http_errors.RequestGivenUp(self.host)
        match error:
            case ssl.SSLCertVerificationError():
                return http_errors.CertificateRejected(self.host, error.verify_message.rstrip("."), self._proxy)
            case TimeoutError() if time.monotonic() >= self._ends:
                return http_errors.NoEndInTime(self.host, self._times.total, self._proxy)
            case TimeoutError():
                return http_errors.NothingCame(self.host, self._proxy)
            case ConnectionRefusedError():
                return http_errors.NobodyListens(self.host, self._proxy)
            case socket.gaierror():
                return http_errors.UnknownHost(self.host, self._proxy)
            case ssl.SSLError():
                return http_errors.TlsFailed(self.host, str(error.reason or "no reason"), self._proxy)
            case ConnectionError():
                return http_errors.LineBroke(self.host, "the connection broke off", self._proxy)
            case OSError():
                return http_errors.LineBroke(self.host, error.strerror or "no connection", self._proxy)
            case InvalidURL() | ValueError():
                return http_errors.UnsendableRequest(self.host)
        return http_errors.LineBroke(self.host, "what came broke off, or is no HTTP", self._proxy)

    def _hold(self, made: socket.socket) -> None:
        self._socket = made
        self._halt.hold(made)

    def _connected(self) -> socket.socket:
        if self._socket is None:
            raise OSError("no connection")
        return self._socket

    def _to_connect(self) -> float:
        return _left(self._connected_by)

    def _to_wait(self) -> float:
        return min(self._times.piece, _left(self._ends))


class _Line:
    """A connection as `http.client` wants one, with a look at the clock before each step.

    The library closes what it was given when the headers are read: who opened it closes it.
    """

    def __init__(self, connected: socket.socket, left: Callable[[], float]) -> None:
        self._connected, self._left = connected, left

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        for start in range(0, len(rest), AT_ONCE):
            self._connected.settimeout(self._left())
            self._connected.sendall(rest[start : start + AT_ONCE])

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self._connected, self._left))

    def close(self) -> None:
        return


class _Incoming(io.RawIOBase):
    def __init__(self, connected: socket.socket, left: Callable[[], float]) -> None:
        self._connected, self._left = connected, left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connected.settimeout(self._left())
        return self._connected.recv_into(buffer)


def asked_pause(headers: HTTPMessage) -> float | None:
    """What the other side asks to wait, in seconds: milliseconds, seconds, or a date."""
    exact = headers.get("retry-after-ms", "").strip()
    said = headers.get("Retry-After", "").strip()
    with suppress(ValueError, TypeError, OverflowError):
        if exact:
            return min(max(0.0, float(exact) / 1000), LONGEST_PAUSE)
        if said and said[0].isdigit():
            return min(float(said), LONGEST_PAUSE)
        if said:
            return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    return None


def _port(parts: SplitResult) -> int:
    """The port of an address; 0 where what stands there is none."""
    with suppress(ValueError):
        return USUAL_PORTS.get(parts.scheme, 0) if parts.port is None else parts.port
    return 0


def _left(moment: float) -> float:
    left = moment - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _authority(name: str, port: int) -> str:
    """A host and its port, in the letters that HTTP knows. Raises ValueError."""
    plain = name.encode("idna").decode("ascii")
    if not plain.isprintable() or " " in plain:
        raise ValueError(name)
    return f"{bracketed(plain)}:{port}"


def _cut(connected: socket.socket) -> None:
    # The method of a TLS socket would have who reads go on without TLS.
    with suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
