"""HTTP to a model: TLS verified, no redirects, deadlines for connecting, for each piece and for all of it."""

import base64
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.llm import model_errors, sse

AT_ONCE = 1 << 16
LARGEST_ANSWER = 32 << 20
LARGEST_EVENT = 8 << 20
LARGEST_REFUSAL = 1 << 16
BUSY = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
OK, NO_KEY, FORBIDDEN, MISSING, LIMITED = 200, 401, 403, 404, 429
MOVED = range(300, 400)


class ModelTimeouts(Value):
    """Seconds to connect, between two pieces of an answer, and for all attempts; how many, and the pauses between."""

    connect: float = 10.0
    read: float = 60.0
    total: float = 180.0
    attempts: int = 4
    first_pause: float = 0.5
    longest_pause: float = 30.0


class TryAgain(Exception):
    """It may work if asked again. `pause` is what the other side said itself."""

    def __init__(self, error: HoldfastError, pause: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.pause = pause


class RequestHalt:
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
                with suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

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
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)


class ModelWire:
    """An address of a model's API. The key is in the headers it is given, and in no message."""

    def __init__(self, model: str, url: str, key: str, patience: ModelTimeouts) -> None:
        self.model, self.patience, self._key = model, patience, key
        parts = urlsplit(url)
        self._secure, self._name, self._port = parts.scheme == "https", parts.hostname or "", parts.port
        self._base = parts.path.rstrip("/")
        self.host = parts.netloc.rpartition("@")[2]
        self.local = is_loopback(self._name)

    def __repr__(self) -> str:
        return f"Wire({self.model!r}, {self.host!r})"

    def ask(
        self, path: str, headers: Mapping[str, str], body: Mapping[str, Any], ends: float, halt: RequestHalt
    ) -> Iterator[str]:
        """POST; the data of the events that come back. Raises `Again` where asking again may help."""
        sent = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        words = {"Content-Type": "application/json", "Accept": "text/event-stream", "User-Agent": "holdfast", **headers}
        connection = self._connection(ends)
        try:
            with self._telling(halt):
                connection.connect()
                connected = connection.sock
                halt.hold(connected)
                self._patient(connected, ends)
                connection.request("POST", self._base + path, sent, words)
                answer = connection.getresponse()
            self._check(answer, connected, ends, halt)
            yield from self._events(answer, connected, ends, halt)
        finally:
            halt.hold(None)
            connection.close()

    def look(self, path: str, headers: Mapping[str, str], seconds: float) -> Any:
        """GET; the JSON that comes back, None where there is none."""
        connection = self._connection(time.monotonic() + seconds)
        try:
            connection.request("GET", self._base + path, headers={"Accept": "application/json", **headers})
            answer = connection.getresponse()
            return json.loads(answer.read(LARGEST_EVENT)) if answer.status == OK else None
        except (OSError, HTTPException, ValueError, RecursionError):
            return None
        finally:
            connection.close()

    def _connection(self, ends: float) -> HTTPConnection:
        seconds = max(0.01, min(self.patience.connect, ends - time.monotonic()))
        if not self._secure:
            return HTTPConnection(self._name, self._port, timeout=seconds)
        context = ssl.create_default_context()
        proxy = _proxy(self._name)
        if proxy is None:
            return HTTPSConnection(self._name, self._port, timeout=seconds, context=context)
        made = HTTPSConnection(proxy.hostname or "", proxy.port or 80, timeout=seconds, context=context)
        made.set_tunnel(self._name, self._port or 443, _credentials(proxy.username, proxy.password))
        return made

    def _patient(self, connected: socket.socket, ends: float) -> None:
        left = ends - time.monotonic()
        if left <= 0:
            raise model_errors.ModelTooSlow(self.model, self.host, f"no end after {self.patience.total:.0f} s")
        connected.settimeout(min(self.patience.read, left))

    def _telling(self, halt: RequestHalt) -> "_SocketErrors":
        return _SocketErrors(self, halt)

    def _check(self, answer: HTTPResponse, connected: socket.socket, ends: float, halt: RequestHalt) -> None:
        if answer.status != OK:
            said = model_errors.short_message(_message(self._refusal(answer, connected, ends, halt)), self._key)
            raise self._refused(answer, said)
        kind = answer.headers.get_content_type()
        if kind != "text/event-stream":
            raise model_errors.BadModelAnswer(
                self.model, self.host, f"{model_errors.short_message(kind)}, not with an event stream"
            )

    def _refusal(self, answer: HTTPResponse, connected: socket.socket, ends: float, halt: RequestHalt) -> bytes:
        try:
            return b"".join(self._pieces(answer, connected, ends, halt, LARGEST_REFUSAL))
        except (TryAgain, HoldfastError):
            return b""

    def _refused(self, answer: HTTPResponse, said: str) -> Exception:
        status, pause = answer.status, _pause(answer)
        who = (self.model, self.host)
        if status in {NO_KEY, FORBIDDEN}:
            return model_errors.ModelKeyRefused(*who, status, said)
        if status == MISSING:
            return model_errors.NoSuchModel(*who, said)
        if status == LIMITED:
            return TryAgain(model_errors.ModelLimitReached(*who, said, pause), pause)
        if status in BUSY:
            return TryAgain(model_errors.ModelBusy(*who, status, said), pause)
        if status in MOVED:
            return model_errors.BadModelAnswer(*who, f"a redirect (status {status}), which is not followed")
        return model_errors.ModelRequestRefused(*who, status, said)

    def _events(self, answer: HTTPResponse, connected: socket.socket, ends: float, halt: RequestHalt) -> Iterator[str]:
        try:
            yield from sse.read_events(self._pieces(answer, connected, ends, halt, LARGEST_ANSWER), LARGEST_EVENT)
        except sse.EventTooLong:
            raise model_errors.BadModelAnswer(self.model, self.host, "more than an answer can be") from None

    def _pieces(
        self, answer: HTTPResponse, connected: socket.socket, ends: float, halt: RequestHalt, most: int
    ) -> Iterator[bytes]:
        size = 0
        while True:
            with self._telling(halt):
                self._patient(connected, ends)
                piece = answer.read1(AT_ONCE)
            if not piece:
                return
            size += len(piece)
            if size > most:
                raise sse.EventTooLong
            yield piece


