"""Studio's files: read once when the server starts, so that no request reaches the disk."""

import gzip
import os
from hashlib import sha256
from mimetypes import guess_type

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from holdfast.core.home import read_environment
from holdfast.core.value import Value
from holdfast.server.http.security.guards import is_private

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "page")
# For development: a build of Studio that lies elsewhere.
OTHER = "HOLDFAST_PAGE"
INDEX = "index.html"
HASHED = "assets/"
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
SMALLEST_ZIPPED = 1_000
ZIPPED = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/manifest+json")
NO_STUDIO = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Holdfast</title>
<h1>Holdfast serves</h1>
<p>This build has no Studio. The API answers below <code>/api</code>; <code>/api/openapi.json</code> describes it.</p>
</html>
"""


class StaticFile(Value):
    """A file as it is sent."""

    data: bytes
    zipped: bytes | None
    kind: str
    tag: str
    kept: str


class StudioPage:
    """The page and what it loads. A path that is no file is one of the page's own: it gets the page."""

    def __init__(self, folder: str = "") -> None:
        self._files = _files(folder or read_environment().get(OTHER) or FOLDER)
        self._files.setdefault(INDEX, _file(INDEX, NO_STUDIO))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        if is_private(scope["path"]):
            raise HTTPException(404)
        scope["state"]["template"] = "page"
        if scope["method"] not in {"GET", "HEAD"}:
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        path = scope["path"].lstrip("/")
        found = self._files.get(path) or (None if path.startswith(HASHED) else self._files[INDEX])
        if found is None:
            raise HTTPException(404)
        return _build_response(found, Headers(scope=scope))


def _build_response(file: StaticFile, asked: Headers) -> Response:
    headers = {"ETag": file.tag, "Cache-Control": file.kept, "Vary": "Accept-Encoding"}
    if file.tag in [each.strip().removeprefix("W/") for each in asked.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    accepts = [each.partition(";")[0].strip() for each in asked.get("accept-encoding", "").lower().split(",")]
    if file.zipped is not None and "gzip" in accepts:
        return Response(file.zipped, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.kind)
    return Response(file.data, headers=headers, media_type=file.kind)


def _files(folder: str) -> dict[str, StaticFile]:
    found: dict[str, StaticFile] = {}
    for path, _, names in os.walk(folder):
        for name in names:
            whole = os.path.join(path, name)
            shown = os.path.relpath(whole, folder).replace(os.sep, "/")
            with open(whole, "rb") as file:
                found[shown] = _file(shown, file.read())
    return found


def _file(name: str, data: bytes) -> StaticFile:
    kind = "text/javascript" if name.endswith((".js", ".mjs")) else guess_type(name)[0] or "application/octet-stream"
    worth = len(data) >= SMALLEST_ZIPPED and kind.startswith(ZIPPED)
    return StaticFile(
        data=data,
        zipped=gzip.compress(data, 9, mtime=0) if worth else None,
        kind=kind,
        tag=f'"{sha256(data).hexdigest()[:32]}"',
        kept=FOR_EVER if name.startswith(HASHED) else ASK_AGAIN,
    )
