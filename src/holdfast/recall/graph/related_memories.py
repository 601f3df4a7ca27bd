"""What belongs to a memory: by the names both mention, by supersession, session and file, and by meaning."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Status
from holdfast.core.path_scope import applies_to
from holdfast.core.search import SpokenHit
from holdfast.core.shelf import title_name
from holdfast.core.triple import Fact
from holdfast.core.value import Value
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.index.entry_passages import spelled_names
from holdfast.index.extract_names import normalize_name
from holdfast.index.name_kinds import ENTITY
from holdfast.index.text_pages import refresh_pages
from holdfast.recall.engine.name_weight import rare_names
from holdfast.recall.graph.app_graph import MEMORY, SAID, AppGraph
from holdfast.recall.graph.graph_values import (
    EVIDENCE,
    MENTIONS,
    NEAR,
    SAME_FILE,
    SAME_SESSION,
    SUPERSEDES,
    WEIGHTS,
    RelationBond,
    combine_bonds,
    weigh_shared_names,
)
from holdfast.recall.transcripts import PLACES
from holdfast.records.refresh_records import refresh_records
from holdfast.trust.allow import filter_visible
from holdfast.workspace import App

__all__ = ["MOST", "RelatedMemory", "RelatedResult", "RelatedWords", "Relative", "find_related"]

MOST = 1000
NAMES, FACTS = "names", "facts"
ROWS_OF_NAME = 50
TURNS_OF_SESSION = 200
NAMES_TOLD = 5
# What nobody accepted is no memory yet.
UNSEEN = (Status.CANDIDATE, Status.REJECTED)


class RelatedMemory(Value):
    """A memory that is related: why, and how much that says together."""

    of: Entry
    score: float
    bonds: tuple[RelationBond, ...]


class RelatedWords(Value):
    """What was said or written down that is related: why, and how much that says together."""

    of: SpokenHit
    score: float
    bonds: tuple[RelationBond, ...]


Relative = RelatedMemory | RelatedWords


class RelatedResult(Value):
    """The answer: the memory asked about, and its relatives, best first."""

    entry: Entry
    relatives: tuple[Relative, ...]


def find_related(app: App, wanted: str, place: str = "memory", limit: int = 10) -> RelatedResult:
    """What is related to a memory, best first: memories, or with another place what was said or written there."""
    if not 1 <= limit <= MOST:
        raise BadRequest(f"A look at relatives gives from 1 to {MOST}, not {limit}.")
    entry = find_entry(app, wanted)
    if not filter_visible(app, [entry]):
        raise NoSuchId(wanted)
    if place != MEMORY:
        refresh_records(app)
        refresh_pages(app)
    kin = RelatedFinder(AppGraph(app), entry)
    memories: list[Relative] = [*kin.memories()] if place in {MEMORY, "all"} else []
    words: list[Relative] = [*kin.spoken(PLACES[place])] if place != MEMORY else []
    return RelatedResult(entry=entry, relatives=tuple(sorted((*memories, *words), key=_order)[:limit]))


class RelatedFinder:
    """The bonds of one memory with all others."""

    def __init__(self, web: AppGraph, entry: Entry) -> None:
        self._web, self._entry = web, entry
        self.row = next(iter(web.index.memory_rows([entry.memory.id]).get(entry.memory.id, ())), 0)
        self.spelled = {
            name: way
            for name, way in spelled_names(entry.memory).items()
            if name not in {normalize_name(entry.memory.id), title_name(entry.memory.title)}
        }

    def memories(self) -> list[RelatedMemory]:
        """Memories that anything binds to this one, best first."""
        bonds: dict[int, list[RelationBond]] = {}
        by_names = (*self._by_names(MEMORY), *self._by_facts())
        for row, bond in (*self._by_links(), *self._by_files(), *self._by_sessions(), *by_names):
            bonds.setdefault(row, []).append(bond)
        for row, near in self._web.near(self.row, MEMORY).items():
            bonds.setdefault(row, []).append(_build_nearness_bond(near))
        entries = self._web.entries(row for row in bonds if row != self.row)
        found = [
            RelatedMemory(of=entry, **_weigh_bonds(bonds[row]))
            for row, entry in entries.items()
            if entry.memory.id != self._entry.memory.id and entry.memory.status not in UNSEEN
        ]
        return sorted(found, key=_order)

    def spoken(self, kinds: Sequence[str]) -> list[RelatedWords]:
        """What was said or written down that anything binds to this memory; of each event or page the best part."""
        bonds: dict[int, list[RelationBond]] = {}
        for row, bond in (*self._by_turns(), *self._by_names(SAID)):
            bonds.setdefault(row, []).append(bond)
        for row, near in self._web.near(self.row, SAID).items():
            bonds.setdefault(row, []).append(_build_nearness_bond(near))
        best: dict[str, RelatedWords] = {}
        for row, said in self._web.spoken_hits(bonds).items():
            one = RelatedWords(of=said, **_weigh_bonds(bonds[row]))
            kept = best.get(said.spoken.id)
            if said.spoken.kind in kinds and (kept is None or one.score > kept.score):
                best[said.spoken.id] = one
        return sorted(best.values(), key=_order)

    def _by_links(self) -> Iterator[tuple[int, RelationBond]]:
        """Supersession, and ids that the one names in the other's words."""
        own, links = self._entry.memory.id, self._web.links
        newer, older = [link.new for link in links if link.old == own], [link.old for link in links if link.new == own]
        yield from self._to(newer, SUPERSEDES, "superseded by", from_other=True)
        yield from self._to(older, SUPERSEDES, "supersedes")
        yield from self._to([written.upper() for _, written in self.spelled.values()], MENTIONS, "mentions")
        mine = normalize_name(own)
        for row in self._web.index.named(MEMORY, [mine], ROWS_OF_NAME).get(mine, ()):
            yield row, RelationBond(kind=MENTIONS, why=f"mentions {own}", strength=WEIGHTS[MENTIONS], from_other=True)

    def _to(
        self, ids: Sequence[str], kind: str, how: str, *, from_other: bool = False
    ) -> Iterator[tuple[int, RelationBond]]:
        for memory_id, rows in self._web.index.memory_rows(ids).items():
            for row in rows:
                why = f"{how} {memory_id}" if from_other or kind == SUPERSEDES else "this memory mentions it"
                yield row, RelationBond(kind=kind, why=why, strength=WEIGHTS[kind], from_other=from_other)

    def _by_files(self) -> Iterator[tuple[int, RelationBond]]:
        """Paths and citations that meet."""
        own = self._entry.memory
        if not own.paths and not own.cites:
            return
        cited = (each.path for each in own.cites)
        named = self._web.index.named(MEMORY, map(normalize_name, (*own.paths, *cited)), ROWS_OF_NAME)
        others = self._web.entries(row for rows in named.values() for row in rows)
        for row, other in {**others, **self._web.scoped}.items():
            met = _find_common_path(self._entry, other) if row != self.row else ""
            if met:
                yield row, RelationBond(kind=SAME_FILE, why=f"same file {met}", strength=WEIGHTS[SAME_FILE], what=met)

    def _sessions(self) -> Mapping[str, str]:
        return self._web.index.sessions(each.event for each in self._entry.memory.evidence)

    def _by_sessions(self) -> Iterator[tuple[int, RelationBond]]:
        """Memories that came from the same session."""
        own = set(self._sessions().values()) - {""}
        if not own or not self._web.events_too:
            return
        session_of = self._web.index.sessions(event for events in self._web.evidence.values() for event in events)
        for row, events in self._web.evidence.items():
            met = next((session_of[event] for event in events if session_of.get(event) in own), "")
            if met and row != self.row:
                yield row, _build_session_bond(met)

    def _by_turns(self) -> Iterator[tuple[int, RelationBond]]:
        """What was said where this memory came from."""
        events = [each.event for each in self._entry.memory.evidence]
        came_from = set(self._web.index.spoken_rows(events))
        for row in sorted(came_from):
            yield row, RelationBond(kind=EVIDENCE, why="this memory came from it", strength=WEIGHTS[EVIDENCE])
        for session in sorted(set(self._sessions().values()) - {""}):
            for row in self._web.index.turns(session, TURNS_OF_SESSION):
                if row not in came_from:
                    yield row, _build_session_bond(session)

    def _by_names(self, place: str) -> Iterator[tuple[int, RelationBond]]:
        """Names that both mention and few others do."""
        counts, groups = self._web.index.counts(place, self._apart(place)), self._web.index.groups(place)
        shared: dict[int, list[str]] = {}
        named = self._web.index.named(place, rare_names(counts, groups), ROWS_OF_NAME)
        for name in rare_names(counts, groups):
            for row in named.get(name, ()):
                shared.setdefault(row, []).append(name)
        for row, names in shared.items():
            if (place, row) != (MEMORY, self.row):
                told = tuple(self.spelled[name][1] for name in names)
                strength = weigh_shared_names(names, counts, groups)
                yield row, RelationBond(kind=NAMES, why=self._both(names), strength=strength, names=told)

    def _by_facts(self) -> Iterator[tuple[int, RelationBond]]:
        """Things that a model read something of in one of both, and that the other names or states something of."""
        own = self._web.facts([self.row]).get(self.row, ())
        ends = {end: fact for fact in own for end in fact.ends}
        stating = self._web.stating((*ends, *self.spelled), ROWS_OF_NAME)
        mentioning = self._web.index.named(MEMORY, ends, ROWS_OF_NAME)
        # Where rules see a name in both, they have said so.
        rows_of = {
            name: {*stating.get(name, ()), *mentioning.get(name, ())} if name not in self.spelled
            else {*stating.get(name, ())} - {*self._web.index.named(MEMORY, [name], ROWS_OF_NAME).get(name, ())}
            for name in dict.fromkeys((*ends, *stating))
        }  # fmt: skip
        counts = {name: len(rows | {self.row}) for name, rows in rows_of.items() if rows - {self.row}}
        for name in rare_names(counts, self._web.index.groups(MEMORY)):
            rows = sorted(rows_of[name] - {self.row})[:ROWS_OF_NAME]
            theirs = self._web.facts(rows) if name not in ends else {}
            for row in rows:
                fact = ends.get(name) or next((each for each in theirs.get(row, ()) if name in each.ends), None)
                if fact is not None:
                    strength = weigh_shared_names([name], counts, self._web.index.groups(MEMORY))
                    yield (
                        row,
                        RelationBond(kind=FACTS, why=_describe_fact(fact, name), strength=strength, names=(name,)),
                    )

    def _apart(self, place: str) -> list[str]:
        """Names that say something of their own: not the end of a longer one, nor a path that is a bond already."""
        own = self._entry.memory
        paths = (
            {*map(normalize_name, own.paths), *(normalize_name(cite.path) for cite in own.cites)}
            if place == MEMORY
            else set()
        )
        whole = [name for name in self.spelled if not any(other.endswith(f" {name}") for other in self.spelled)]
        return [name for name in whole if name not in paths]

    def _both(self, names: Sequence[str]) -> str:
        said = [self.spelled[name] for name in names]
        listed = [written if kind == ENTITY else f"{kind} {written}" for kind, written in said]
        more = f" and {len(listed) - NAMES_TOLD} more" if len(listed) > NAMES_TOLD else ""
        return f"both name {', '.join(listed[:NAMES_TOLD])}{more}"


