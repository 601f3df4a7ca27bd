"""What is derived from vault and journal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from holdfast.core.event import Cursor
from holdfast.core.memory import Entry, Problem
from holdfast.core.search import (
    Change,
    EventRow,
    Scored,
    Select,
    SessionRow,
    Source,
    SpokenHit,
    SpokenQuery,
    Supersession,
    WordQuery,
)

if TYPE_CHECKING:
    from holdfast.core.passage_store import Vector
    from holdfast.core.shelf import Shelf


class IndexStore(Protocol):
    """Passages, findable by words. Derived data: safe to delete."""

    def sources(self) -> Mapping[tuple[str, str], Source]:
        """Every file the index knows, by scope and path."""

    def cursor(self) -> Cursor:
        """How far the journal is indexed."""

    def apply(self, change: Change) -> None:
        """Bring in what moved, all or none."""

    def by_words(self, query: WordQuery) -> Iterator[Scored]:
        """Best first, equal scores by id; lazily. No terms match nothing."""

    def frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many passages each term stands, and how many passages there are."""

    def select(self, select: Select) -> Sequence[Entry]:
        """The entries meant, by id and then path. An id given twice in the vault comes twice."""

    def links(self) -> tuple[Sequence[Supersession], Sequence[Problem]]:
        """All supersessions by memories that were accepted, and the problems of the files indexed."""


class RankedIndex(IndexStore, Protocol):
    """An index whose passages lanes can be asked about too; rows are those that its shelf names."""

    def shelf(self, place: str) -> "Shelf":
        """A collection as the lanes of recall need it."""

    def entries(self, rows: Sequence[int]) -> Mapping[int, Entry]:
        """Entries by their rows."""

    def globs(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Where entries hold, by their rows; those that hold everywhere are left out."""

    def without_vector(self, place: str, model: str, limit: int) -> Sequence[tuple[int, str]]:
        """Passages of a collection that have no vector of a model yet, the newest first, with their words."""

    def count_without_vector(self, place: str, model: str) -> int:
        """How many passages of a collection have no vector of a model yet."""

    def put_vectors(self, place: str, model: str, vectors: "Sequence[Vector]") -> None:
        """Keep vectors of a model, all or none."""


class LocalIndex(IndexStore, Protocol):
    """The index of one machine: what it also tells of sessions, files and itself."""

    def events(self, around: str, before: int, after: int) -> Sequence[EventRow]:
        """Events around a time (ISO 8601) or an event's id, oldest first: so many before it, so many from it on.

        An event asked for by its id is the first of those from it on; an id that is not there gives none.
        """

    def by_spoken(self, query: SpokenQuery) -> Sequence[SpokenHit]:
        """What was said that holds any of these terms, best first, equal scores the newest first."""

    def spoken_frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many spoken passages each term stands, and how many there are."""

    def sums(self) -> Mapping[tuple[str, str], str]:
        """The sha256 of every file the index knows, by scope and path."""

    def pages(self) -> Mapping[str, str]:
        """Every page the index knows, by its path, with its stamp."""

    def close(self) -> None:
        """Close the connection."""

    def check(self) -> Sequence[Problem]:
        """What its own checks find wrong with it."""

    def sessions(self) -> Sequence[SessionRow]:
        """Every session, with where it begins and when it was last heard."""
