"""A collection of the index (memories, or what was said) as the lanes of recall need it."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

import apsw

from holdfast.core.shelf import UNSIGNED, Text, Totals, number_of
from holdfast.index.sqlite import term_counts
from holdfast.index.sqlite.collections import MEMORY, SAID, TABLES
from holdfast.index.sqlite.term_counts import BETWEEN, FIRST, dumps

if TYPE_CHECKING:
    from holdfast.core.embedder import Floats
    from holdfast.index.sqlite.held_vectors import ModelVectors

_TEXTS = {
    MEMORY: "row, row, 0, said_by, as_titled, spelled, asks, length, ts, numbers, length(numbers) / 4 FROM passage",
    SAID: "row, number, row, said_by, '', spelled, asks, length, ts, numbers, length(numbers) / 4 FROM spoken",
}
_CUT = {MEMORY: "title || ' ' || body || ' ' || tags, plain FROM passage", SAID: "terms, plain FROM spoken"}
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
        self._held: dict[str, ModelVectors] = {}
        self._leaves: dict[int, PassageRow] = {}
        self._naming: dict[int, Sequence[str]] = {}
        self._names: dict[str, tuple[int, bytes] | None] = {}
        # Not of this object: leaves that hold what holds them would stay until Python looks for cycles.
        self._cut = partial(_terms_and_words, db, place)

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
        return term_counts.count_terms(self._db, self._place, terms)

    def by_words(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """The rows that hold any of these terms, best first by BM25, equal ones by row."""
        if not terms or limit <= 0:
            return ()
        match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in terms)
        words = self._tables.words
        statement = f"SELECT rowid FROM {words} WHERE {words} MATCH ? ORDER BY rank, rowid LIMIT ?"  # noqa: S608 -- tables are ours
        return [row for (row,) in self._db.execute(statement, (match, limit))]

    def by_vector(self, model: str, vector: "Floats", limit: int) -> Sequence[int]:
        """The rows whose vectors are nearest, best first; in large collections the best that codes lead to."""
        return self._vectors(model).nearest(vector, limit)

    def vectors(self, model: str, rows: Sequence[int]) -> "Floats | None":
        """Their unit vectors, one per row; zeros where there is none."""
        return self._vectors(model).of(rows)

    def mean_vector(self, model: str) -> "Floats | None":
        """The mean of all vectors of a model."""
        return self._vectors(model).mean

    def vectors_at_hand(self, model: str) -> int:
        """How many vectors of a model are in memory."""
        return self._vectors(model).size

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
        self._read(set(wanted) - self._leaves.keys())
        there = self._leaves
        return {row: cast("Text", there[row]) for row in wanted if row in there}

    def holding(self, rows: Sequence[int], terms: Sequence[str]) -> Mapping[int, Mapping[str, int]]:
        """How often terms stand in passages; rows that hold none of them are left out."""
        self._read(set(rows) - self._leaves.keys())
        there = [leaf for row in rows if (leaf := self._leaves.get(row)) is not None and leaf.size]
        if not there or not terms:
            return {}
        asked = {number_of(term): term for term in terms}
        found: dict[int, dict[str, int]] = defaultdict(dict)
        for leaf in there:
            held = array(UNSIGNED, leaf[9])
            for number in asked.keys() & set(held):
                found[leaf.row][asked[number]] = held.count(number)
        return found

    def around(self, rows: Iterable[int], before: int, after: int) -> Mapping[int, Sequence[int]]:
        """For each row, its neighbours in the group from `before` places before it to `after` after it, itself too."""
        wanted = list(rows)
        if self._place == MEMORY:
            return {row: (row,) for row in wanted}
        self._read({near for row in wanted for near in range(row - before, row + after + 1)} - self._leaves.keys())
        found = {row: self._beside(row, before, after) for row in wanted if row in self._leaves}
        apart = [row for row, window in found.items() if window is None]
        sought = self._db.execute(_neighbour_sql(before, after), (dumps(apart),)) if apart else ()
        told = {row: tuple(near for near in window if near is not None) for row, *window in sought}
        return {row: window if window is not None else told[row] for row, window in found.items()}

    def _beside(self, row: int, before: int, after: int) -> Sequence[int] | None:
        """The neighbours where they have the numbers beside the row's, as mostly they do; None where one has another.

        A group goes by its first row: there is nothing before it.
        """
        leaves = self._leaves
        group = leaves[row].group
        start, end = max(row - before, group), row + after + 1
        for near in range(start, end):
            if near not in leaves or leaves[near].group != group:
                return None
        return tuple(range(start, end))

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that passages mention."""
        wanted, known, table = list(rows), self._naming, self._tables.rows
        new = [row for row in wanted if row not in known]
        if new:
            statement = f"""
                SELECT row, names FROM json_each(?) AS wanted CROSS JOIN {table} ON {table}.row = wanted.value
                WHERE names != ''
            """  # noqa: S608 -- tables are ours
            known |= dict.fromkeys(new, ())
            known |= {row: names.split(BETWEEN) for row, names in self._db.execute(statement, (dumps(new),))}
        return {row: names for row in wanted if (names := known[row])}

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, at most so many of each; one that has it for a title comes first."""
        if limit > FIRST:
            # More rows than stand beside a name are hardly ever wanted.
            return {name: rows[:limit] for name, rows in self._all_named(names).items()}
        end = NUMBER * max(0, limit)
        found = ((name, first[:end]) for name, (_, first) in self._known(names).items())
        return {name: array(UNSIGNED, first) for name, first in found if first}

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
        return {name: groups for name, (groups, _) in self._known(names).items()}

    def _all_named(self, names: Iterable[str]) -> Mapping[str, Sequence[int]]:
        statement = f"""
            SELECT wanted.value, {_ALL_ROWS} FROM json_each(?1) AS wanted
            CROSS JOIN name ON name.place = ?2 AND name.name = wanted.value
        """  # noqa: S608 -- columns are ours
        found = self._db.execute(statement, (dumps(list(names)), self._place))
        return {name: [*map(int, rows.split(","))] for name, rows in found if rows}

    def _known(self, names: Iterable[str]) -> Mapping[str, tuple[int, bytes]]:
        """Names with the number of groups that mention them and their first rows: who asks for one wants the other."""
        wanted, known = list(names), self._names
        new = [name for name in wanted if name not in known]
        if new:
            statement = """
                SELECT wanted.value, groups, first FROM json_each(?) AS wanted
                CROSS JOIN name ON name.place = ? AND name.name = wanted.value
            """
            known |= dict.fromkeys(new)
            found = self._db.execute(statement, (dumps(new), self._place))
            known |= {name: (groups, first) for name, groups, first in found}
        return {name: told for name in wanted if (told := known[name]) is not None}

    def _read(self, rows: Collection[int]) -> None:
        if not rows:
            return
        columns, _, table = _TEXTS[self._place].partition(" FROM ")
        statement = f"SELECT {columns} FROM json_each(?) AS wanted CROSS JOIN {table} ON {table}.row = wanted.value"  # noqa: S608 -- ours
        found, cut = self._db.execute(statement, (dumps(sorted(rows)),)), self._cut
        self._leaves |= {row[0]: PassageRow((*row, cut)) for row in found}

    def _vectors(self, model: str) -> "ModelVectors":
        if model not in self._held:
            # Needs numpy: an install for words alone has none, and asks for no vectors.
            from holdfast.index.sqlite.held_vectors import load_vectors

            self._held[model] = load_vectors(self._db, self._place, model)
        return self._held[model]


def _terms_and_words(db: apsw.Connection, place: str, row: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms of a passage and its words."""
    terms, words = db.execute(f"SELECT {_CUT[place]} WHERE row = ?", (row,)).fetchone() or ("", "")
    return tuple(terms.split()), tuple(words.split())


