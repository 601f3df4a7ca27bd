"""Queries, passages and hits."""

from collections.abc import Mapping
from datetime import datetime

from holdfast.core.event import Cursor
from holdfast.core.memory import Entry, MemoryType, Problem, Scope, Status
from holdfast.core.value import Value


class Terms(Value):
    """The terms of an entry, by the part of it they stand in."""

    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Passage(Value):
    """One entry made searchable."""

    entry: Entry
    terms: Terms
    names: tuple[str, ...] = ()


class Source(Value):
    """One file as the index knows it. An empty stamp is looked at again next time."""

    scope: Scope
    path: str
    stamp: str
    sha256: str


class SourceChange(Value):
    """A file with everything the index should hold of it. `passages` None: only the stamp moved."""

    source: Source
    passages: tuple[Passage, ...] | None
    problems: tuple[Problem, ...] = ()


class SessionRow(Value):
    """A session in the index: its first and last event, when it was last heard, and where it begins in the journal."""

    session: str
    client: str
    first: str
    last: str
    ts: str
    last_name: str
    events: int
    place: Cursor


class EventRow(Value):
    """A journal event as the index keeps it: enough to list it and to find it again."""

    id: str
    ts: str
    client: str
    session: str
    name: str
    text: str
    place: Cursor


class Spoken(Value):
    """Words that were said or written down, made searchable: a turn of a session, or a part of a page.

    `id` is the event's, or the page's path; what belongs together, a session or a page, has one `group`, in order.
    """

    kind: str
    id: str
    part: int
    group: str
    ts: str
    client: str
    said_by: str
    text: str
    terms: tuple[str, ...]
    names: tuple[str, ...] = ()


class Page(Value):
    """A text file (a day's log, a research page, a summary) with everything the index should hold of it."""

    path: str
    stamp: str
    spoken: tuple[Spoken, ...]


class Change(Value):
    """Everything that moved since the index was last up to date; applied all or none."""

    sources: tuple[SourceChange, ...] = ()
    dropped: tuple[tuple[Scope, str], ...] = ()
    events: tuple[EventRow, ...] = ()
    spoken: tuple[Spoken, ...] = ()
    pages: tuple[Page, ...] = ()
    deleted_pages: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    cursor: Cursor | None = None


class Select(Value):
    """Which entries are meant. Empty means any. `scoped`: those that hold at some paths only, or everywhere.

    `newest`: only so many, by when they were last changed.
    """

    ids: tuple[str, ...] = ()
    types: tuple[MemoryType, ...] = ()
    statuses: tuple[Status, ...] = ()
    scopes: tuple[Scope, ...] = ()
    scoped: bool | None = None
    newest: int = 0


EVERYTHING = Select()


class WordQuery(Value):
    """Terms joined by OR, over the entries that are meant."""

    terms: tuple[str, ...]
    select: Select = EVERYTHING


class SpokenQuery(Value):
    """Terms joined by OR, over what was said in these ways."""

    terms: tuple[str, ...]
    kinds: tuple[str, ...]
    limit: int = 50


class SpokenHit(Value):
    """Words found, with their score and those just before and after them in the same group."""

    spoken: Spoken
    score: float
    before: str = ""
    after: str = ""


class Scored(Value):
    """An entry and how well a lane likes it; greater is better."""

    entry: Entry
    score: float


class Supersession(Value):
    """One memory replaced by another, and since when."""

    old: str
    new: str
    since: str


class Question(Value):
    """What a person asks `search`: words, and what narrows them."""

    text: str
    select: Select = EVERYTHING
    tags: tuple[str, ...] = ()
    path: str = ""
    since: str = ""
    as_of: str = ""
    limit: int = 10
    now: datetime | None = None


class LaneScore(Value):
    """Where one lane put a hit, and why."""

    lane: str
    rank: int
    score: float
    why: str = ""


class Hit(Value):
    """A memory found, with its score and the lanes that found it. `weak`: no word of the question stands in it.

    `stale`: what became of the code it cites, in words; empty where that stands, or nobody looked.
    """

    entry: Entry
    score: float
    lanes: tuple[LaneScore, ...]
    weak: bool = False
    stale: str = ""


class Found(Value):
    """The answer to a question: the hits, and what was searched to find them."""

    hits: tuple[Hit, ...]
    searched: Mapping[str, int | str | tuple[str, ...]]
