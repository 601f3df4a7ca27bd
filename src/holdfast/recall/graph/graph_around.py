"""The graph around a memory, an event, a file or a name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry
from holdfast.core.path_scope import applies_to
from holdfast.core.search import SpokenHit
from holdfast.core.triple import Fact
from holdfast.index.entries import NoSuchId, find_entries
from holdfast.index.entry_passages import spelled_names
from holdfast.index.extract_names import normalize_name
from holdfast.index.name_kinds import CLAIMS, ENTITY, FILE, KINDS, is_file
from holdfast.index.spoken_passages import TURN, spell_spoken_names
from holdfast.index.text_pages import refresh_pages
from holdfast.recall.engine.name_weight import rare_names
from holdfast.recall.graph.app_graph import SAID, AppGraph
from holdfast.recall.graph.graph_values import (
    EVENT,
    EVIDENCE,
    FACT,
    FOLLOWS,
    MEMORY,
    MENTIONS,
    NEAR,
    PAGE,
    SAME_FILE,
    SAME_SESSION,
    SUPERSEDES,
    Edge,
    Graph,
    GraphVertex,
    walk_graph,
)
from holdfast.recall.graph.related_memories import UNSEEN, RelatedFinder
from holdfast.records.refresh_records import refresh_records
from holdfast.workspace import App

__all__ = ["DEEPEST", "MOST", "Edge", "Graph", "GraphVertex", "NoSuchNode", "find_graph_around"]

DEEPEST = 4
MOST = 500
BESIDE_MOST = 24
ROWS_OF_NAME = 24
ASKED_FOR_KIND = 8
TITLE = 80
BY_MODEL = "by a model"
LIKE, LOOKED_AT = 4, 20
# Names are nodes of their own; what else binds two memories is an edge between them.
DIRECT = frozenset({SUPERSEDES, MENTIONS, SAME_SESSION, SAME_FILE, NEAR})


class NoSuchNode(NotFound):
    """Nothing here is called so."""

    def __init__(self, wanted: str, near: Sequence[str]) -> None:
        other = "`holdfast list` shows the ids, `holdfast search` finds by words."
        hint = f"did you mean {', '.join(near)}?" if near else other
        super().__init__(f"No memory, event, file or name here is {wanted!r}.", hint)


def find_graph_around(app: App, wanted: str, depth: int = 1, limit: int = 40) -> Graph:
    """The nodes and edges around a memory, an event, a file or a name, so many steps far, at most so many nodes."""
    if not 1 <= depth <= DEEPEST:
        raise BadRequest(f"A graph goes from 1 to {DEEPEST} steps far, not {depth}.")
    if not 2 <= limit <= MOST:
        raise BadRequest(f"A graph shows from 2 to {MOST} nodes, not {limit}.")
    refresh_records(app)
    refresh_pages(app)
    look = GraphWalker(app)
    return walk_graph(look.start(wanted), look.beside, depth, limit)


class GraphWalker:
    """What stands beside a node."""

    def __init__(self, app: App) -> None:
        self._app, self._web = app, AppGraph(app)
        self._entries: dict[str, Entry] = {}
        self._names_seen: dict[str, GraphVertex] = {}
        self._ways: dict[tuple[str, str, int], Mapping[str, tuple[str, str]]] = {}

    def start(self, wanted: str) -> GraphVertex:
        """The node that some words mean: an id, a path or a name."""
        if is_ulid(wanted.upper()):
            for said in self._web.spoken_hits(self._web.index.spoken_rows([wanted.upper()])).values():
                return self._said_node(said)
        name = normalize_name(wanted)
        rows = self._rows(name)
        try:
            entries = find_entries(self._app, wanted)
        except (NoSuchId, BadRequest):
            entries = []
        if entries and (entries[0].memory.id.casefold() == wanted.casefold() or not any(rows)):
            found = self._web.entries(self._web.index.memory_rows([entries[0].memory.id])[entries[0].memory.id])
            for entry in found.values():
                return self._memory_node(entry)
        if name and (self._mentioning(name) or (is_file(wanted) and self._scoped(wanted))):
            return self.name_node(name, wanted)
        raise NoSuchNode(wanted, self._like(name))

    def beside(self, node: GraphVertex) -> Iterator[tuple[Edge, GraphVertex]]:
        """The edges of a node, the most telling first, each with the node at its other end."""
        match node.kind:
            case "memory":
                return self._beside_memory(node)
            case "event" | "page":
                return self._beside_said(node)
            case _:
                return self._beside_name(node)

    # A memory

    def _beside_memory(self, node: GraphVertex) -> Iterator[tuple[Edge, GraphVertex]]:
        entry = self._entries[node.id]
        kin = RelatedFinder(self._web, entry)
        for relative in kin.memories()[:BESIDE_MOST]:
            other = self._memory_node(relative.of)
            for bond in relative.bonds:
                if bond.kind in DIRECT:
                    ends = (other.key, node.key) if bond.from_other else (node.key, other.key)
                    yield Edge(kind=bond.kind, one=ends[0], other=ends[1], why=bond.what), other
        events = self._web.index.spoken_rows(each.event for each in entry.memory.evidence)
        for said in self._web.spoken_hits(events).values():
            other = self._said_node(said)
            yield Edge(kind=EVIDENCE, one=node.key, other=other.key), other
        yield from self._names(node, list(kin.spelled))
        for fact in self._web.facts([kin.row]).get(kin.row, ()):
            for end, other in self._ends(fact):
                yield Edge(kind=MENTIONS, one=node.key, other=other.key, why=BY_MODEL), other
                yield self._fact(fact), end

    def _names(self, node: GraphVertex, names: Sequence[str]) -> Iterator[tuple[Edge, GraphVertex]]:
        """The names a passage mentions: what others mention too, the rarest first; then what only it names."""
        counts = self._web.index.counts(MEMORY, names)
        said = self._web.index.counts(SAID, names) if self._web.events_too else {}
        both = {name: counts.get(name, 0) + said.get(name, 0) for name in names}
        groups = self._web.index.groups(MEMORY) + self._web.index.groups(SAID)
        ordered = sorted(rare_names(both, groups), key=lambda name: (both[name] == 1, both[name], name))
        # `repo.py` says nothing beside `src/users/repo.py`.
        whole = [name for name in ordered if not any(other.endswith(f" {name}") for other in ordered)]
        for name in whole[:BESIDE_MOST]:
            other = self.name_node(name)
            # What only says that something is capitalised and stands nowhere else leads nowhere.
            if both[name] > 1 or other.kind != ENTITY:
                yield Edge(kind=MENTIONS, one=node.key, other=other.key), other

    # What was said

    def _beside_said(self, node: GraphVertex) -> Iterator[tuple[Edge, GraphVertex]]:
        rows = sorted(self._web.index.spoken_rows([node.id]))
        parts = self._web.spoken_hits(rows)
        came = {row for row, events in self._web.evidence.items() if node.id in events}
        for entry in self._visible(self._web.entries(sorted(came)).values()):
            other = self._memory_node(entry)
            yield Edge(kind=EVIDENCE, one=other.key, other=node.key), other
        if rows and node.kind == EVENT:
            before, after = self._web.index.beside(rows[0])[0], self._web.index.beside(rows[-1])[1]
            for near, earlier in ((before, True), (after, False)):
                for said in self._web.spoken_hits([near] if near is not None else []).values():
                    other = self._said_node(said)
                    one, then = (node, other) if earlier else (other, node)
                    yield Edge(kind=FOLLOWS, one=one.key, other=then.key), other
        spoken = (said.spoken for said in parts.values())
        names = dict.fromkeys(name for each in spoken for name in spell_spoken_names(each.text, each.said_by))
        yield from self._names(node, list(names))

    # A name

    def _beside_name(self, node: GraphVertex) -> Iterator[tuple[Edge, GraphVertex]]:
        memories, spoken = self._rows(node.id)
        entries = list(self._web.entries(memories).values())
        if node.kind == FILE:
            known = {entry.memory.id for entry in entries}
            entries += [entry for entry in self._scoped(node.title) if entry.memory.id not in known]
        for entry in self._visible(entries):
            other = self._memory_node(entry)
            yield Edge(kind=MENTIONS, one=other.key, other=node.key), other
        for fact in self._stated(node.id):
            one, two = (end for end, _ in self._ends(fact))
            yield self._fact(fact), two if one.key == node.key else one
        seen: set[str] = set()
        for said in self._web.spoken_hits(spoken).values():
            other = self._said_node(said)
            if other.key not in seen:
                seen.add(other.key)
                yield Edge(kind=MENTIONS, one=other.key, other=node.key), other

    def _rows(self, name: str) -> tuple[Sequence[int], Sequence[int]]:
        if not name:
            return (), ()
        index = self._web.index
        said = index.named(SAID, [name], ROWS_OF_NAME).get(name, ()) if self._web.events_too else ()
        mentioning = index.named(MEMORY, [name], ROWS_OF_NAME).get(name, ())
        stating = self._web.stating([name], ROWS_OF_NAME).get(name, ())
        return list(dict.fromkeys((*mentioning, *stating)))[:ROWS_OF_NAME], said

    def _stated(self, name: str) -> list[Fact]:
        """What a model read of a name, in memories that may be seen."""
        rows = self._web.stating([name], ROWS_OF_NAME).get(name, ())
        facts = (fact for several in self._web.facts(rows).values() for fact in several)
        return [fact for fact in dict.fromkeys(facts) if name in fact.ends]

    def _ends(self, fact: Fact) -> list[tuple[GraphVertex, GraphVertex]]:
        """Both ends of a triple, each with the other one."""
        one, other = self.name_node(fact.ends[0]), self.name_node(fact.ends[1])
        return [(one, other), (other, one)]

    def _fact(self, fact: Fact) -> Edge:
        one, other = (end for end, _ in self._ends(fact))
        return Edge(kind=FACT, one=one.key, other=other.key, why=fact.triple.relation)

    def _mentioning(self, name: str) -> bool:
        memories, spoken = self._rows(name)
        return bool(self._visible(self._web.entries(memories).values()) or self._web.spoken_hits(spoken))

    def _scoped(self, path: str) -> list[Entry]:
        """Memories that hold at a path by their globs."""
        return [entry for entry in self._visible(self._web.scoped.values()) if applies_to(entry.memory.paths, path)]

    def _like(self, name: str) -> list[str]:
        """Names that begin like one, longest likeness first."""
        for size in range(min(len(name), 24), 2, -1):
            found = [
                each for each in self._web.index.names_like(MEMORY, name[:size], LOOKED_AT) if self._mentioning(each)
            ]
            if found:
                return sorted(found, key=len)[:LIKE]
        return []

    # Nodes

    def _visible(self, entries: Iterable[Entry]) -> list[Entry]:
        return [entry for entry in entries if entry.memory.status not in UNSEEN]

    def _memory_node(self, entry: Entry) -> GraphVertex:
        self._entries.setdefault(entry.memory.id, entry)
        return GraphVertex(kind=MEMORY, id=entry.memory.id, title=entry.memory.title)

    def _spelled(self, entry: Entry) -> Mapping[str, tuple[str, str]]:
        place = entry.scope, entry.path, entry.line
        if place not in self._ways:
            self._ways[place] = spelled_names(entry.memory)
        return self._ways[place]

    def _said_node(self, said: SpokenHit) -> GraphVertex:
        spoken = said.spoken
        if spoken.kind != TURN:
            return GraphVertex(kind=PAGE, id=spoken.id, title=f"{spoken.kind} {spoken.id}")
        words = " ".join(spoken.text.split())
        return GraphVertex(kind=EVENT, id=spoken.id, title=f"{spoken.said_by}: {words}"[:TITLE])

    def name_node(self, name: str, wanted: str = "") -> GraphVertex:
        """A name with the kind and the spelling that most passages give it."""
        if name not in self._names_seen:
            self._names_seen[name] = self._named(name, wanted)
        return self._names_seen[name]

    def _named(self, name: str, wanted: str) -> GraphVertex:
        memories, spoken = self._rows(name)
        ways: dict[tuple[str, str], int] = {}
        for entry in self._web.entries(memories[:ASKED_FOR_KIND]).values():
            _add(ways, self._spelled(entry).get(name))
        for said in self._web.spoken_hits(spoken[:ASKED_FOR_KIND]).values():
            _add(ways, spell_spoken_names(said.spoken.text, said.spoken.said_by).get(name))
        kind = _kind(ways)
        if not ways and is_file(wanted):
            kind = FILE
        written = [(-count, way[1]) for way, count in ways.items() if way[0] == kind]
        title = min(written)[1] if written else wanted or self._as_stated(name) or name
        return GraphVertex(kind=kind, id=name, title=title[:TITLE])

    def _as_stated(self, name: str) -> str:
        """A name as a model wrote it, where no rule knows it."""
        for fact in self._stated(name):
            return fact.triple.subject if fact.ends[0] == name else fact.triple.object
        return ""


def _add(ways: dict[tuple[str, str], int], way: tuple[str, str] | None) -> None:
    if way is not None:
        ways[way] = ways.get(way, 0) + 1


def _kind(ways: dict[tuple[str, str], int]) -> str:
    """The kind that most passages claim; unless far more claim none."""
    counts = dict.fromkeys(KINDS, 0)
    for (kind, _), count in ways.items():
        counts[kind] += count * (1 if kind == ENTITY else CLAIMS)
    return max(KINDS, key=lambda kind: (counts[kind], -KINDS.index(kind))) if any(counts.values()) else ENTITY
