"""Whose memory the server speaks for: the folder it was given, the client's project, its roots, or where it started."""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
from mcp import types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from holdfast.core.home import find_workspace, read_environment
from holdfast.review.agent_access import make_inert, open_for_agent
from holdfast.server.mcp.agent_text import one_line
from holdfast.workspace import App

PATIENCE = 5.0
LONGEST_NAME = 40
PROJECT = "CLAUDE_PROJECT_DIR"

Context = ServerRequestContext[Any, Any]


class WorkspaceLocator:
    """Finds the folder once for a connection; memory is opened for every request, so each sees the files as is."""

    def __init__(self, given: str = "", flags: Mapping[str, str] | None = None) -> None:
        self._given = given or _project()
        self._flags = flags or {}
        self._roots: str | None = None

    async def folder(self, ctx: Context) -> str:
        """Where the workspace is looked for."""
        if self._given:
            return self._given
        if self._roots is None:
            self._roots = _choose_root(await _roots(ctx))
        return self._roots or os.getcwd()

    def forget_roots(self) -> None:
        """The client says that its roots have changed."""
        self._roots = None

    def opened(self, folder: str, client: str) -> App:
        """The memory there, as this client's agent may see it."""
        return open_for_agent(folder, client, self._flags)


def client_name(ctx: Context) -> str:
    """What the client calls itself: its own words, so on one line and short."""
    params = ctx.session.client_params
    info = params.client_info if params else None
    return one_line(make_inert(info.title or info.name), LONGEST_NAME) if info else ""


def _project() -> str:
    project = read_environment().get(PROJECT, "")
    return project if project and os.path.isdir(project) else ""


async def _roots(ctx: Context) -> list[str]:
    """The client's roots, where it has some and can be asked: newer protocols have neither."""
    declared = ctx.session.client_capabilities
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or declared is None or declared.roots is None:
        return []
    try:
        with anyio.fail_after(PATIENCE):
            listed = await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (MCPError, TimeoutError, ValidationError):
        return []
    return [path for root in listed.roots if (path := _path(str(root.uri)))]


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    path = unquote(parts.path) if parts.scheme == "file" and parts.netloc in {"", "localhost"} else ""
    return path if os.path.isabs(path) and "\0" not in path and os.path.isdir(path) else ""


def _choose_root(folders: list[str]) -> str:
    """The first root with memory, else the first."""
    return next((folder for folder in folders if find_workspace(folder)), folders[0] if folders else "")
