"""Triples: where they are kept, and how the graph's lanes ask for them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from holdfast.core.triple import Fact

# The id of a memory, and the sums of the words and of the file that its triples were made of. No value class: a walk
# asks for thousands.
Stater = tuple[str, str, str]


class Facts(Protocol):
    """The triples of the memories that are there now. Rows are those of their shelf."""

    def ends(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that memories state something of."""

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows of memories that say something of a name, at most so many of each."""

    def tallies(self, names: Iterable[str]) -> Mapping[str, int]:
        """About how many memories say something of each name."""

    def about(self, names: Iterable[str]) -> Sequence[Fact]:
        """What is said of any of these names, which are few."""

    def joined(self, names: Iterable[str]) -> Mapping[tuple[str, str], int]:
        """Which of these names facts join, and how many do; each pair once, in order."""

    def spoken(self, stems: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The names whose stems are these."""
