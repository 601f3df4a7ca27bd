"""All memories as one graph: what binds them, a few edges for each, so that thousands can be drawn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from holdfast.core.memory import Entry, MemoryType, Status
from holdfast.recall.find import effective_status
from holdfast.recall.graph.app_graph import AppGraph
from holdfast.recall.graph.graph_values import MEMORY, SAME_FILE, SAME_SESSION, SUPERSEDES
from holdfast.server.http.memory_lists import newer_of
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.shapes.find_shapes import GraphEdge, GraphNode, GraphView
from holdfast.server.http.to_shapes import build_view
from holdfast.workspace import App

MOST_NODES = 10_000
CONTRADICTS, SAME_NAME = "contradicts", "same name"
# What more share than this says little of any two.
MOST_SHARING = 24
# Edges of a node, besides those that say most: replaced, contradicted.
MOST_EDGES = 8
UNSEEN = (Status.CANDIDATE, Status.REJECTED)

Pair = tuple[str, str, str]
Edge = tuple[str, str, str, str]


def draw_graph(
    workspace: OpenWorkspace, app: App, limit: int, types: Sequence[MemoryType], contradicting: Sequence[Pair]
) -> GraphView:
    """The graph of all memories, the newest first."""
    found = [
        entry
        for entry in workspace.entries
        if entry.memory.status not in UNSEEN and (not types or entry.memory.type in types)
    ]
    shown = {entry.memory.id: entry for entry in found[:limit]}
    edges = list(_limit_edges(_edges(app, shown, contradicting)))
    degrees = Counter(end for one, other, _, _ in edges for end in (one, other))
    newer = newer_of(workspace)
    return GraphView(
        nodes=[_node(entry, newer, degrees[name]) for name, entry in shown.items()],
        edges=[
            build_view(GraphEdge, {"source": _key(one), "target": _key(other), "kind": kind, "why": why})
            for one, other, kind, why in edges
        ],
        more=len(found) - len(shown),
    )


def _node(entry: Entry, newer: Mapping[str, str], degree: int) -> GraphNode:
    memory = entry.memory
    return build_view(
        GraphNode,
        {
            "id": _key(memory.id), "kind": MEMORY, "title": memory.title, "type": str(memory.type),
            "status": str(effective_status(entry, newer)), "degree": degree,
        },
    )  # fmt: skip


def _key(memory_id: str) -> str:
    return f"{MEMORY}:{memory_id}"


def _edges(app: App, shown: Mapping[str, Entry], contradicting: Sequence[Pair]) -> Iterator[Edge]:
    """Every edge, the most telling kinds first."""
    for name, entry in shown.items():
        yield from ((name, old, SUPERSEDES, "") for old in entry.memory.supersedes if old in shown)
    yield from ((new, old, CONTRADICTS, why) for new, old, why in contradicting if new in shown and old in shown)
    files = ((path, name) for name, entry in shown.items() for path in _files(entry))
    yield from _chain_edges(files, SAME_FILE)
    named = (
        (name, memory) for memory, names in AppGraph(app).index.naming().items() if memory in shown for name in names
    )
    yield from _chain_edges(named, SAME_NAME)
    sessions = ((entry.memory.source, name) for name, entry in shown.items() if entry.memory.source)
    yield from _chain_edges(sessions, SAME_SESSION)


def _files(entry: Entry) -> set[str]:
    return {*entry.memory.paths, *(cite.path for cite in entry.memory.cites)}


def _chain_edges(pairs: Iterable[tuple[str, str]], kind: str) -> Iterator[Edge]:
    """Those that share something, each bound to the next: few edges, and no group falls apart. The rarest first."""
    groups: dict[str, dict[str, None]] = {}
    for shared, name in pairs:
        groups.setdefault(shared, {})[name] = None
    several = [(shared, list(names)) for shared, names in groups.items() if 1 < len(names) <= MOST_SHARING]
    for shared, names in sorted(several, key=lambda group: (len(group[1]), group[0])):
        yield from ((one, other, kind, shared) for one, other in pairwise(names))


def _limit_edges(edges: Iterable[Edge]) -> Iterator[Edge]:
    """One edge for two memories, the most telling; and not many for one memory."""
    seen: set[frozenset[str]] = set()
    counts: Counter[str] = Counter()
    for edge in edges:
        one, other, kind, _ = edge
        both = frozenset((one, other))
        telling = kind in {SUPERSEDES, CONTRADICTS}
        if one == other or both in seen or (not telling and max(counts[one], counts[other]) >= MOST_EDGES):
            continue
        seen.add(both)
        counts.update(both)
        yield edge
