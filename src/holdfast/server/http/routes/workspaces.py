"""The workspaces that this server knows."""

import asyncio
import os

from fastapi import Request, Response

from holdfast.app import open_memory
from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.errors import BadRequest, Refused
from holdfast.core.home import FOLDER
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import WorkspaceManager
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.queue_lists import list_waiting
from holdfast.server.http.routes.route_parts import LISTED, Reads, Reviews, Runs, make_router
from holdfast.server.http.shapes.workspace_shapes import NewWorkspaceBody, WorkspaceRow
from holdfast.server.http.to_shapes import build_view
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.allow import find_registration, register

ROUTER = make_router("workspaces", "/api")


class NotAPath(BadRequest):
    """A path that names no folder for sure."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path[:100]!r} is no whole path of a folder.", "give it from the root on: /home/you/project")


class TeamsOnly(Refused):
    """A folder for a server that serves a team's projects and nothing else."""

    def __init__(self) -> None:
        super().__init__(
            "This server serves a team's projects; no folder of its machine is taken in.",
            "in the project's own checkout: holdfast sync database push --team NAME",
        )


@ROUTER.get("/workspaces", response_model=list[WorkspaceRow], responses=LISTED, operation_id="listWorkspaces")
async def workspaces(request: Request, page: Paged, _: Reads) -> list[WorkspaceRow]:
    """Every workspace of this user."""
    manager = get_workspace_pool(request)
    rows = paginate(await asyncio.to_thread(manager.known), page, lambda row: row.workspace_id)
    return [await build_workspace_row(manager, row) for row in rows]


@ROUTER.post(
    "/workspaces", response_model=WorkspaceRow, status_code=201, operation_id="addWorkspace",
    responses={200: {"model": WorkspaceRow, "description": "It was known already."}},
)  # fmt: skip
async def add(request: Request, body: NewWorkspaceBody, response: Response, _: Reviews, __: Runs) -> WorkspaceRow:
    """Take a folder's workspace into the registry; with `init`, make the folder a workspace. Names a place: `run`."""
    if request.app.state.serving.mirrors is not None:
        raise TeamsOnly
    manager = get_workspace_pool(request)
    row, new = await asyncio.to_thread(_add_workspace, body.path, make=body.init)
    response.status_code = 201 if new else 200
    response.headers["Location"] = f"/api/workspace/{row.workspace_id}/context"
    return await build_workspace_row(manager, row)


def get_workspace_pool(request: Request) -> WorkspaceManager:
    """The workspaces of the server that got a request."""
    manager: WorkspaceManager = request.app.state.serving.workspaces
    return manager


async def build_workspace_row(manager: WorkspaceManager, row: RegisteredWorkspace) -> WorkspaceRow:
    """A workspace in a list; only of one that is loaded is it told what waits."""
    there = await asyncio.to_thread(os.path.isdir, os.path.join(row.path, FOLDER))
    loaded = manager.loaded(row.workspace_id) if there else None
    return build_view(
        WorkspaceRow,
        {
            "id": row.workspace_id, "path": row.path, "name": os.path.basename(row.path) or row.path, "there": there,
            "allowed": row.allowed, "open": loaded is not None,
            "active_run": loaded.runs.active if loaded else None,
            "waiting": await loaded.do(lambda _: count_waiting(loaded)) if loaded else None,
        },
    )  # fmt: skip


def count_waiting(workspace: OpenWorkspace) -> int:
    """How many candidates wait. For `do`."""
    return len(list_waiting(workspace))


def _add_workspace(path: str, *, make: bool) -> tuple[RegisteredWorkspace, bool]:
    """The registry's row of a folder, and whether it is new."""
    if "\0" in path or not os.path.isabs(path):
        raise NotAPath(path)
    app = plan_init(path, named=True) if make else open_memory(path)
    before = find_registration(app)
    if make:
        init(app)
    elif before is None:
        # Known, and not allowed: that is said where its memory can be looked at first.
        register(app, allowed=False)
    found = find_registration(app)
    assert found is not None
    return found, before is None
