"""A team."""

from pydantic import Field

from holdfast.server.http.shapes.base_shape import ApiView


class ServedTeam(ApiView):
    """A team whose memory a server offers."""

    name: str
    workspace: str = Field(description="The workspace of the team's own memory; it is not among the listed ones.")
