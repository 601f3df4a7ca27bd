"""Precision and recall of relations, per kind."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from bench.conflicts.labels import Pair
from holdfast.conflicts.conflict_rules import Nearness
from holdfast.conflicts.relate import relate
from holdfast.core.relation import Kind

NOW = datetime(2026, 11, 15, tzinfo=UTC)


class Score:
    """Counts over a set of pairs."""

    def __init__(self) -> None:
        self.right, self.found, self.wanted = Counter[Kind](), Counter[Kind](), Counter[Kind]()
        self.faults: list[str] = []

    def precision(self, kind: Kind) -> float:
        """The share of what was called so that is so."""
        return self.right[kind] / self.found[kind] if self.found[kind] else 1.0

    def recall(self, kind: Kind) -> float:
        """The share of what is so that was called so."""
        return self.right[kind] / self.wanted[kind] if self.wanted[kind] else 1.0

    @property
    def accuracy(self) -> float:
        """The share of all pairs that was called right."""
        return self.right.total() / max(1, self.wanted.total())


def score(pairs: Iterable[Pair], near: Nearness, *, learned: bool = False) -> Score:
    """What the rules say of pairs, against what they are; `learned`: with what a person is asked by likeness."""
    counts = Score()
    for pair in pairs:
        found = relate(pair.new, pair.old, near, now=NOW, learned=learned)
        counts.wanted[pair.want] += 1
        counts.found[found.kind] += 1
        if found.kind is pair.want:
            counts.right[pair.want] += 1
        else:
            said = f"{found.kind} ({found.rule or 'no rule'}, {found.sure:.2f})"
            counts.faults.append(f"{pair.id}: {said}, wanted {pair.want}: {pair.new.title} / {pair.old.title}")
    return counts
