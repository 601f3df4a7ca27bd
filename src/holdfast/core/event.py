"""Events, and the journal's records of them."""

from collections.abc import Mapping
from typing import Any

from holdfast.core.value import Value

RECORD_VERSION = 1
NOTHING: Mapping[str, Any] = {}


class Event(Value):
    """What a client reported. `key` is the client's own identity of it, or empty."""

    client: str
    name: str
    session: str = ""
    key: str = ""
    ts: str = ""
    data: Mapping[str, Any] = NOTHING


class Cursor(Value):
    """A place in the journal: after everything before this byte of this segment."""

    segment: int = 0
    offset: int = 0

    def __lt__(self, other: "Cursor") -> bool:
        return (self.segment, self.offset) < (other.segment, other.offset)

    def __le__(self, other: "Cursor") -> bool:
        return (self.segment, self.offset) <= (other.segment, other.offset)


BEGINNING = Cursor()


class Receipt(Value):
    """The journal's word that an event is on disk. `fresh` is false when it was there before."""

    id: str
    fresh: bool


class JournalRecord(Value):
    """One line of the journal. `after` is where the next one begins; `data` is the whole JSON object."""

    id: str
    kind: str
    version: int
    ts: str
    data: Mapping[str, Any]
    after: Cursor


class Damage(Value):
    """A place in the journal that fails its own check."""

    segment: str
    offset: int
    line: int
    reason: str


class JournalReport(Value):
    """What `verify` saw. `torn` are side files of tails cut off earlier; they are no damage."""

    records: int = 0
    events: int = 0
    segments: int = 0
    size: int = 0
    newer: int = 0
    deleted: int = 0
    torn: tuple[str, ...] = ()
    damage: tuple[Damage, ...] = ()
    end: Cursor = BEGINNING


class Compacted(Value):
    """What `compact` did to one segment, with the proof."""

    segment: str
    before: str
    after: str
    removed: tuple[str, ...]
    kept: int
    kept_sha256: str
