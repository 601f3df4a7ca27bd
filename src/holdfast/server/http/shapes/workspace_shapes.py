"""Workspaces, the server itself, and the team it serves."""

from typing import Literal

from pydantic import Field

from holdfast.server.http.shapes.base_shape import ApiBody, ApiView


class WorkspaceRow(ApiView):
    """A workspace that this server knows. `there`: whether its folder is. `open`: whether it is loaded now."""

    id: str
    path: str
    name: str
    there: bool
    allowed: bool
    open: bool
    active_run: str | None = None
    waiting: int | None = Field(default=None, description="Candidates to review, where the workspace is loaded.")


class NewWorkspaceBody(ApiBody):
    """A folder to know: one with a workspace, or, with `init`, one that becomes a workspace."""

    path: str = Field(min_length=1, max_length=4096)
    init: bool = False


class ServerHealthView(ApiView):
    """Whether the server lives."""

    status: Literal["ok", "stopping"]
    version: str
    started: str
    workspaces: int


class TicketView(ApiView):
    """A word for one socket, good once."""

    ticket: str
    expires: str


class LinkKeyBody(ApiBody):
    """What a one-time link carried."""

    key: str = Field(min_length=1, max_length=200)


class CallerView(ApiView):
    """Who asks."""

    name: str
    rights: list[str]


class PageSessionView(CallerView):
    """The token that a page works with, and what it may."""

    token: str


class ServedTeam(ApiView):
    """A team whose memory a server offers."""

    name: str
    workspace: str = Field(description="The workspace of the team's own memory; it is not among the listed ones.")
