"""A workspace of a Holdfast server, over HTTP."""

import base64
import json
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from holdfast.core.errors import BadRequest, Refused, Unavailable
from holdfast.core.event import Event, Receipt
from holdfast.exchange.peer import Held, PeerChanges, PeerRefused, Swap
from holdfast.system.http import TAKEN, HttpClient, HttpRequest, HttpTimes, HttpWhole, asked_pause
from holdfast.system.http_errors import AnswerTooLarge, NoExchange, one_line
from holdfast.system.http_proxies import is_loopback

SECONDS = 20.0
# Every file there is searched before the answer.
SEARCHING_SECONDS = 90.0
# For all of an answer: one of the largest, over a slow line.
LONGEST_SECONDS = 600.0
LARGEST = 64 << 20
SHOWN = 1000
CHUNK = 200
CHUNK_BYTES = 700_000
# How often, and how long at a time, we wait for a server that says "too many".
PATIENCE, A_WHILE, LONGEST_PAUSE = 30, 1.0, 5.0
WORKSPACE = re.compile(r"[0-9a-f]{16}")
T = TypeVar("T")
# What reading an answer of any other shape than ours ends in.
NOT_OURS = (AttributeError, KeyError, TypeError, ValueError, RecursionError, OverflowError)


class ServerUnreachable(Unavailable):
    """The server does not answer."""

    def __init__(self, url: str, reason: str, hint: str = "") -> None:
        default = "nothing is lost: the next sync goes on."
        super().__init__(f"The server {url} does not answer: {reason}.", hint or default)


class NotAServerAnswer(Unavailable):
    """What answers is no Holdfast server, or none of good will."""

    def __init__(self, url: str, path: str) -> None:
        super().__init__(
            f"The server {url} answered {path.partition('?')[0]!r} with something else than a Holdfast server does.",
            "see that the address is right, and ask its keeper; nothing is lost here.",
        )


class TokenRefused(Refused):
    """The server does not take the token."""

    def __init__(self, url: str, said: str, hint: str = "") -> None:
        default = "ask its keeper for a token: `holdfast serve token add NAME`, with `--right review` to send anything."
        super().__init__(f"The server {url} refuses: {said}.", hint or default)


class ServerRejectedRequest(BadRequest):
    """The server found something wrong with what we asked."""

    def __init__(self, said: str, hint: str) -> None:
        super().__init__(f"The server says: {said}", hint)


class ServerRefused(PeerRefused):
    """What the server will never take, as it says."""

    def __init__(self, said: str, hint: str) -> None:
        super().__init__(f"The server does not take it: {said}", hint)


