"""Sessions as conversations."""

from holdfast.serve.http.shapes.base import Shape
from holdfast.serve.http.shapes.memory import TurnRow


class SessionRow(Shape):
    """A session in the list."""

    id: str
    client: str
    started: str
    last: str
    turns: int
    title: str
    branches: int


class SessionDetail(Shape):
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
