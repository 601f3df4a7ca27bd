"""Small shelves, and an embedder whose vectors are written down."""

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from tests.index_values import entry, put

from holdfast.core.embedder import Floats
from holdfast.core.errors import Unavailable
from holdfast.core.passage_store import MEMORY, SAID, Vector
from holdfast.core.search import Change, Spoken
from holdfast.core.shelf import Text
from holdfast.core.value import replace
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf
from holdfast.index.terms import split_terms

SCALE = 127
_WORD = re.compile("[a-z0-9]+")
_NUMBERS = count(1)


def text(row: int, said: str, **given: object) -> Text:
    """A passage as lanes see it; alone in its group, unless told otherwise."""
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


def turn(said: str, *, group: str = "", **given: Any) -> Spoken:
    """Something said; alone in its session, unless told otherwise."""
    name = f"E{next(_NUMBERS)}"
    made = Spoken(
        kind="turn", id=name, part=0, group=group or name, ts="", client="codex", said_by="", text=said,
        terms=tuple(split_terms(said)),
    )  # fmt: skip
    return replace(made, **given)


def held(*turns: Spoken, **vectors: "Table") -> SqliteShelf:
    """A shelf of what was said, in rows from 1; `vectors` are the tables that give each its own."""
    store = SqliteIndex.open(":memory:")
    store.apply(Change(spoken=turns))
    for table in vectors.values():
        _give(store, SAID, table, [each.text for each in turns])
    return SqliteShelf(store.connection, SAID)


def titled(*memories: tuple[str, str], ts: Sequence[str] = (), **vectors: "Table") -> SqliteShelf:
    """A shelf of memories, in rows from 1, each a title and a body."""
    store = SqliteIndex.open(":memory:")
    for at, (title, body) in enumerate(memories):
        put(store, entry(f"DEC-{at:06}", title=title, body=body, updated=ts[at] if ts else ""))
    for table in vectors.values():
        _give(store, MEMORY, table, [f"{title} {body}" for title, body in memories])
    return SqliteShelf(store.connection, MEMORY)


def shelf(*said: str, names: Mapping[int, Sequence[str]] | None = None, **given: Any) -> SqliteShelf:
    """What was said, in rows from 1; `given` holds for all of it."""
    return held(*_turns(said, names or {}, given))


def _turns(said: Sequence[str], names: Mapping[int, Sequence[str]], given: Mapping[str, Any]) -> list[Spoken]:
    return [turn(each, names=tuple(names.get(row, ())), **given) for row, each in enumerate(said, 1)]


def _give(store: SqliteIndex, place: str, table: "Table", texts: Sequence[str]) -> None:
    """The table's vectors, as the index keeps them."""
    whole = np.rint(table.embed(texts) * SCALE).astype(np.int8)
    pairs = zip(whole, table.tokens(texts), strict=True)
    store.put_vectors(
        place,
        table.name,
        [Vector(row=row, data=data.tobytes(), tokens=tuple(ids)) for row, (data, ids) in enumerate(pairs, 1)],
    )


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


def embedded(table: Table, *said: str, names: Mapping[int, Sequence[str]] | None = None, **given: Any) -> SqliteShelf:
    """What was said, with the table's vectors."""
    return held(*_turns(said, names or {}, given), table=table)
