"""What candidates are to memory, kept for a queue that is looked at often: a change of memory costs little."""

import time
from collections.abc import Collection, Iterable, Sequence

from holdfast.curate.relations.reading import Read, read
from holdfast.curate.relations.relate import relations_read
from holdfast.domain.memory import Entry, Status
from holdfast.domain.relation import Kind
from holdfast.memory.relating import Look, Related
from holdfast.wiring.app import App
from holdfast.wiring.relating import Nearness

__all__ = ["Clashes", "Found"]

# With more changes than this, every candidate is looked at anew.
FEW = 8

Found = tuple[Related, ...]


class Clashes:
    """What is known of candidates, by id and sum of their file. For one thread."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Found]] = {}
        self._read: dict[tuple[str, str], Read] = {}

    def known(self, candidate: Entry) -> Found | None:
        """What a candidate is to memory, the most important first; None where nobody looked yet."""
        held = self._known.get(candidate.memory.id)
        return held[1] if held is not None and held[0] == candidate.sha256 else None

    def put(self, candidate: Entry, found: Iterable[Related]) -> Found:
        """Keep what a look at a candidate found; what is unrelated is left out."""
        kept = tuple(each for each in found if each.relation.kind is not Kind.UNRELATED)
        self._known[candidate.memory.id] = candidate.sha256, kept
        return kept

    def look(self, app: App, candidates: Iterable[Entry], seconds: float) -> list[Entry]:
        """Look at those that nobody looked at, for so long; those that are left."""
        left = [each for each in candidates if self.known(each) is None]
        look = Look(app) if left else None
        begun = time.monotonic()
        while look is not None and left and time.monotonic() - begun < seconds:
            candidate = left.pop(0)
            self.put(candidate, look.at(candidate))
        return left

    def moved(self, app: App, candidates: Sequence[Entry], changed: Sequence[Entry], gone: Collection[str]) -> None:
        """Memories changed, or are gone: forget what is known of candidates that have to do with them."""
        there = {each.memory.id: each for each in candidates}
        touched = {entry.memory.id for entry in changed} | set(gone)
        if len(changed) > FEW:
            self._known.clear()
        self._known = {
            name: (sha256, found)
            for name, (sha256, found) in self._known.items()
            if name in there and not any(each.relation.old in touched for each in found)
        }
        holding = [entry for entry in changed if entry.memory.status is Status.ACCEPTED]
        if holding and self._known:
            self._forget_kin(app, [there[name] for name in self._known], holding)

    def _forget_kin(self, app: App, candidates: Sequence[Entry], memories: Sequence[Entry]) -> None:
        """Forget candidates that memories may have to do with: they are looked at among all their neighbours."""
        near, theirs = Nearness(app), [read(entry.memory) for entry in memories]
        near.learn([entry.memory for entry in (*candidates, *memories)])
        mine = {(each.memory.id, each.sha256): each for each in candidates}
        self._read = {key: self._read.get(key) or read(each.memory) for key, each in mine.items()}
        for (name, _), own in self._read.items():
            found = relations_read(own, theirs, near, now=app.clock.now())
            if any(each.kind is not Kind.UNRELATED for each in found):
                del self._known[name]
