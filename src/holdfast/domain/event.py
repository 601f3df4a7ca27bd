"""Events, and the journal's records of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RECORD_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What a client reported. `key` is the client's own identity of it, or empty."""

    client: str
    name: str
    session: str = ""
    key: str = ""
    ts: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cursor:
    """A place in the journal: after everything before this byte of this segment."""

    segment: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The journal's word that an event is on disk. `fresh` is false when it was there before."""

    id: str
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line of the journal. `after` is where the next one begins; `data` is the whole JSON object."""

    id: str
    kind: str
    version: int
    ts: str
    data: Mapping[str, Any]
    after: Cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A place in the journal that fails its own check."""

    segment: str
    offset: int
    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalReport:
    """What `verify` saw. `torn` are side files of tails cut off earlier; they are no damage."""

    records: int = 0
    events: int = 0
    segments: int = 0
    size: int = 0
    newer: int = 0
    deleted: int = 0
    torn: tuple[str, ...] = ()
    damage: tuple[Damage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What `compact` did to one segment, with the proof."""

    segment: str
    before: str
    after: str
    removed: tuple[str, ...]
    kept: int
    kept_sha256: str
