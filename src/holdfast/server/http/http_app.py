"""The app: every route behind the door, failures as problems, the page, and MCP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route

from holdfast.server.http import server_routes
from holdfast.server.http.limits import CallerLimits
from holdfast.server.http.mcp_http import Mcp
from holdfast.server.http.problems import ANSWERS, ProblemDetails, register
from holdfast.server.http.request_log import RequestLogging
from holdfast.server.http.routes import ROUTERS
from holdfast.server.http.security.guards import Guards, SecurityHeaders
from holdfast.server.http.security.studio_links import sweep
from holdfast.server.http.server_state import Serving
from holdfast.server.http.shapes.event_shapes import SnapshotMessage, StreamMessageView
from holdfast.server.http.studio_files import StudioPage

__all__ = ["Serving", "make_app"]

ABOUT = """\
Holdfast's memory over HTTP. Everything but the page needs `Authorization: Bearer TOKEN`; sockets take a one-time \
ticket (`POST /api/tickets`) as `?ticket=`. Failures are problem JSON (RFC 9457). Lists are JSON arrays, paged by the \
`Link` header.
"""


def make_app(serving: Serving) -> FastAPI:
    """The whole server as one app."""
    mcp = Mcp(serving)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        sweep(serving.home)
        if serving.mirrors is not None:
            wake, loop = serving.workspaces.wake, asyncio.get_running_loop()
            serving.mirrors.listen(lambda wid: _wake_workspace(loop, wake, wid))
        async with mcp.running():
            yield
        await serving.workspaces.close()
        if serving.mirrors is not None:
            await asyncio.to_thread(serving.mirrors.close)

    app = FastAPI(
        title="Holdfast",
        version=version("holdfast"),
        description=ABOUT,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        responses=ANSWERS,
        redirect_slashes=False,
    )
    app.state.serving = serving
    register(app)
    for router in (server_routes.router, *ROUTERS):
        app.include_router(router)
    for path in ("/mcp", "/mcp/{wid}"):
        app.router.routes.append(Route(path, mcp))
    # Not mounted: a path of ours that is asked in a wrong way would be taken for one of the page's.
    app.router.default = StudioPage()
    app.openapi = lambda: _build_openapi(app)  # type: ignore[method-assign]  # as FastAPI's guide does it
    # The last added is met first.
    app.add_middleware(CallerLimits, keeper=serving)
    app.add_middleware(Guards, own=serving.own)
    app.add_middleware(RequestLogging, metrics=serving.metrics)
    app.add_middleware(SecurityHeaders, own=serving.own)
    return app


def _wake_workspace(loop: asyncio.AbstractEventLoop, wake: Callable[[str], None], wid: str) -> None:
    """Wake a workspace from another thread; a loop that is closed has none."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(wake, wid)


def _build_openapi(app: FastAPI) -> dict[str, Any]:
    """OpenAPI, with our problems in place of the framework's own."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            openapi_version="3.1.0",
            description=app.description,
            routes=app.routes,
        )
        shapes = made.setdefault("components", {}).setdefault("schemas", {})
        for name in ("HTTPValidationError", "ValidationError"):
            shapes.pop(name, None)
        # Sockets have no place in OpenAPI; their messages are part of the contract all the same.
        for shape in (ProblemDetails, StreamMessageView, SnapshotMessage):
            found = shape.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
            shapes |= found.pop("$defs", {})
            shapes[shape.__name__] = found
        app.openapi_schema = made
    return app.openapi_schema
