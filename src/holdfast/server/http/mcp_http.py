"""MCP over streamable HTTP: the same tools as over standard input, for an agent whose client speaks HTTP.

Whoever speaks here is an agent, whatever the token may do elsewhere: it reads what agents may read and proposes. No
question is put to a user over this way, since nothing says that a person answered it.
"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.errors import BadRequest, HoldfastError, NotFound
from holdfast.core.home import FOLDER
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.problems import render_problem, request_id
from holdfast.server.http.server_state import Serving
from holdfast.server.mcp.client_folder import Context, WorkspaceLocator
from holdfast.server.mcp.mcp_server import build_server

HEADER = "Holdfast-Workspace"


class NoWorkspaceNamed(BadRequest):
    """A request that does not say whose memory it means."""

    def __init__(self) -> None:
        super().__init__(
            "This server knows several workspaces, and the request names none.",
            f"connect to /mcp/ID, or send the header `{HEADER}: ID`; `holdfast status --json` tells a workspace's id.",
        )


class UnknownWorkspace(NotFound):
    """A workspace that this server does not know."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"There is no workspace {wanted[:40]!r}.", "`GET /api/workspaces` lists them.")


class RequestWorkspaceLocator(WorkspaceLocator):
    """The workspace that a request names."""

    def __init__(self, flags: Mapping[str, str]) -> None:
        super().__init__("", flags)

    async def folder(self, ctx: Context) -> str:
        """The folder that was found before the request was let in."""
        request = ctx.request
        if not isinstance(request, Request):
            raise NoWorkspaceNamed
        return str(request.scope["state"]["mcp_folder"])


class Mcp:
    """The app below /mcp: no session is kept, so that any request may meet any server."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take requests until this ends."""
        built_server: Any = build_server(RequestWorkspaceLocator(self._serving.flags), shared=True)
        self._manager = StreamableHTTPSessionManager(built_server, json_response=True, stateless=True)
        async with self._manager.run():
            yield
        self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the workspace, then speak MCP."""
        scope["state"]["template"] = "/mcp"
        if scope["method"] != "POST":
            # Without sessions there is nothing to listen for, and nothing to end.
            raise HTTPException(405, headers={"Allow": "POST"})
        wanted = scope["path_params"].get("wid") or Headers(scope=scope).get(HEADER, "")
        try:
            found = self._found(wanted)
            mirrored = await self._in_step(found.workspace_id)
        except HoldfastError as error:
            await render_problem(error, request_id(scope))(scope, receive, send)
            return
        assert self._manager is not None
        scope["state"]["mcp_folder"] = found.path
        await self._manager.handle_request(scope, receive, send)
        if mirrored is not None:
            # What an agent proposed goes to the other servers; one that is away gets it later.
            with suppress(HoldfastError):
                await mirrored.change(lambda _: None)

    async def _in_step(self, wanted: str) -> OpenWorkspace | None:
        """A mirror of a team's project, as the team has it now; None where this is no team's server."""
        if self._serving.mirrors is None:
            return None
        workspace = await self._serving.workspaces.opened(wanted)
        await workspace.look()
        return workspace

    def _found(self, wanted: str) -> RegisteredWorkspace:
        known = self._serving.workspaces.known()
        if not wanted and len(known) != 1:
            raise NoWorkspaceNamed
        found = next((each for each in known if each.workspace_id == wanted or not wanted), None)
        if found is None or not os.path.isdir(os.path.join(found.path, FOLDER)):
            raise UnknownWorkspace(wanted)
        return found