class PassageRow(tuple[Any, ...]):
    """A passage as its row has it, with all that a `Text` has; words and terms are read when they are asked for."""

    __slots__ = ()
    row = property(itemgetter(0))
    group = property(itemgetter(1))
    at = property(itemgetter(2))
    said_by = property(itemgetter(3))
    title = property(itemgetter(4))
    spelled = property(itemgetter(5))
    asks = property(itemgetter(6))
    length = property(itemgetter(7))
    ts = property(itemgetter(8))
    size = property(itemgetter(10))

    @property
    def words(self) -> tuple[str, ...]:
        """The plain words, each once."""
        found: tuple[str, ...] = self[11](self[0])[1]
        return found

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms, in order."""
        found: tuple[str, ...] = self[11](self[0])[0]
        return found


@cache
def _neighbour_sql(before: int, after: int) -> str:
    """SQL for so many rows of the group before and after: each is looked up from the one beside it."""
    parts, columns = "here.row AS at0, here.number AS number", ["at0"]
    inner = f"SELECT {parts} FROM json_each(?) AS wanted CROSS JOIN spoken AS here ON here.row = wanted.value"  # noqa: S608 -- ours
    for step, (sign, most) in enumerate([("<", "max")] * before + [(">", "min")] * after, 1):
        start = "at0" if step in (1, before + 1) else f"at{step - 1}"
        look = f"(SELECT {most}(row) FROM spoken WHERE spoken.number = near.number AND row {sign} near.{start})"  # noqa: S608 -- ours
        inner = f"SELECT near.*, {look} AS at{step} FROM ({inner}) AS near"  # noqa: S608 -- ours
        columns.insert(0, f"at{step}") if sign == "<" else columns.append(f"at{step}")
    return f"SELECT at0, {', '.join(columns)} FROM ({inner})"  # noqa: S608 -- ours
