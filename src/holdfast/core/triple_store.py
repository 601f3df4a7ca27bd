"""Triples: where they are kept, and how the graph's lanes ask for them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from holdfast.core.triple import Fact, Told

# The id of a memory, and the sums of the words and of the file that its triples were made of. No value class: a walk
# asks for thousands.
Stater = tuple[str, str, str]


class TripleStore(Protocol):
    """The triples of memories, one entry for each. Derived data: safe to delete."""

    def keep(self, told: Told) -> None:
        """Keep what a memory says, in the place of what was kept of it before."""

    def drop(self, ids: Iterable[str]) -> None:
        """Take memories out, and their words off the disk."""

    def known(self) -> Mapping[str, tuple[str, str]]:
        """By id, the sums of the words and of the file that each entry was made of."""

    def of(self, ids: Iterable[str]) -> Sequence[Told]:
        """What is kept of some memories."""

    def counts(self) -> tuple[int, int, int]:
        """How many memories are known, how many facts there are, and how many memories gave no usable answer."""


class TripleWeb(Protocol):
    """The same as a graph of names."""

    def ends(self, ids: Iterable[str]) -> Sequence[tuple[str, Stater]]:
        """The names that memories state something of."""

    def staters(self, names: Iterable[str], limit: int) -> Sequence[tuple[str, Stater]]:
        """Who states something of a name, the newest first, at most so many of each."""

    def tallies(self, names: Iterable[str]) -> Mapping[str, int]:
        """How many state something of each name; names nobody speaks of are left out."""

    def joined(self, names: Iterable[str]) -> Sequence[tuple[str, str, Stater]]:
        """The facts both ends of which are among these names, and who states them."""

    def spoken(self, stems: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The names whose stems are these."""


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
