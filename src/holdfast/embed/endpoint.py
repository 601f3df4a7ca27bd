"""One POST of JSON to an endpoint: deadlines, back-off, no redirects, and the key in no message."""

import json
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from holdfast.core.errors import Unavailable
from holdfast.core.value import Value

BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}
TOO_LONG = {400, 413, 422}
OK = 200
AT_ONCE = 1 << 16
LARGEST = 256 << 20
SHOWN = 200
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class RetryPolicy(Value):
    """How often to ask, how long to wait for one answer, and how long between two."""

    attempts: int = 5
    seconds: float = 60.0
    first_pause: float = 0.5
    longest_pause: float = 20.0


class EndpointFailed(Unavailable):
    """The endpoint could not be reached, was busy to the end, or said no."""

    def __init__(self, host: str, why: str, status: int = 0) -> None:
        super().__init__(
            f"The embedding endpoint at {host!r} gave no vectors: {why}.",
            "see that it runs and takes the key; `holdfast config embedder static` needs no endpoint.",
        )
        self.why, self.status = why, status

    @property
    def may_be_too_long(self) -> bool:
        """Whether a shorter text could be taken."""
        return self.status in TOO_LONG


class EndpointBusy(EndpointFailed):
    """It may answer if asked again; `pause` is what it said itself."""

    def __init__(self, host: str, why: str, status: int = 0, pause: float | None = None) -> None:
        super().__init__(host, why, status)
        self.pause = pause


class Endpoint:
    """An address that takes and gives JSON."""

    def __init__(self, url: str, key: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._url, self._key, self._sleep = url, key, sleep
        self.host = urlsplit(url).netloc.rpartition("@")[2]
        self._opener = OpenerDirector()
        # No handler for redirects: the key goes to the address it was given for, and nowhere else.
        proxy = [] if urlsplit(url).hostname in LOOPBACK else [ProxyHandler()]
        for handler in (*proxy, HTTPHandler(), HTTPSHandler()):
            self._opener.add_handler(handler)

    def post(self, body: Mapping[str, Any], patience: RetryPolicy) -> Any:
        """The answer to this body; asks again while the endpoint is busy and patience lasts."""
        pause = patience.first_pause
        for attempt in range(1, patience.attempts + 1):
            try:
                return self._once(body, patience.seconds)
            except EndpointBusy as busy:
                if attempt == patience.attempts:
                    raise
                self._sleep(min(pause if busy.pause is None else busy.pause, patience.longest_pause))
                pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def _once(self, body: Mapping[str, Any], seconds: float) -> Any:
        ends = time.monotonic() + seconds
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "holdfast"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url, json.dumps(body).encode(), headers)  # noqa: S310  # `make` lets http and https in
        try:
            response = self._opener.open(request, timeout=seconds)
            if response is None:
                raise EndpointFailed(self.host, "nothing here speaks its protocol")
            with response:
                return self._answer(response, self._whole(response, ends))
        except (TimeoutError, URLError, OSError, HTTPException) as error:
            raise EndpointBusy(self.host, self._said(error)) from None

    def _whole(self, response: HTTPResponse, ends: float) -> bytes:
        parts, size = [], 0
        while part := response.read1(AT_ONCE):
            parts.append(part)
            size += len(part)
            # A server that sends a byte now and then never meets the socket's own limit.
            if time.monotonic() > ends:
                raise TimeoutError("the answer did not end in time")
            if size > LARGEST:
                raise EndpointFailed(self.host, "its answer is too large")
        return b"".join(parts)

    def _answer(self, response: HTTPResponse, held: bytes) -> Any:
        if response.status in BUSY:
            raise EndpointBusy(self.host, self._refusal(response, held), response.status, _pause(response))
        if response.status != OK:
            raise EndpointFailed(self.host, self._refusal(response, held), response.status)
        try:
            return json.loads(held)
        except ValueError:
            raise EndpointFailed(self.host, "its answer is not JSON") from None

    def _refusal(self, response: HTTPResponse, held: bytes) -> str:
        said = " ".join(held.decode("utf-8", "replace").split())
        return self._said(f"status {response.status} {response.reason}: {said}".rstrip(": "))

    def _said(self, what: object) -> str:
        text = str(what) or type(what).__name__
        return (text.replace(self._key, "…") if self._key else text)[:SHOWN]


def _pause(response: HTTPResponse) -> float | None:
    said = response.headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdigit() else None
