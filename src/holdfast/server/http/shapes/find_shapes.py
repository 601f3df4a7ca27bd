"""Search, packs, the timeline, the graph."""

from typing import Literal

from pydantic import Field

from holdfast.recall.pack import PackLine
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView, Json
from holdfast.server.http.shapes.derive import mirrors
from holdfast.server.http.shapes.memory_shapes import MemoryRow, TypeName


class SearchBody(ApiBody):
    """A question. `place`: memories, or what was said and done."""

    query: str = Field(min_length=1, max_length=2000)
    limit: int = Field(default=10, ge=1, le=100)
    types: list[TypeName] = []
    path: str = Field(default="", max_length=4096)
    as_of: str = Field(default="", max_length=40)
    place: Literal["memory", "turns", "runs", "log", "research", "all"] = "memory"
    superseded: bool = False


class HitLaneView(ApiView):
    """Why a hit is one, by one way of looking."""

    rank: int
    score: float
    why: str


class HitView(ApiView):
    """Something found, best first: a memory, or words that were said. `memory`: its line in a list."""

    id: str = ""
    type: str = ""
    title: str = ""
    status: str = ""
    path: str = ""
    memory: MemoryRow | None
    score: float
    weak: bool
    lanes: dict[str, HitLaneView]
    snippet: str
    stale: str = ""
    event: str = ""
    session: str = ""
    kind: str = "memory"
    ts: str = ""


class SearchResultView(ApiView):
    """What was found, and in how much."""

    query: str
    hits: list[HitView]
    searched: Json


class PackBody(ApiBody):
    """What a session shall be told for a goal. `explain`: also what was near and is left out, and why."""

    goal: str = Field(max_length=4000)
    task: str = Field(default="", max_length=100)
    path: str = Field(default="", max_length=4096)
    budget: int = Field(default=0, ge=0, le=100_000)
    as_of: str = Field(default="", max_length=40)
    explain: bool = False


@mirrors(PackLine)
class PackItem(ApiView):
    """One line of a pack: the memory it is from, and why it is here. `drift`: why it is stale."""


class LeftOutView(ApiView):
    """A memory near a goal that its pack does not hold, and why."""

    id: str
    type: str
    title: str
    why: str


class PackView(ApiView):
    """The few lines for a session. `dropped`: how many memories would matter too and found no room.

    `left_out`: which those are, and what else was near; only where it was asked for.
    """

    learnings: list[PackItem]
    facts: list[PackItem]
    constraints: list[PackItem]
    dead_ends: list[PackItem]
    team_decisions: list[PackItem]
    patterns: list[PackItem]
    tokens: int
    dropped: int
    prompt: str
    left_out: list[LeftOutView] = []


class TimelineItem(ApiView):
    """An event or a memory at its time."""

    kind: Literal["event", "memory"]
    id: str
    ts: str
    title: str
    type: str
    client: str = ""
    session: str = ""


class GraphNode(ApiView):
    """A node: a memory, a file, a name, an event. `degree`: how many edges it has in this graph."""

    id: str
    kind: str
    title: str
    type: str = ""
    status: str = ""
    degree: int = 0


class GraphEdge(ApiView):
    """What binds two nodes."""

    source: str
    target: str
    kind: str
    why: str = ""


class GraphView(ApiView):
    """Nodes and edges; `more`: how many nodes were left out."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]
    more: int = 0
