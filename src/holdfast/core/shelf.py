"""Passages of one collection (memories; what was said in sessions), as the lanes of recall need them."""

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

from holdfast.core.value import Value

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

LONGEST_NAME = 80
UNSIGNED = "I"
_WORD = re.compile("[a-z0-9]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")


class Text(Value):
    """One passage. `group` is what it belongs to (a session, a file), `at` its place there; both may mean nothing.

    `terms` are those of the index, in order; `words` the plain words, each once; `said_by` who said it, in lower case;
    `ts` when (ISO 8601; may be empty); `asks` the share of its sentences that are questions; `length` its plain words
    with their repetitions.
    """

    row: int
    group: int
    at: int
    said_by: str
    title: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    asks: float = 0.0
    length: int = 0
    ts: str = ""

    @property
    def size(self) -> int:
        """How many terms it has, with their repetitions."""
        return len(self.terms)

    @property
    def spelled(self) -> bytes:
        """Its words as numbers."""
        return pack_numbers(self.words)


def pack_numbers(words: Iterable[str]) -> bytes:
    """Words or terms as numbers of four bytes. Hardly ever have two the same; then one is taken for the other."""
    return array(UNSIGNED, map(number_of, words)).tobytes()


def number_of(word: str) -> int:
    """A word or a term as a number."""
    return crc32(word.encode("utf-8", "replace"))


def title_name(title: str) -> str:
    """A title as a name; what stands behind it in brackets only tells it from others."""
    return " ".join(_WORD.findall(_POSSESSIVE.sub("", _QUALIFIER.sub("", title)).lower()))[:LONGEST_NAME]


class Totals(Value):
    """What BM25 and rarity need to know of the whole collection. Terms are counted with their repetitions."""

    passages: int
    terms: int
    groups: int


class Shelf(Protocol):
    """A collection. Rows are numbers that name passages for as long as the index is not changed."""

    def totals(self) -> Totals:
        """How much there is."""

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term stands."""

    def by_words(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """The rows that hold any of these terms, best first by BM25."""

    def by_vector(self, model: str, vector: "Floats", limit: int) -> Sequence[int]:
        """The rows whose vectors are nearest, best first; none where there are no vectors of this model."""

    def texts(self, rows: Iterable[int]) -> Mapping[int, Text]:
        """Passages by their rows; those that are gone are left out."""

    def holding(self, rows: Sequence[int], terms: Sequence[str]) -> Mapping[int, Mapping[str, int]]:
        """How often terms stand in passages; rows that hold none of them are left out."""

    def vectors(self, model: str, rows: Sequence[int]) -> "Floats | None":
        """Their unit vectors, one per row (zeros where there is none); None where there are none of this model."""

    def mean_vector(self, model: str) -> "Floats | None":
        """The mean of all vectors of a model."""

    def vectors_at_hand(self, model: str) -> int:
        """How many vectors of a model are in memory, so that the nearest are found without a look at the disk."""

    def token_counts(self, tokens: Sequence[int]) -> Sequence[int]:
        """In how many passages each of the static embedder's tokens stands."""

    def around(self, rows: Iterable[int], before: int, after: int) -> Mapping[int, Sequence[int]]:
        """For each row, the rows of its group from `before` places before it to `after` places after it, itself too."""

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names (entities, titles, files, symbols) that passages mention."""

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, at most so many of each; one that has it for a title comes first."""

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