class _SocketErrors:
    """Errors of sockets, told as ours."""

    def __init__(self, wire: ModelWire, halt: RequestHalt) -> None:
        self._wire, self._halt = wire, halt

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError | HTTPException) and self._halt:
            raise model_errors.RequestHalted(self._wire.model) from None
        if isinstance(error, OSError | HTTPException):
            raise self._told(error) from None

    def _told(self, error: OSError | HTTPException) -> Exception:
        who = (self._wire.model, self._wire.host)
        match error:
            case ssl.SSLCertVerificationError():
                return model_errors.CertificateUntrusted(*who, error.verify_message)
            case TimeoutError():
                return TryAgain(model_errors.ModelTooSlow(*who, "nothing came in time"))
            case ConnectionRefusedError():
                hint = "start it: nothing listens there." if self._wire.local else ""
                return model_errors.ModelUnreached(*who, "the connection was refused", hint)
            case socket.gaierror():
                return model_errors.ModelUnreached(*who, "there is no such host, or no network")
            case ssl.SSLError():
                return model_errors.ModelUnreached(
                    *who, f"TLS failed ({model_errors.short_message(str(error.reason))})", "is it https at all?"
                )
        return TryAgain(
            model_errors.ModelUnreached(*who, model_errors.short_message(str(error) or type(error).__name__))
        )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or number alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _message(raw: bytes) -> str:
    """What a refusal says, in the few ways vendors say it."""
    text = raw.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    found = found[0] if isinstance(found, list) and found else found
    inner = found.get("error", found.get("message")) if isinstance(found, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else inner
    return said if isinstance(said, str) else text


def _pause(answer: HTTPResponse) -> float | None:
    """What the other side asks to wait, in seconds: milliseconds, seconds, or a date."""
    exact = answer.headers.get("retry-after-ms", "").strip()
    said = answer.headers.get("Retry-After", "").strip()
    with suppress(ValueError, TypeError, OverflowError):
        if exact:
            return min(max(0.0, float(exact) / 1000), 1e6)
        if said and said[0].isdigit():
            return min(float(said), 1e6)
        if said:
            return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    return None


def _proxy(host: str) -> Any:
    proxies = getproxies()
    said = proxies.get("https") or proxies.get("all")
    if not said or proxy_bypass(host):
        return None
    return urlsplit(said if "://" in said else f"http://{said}")


def _credentials(name: str | None, password: str | None) -> dict[str, str]:
    if not name:
        return {}
    pair = f"{unquote(name)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}
