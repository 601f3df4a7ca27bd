"""What the server says of its work: an id for every request, one line in the log, figures. Never captured text.

A line has the method, the route's template (not the path), the status, the time, the request's id and the token's
name. What a failure says itself is left out, since it may quote memory: its type and places stand instead.
"""

import json
import logging
import sys
import time
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.ids import ulid
from holdfast.server.http.metrics import REQUESTS, SOCKETS, Metrics
from holdfast.server.http.problems import render_error
from holdfast.server.http.security.callers import Caller

REQUEST_ID = "X-Request-Id"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REFUSED = frozenset({401, 403, 413, 429})
FIELDS = ("method", "route", "status", "ms", "request", "caller", "code")
CLOSED_ABNORMALLY = 1006

logger = logging.getLogger("holdfast.server")


class RequestLogging:
    """Gives each request its id, and tells how it ended. Failures that nothing else answered are answered here."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and tell."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = scope.setdefault("state", {})["request_id"] = ulid()
        begun, status = time.monotonic(), 0

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request
            await send(message)

        try:
            await self._app(scope, receive, told)
        except Exception as error:
            logger.error("failed", extra={"request": request}, exc_info=error)
            if not status:
                await render_error(error, request)(scope, receive, told)
        finally:
            self._answered(scope, status or 499, time.monotonic() - begun)

    def _answered(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = find_route_template(scope)
        self._metrics.count(REQUESTS, method=method, route=route, status=str(status))
        self._metrics.took(seconds, method=method, route=route)
        level = logging.WARNING if status >= 500 or status in REFUSED else logging.INFO
        said = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
        logger.log(level, "request", extra={**said, **_who(scope)})

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = scope.setdefault("state", {})["request_id"] = ulid()
        begun, code = time.monotonic(), CLOSED_ABNORMALLY

        async def told(message: Message) -> None:
            nonlocal code
            code = message.get("code", code) if message["type"] == "websocket.close" else code
            await send(message)

        async def heard() -> Message:
            nonlocal code
            message = await receive()
            code = message.get("code", code) if message["type"] == "websocket.disconnect" else code
            return message

        self._metrics.count(SOCKETS, 1)
        try:
            await self._app(scope, heard, told)
        except Exception as error:
            logger.error("failed", extra={"request": request}, exc_info=error)
            code = 1011
            await _close_socket(send, code)
        finally:
            self._metrics.count(SOCKETS, -1)
            said = {
                "route": find_route_template(scope),
                "code": code,
                "ms": round((time.monotonic() - begun) * 1000, 1),
            }
            logger.info("socket", extra={**said, **_who(scope)})


def find_route_template(scope: Scope) -> str:
    """The route's template: /api/workspace/{wid}/memory, never the path that was asked for."""
    own = scope.get("state", {}).get("template")
    path = own or getattr(scope.get("route"), "path", "")
    return str(path) if path else "none"


def _who(scope: Scope) -> dict[str, str]:
    state = scope.get("state", {})
    caller = state.get("caller")
    return {"request": str(state.get("request_id", "")), "caller": caller.name if isinstance(caller, Caller) else "-"}


async def _close_socket(send: Send, code: int) -> None:
    try:
        await send({"type": "websocket.close", "code": code})
    except (RuntimeError, OSError):
        return


# The log


class PlainLines(logging.Formatter):
    """A short line for people."""

    def format(self, record: logging.LogRecord) -> str:
        """One record."""
        said = build_log_fields(record)
        words = [str(said[name]) for name in ("method", "route", "status", "code") if name in said]
        words += [f"{said['ms']} ms"] if "ms" in said else []
        words += [f"by {said['caller']}"] if said.get("caller", "-") != "-" else []
        words += [f"({said['request']})"] if said.get("request") else []
        if "error" in said:
            words += [said["error"], "at", *said["places"]]
        return " ".join([said["at"][11:19], said["level"], said["event"], *words])


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs."""

    def format(self, record: logging.LogRecord) -> str:
        """One record."""
        return json.dumps(build_log_fields(record))


def build_log_fields(record: logging.LogRecord) -> dict[str, Any]:
    """What may be said of a record: our own fields, and of others' words only where they stand in their source."""
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    said: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "event": _event(record)}
    said.update({name: getattr(record, name) for name in FIELDS if hasattr(record, name)})
    if record.exc_info and record.exc_info[1] is not None:
        said["error"], said["places"] = _failure(record.exc_info[1])
    return said


def _event(record: logging.LogRecord) -> str:
    if record.name == logger.name:
        return str(record.msg)
    # Words of libraries may quote what they were given: the place in their source says as much.
    return f"{record.name}:{record.module}:{record.lineno}"


def _failure(error: BaseException) -> tuple[str, list[str]]:
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return type(error).__name__, [f"{_shorten_path(frame.filename)}:{frame.lineno}" for frame in frames]


def _shorten_path(path: str) -> str:
    return "/".join(path.split("/")[-3:])


def start_logging(form: str, verbose: int, stream: TextIO | None = None) -> None:
    """Send every log of this process to standard error in our form."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else PlainLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING if verbose < 2 else logging.INFO)
    logger.setLevel(logging.INFO if verbose or form == "json" else logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        library = logging.getLogger(name)
        library.handlers[:] = []
        library.propagate = True
    # What uvicorn warns of (a broken request, an unknown upgrade) is told by its place.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
