"""Sessions as conversations."""

from holdfast.records.sessions import SessionSummary
from holdfast.server.http.shapes.base_shape import ApiView
from holdfast.server.http.shapes.derive import mirrors
from holdfast.server.http.shapes.memory_shapes import TurnRow


@mirrors(SessionSummary)
class SessionSummaryView(ApiView):
    """A session in the list."""


class SessionDetail(ApiView):
    """A session with a page of its turns, in the order in which they happened. `candidates`: what was learned there."""

    id: str
    client: str
    title: str
    started: str
    last: str
    total: int
    turns: list[TurnRow]
    summary: str = ""
    candidates: list[str] = []
