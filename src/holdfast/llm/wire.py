"""A model's API over HTTP: what is posted, events that come back, and failures in words about the model."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.llm import model_errors, sse
from holdfast.system import http_errors
from holdfast.system.http import Halt, HttpAnswer, HttpClient, HttpRequest, HttpTimes, asked_pause
from holdfast.system.http_errors import NoExchange, one_line

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


class ModelWire:
    """An address of a model's API. The key is in the headers it is given, and in no message."""

    def __init__(self, model: str, url: str, key: str, patience: ModelTimeouts) -> None:
        self.model, self.patience, self._key = model, patience, key
        self._client = HttpClient(url)
        self.host, self.local = self._client.host, self._client.local

    def __repr__(self) -> str:
        return f"Wire({self.model!r}, {self.host!r})"

    def ask(
        self, path: str, headers: Mapping[str, str], body: Mapping[str, Any], ends: float, halt: Halt
    ) -> Iterator[str]:
        """POST; the data of the events that come back. Raises `Again` where asking again may help."""
        sent = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        words = {"Content-Type": "application/json", "Accept": "text/event-stream", **headers}
        request = HttpRequest(method="POST", path=path, headers=words, body=sent)
        with self._telling(), self._client.open(request, self._times(ends - time.monotonic()), halt) as answer:
            self._check(answer)
            yield from sse.read_events(answer.pieces(LARGEST_ANSWER), LARGEST_EVENT)

    def look(self, path: str, headers: Mapping[str, str], seconds: float) -> Any:
        """GET; the JSON that comes back, None where there is none."""
        request = HttpRequest(path=path, headers={"Accept": "application/json", **headers})
        try:
            answer = self._client.ask(request, self._times(seconds), LARGEST_EVENT)
            return json.loads(answer.data) if answer.status == OK else None
        except (NoExchange, ValueError, RecursionError):
            return None

    def _times(self, seconds: float) -> HttpTimes:
        return HttpTimes(connect=self.patience.connect, piece=self.patience.read, total=seconds)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What went wrong, told of the model."""
        try:
            yield
        except (http_errors.AnswerTooLarge, sse.EventTooLong):
            raise model_errors.BadModelAnswer(self.model, self.host, "more than an answer can be") from None
        except NoExchange as error:
            raise self._told(error) from None

    def _told(self, error: NoExchange) -> Exception:
        who = (self.model, self.host)
        match error:
            case http_errors.RequestGivenUp():
                return model_errors.RequestHalted(self.model)
            case http_errors.CertificateRejected():
                return model_errors.CertificateUntrusted(*who, error.reason)
            case http_errors.NoEndInTime():
                return model_errors.ModelTooSlow(*who, f"no end after {self.patience.total:.0f} s")
            case http_errors.NothingCame():
                return TryAgain(model_errors.ModelTooSlow(*who, error.why))
            case http_errors.NobodyListens():
                return model_errors.ModelUnreached(
                    *who, error.why, "start it: nothing listens there." if self.local else ""
                )
        failed = model_errors.ModelUnreached(*who, error.why, error.hint)
        return TryAgain(failed) if error.again else failed

    def _check(self, answer: HttpAnswer) -> None:
        if answer.status != OK:
            raise self._refused(answer, one_line(_message(_refusal(answer)), self._key))
        kind = answer.headers.get_content_type()
        if kind != "text/event-stream":
            raise model_errors.BadModelAnswer(
                self.model, self.host, f"{one_line(kind, self._key)}, not with an event stream"
            )

    def _refused(self, answer: HttpAnswer, said: str) -> Exception:
        status, pause = answer.status, asked_pause(answer.headers)
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


def _refusal(answer: HttpAnswer) -> bytes:
    try:
        return answer.whole(LARGEST_REFUSAL)
    except NoExchange:
        return b""


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