def _describe_fact(fact: Fact, name: str) -> str:
    triple = fact.triple
    written = triple.subject if fact.ends[0] == name else triple.object
    return f"both speak of {written}; a model read: {triple.subject} “{triple.relation}” {triple.object}"


def _build_nearness_bond(cosine: float) -> RelationBond:
    strength = min(1.0, max(0.0, cosine)) * WEIGHTS[NEAR]
    return RelationBond(kind=NEAR, why=f"near in meaning ({cosine:.2f})", strength=strength, what=f"{cosine:.2f}")


def _build_session_bond(session: str) -> RelationBond:
    return RelationBond(kind=SAME_SESSION, why=f"same session {session}", strength=WEIGHTS[SAME_SESSION], what=session)


def _weigh_bonds(bonds: Sequence[RelationBond]) -> dict[str, Any]:
    """What binds most comes first; two bonds that say the same are one."""
    kept = {(bond.kind, bond.why): bond for bond in bonds}
    ordered = sorted(kept.values(), key=lambda bond: (-bond.strength, bond.kind, bond.why))
    return {"score": combine_bonds(ordered), "bonds": tuple(ordered)}


def _find_common_path(one: Entry, other: Entry) -> str:
    """A path that both speak of; an empty text where there is none."""
    for first, second in ((one.memory, other.memory), (other.memory, one.memory)):
        for path in (*(cite.path for cite in first.cites), *first.paths):
            if path in second.paths or path in {cite.path for cite in second.cites}:
                return path
            if second.paths and applies_to(second.paths, path):
                return path
    return ""


def _order(relative: Relative) -> tuple[float, str]:
    of = relative.of
    return -relative.score, of.memory.id if isinstance(of, Entry) else of.spoken.id
