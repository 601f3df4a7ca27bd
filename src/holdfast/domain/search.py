"""Queries, passages and hits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from holdfast.domain.event import Cursor
from holdfast.domain.memory import Entry, MemoryType, Problem, Scope, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of an entry, by the part of it they stand in."""

    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One entry made searchable."""

    entry: Entry
    terms: Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file as the index knows it. An empty stamp is looked at again next time."""

    scope: Scope
    path: str
    stamp: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """A file with everything the index should hold of it. `passages` None: only the stamp moved."""

    source: Source
    passages: tuple[Passage, ...] | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """A journal event as the index keeps it: enough to list it and to find it again."""

    id: str
    ts: str
    client: str
    session: str
    name: str
    text: str
    place: Cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Everything that moved since the index was last in step; applied all or none."""

    sources: tuple[SourceChange, ...] = ()
    dropped: tuple[tuple[Scope, str], ...] = ()
    events: tuple[EventRow, ...] = ()
    forgotten: tuple[str, ...] = ()
    cursor: Cursor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """Which entries are meant. Empty means any."""

    ids: tuple[str, ...] = ()
    types: tuple[MemoryType, ...] = ()
    statuses: tuple[Status, ...] = ()
    scopes: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WordQuery:
    """Terms joined by OR, over the entries that are meant."""

    terms: tuple[str, ...]
    select: Select = field(default_factory=Select)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An entry and how well a lane likes it; greater is better."""

    entry: Entry
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersession:
    """One memory replaced by another, and since when."""

    old: str
    new: str
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person asks `search`: words, and what narrows them."""

    text: str
    select: Select = field(default_factory=Select)
    tags: tuple[str, ...] = ()
    path: str = ""
    since: str = ""
    as_of: str = ""
    limit: int = 10
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneScore:
    """Where one lane put a hit, and why."""

    lane: str
    rank: int
    score: float
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory found, with its score and the lanes that found it."""

    entry: Entry
    score: float
    lanes: tuple[LaneScore, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer to a question: the hits, and what was searched to find them."""

    hits: tuple[Hit, ...]
    searched: Mapping[str, int | str | tuple[str, ...]]
