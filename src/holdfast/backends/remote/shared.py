"""A workspace of a Holdfast server, over HTTP: the standard library's client, no redirects, a time for everything."""

import base64
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.domain.errors import BadRequest, Refused, Unavailable
from holdfast.domain.event import Event, Receipt
from holdfast.ports.shared import Held

SECONDS = 20.0
LARGEST = 64 << 20
LOOPBACK = ("127.0.0.1", "::1", "localhost")
CHUNK = 200
CHUNK_BYTES = 700_000


class ServerAway(Unavailable):
    """The server does not answer."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"The server {url} does not answer: {reason}.", "nothing is lost: the next sync goes on.")


class TokenRefused(Refused):
    """The server does not take the token."""

    def __init__(self, url: str, said: str) -> None:
        super().__init__(f"The server {url} refuses: {said}.", "ask its keeper for a token: `holdfast token add NAME`.")


class ServerSaid(BadRequest):
    """The server found something wrong with what we asked."""

    def __init__(self, said: str, hint: str) -> None:
        super().__init__(f"The server says: {said}", hint)


class NotAServer(BadRequest):
    """An address that cannot be a server's."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url!r} cannot be a server's address: {why}.", "write it like https://memory.example.com")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token goes to the server that it was given for, and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


class RemoteShared:
    """One workspace of a server."""

    def __init__(self, url: str, token: str, workspace: str) -> None:
        self._url = checked_url(url)
        self._token = token
        self._workspace = workspace
        self._open = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            _NoRedirects,
            urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        ).open

    @property
    def name(self) -> str:
        """The server and the workspace."""
        return f"{self._url}/{self._workspace}"

    def workspaces(self) -> list[Mapping[str, Any]]:
        """What the server has, as far as the token sees it."""
        found = self._ask("GET", "/api/workspaces")
        return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []

    def mark(self) -> int:
        """A server tells by its stream what moved; a number of its own it has not."""
        return 0

    def files(self) -> Mapping[str, Held]:
        """Every file with its sum."""
        found = self._ask("GET", self._path("sync"))
        return {
            str(row["path"]): Held(sha256=str(row["sha256"]), author=str(row.get("author", "")))
            for row in found.get("files", [])
        }

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None when it is gone."""
        try:
            found = self._ask("GET", self._path(f"sync/file?path={urllib.parse.quote(path, safe='')}"))
        except _Gone:
            return None
        return base64.b64decode(str(found["data"]))

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file (None: remove it) if its sum is still `then`; empty, or the sum it has instead."""
        coded = base64.b64encode(data).decode() if data is not None else None
        return str(self._ask("POST", self._path("sync/swap"), {"path": path, "then": then, "data": coded})["now"])

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the server's journal; a key seen before is not written again."""
        receipts: list[Receipt] = []
        for chunk in _chunks(events):
            fresh = int(self._ask("POST", self._path("sync/events"), {"events": [form for form, _ in chunk]})["fresh"])
            receipts += [Receipt(id=event.key, fresh=at < fresh) for at, (_, event) in enumerate(chunk)]
        return receipts

    def _path(self, rest: str) -> str:
        return f"/api/workspace/{self._workspace}/{rest}"

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        request = urllib.request.Request(self._url + path, method=method)  # noqa: S310 -- http and https alone, checked
        request.add_header("Authorization", f"Bearer {self._token}")
        request.add_header("Accept", "application/json")
        data = None
        if body is not None:
            request.add_header("Content-Type", "application/json")
            data = json.dumps(body).encode()
        try:
            with self._open(request, data, SECONDS) as answer:
                return json.loads(answer.read(LARGEST))
        except urllib.error.HTTPError as error:
            raise self._failure(error) from None
        except (OSError, ValueError) as error:
            raise ServerAway(self._url, str(getattr(error, "reason", "") or error)[:200]) from None

    def _failure(self, error: urllib.error.HTTPError) -> Exception:
        try:
            told = json.loads(error.read(LARGEST))
        except (OSError, ValueError):
            told = {}
        said = str(told.get("detail") or told.get("title") or f"status {error.code}") if isinstance(told, dict) else ""
        hint = str(told.get("hint", "")) if isinstance(told, dict) else ""
        match error.code:
            case 401 | 403:
                return TokenRefused(self._url, said.rstrip("."))
            case 404:
                return _Gone(said, hint)
            case 429 | 500 | 502 | 503 | 504:
                return ServerAway(self._url, said.rstrip("."))
            case _:
                return ServerSaid(said, hint)


class _Gone(ServerSaid):
    """Nothing there."""


def checked_url(url: str) -> str:
    """A server's address without anything behind it. A token goes over the wire in the open to loopback alone."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise NotAServer(url, "it does not begin with https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise NotAServer(f"{parts.scheme}://{parts.hostname}", "it holds more than a host")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise NotAServer(url, "without TLS a token can be read on the way")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _chunks(events: Sequence[Event]) -> list[list[tuple[dict[str, Any], Event]]]:
    """Events in pieces that a server takes."""
    chunks: list[list[tuple[dict[str, Any], Event]]] = [[]]
    size = 0
    for event in events:
        form = {
            "client": event.client, "name": event.name, "session": event.session, "key": event.key, "ts": event.ts,
            "data": dict(event.data),
        }  # fmt: skip
        weight = len(json.dumps(form))
        if chunks[-1] and (len(chunks[-1]) >= CHUNK or size + weight > CHUNK_BYTES):
            chunks.append([])
            size = 0
        chunks[-1].append((form, event))
        size += weight
    return [chunk for chunk in chunks if chunk]
