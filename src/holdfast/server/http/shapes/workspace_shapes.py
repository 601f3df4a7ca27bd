"""Workspaces, and the server itself."""

from typing import Literal

from pydantic import Field

from holdfast.server.http.shapes.base_shape import Body, Shape


class WorkspaceRow(Shape):
    """A workspace that this server knows. `there`: whether its folder is. `open`: whether it is loaded now."""

    id: str
    path: str
    name: str
    there: bool
    allowed: bool
    open: bool
    active_run: str | None = None
    waiting: int | None = Field(default=None, description="Candidates to review, where the workspace is loaded.")


class NewWorkspace(Body):
    """A folder to know: one with a workspace, or, with `init`, one that becomes a workspace."""

    path: str = Field(min_length=1, max_length=4096)
    init: bool = False


class Health(Shape):
    """Whether the server lives."""

    status: Literal["ok", "stopping"]
    version: str
    started: str
    workspaces: int


class Ticket(Shape):
    """A word for one socket, good once."""

    ticket: str
    expires: str


class Key(Body):
    """What a one-time link carried."""

    key: str = Field(min_length=1, max_length=200)


class Session(Shape):
    """The token that a page works with, and what it may."""

    token: str
    name: str
    rights: list[str]


class Me(Shape):
    """Who asks."""

    name: str
    rights: list[str]
