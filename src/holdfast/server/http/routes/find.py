"""Finding: search with its reasons, packs, the timeline, the graph."""

from functools import partial
from typing import Annotated, Any

from fastapi import Path, Query

from holdfast.core.memory import MemoryType, Status
from holdfast.core.search import Hit, Question, Select, SpokenHit
from holdfast.inject.packs import LeftOutMemory, PackRequest, build_goal_pack, inspect_goal_pack, pack_json
from holdfast.recall.find import search
from holdfast.recall.graph.graph_around import DEEPEST, MOST, Graph, find_graph_around
from holdfast.recall.show_memory import EventItem, Item, MemoryItem, build_timeline
from holdfast.recall.transcripts import search_transcripts
from holdfast.review.conflict_pairs import find_few_conflict_pairs
from holdfast.server.http.graph_layout import MOST_NODES, draw_graph
from holdfast.server.http.memory_lists import newer_of, uses_of
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.routes.route_parts import LONGEST_ID, Reads, make_router
from holdfast.server.http.shapes import find_shapes as shapes
from holdfast.server.http.to_shapes import build_memory_row, build_view, find_first_line, sanitize_json
from holdfast.vault.entry_json import display_path
from holdfast.workspace import App

ROUTER = make_router("search")
SNIPPET = 300
ONCE_ACCEPTED = (Status.ACCEPTED, Status.SUPERSEDED, Status.DEPRECATED)


@ROUTER.post("/search", response_model=shapes.SearchResultView, operation_id="search")
async def find(workspace: Opened, body: shapes.SearchBody, _: Reads) -> shapes.SearchResultView:
    """Find memories by words, meaning and names; or what was said and written down. Each hit says why it is one."""
    verb = _search if body.place == "memory" else _search_transcripts
    return await workspace.do(partial(verb, workspace, body))


@ROUTER.post("/pack", response_model=shapes.PackView, operation_id="pack")
async def pack(workspace: Opened, body: shapes.PackBody, _: Reads) -> shapes.PackView:
    """What an agent would be told for a goal, within a budget of tokens; with `explain`, also what is left out."""
    return await workspace.do(partial(_pack, body))


@ROUTER.get("/timeline", response_model=list[shapes.TimelineItem], operation_id="getTimeline")
async def moments(
    workspace: Opened, _: Reads,
    around: Annotated[str, Query(max_length=LONGEST_ID, description="An id or a time; empty: the latest.")] = "",
    before: Annotated[int, Query(ge=0, le=1000)] = 50,
    after: Annotated[int, Query(ge=0, le=1000)] = 50,
) -> list[shapes.TimelineItem]:  # fmt: skip
    """Events and memories around a point, oldest first."""
    return await workspace.do(
        lambda app: [_moment(item) for item in build_timeline(app, around, before, after, workspace.entries)]
    )


@ROUTER.get("/graph", response_model=shapes.GraphView, operation_id="getGraph")
async def whole_graph(
    workspace: Opened, _: Reads,
    limit: Annotated[int, Query(ge=1, le=MOST_NODES)] = 5000,
    types: Annotated[list[MemoryType], Query(max_length=6, description="Only of these types.")] = [],  # noqa: B006 -- read only
) -> shapes.GraphView:  # fmt: skip
    """All memories that hold or held, and what binds them; of too many, the newest."""
    pairs = await workspace.held_aside("contradicting", _list_conflicts)
    key = "graph", limit, tuple(types), pairs

    def look(_: App) -> shapes.GraphView:
        return workspace.held(key, lambda app: draw_graph(workspace, app, limit, tuple(types), pairs))

    return await workspace.do(look)


@ROUTER.get("/graph/{node:path}", response_model=shapes.GraphView, operation_id="getGraphAround")
async def around_node(
    workspace: Opened, _: Reads,
    node: Annotated[str, Path(min_length=1, max_length=4096, description="A memory's or event's id, a file, a name.")],
    depth: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
    limit: Annotated[int, Query(ge=2, le=MOST)] = 60,
) -> shapes.GraphView:  # fmt: skip
    """What stands around a memory, an event, a file or a name."""
    return await workspace.do(lambda app: _graph(workspace, find_graph_around(app, node, depth, limit)))


def _pack(body: shapes.PackBody, app: App) -> shapes.PackView:
    if not body.explain:
        found = build_goal_pack(
            app, body.goal, path=body.path, task=body.task or None, budget=body.budget, as_of=body.as_of
        )  # fmt: skip
        return build_view(shapes.PackView, sanitize_json(pack_json(found)))
    asked = PackRequest(
        goal=body.goal, paths=(body.path,), task=body.task or None, budget=body.budget, as_of=body.as_of
    )  # fmt: skip
    inspected = inspect_goal_pack(app, asked)
    left_out = [_build_left_out_view(each) for each in inspected.left_out]
    return build_view(shapes.PackView, sanitize_json(pack_json(inspected.pack)), left_out=left_out)