class BadServerAddress(BadRequest):
    """An address that cannot be a server's."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url!r} cannot be a server's address: {why}.", "write it like https://memory.example.com")


class HttpPeer:
    """One workspace of a server."""

    def __init__(self, url: str, token: str, workspace: str) -> None:
        self._url = check_url(url)
        self._token = token
        self._workspace = workspace
        self._listed: Mapping[str, Held] | None = None
        self._client = HttpClient(self._url)

    @property
    def name(self) -> str:
        """The server and the workspace."""
        return f"{self._url}/{self._workspace}"

    @property
    def marks(self) -> "HttpPeer":
        """What was purged there: the server tells it as it tells its files."""
        return self

    def workspaces(self) -> list[Mapping[str, Any]]:
        """What the server has, as far as the token sees it."""
        return self._ask("GET", "/api/workspaces", _read_workspaces)

    def team(self) -> tuple[str, str]:
        """The team whose memory the server offers: its name, and the workspace that holds it. Raises NoneThere."""
        name, workspace = self._ask("GET", "/api/team", _read_team)
        if not WORKSPACE.fullmatch(workspace):
            raise NotOnServer("it names no team.", "")
        return name, workspace

    def since(self, mark: str) -> PeerChanges:
        """Nothing, where the server's list is the one of the mark; else ask for all of it, which we have by then."""
        now, listed = self._ask("GET", self._path(f"sync?since={quote(mark, safe='')}"), _read_marked_listing)
        if mark and now == mark:
            return PeerChanges(mark=now, files={}, by_sum=True)
        self._listed = listed
        return PeerChanges(mark=now, by_sum=True)

    def files(self) -> Mapping[str, Held]:
        """Every file with its sum."""
        listed, self._listed = self._listed, None
        return listed if listed is not None else self._ask("GET", self._path("sync"), _read_listing)

    def fetch(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The bytes of several files; those that are gone are left out."""
        found: dict[str, bytes] = {}
        left = list(paths)
        while left:
            some = left[:CHUNK]
            held, looked = self._ask("POST", self._path("sync/fetch"), _read_files, {"paths": some})
            found |= held
            # A server answers with what fits, and says how far it came.
            left = left[max(1, min(looked, len(some))) :]
        return {path: data for path, data in found.items() if path in set(paths)}

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file (None: remove it) if its sum is still `then`; empty, or the sum it has instead."""
        return self._ask("POST", self._path("sync/swap"), _read_sum, _swap_form(Swap(path=path, data=data, then=then)))

    def put(self, swaps: Sequence[Swap]) -> Sequence[str]:
        """Several swaps, each for itself; an answer for each."""
        answers: list[str] = []
        for chunk in _chunks([(_swap_form(each), each) for each in swaps]):
            body = {"swaps": [form for form, _ in chunk]}
            answers += self._ask("POST", self._path("sync/swaps"), partial(_read_sums, len(chunk)), body)
        return answers

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the server's journal; a key seen before is not written again."""
        receipts: list[Receipt] = []
        for chunk in _chunks([(_event(each), each) for each in events]):
            try:
                fresh = self._ask(
                    "POST", self._path("sync/events"), _read_fresh, {"events": [form for form, _ in chunk]}
                )
            except PeerRefused as error:
                error.fresh = sum(receipt.fresh for receipt in receipts)
                raise
            receipts += [Receipt(id=event.key, fresh=at < fresh) for at, (_, event) in enumerate(chunk)]
        return receipts

    def list_marks(self) -> Collection[str]:
        """The marks of what was purged; a server that knows none has none."""
        try:
            return self._ask("GET", self._path("sync/gone"), _read_marks)
        except NotOnServer:
            return ()

    def add_marks(self, marks: Collection[str]) -> None:
        """Have the server keep marks of what was purged elsewhere."""
        listed = list(marks)
        for at in range(0, len(listed), CHUNK):
            with suppress(NotOnServer):
                self._ask("POST", self._path("sync/gone"), _read_anything, {"marks": listed[at : at + CHUNK]})

    def forget(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have the server purge, or say what it would; what it did and found afterwards."""
        return self._ask("POST", self._path("forget"), _read_purge_result, asked, SEARCHING_SECONDS)

    def _path(self, rest: str) -> str:
        return f"/api/workspace/{self._workspace}/{rest}"

    def _ask(
        self, method: str, path: str, form: Callable[[Any], T], body: Mapping[str, Any] | None = None,
        seconds: float = SECONDS,
    ) -> T:  # fmt: skip
        """What the server answers, in our form: the one place where an answer is believed to have one."""
        for _ in range(PATIENCE):
            try:
                told = self._asked(method, path, body, seconds)
                return form(json.loads(told))
            except _RetryLater as later:
                time.sleep(min(later.seconds, LONGEST_PAUSE))
            except NOT_OURS:
                raise NotAServerAnswer(self._url, path) from None
        raise ServerUnreachable(self._url, "too many requests")

    def _asked(self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float) -> bytes:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            headers["Content-Type"], data = "application/json", json.dumps(body).encode()
        request = HttpRequest(method=method, path=path, headers=headers, body=data)
        try:
            times = HttpTimes(connect=SECONDS, piece=seconds, total=LONGEST_SECONDS)
            answer = self._client.ask(request, times, LARGEST)
        except AnswerTooLarge:
            raise NotAServerAnswer(self._url, path) from None
        except NoExchange as error:
            raise ServerUnreachable(self._url, error.why, "" if error.again else error.hint) from None
        if answer.status not in TAKEN:
            raise self._failure(answer)
        return answer.data

    def _failure(self, answer: HttpWhole) -> Exception:
        said, hint = self._words(answer)
        match answer.status:
            case 401:
                return TokenRefused(self._url, said.rstrip("."))
            case 403:
                return TokenRefused(self._url, said.rstrip("."), hint)
            case 404:
                return NotOnServer(said, hint)
            case 400 | 413 | 422:
                return ServerRefused(said, hint)
            case 429:
                return _RetryLater(asked_pause(answer.headers))
            case 500 | 502 | 503 | 504:
                return ServerUnreachable(self._url, said.rstrip("."))
            case _:
                return ServerRejectedRequest(said, hint)

    def _words(self, answer: HttpWhole) -> tuple[str, str]:
        """What a server says of a failure, and its hint, without the token."""
        try:
            told = json.loads(answer.data)
        except (ValueError, RecursionError):
            told = {}
        if not isinstance(told, dict):
            return "", ""
        said = str(told.get("detail") or told.get("title") or f"status {answer.status}")
        return one_line(said, self._token, SHOWN), one_line(str(told.get("hint", "")), self._token, SHOWN)


class _RetryLater(Exception):
    """The server says when to come again."""

    def __init__(self, pause: float | None) -> None:
        super().__init__()
        self.seconds = A_WHILE if pause is None else pause


class NotOnServer(ServerRejectedRequest):
    """What was asked for is not there."""


def check_url(url: str) -> str:
    """A server's address without anything behind it. A token goes over the wire in the open to loopback alone."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadServerAddress(url, "it does not begin with https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadServerAddress(f"{parts.scheme}://{parts.hostname}", "it holds more than a host")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise BadServerAddress(url, "without TLS a token can be read on the way")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


# What a server answers, in our forms. Whatever is none of them raises one of NOT_OURS.


def _read_listing(found: Any) -> dict[str, Held]:
    return {
        str(row["path"]): Held(sha256=str(row["sha256"]), author=str(row.get("author", ""))) for row in found["files"]
    }


def _read_marked_listing(found: Any) -> tuple[str, dict[str, Held]]:
    return str(found["mark"]), _read_listing({"files": (), **found})


def _read_workspaces(found: Any) -> list[Mapping[str, Any]]:
    return [{"id": str(row["id"]), "name": str(row["name"])} for row in found]


def _read_team(found: Any) -> tuple[str, str]:
    return str(found.get("name", "")), str(found.get("workspace", ""))


def _read_data(found: Any) -> bytes:
    return base64.b64decode(str(found["data"]))


def _read_files(found: Any) -> tuple[dict[str, bytes], int]:
    return {str(row["path"]): _read_data(row) for row in found["files"]}, int(found["looked"])


def _read_sum(found: Any) -> str:
    return str(found["now"])


def _read_sums(number: int, found: Any) -> list[str]:
    answers = [str(now) for now in found["now"]]
    if len(answers) != number:
        raise ValueError(number)
    return answers


def _read_fresh(found: Any) -> int:
    return int(found["fresh"])


def _read_marks(found: Any) -> list[str]:
    return [str(mark) for mark in found["marks"]]


def _read_purge_result(found: Any) -> Mapping[str, Any]:
    lists = {each: [str(row) for row in found.get(each) or ()] for each in ("memories", "found", "unreachable")}
    return {**found, **lists, **{each: int(found.get(each) or 0) for each in ("events", "records", "files", "size")}}


def _read_anything(found: Any) -> Any:
    return found


def _swap_form(swap: Swap) -> dict[str, Any]:
    coded = base64.b64encode(swap.data).decode() if swap.data is not None else None
    return {"path": swap.path, "then": swap.then, "data": coded}


def _event(event: Event) -> dict[str, Any]:
    return {
        "client": event.client, "name": event.name, "session": event.session, "key": event.key, "ts": event.ts,
        "data": dict(event.data),
    }  # fmt: skip


def _chunks(forms: Sequence[tuple[dict[str, Any], T]]) -> list[list[tuple[dict[str, Any], T]]]:
    """Things in pieces that a server takes; one that is larger by itself goes alone."""
    chunks: list[list[tuple[dict[str, Any], T]]] = [[]]
    size = 0
    for form, thing in forms:
        weight = len(json.dumps(form))
        if chunks[-1] and (len(chunks[-1]) >= CHUNK or size + weight > CHUNK_BYTES):
            chunks.append([])
            size = 0
        chunks[-1].append((form, thing))
        size += weight
    return [chunk for chunk in chunks if chunk]
