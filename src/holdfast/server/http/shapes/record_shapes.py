"""Records of the work: units, todos, the buffer, the log, research, the guard's book."""

from typing import Literal

from pydantic import Field

from holdfast.server.http.shapes.base_shape import Body, Json, Shape


class WorkRow(Shape):
    """A work unit."""

    name: str
    meta: Json
    isc: Json
    path: str


class Todo(Shape):
    """Something to do."""

    id: str
    text: str
    state: str
    ts: str = ""
    by: str = ""


class NewTodo(Body):
    """Something to do."""

    text: str = Field(min_length=1, max_length=4000)


class TodoChange(Body):
    """Done, open again, or gone."""

    verb: Literal["done", "reopen", "drop"]


class Note(Shape):
    """A note in the buffer, which waits to become something."""

    id: str
    text: str
    ts: str
    kind: str = ""
    client: str = ""
    session: str = ""


class LogDay(Shape):
    """A day's log. `days`: those that have one, the newest first."""

    day: str
    lines: list[Json]
    days: list[str] = []


class Page(Shape):
    """A record that is one Markdown text."""

    name: str
    head: Json
    text: str
    path: str


class GuardRow(Shape):
    """What the guard said."""

    ts: str
    action: str
    rule: str
    why: str
    client: str = ""
    session: str = ""
    tool: str = ""