def _build_left_out_view(each: LeftOutMemory) -> shapes.LeftOutView:
    memory = each.entry.memory
    known = {"id": memory.id, "type": str(memory.type), "title": memory.title, "why": each.why}
    return build_view(shapes.LeftOutView, known)


def _search(workspace: OpenWorkspace, body: shapes.SearchBody, app: App) -> shapes.SearchResultView:
    statuses = ONCE_ACCEPTED if body.superseded else ()
    select = Select(types=tuple(map(MemoryType, body.types)), statuses=statuses)
    found = search(app, Question(text=body.query, select=select, path=body.path, as_of=body.as_of, limit=body.limit))
    hits = [_hit(app, workspace, hit) for hit in found.hits]
    return shapes.SearchResultView(query=body.query, hits=hits, searched=sanitize_json(dict(found.searched)))


def _search_transcripts(_: OpenWorkspace, body: shapes.SearchBody, app: App) -> shapes.SearchResultView:
    heard = search_transcripts(app, body.query, body.place, body.limit)
    searched = {"passages": heard.passages, "terms": list(heard.terms), "in": body.place}
    return shapes.SearchResultView(
        query=body.query, hits=[_build_transcript_hit(said) for said in heard.hits], searched=sanitize_json(searched)
    )


def _hit(app: App, workspace: OpenWorkspace, hit: Hit) -> shapes.HitView:
    memory = hit.entry.memory
    lanes = {lane.lane: {"rank": lane.rank, "score": round(lane.score, 6), "why": lane.why} for lane in hit.lanes}
    return build_view(
        shapes.HitView,
        {
            "memory": build_memory_row(hit.entry, newer_of(workspace), uses_of(workspace)),
            "score": round(hit.score, 6),
            "weak": hit.weak,
            "lanes": lanes,
            "snippet": find_first_line(hit.entry),
            "stale": hit.stale,
            "ts": memory.updated,
            "id": memory.id,
            "type": str(memory.type),
            "title": memory.title,
            "status": str(memory.status),
            "path": display_path(app, hit.entry),
        },
    )


def _build_transcript_hit(said: SpokenHit) -> shapes.HitView:
    spoken = said.spoken
    turn = spoken.kind == "turn"
    return build_view(
        shapes.HitView,
        {
            "memory": None, "score": round(said.score, 6), "weak": False, "lanes": {}, "snippet": spoken.text[:SNIPPET],
            "id": spoken.id, "type": spoken.kind, "event": spoken.id, "session": spoken.group if turn else "",
            "kind": spoken.kind, "ts": spoken.ts,
        },
    )  # fmt: skip


def _moment(item: Item) -> shapes.TimelineItem:
    match item:
        case MemoryItem(at=at, entry=entry):
            memory = entry.memory
            fields = {"kind": "memory", "id": memory.id, "ts": at, "title": memory.title, "type": str(memory.type)}
        case EventItem(at=at, event=event):
            title = f"{event.name}: {event.text}" if event.text else event.name
            fields = {"kind": "event", "id": event.id, "ts": at, "title": title, "type": event.name}
            fields |= {"client": event.client, "session": event.session}
    return build_view(shapes.TimelineItem, fields)


def _graph(workspace: OpenWorkspace, found: Graph) -> shapes.GraphView:
    memories = workspace.held("by id", lambda _: {each.memory.id: each for each in workspace.entries})
    degrees: dict[str, int] = {}
    for edge in found.edges:
        for end in (edge.one, edge.other):
            degrees[end] = degrees.get(end, 0) + 1
    nodes = []
    for node in found.nodes:
        entry = memories.get(node.id) if node.kind == "memory" else None
        fields: dict[str, Any] = {"id": node.key, "kind": node.kind, "title": node.title}
        fields |= {"degree": degrees.get(node.key, 0)}
        if entry is not None:
            fields |= {"type": str(entry.memory.type), "status": str(entry.memory.status)}
        nodes.append(build_view(shapes.GraphNode, fields))
    edges = [
        build_view(shapes.GraphEdge, {"source": each.one, "target": each.other, "kind": each.kind, "why": each.why})
        for each in found.edges
    ]
    return shapes.GraphView(nodes=nodes, edges=edges, more=int(found.full))


def _list_conflicts(app: App) -> tuple[tuple[str, str, str], ...]:
    """The pairs that contradict each other, as far as they are known."""
    found = find_few_conflict_pairs(app, app.index.select(Select(statuses=(Status.ACCEPTED,))))
    return tuple((pair.new.memory.id, pair.old.memory.id, pair.reason) for pair in found.conflicting)
