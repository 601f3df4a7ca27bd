"""The graph: memories, events, pages, files, symbols, packages, people, tags and entities, and how they hang together.

Nodes and edges are values; how far a look around goes is decided here, what is beside a node by whoever asks.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from holdfast.core.value import Value

MEMORY, EVENT, PAGE = "memory", "event", "page"
MENTIONS, SAME_SESSION, SAME_FILE = "mentions", "same session", "same file"
SUPERSEDES, FOLLOWS, EVIDENCE, NEAR = "supersedes", "follows", "evidence", "near"
# What a model read in a memory; an edge's `why` is then the relation.
FACT = "fact"
# These mean the same from either end.
EITHER_WAY = frozenset({SAME_SESSION, SAME_FILE, NEAR})

# How much a bond says on its own that two memories belong together.
WEIGHTS = {SUPERSEDES: 0.9, MENTIONS: 0.8, SAME_FILE: 0.6, SAME_SESSION: 0.4, EVIDENCE: 0.9, NEAR: 0.7}
# So many bits of shared names are half of the way to certainty.
HALF_BITS = 12.0


class GraphVertex(Value):
    """One thing. `id` is a memory's, an event's, a page's path, or a name as names are compared."""

    kind: str
    id: str
    title: str = ""

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.kind}:{self.id}"


class Edge(Value):
    """How one node, by its key, hangs together with another."""

    kind: str
    one: str
    other: str
    why: str = ""


class Graph(Value):
    """Nodes around the first of them, in the order they were reached, and the edges among them.

    `full`: the limit ended the look, and there may be more.
    """

    nodes: tuple[GraphVertex, ...]
    edges: tuple[Edge, ...]
    full: bool = False


Beside = Callable[[GraphVertex], Iterable[tuple[Edge, GraphVertex]]]


def walk_graph(start: GraphVertex, beside: Beside, depth: int, limit: int) -> Graph:
    """The nodes that so many steps lead to, the nearest first, at most so many; and the edges on the way."""
    nodes = {start.key: start}
    edges: dict[tuple[str, ...], Edge] = {}
    full = False
    edge_of = [start]
    for _ in range(depth):
        full = full or len(nodes) >= limit
        if full:
            break
        reached: list[GraphVertex] = []
        for node in edge_of:
            for edge, other in beside(node):
                if other.key not in nodes and len(nodes) < limit:
                    nodes[other.key] = other
                    reached.append(other)
                if other.key in nodes:
                    edges.setdefault(_edge_identity(edge), edge)
                else:
                    full = True
        edge_of = reached
    kept = (edge for edge in edges.values() if edge.one in nodes and edge.other in nodes)
    return Graph(nodes=tuple(nodes.values()), edges=tuple(kept), full=full)


class RelationBond(Value):
    """One reason why two things are related. `strength` is from 0 to 1; `names` those they share.

    `what` is the file, the session or the nearness; `from_other`: the other one supersedes, or mentions, this one.
    """

    kind: str
    why: str
    strength: float
    names: tuple[str, ...] = ()
    what: str = ""
    from_other: bool = False


def combine_bonds(bonds: Sequence[RelationBond]) -> float:
    """How much several reasons say together: each takes its share of what the others leave open."""
    return 1 - math.prod(1 - bond.strength for bond in bonds)


def weigh_shared_names(shared: Sequence[str], counts: Mapping[str, int], groups: int) -> float:
    """How much shared names say: the rarer, the more."""
    bits = sum(math.log2(1 + groups / max(1, counts.get(name, 1))) for name in shared)
    return bits / (bits + HALF_BITS)


def _edge_identity(edge: Edge) -> tuple[str, ...]:
    ends = sorted((edge.one, edge.other)) if edge.kind in EITHER_WAY else (edge.one, edge.other)
    return (edge.kind, *ends, edge.why) if edge.kind == FACT else (edge.kind, *ends)
