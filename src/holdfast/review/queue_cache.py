"""What candidates are to memory, kept for a queue that is looked at often: a change of memory costs little.

A memory that comes is held against a candidate when that candidate is next asked for, not against all of them at once.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence

from holdfast.conflicts.read_memory import MemoryReading, read_memory
from holdfast.conflicts.relate import relate_readings
from holdfast.core.memory import Entry, Status
from holdfast.core.relation import Kind
from holdfast.core.value import Value, replace
from holdfast.review.near_memories import Nearness
from holdfast.review.relations import EntryRelation, RelationFinder
from holdfast.workspace import App

__all__ = ["CacheTime", "ConflictCache", "Found"]

# With more changes than this at once, every candidate is looked at again.
FEW = 8
# One that more memories came after than this is looked at again.
LATER = 32

Found = tuple[EntryRelation, ...]


class CacheTime(Value):
    """A point in time: what began then may have missed what came after."""

    times: int
    moves: int
    came: int


class _KnownCandidate(Value):
    """What a look at a candidate found, how many memories had come by then, and the candidate as it was read."""

    sha256: str
    found: Found
    came: int
    read: MemoryReading | None = None


class ConflictCache:
    """What is known of candidates, by id and sum of their file. For one thread."""

    def __init__(self) -> None:
        self._known: dict[str, _KnownCandidate] = {}
        self._later: deque[MemoryReading] = deque(maxlen=LATER)
        self._came = 0
        self._touched: deque[frozenset[str]] = deque(maxlen=LATER)
        self._moves = 0
        self._times = 0
        self._near: Nearness | None = None

    @property
    def mark(self) -> CacheTime:
        """Now, for a look that takes its time."""
        return CacheTime(times=self._times, moves=self._moves, came=self._came)

    def known(self, app: App, candidate: Entry) -> Found | None:
        """What a candidate is to memory, the most important first; None where nobody looked yet."""
        name = candidate.memory.id
        held = self._known.get(name)
        if held is None or held.sha256 != candidate.sha256:
            return None
        if held.came != self._came:
            own = held.read or read_memory(candidate.memory)
            if self._has_kin(app, candidate, own, self._came - held.came):
                del self._known[name]
                return None
            self._known[name] = replace(held, came=self._came, read=own)
        return held.found

    def put(self, candidate: Entry, found: Iterable[EntryRelation], since: CacheTime | None = None) -> None:
        """Keep what a look at a candidate found; nothing where it began before what it found has changed."""
        kept = tuple(each for each in found if each.relation.kind is not Kind.UNRELATED)
        begun = since or self.mark
        if not self._outdated(candidate, kept, begun):
            self._known[candidate.memory.id] = _KnownCandidate(sha256=candidate.sha256, found=kept, came=begun.came)

    def look(self, app: App, candidates: Iterable[Entry], seconds: float) -> list[Entry]:
        """Look at those that nobody looked at, for so long; those that are left."""
        left = [each for each in candidates if self.known(app, each) is None]
        look = RelationFinder(app) if left else None
        begun = time.monotonic()
        while look is not None and left and time.monotonic() - begun < seconds:
            candidate = left.pop(0)
            self.put(candidate, look.at(candidate))
        return left

    def moved(self, changed: Sequence[Entry], gone: Collection[str]) -> None:
        """Memories changed, or are gone: forget what is known of candidates that have to do with them."""
        if len(changed) > FEW:
            self.forget()
        touched = frozenset(entry.memory.id for entry in changed) | frozenset(gone)
        self._touched.append(touched)
        self._moves += 1
        self._known = {
            name: held
            for name, held in self._known.items()
            if name not in touched and not any(each.relation.old in touched for each in held.found)
        }
        holding = [entry for entry in changed if entry.memory.status is Status.ACCEPTED]
        self._later.extend(read_memory(entry.memory) for entry in holding)
        self._came += len(holding)
        self._near = None

    def forget(self) -> None:
        """Have every candidate looked at again."""
        self._known.clear()
        self._times += 1
        self._near = None

    def _outdated(self, candidate: Entry, found: Found, begun: CacheTime) -> bool:
        behind = self._moves - begun.moves
        if begun.times != self._times or behind > len(self._touched):
            return True
        meant = {candidate.memory.id, *(each.relation.old for each in found)}
        return any(meant & touched for touched in list(self._touched)[len(self._touched) - behind :])

    def _has_kin(self, app: App, candidate: Entry, own: MemoryReading, behind: int) -> bool:
        """Whether memories that came later may have to do with it: then it is looked at among all its neighbours."""
        if behind > len(self._later):
            return True
        later = list(self._later)[-behind:]
        self._near = self._near or Nearness(app)
        self._near.learn([candidate.memory, *(each.memory for each in later)])
        found = relate_readings(own, later, self._near, now=app.clock.now())
        return any(each.kind is not Kind.UNRELATED for each in found)
