"""Small shelves, and an embedder whose vectors are written down."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from holdfast.core.embedder import Floats
from holdfast.core.errors import Unavailable
from holdfast.core.shelf import Text
from holdfast.core.value import replace
from holdfast.index.ram.shelf import RamShelf
from holdfast.index.terms import split_terms

_WORD = re.compile("[a-z0-9]+")


def text(row: int, said: str, **given: object) -> Text:
    """A passage; alone in its group, unless told otherwise."""
    made = Text(
        row=row,
        group=row,
        at=row,
        said_by="",
        title="",
        terms=tuple(split_terms(said)),
        words=tuple(dict.fromkeys(_WORD.findall(said.lower()))),
        length=len(said.split()),
    )
    return replace(made, **given)


def shelf(*said: str, names: Mapping[int, Sequence[str]] | None = None, **given: object) -> RamShelf:
    """Passages in one row each; `given` holds for all of them."""
    return RamShelf([text(row, each, **given) for row, each in enumerate(said)], names=names)


class Table:
    """A static embedder of a few words: those of one family share a direction."""

    dims = 8
    vocabulary = 1000

    def __init__(self, *families: str) -> None:
        self._family = {word: at for at, words in enumerate(families) for word in words.split()}
        self._ids: dict[str, int] = {}
        self.name = f"static:{families}"

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [[self._ids.setdefault(word, len(self._ids)) for word in _WORD.findall(t.lower())] for t in texts]

    def mean(self, ids: Sequence[int], weights: Floats | None = None) -> Floats:
        known = {number: word for word, number in self._ids.items()}
        rows = [self._word(known[number]) for number in ids]
        given = np.ones(len(rows), np.float32) if weights is None else weights
        if not rows or not given.sum():
            return np.zeros(self.dims, np.float32)
        mean: Floats = (np.stack(rows) * given[:, None]).sum(0) / given.sum()
        return mean

    def words(self, words: Sequence[str]) -> Floats:
        return np.stack([self._word(word) for word in words])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002  # the port's
        means = np.stack([self.mean(ids) for ids in self.tokens(texts)])
        found: Floats = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        return found

    def _word(self, word: str) -> Floats:
        found = np.zeros(self.dims, np.float32)
        found[self._family.get(word, self.dims - 1)] = 1
        return found


class Broken(Table):
    """An embedder that does not answer."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002  # the port's
        raise Unavailable("The embedder did not answer.")


def embedded(table: Table, *said: str, **given: object) -> RamShelf:
    """A shelf with the table's vectors."""
    texts = [text(row, each, **given) for row, each in enumerate(said)]
    return RamShelf(texts, vectors={table.name: table.embed(said)}, tokens=table.tokens(said))
