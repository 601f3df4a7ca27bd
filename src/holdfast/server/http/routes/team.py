"""The team whose memory this server offers."""

from fastapi import Request

from holdfast.core.errors import NotFound
from holdfast.server.http.routes.route_parts import Reads, make_router
from holdfast.server.http.server_state import Serving
from holdfast.server.http.shapes.workspace_shapes import ServedTeam

ROUTER = make_router("team", "/api")


class NoTeamHere(NotFound):
    """A server of one person's workspaces."""

    def __init__(self) -> None:
        super().__init__(
            "This server offers no team's memory.", "start it with `holdfast serve --database URL --team NAME`."
        )


@ROUTER.get("/team", response_model=ServedTeam, operation_id="getServedTeam")
async def team(request: Request, _: Reads) -> ServedTeam:
    """The team, and the workspace that holds its own memory: what `holdfast team join` asks for."""
    serving: Serving = request.app.state.serving
    if serving.mirrors is None:
        raise NoTeamHere
    return ServedTeam(name=serving.mirrors.team.name, workspace=serving.mirrors.team.workspace)
