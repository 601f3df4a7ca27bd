"""The messages of the streams."""

from typing import Literal

from holdfast.server.http.shapes.base_shape import ApiView, Json
from holdfast.server.http.shapes.project_shapes import MemoryCountsView
from holdfast.server.http.shapes.run_shapes import RunEvent, RunRow


class StreamMessageView(ApiView):
    """One message. `cursor` names it: a socket that comes back with it gets what followed."""

    type: str
    cursor: str
    ts: str
    data: Json


class WorkspaceSnapshot(ApiView):
    """How the workspace is at a cursor: what a `snapshot` message of its stream carries."""

    counts: MemoryCountsView
    active_runs: list[RunRow]
    mission: str
    next_action: str
    waiting: list[str]


class RunSnapshot(ApiView):
    """How a run is at a cursor: what a `snapshot` message of its stream carries."""

    run: RunRow
    events: list[RunEvent]


class SnapshotMessage(ApiView):
    """The first message of a new socket."""

    type: Literal["snapshot"]
    cursor: str
    ts: str
    data: WorkspaceSnapshot | RunSnapshot
