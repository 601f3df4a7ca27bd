"""A collection of the index (memories, or what was said) as the lanes of recall need it."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, cast

import apsw
import numpy as np

from holdfast.backends.sqlite import counts
from holdfast.backends.sqlite.counts import BETWEEN, FIRST, dumps
from holdfast.backends.sqlite.held import Held, held
from holdfast.backends.sqlite.places import MEMORY, SAID, TABLES
from holdfast.backends.sqlite.reading import UNSIGNED, number
from holdfast.ports.embed import Floats
from holdfast.ports.shelf import Text, Totals

_TEXTS = {
    MEMORY: "row, row, 0, said_by, as_titled, plain, asks, length, ts, numbers FROM passage",
    SAID: "row, number, row, said_by, '', plain, asks, length, ts, numbers FROM spoken",
}
_TERMS = {MEMORY: "title || ' ' || body || ' ' || tags FROM passage", SAID: "terms FROM spoken"}
NUMBER = array(UNSIGNED).itemsize
_ALL_ROWS = """
    (SELECT group_concat(row) FROM (SELECT row FROM mention WHERE mention.name = name.number ORDER BY later, row))
"""


class SqliteShelf:
    """One collection, as it is now. Vectors are those of the moment they are first asked for."""

    def __init__(self, db: apsw.Connection, place: str) -> None:
        self._db = db
        self._place = place
        self._tables = TABLES[place]
        self._held: dict[str, Held] = {}
        self._leaves: dict[int, Leaf] = {}

    def totals(self) -> Totals:
        """How much there is."""
        return self._totals

    @cached_property
    def _totals(self) -> Totals:
        statement = "SELECT passages, terms, groups FROM total WHERE place = ?"
        passages, terms, groups = self._db.execute(statement, (self._place,)).fetchone() or (0, 0, 0)
        return Totals(passages=int(passages), terms=int(terms), groups=int(groups))

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term stands."""
        return counts.frequencies(self._db, self._place, terms)

    def by_words(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """The rows that hold any of these terms, best first by BM25, equal ones by row."""
        if not terms or limit <= 0:
            return ()
        match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in terms)
        words = self._tables.words
        statement = f"SELECT rowid FROM {words} WHERE {words} MATCH ? ORDER BY rank, rowid LIMIT ?"  # noqa: S608 -- tables are ours
        return [row for (row,) in self._db.execute(statement, (match, limit))]

    def by_vector(self, model: str, vector: Floats, limit: int) -> Sequence[int]:
        """The rows whose vectors are nearest, best first; in large collections the best that codes lead to."""
        return self._vectors(model).nearest(vector, limit)

    def vectors(self, model: str, rows: Sequence[int]) -> Floats | None:
        """Their unit vectors, one per row; zeros where there is none."""
        return self._vectors(model).of(rows)

    def mean_vector(self, model: str) -> Floats | None:
        """The mean of all vectors of a model."""
        return self._vectors(model).mean

    def token_counts(self, tokens: Sequence[int]) -> Sequence[int]:
        """In how many passages each of the static embedder's tokens stands."""
        statement = """
            SELECT token.token, sum(count) FROM json_each(?) AS wanted
            CROSS JOIN token ON token.place = ? AND token.token = wanted.value GROUP BY token.token
        """
        found = dict(self._db.execute(statement, (dumps(list(dict.fromkeys(tokens))), self._place)))
        return [int(found.get(token, 0)) for token in tokens]

    def texts(self, rows: Iterable[int]) -> Mapping[int, Text]:
        """Passages by their rows; those that are gone are left out."""
        wanted = list(rows)
        self._read([row for row in wanted if row not in self._leaves])
        there = self._leaves
        return {row: cast("Text", there[row]) for row in wanted if row in there}

    def holding(self, rows: Sequence[int], terms: Sequence[str]) -> Mapping[int, Mapping[str, int]]:
        """How often terms stand in passages; rows that hold none of them are left out."""
        leaves = [*self.texts(rows).values()]
        there = [leaf for leaf in leaves if leaf.size]
        if not there or not terms:
            return {}
        held = np.frombuffer(b"".join(leaf[9] for leaf in there), np.uint32)  # type: ignore[index]  # leaves
        starts = np.cumsum([0, *(leaf.size for leaf in there[:-1])])
        found: dict[int, dict[str, int]] = defaultdict(dict)
        for term in terms:
            times = np.add.reduceat(held == number(term), starts, dtype=np.intp)
            for place in times.nonzero()[0].tolist():
                found[there[place].row][term] = int(times[place])
        return found

    def terms(self, row: int) -> tuple[str, ...]:
        """The terms of a passage."""
        statement = f"SELECT {_TERMS[self._place]} WHERE row = ?"
        return tuple(str(self._db.execute(statement, (row,)).get or "").split())

    def around(self, rows: Iterable[int], before: int, after: int) -> Mapping[int, Sequence[int]]:
        """For each row, its neighbours in the group from `before` places before it to `after` after it, itself too."""
        wanted = list(rows)
        if self._place == MEMORY:
            return {row: (row,) for row in wanted}
        found = self._db.execute(_near(before, after), (dumps(wanted),))
        return {row: tuple(near for near in window if near is not None) for row, *window in found}

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that passages mention."""
        table = self._tables.rows
        statement = f"""
            SELECT row, names FROM json_each(?) AS wanted CROSS JOIN {table} ON {table}.row = wanted.value
            WHERE names != ''
        """  # noqa: S608 -- tables are ours
        return {row: names.split(BETWEEN) for row, names in self._db.execute(statement, (dumps(list(rows)),))}

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, at most so many of each; one that has it for a title comes first."""
        # More rows than stand beside a name are hardly ever wanted.
        rows = "name.first" if limit <= FIRST else _ALL_ROWS
        statement = f"""
            SELECT wanted.value, {rows} FROM json_each(?1) AS wanted
            CROSS JOIN name ON name.place = ?2 AND name.name = wanted.value
        """  # noqa: S608 -- columns are ours
        found = self._db.execute(statement, (dumps(list(names)), self._place))
        return {name: _rows(rows)[: max(0, limit)] for name, rows in found if rows and limit > 0}

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
        statement = """
            SELECT wanted.value, groups FROM json_each(?) AS wanted
            CROSS JOIN name ON name.place = ? AND name.name = wanted.value
        """
        return dict(self._db.execute(statement, (dumps(list(names)), self._place)))

    def _read(self, rows: Sequence[int]) -> None:
        columns, _, table = _TEXTS[self._place].partition(" FROM ")
        statement = f"SELECT {columns} FROM json_each(?) AS wanted CROSS JOIN {table} ON {table}.row = wanted.value"  # noqa: S608 -- ours
        for row in self._db.execute(statement, (dumps(rows),)):
            self._leaves[row[0]] = Leaf((*row, len(row[9]) // NUMBER, self))

    def _vectors(self, model: str) -> Held:
        if model not in self._held:
            self._held[model] = held(self._db, self._place, model)
        return self._held[model]


def _rows(first: bytes | str) -> list[int]:
    return _numbers(first) if isinstance(first, str) else array(UNSIGNED, first).tolist()


def _numbers(joined: str | None) -> list[int]:
    return [*map(int, joined.split(","))] if joined else []


class Leaf(tuple[Any, ...]):
    """A passage as its row has it, with all that a `Text` has; words and terms are cut when they are asked for."""

    __slots__ = ()
    row = property(itemgetter(0))
    group = property(itemgetter(1))
    at = property(itemgetter(2))
    said_by = property(itemgetter(3))
    title = property(itemgetter(4))
    asks = property(itemgetter(6))
    length = property(itemgetter(7))
    ts = property(itemgetter(8))
    size = property(itemgetter(10))

    @property
    def words(self) -> tuple[str, ...]:
        """The plain words, each once."""
        return tuple(self[5].split())

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms, in order: read now, because hardly anybody wants them."""
        shelf: SqliteShelf = self[11]
        return shelf.terms(self[0])


@cache
def _near(before: int, after: int) -> str:
    """SQL for so many rows of the group before and after: each is looked up from the one beside it."""
    parts, columns = "here.row AS at0, here.number AS number", ["at0"]
    inner = f"SELECT {parts} FROM json_each(?) AS wanted CROSS JOIN spoken AS here ON here.row = wanted.value"  # noqa: S608 -- ours
    for step, (sign, most) in enumerate([("<", "max")] * before + [(">", "min")] * after, 1):
        start = "at0" if step in (1, before + 1) else f"at{step - 1}"
        look = f"(SELECT {most}(row) FROM spoken WHERE spoken.number = near.number AND row {sign} near.{start})"  # noqa: S608 -- ours
        inner = f"SELECT near.*, {look} AS at{step} FROM ({inner}) AS near"  # noqa: S608 -- ours
        columns.insert(0, f"at{step}") if sign == "<" else columns.append(f"at{step}")
    return f"SELECT at0, {', '.join(columns)} FROM ({inner})"  # noqa: S608 -- ours
