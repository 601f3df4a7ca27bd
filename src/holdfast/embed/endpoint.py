"""One POST of JSON to an endpoint, asked again while it is busy; the key is in no message."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.core.errors import Unavailable
from holdfast.core.value import Value
from holdfast.system.http import HttpClient, HttpRequest, HttpTimes, HttpWhole, asked_pause
from holdfast.system.http_errors import NobodyListens, NoExchange, UnknownHost, one_line

BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}
TOO_LONG = {400, 413, 422}
OK = 200
LARGEST = 256 << 20
SHOWN = 200


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
        self._client, self._key, self._sleep = HttpClient(url), key, sleep
        self.host = self._client.host

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
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = HttpRequest(method="POST", headers=headers, body=json.dumps(body).encode())
        try:
            answer = self._client.ask(request, HttpTimes(connect=seconds, piece=seconds, total=seconds), LARGEST)
        except NoExchange as error:
            # One that is just being started is not there yet.
            again = error.again or isinstance(error, NobodyListens | UnknownHost)
            raise (EndpointBusy if again else EndpointFailed)(self.host, error.why) from None
        return self._read(answer)

    def _read(self, answer: HttpWhole) -> Any:
        if answer.status in BUSY:
            raise EndpointBusy(self.host, self._refusal(answer), answer.status, asked_pause(answer.headers))
        if answer.status != OK:
            raise EndpointFailed(self.host, self._refusal(answer), answer.status)
        try:
            return json.loads(answer.data)
        except (ValueError, RecursionError):
            raise EndpointFailed(self.host, "its answer is not JSON") from None

    def _refusal(self, answer: HttpWhole) -> str:
        said = f"status {answer.status} {answer.reason}: {answer.data.decode('utf-8', 'replace')}"
        return one_line(said, self._key, SHOWN).rstrip(": ")
