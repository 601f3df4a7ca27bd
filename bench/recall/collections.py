"""Made-up collections of what was said, in an index on disk, written by the index's own writer."""

import sys
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from holdfast.core.embedder import Floats
from holdfast.core.passage_store import SAID, Vector
from holdfast.core.search import Change, Spoken
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.terms import split_terms

VOCABULARY = 30_000
NAMES_IN_PASSAGE = 2
PASSAGES_OF_NAME = 40
WORDS_IN_PASSAGE = 30
PASSAGES_IN_GROUP = 20
AT_ONCE = 2_000
SCALE = 127
SYLLABLES = tuple(f"{first}{second}" for first in "bdfgklmnprst" for second in "aeiou")[:20]
WORDS = [f"{a}{b}{c}{d}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES for d in SYLLABLES[:4]][:VOCABULARY]

Ints = npt.NDArray[np.int64]


class Made:
    """A static embedder of made-up words, one token each. Names are words too."""

    name, dims = "static:made", 256

    def __init__(self, size: int) -> None:
        called = [f"name{number}" for number in range(size * NAMES_IN_PASSAGE // PASSAGES_OF_NAME + 1)]
        self.known = [*WORDS, *called]
        self.vocabulary = len(self.known)
        self._ids = {word: place for place, word in enumerate(self.known)}
        found = np.random.default_rng(7).standard_normal((self.vocabulary, self.dims)).astype(np.float32)
        self._table: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [[self._ids[word] for word in text.lower().split() if word in self._ids] for text in texts]

    def mean(self, ids: Sequence[int], weights: Floats | None = None) -> Floats:
        found: Floats = np.average(self._table[list(ids)], axis=0, weights=weights).astype(np.float32)
        return found

    def words(self, words: Sequence[str]) -> Floats:
        found: Floats = self._table[[self._ids.get(word, 0) for word in words]]
        return found

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002  # the port's
        return self.means(np.array(self.tokens(texts)))

    def means(self, ids: Ints) -> Floats:
        """Unit vectors of texts of one length."""
        means = self._table[ids].mean(1)
        found: Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return found


def build(path: str, size: int) -> tuple[SqliteIndex, Made, list[str]]:
    """An index of so many passages with their vectors, its embedder, and questions to ask of it."""
    index, static, questions = SqliteIndex.fresh(path), Made(size), []
    stems = {word: tuple(split_terms(word)) for word in static.known}
    chance = np.random.default_rng(11)
    for start in range(0, size, AT_ONCE):
        ids = _ids(chance, min(AT_ONCE, size - start), static.vocabulary)
        said = [[static.known[each] for each in row] for row in ids.tolist()]
        index.apply(Change(spoken=tuple(_spoken(start + at, each, stems) for at, each in enumerate(said))))
        index.put_vectors(SAID, static.name, list(_vectors(start, ids, static)))
        questions += [_question(chance, each) for each in said[:: max(1, AT_ONCE * 400 // size)]]
        _progress(start + len(said), size)
    chance.shuffle(questions)
    return index, static, questions


def _ids(chance: np.random.Generator, count: int, vocabulary: int) -> Ints:
    """Names, then words as often as words are used (Zipf)."""
    names = chance.integers(VOCABULARY, vocabulary, (count, NAMES_IN_PASSAGE))
    shares = np.cumsum(1 / (np.arange(VOCABULARY) + 10))
    words = np.searchsorted(shares, chance.random((count, WORDS_IN_PASSAGE)) * shares[-1])
    return np.concatenate([names, np.minimum(words, VOCABULARY - 1)], axis=1)


def _spoken(number: int, said: Sequence[str], stems: dict[str, tuple[str, ...]]) -> Spoken:
    return Spoken(
        kind="turn",
        id=f"E{number}",
        part=0,
        group=f"s{number // PASSAGES_IN_GROUP}",
        ts="2026-11-15T09:00:00.000Z",
        client="codex",
        said_by="user" if number % 2 else "agent",
        text=" ".join(said),
        terms=tuple(term for word in said for term in stems[word]),
        names=tuple(dict.fromkeys(said[:NAMES_IN_PASSAGE])),
    )


def _vectors(start: int, ids: Ints, static: Made) -> Iterator[Vector]:
    whole = np.clip(np.rint(static.means(ids) * SCALE), -SCALE, SCALE).astype(np.int8)
    for at, (data, tokens) in enumerate(zip(whole, ids.tolist(), strict=True)):
        yield Vector(row=start + at + 1, data=data.tobytes(), tokens=tuple(tokens))


def _question(chance: np.random.Generator, said: Sequence[str]) -> str:
    """Some of a passage's words and others, a common one and a name among them."""
    some = chance.choice(np.array(said[NAMES_IN_PASSAGE:]), 4, replace=False).tolist()
    return " ".join([said[0], *some, WORDS[3], *(WORDS[each] for each in chance.integers(0, VOCABULARY, 2))])


def _progress(done: int, size: int) -> None:
    if sys.stderr.isatty() or done % 100_000 == 0:
        print(f"\r{done:,} of {size:,} passages", end="" if done < size else "\n", file=sys.stderr, flush=True)
