"""Records of the work: units, todos, the buffer, the log, research, the guard's book."""

from typing import Literal

from pydantic import Field

from holdfast.records.work_records import RecordPage
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView, Json
from holdfast.server.http.shapes.derive import mirrors


class WorkRow(ApiView):
    """A work unit."""

    name: str
    meta: Json
    isc: Json
    path: str


class TodoView(ApiView):
    """Something to do."""

    id: str
    text: str
    state: str
    ts: str = ""
    by: str = ""


class NewTodoBody(ApiBody):
    """Something to do."""

    text: str = Field(min_length=1, max_length=4000)


class TodoChangeBody(ApiBody):
    """Done, open again, or gone."""

    verb: Literal["done", "reopen", "drop"]


class BufferNoteView(ApiView):
    """A note in the buffer, which waits to become something."""

    id: str
    text: str
    ts: str
    kind: str = ""
    client: str = ""
    session: str = ""


class LogDay(ApiView):
    """A day's log. `days`: those that have one, the newest first."""

    day: str
    lines: list[Json]
    days: list[str] = []


@mirrors(RecordPage)
class RecordPageView(ApiView):
    """A record that is one Markdown text."""


class GuardRow(ApiView):
    """What the guard said."""

    ts: str
    action: str
    rule: str
    why: str
    client: str = ""
    session: str = ""
    tool: str = ""
