"""The story of files: which runs and sessions changed them."""

import os
from collections.abc import Sequence
from typing import Annotated

from fastapi import Path

from holdfast.core.errors import NotFound
from holdfast.records.file_lineage import LineageChange, read_lineage
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.routes.route_parts import LISTED, Reads, make_router
from holdfast.server.http.shapes.run_shapes import ArtifactRow, ArtifactView, EditRow
from holdfast.server.http.slow_answers import look_up_cached
from holdfast.server.http.to_shapes import build_view

ROUTER = make_router("lineage")
LAST = 3


class NoStory(NotFound):
    """A file that no session is known to have changed."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"No agent's session is known to have changed {path[:200]!r}.",
            "`GET lineage` lists the files that have one.",
        )


@ROUTER.get("/lineage", response_model=list[ArtifactRow], responses=LISTED, operation_id="listArtifacts")
async def artifacts(workspace: Opened, _: Reads, wanted: Paged) -> list[ArtifactRow]:
    """Every file that agents made or changed, the latest change first; of its edits the last three."""
    by_path: dict[str, list[LineageChange]] = {}
    for change in await _list_changes(workspace):
        by_path.setdefault(change.path, []).append(change)
    latest = sorted(by_path, key=lambda path: (by_path[path][-1].at, path), reverse=True)
    return [_row(path, by_path[path]) for path in paginate(latest, wanted, str)]


@ROUTER.get("/lineage/{path:path}", response_model=ArtifactView, operation_id="getArtifact")
async def artifact(
    workspace: Opened, _: Reads, path: Annotated[str, Path(max_length=4096, description="A path in the workspace.")]
) -> ArtifactView:
    """One file's story, oldest first."""
    wanted = os.path.normpath(path)
    found = [change for change in await _list_changes(workspace) if change.path == wanted]
    if not found:
        raise NoStory(path)
    return build_view(ArtifactView, {**_head(wanted, found), "edits": [build_view(EditRow, each) for each in found]})


async def _list_changes(workspace: OpenWorkspace) -> Sequence[LineageChange]:
    return await look_up_cached(workspace, "lineage", lambda app: read_lineage(app, app.workspace))


def _row(path: str, changes: Sequence[LineageChange]) -> ArtifactRow:
    edits = [build_view(EditRow, each) for each in changes[-LAST:]]
    more = {"edit_count": len(changes), "last": changes[-1].at, "edits": edits}
    return build_view(ArtifactRow, _head(path, changes) | more)


def _head(path: str, changes: Sequence[LineageChange]) -> dict[str, str]:
    first, last = changes[0], changes[-1]
    by = first.client or first.run
    return {"artifact_id": path, "path": path, "created_by": by, "goal_id": first.run, "model": last.model}
