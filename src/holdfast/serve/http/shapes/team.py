"""A team."""

from pydantic import Field

from holdfast.serve.http.shapes.base import Shape


class ServedTeam(Shape):
    """A team whose memory a server offers."""

    name: str
    workspace: str = Field(description="The workspace of the team's own memory; it is not among the listed ones.")
