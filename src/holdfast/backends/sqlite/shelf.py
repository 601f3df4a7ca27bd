"""A collection of the index (memories, or what was said) as the lanes of recall need it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import apsw
import numpy as np

from holdfast.backends.sqlite.places import MEMORY, TABLES, group_number
from holdfast.backends.sqlite.rows import loads
from holdfast.domain.jsonform import from_json
from holdfast.ports.embed import Floats
from holdfast.ports.shelf import Text, Totals

AT_ONCE = 400
_WORD = re.compile("[a-z0-9]+")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")


class SqliteShelf:
    """One collection, as it is now; vectors are read once and kept for as long as this lives."""

    def __init__(self, db: apsw.Connection, place: str) -> None:
        self._db = db
        self._place = place
        self._tables = TABLES[place]
        self._held: dict[str, tuple[list[int], dict[int, int], Floats]] = {}

    def totals(self) -> Totals:
        """How much there is."""
        return self._totals

    @cached_property
    def _totals(self) -> Totals:
        groups = "count(*)" if self._place == MEMORY else 'count(DISTINCT "group")'
        passages, found = self._one(f"SELECT count(*), {groups} FROM {self._tables.rows}")  # noqa: S608 -- tables are ours
        (terms,) = self._one(f"SELECT coalesce(sum(cnt), 0) FROM {self._tables.vocabulary}")  # noqa: S608 -- tables are ours
        return Totals(passages=int(passages), terms=int(terms), groups=int(found))

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term stands."""
        asked = f"SELECT doc FROM {self._tables.vocabulary} WHERE term = ?"  # noqa: S608 -- tables are ours
        return {term: int(self._db.execute(asked, (term,)).get or 0) for term in terms}

    def by_words(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """The rows that hold any of these terms, best first by BM25, equal ones by row."""
        if not terms or limit <= 0:
            return ()
        match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in terms)
        words = self._tables.words
        statement = f"SELECT rowid FROM {words} WHERE {words} MATCH ? ORDER BY rank, rowid LIMIT ?"  # noqa: S608 -- tables are ours
        return [row for (row,) in self._db.execute(statement, (match, limit))]

    def by_vector(self, model: str, vector: Floats, limit: int) -> Sequence[int]:
        """The rows whose vectors are nearest, best first; exact."""
        rows, _, held = self._vectors(model)
        if not rows or limit <= 0:
            return ()
        cosines = held @ vector
        most = min(limit, len(rows))
        best = np.argpartition(-cosines, most - 1)[:most]
        ordered = best[np.lexsort((best, -cosines[best]))]
        return [rows[place] for place in ordered.tolist()]

    def vectors(self, model: str, rows: Sequence[int]) -> Floats | None:
        """Their unit vectors, one per row; zeros where there is none."""
        known, places, held = self._vectors(model)
        if not known:
            return None
        found = np.zeros((len(rows), held.shape[1]), np.float32)
        there = [(at, places[row]) for at, row in enumerate(rows) if row in places]
        if there:
            into, out_of = zip(*there, strict=True)
            found[list(into)] = held[list(out_of)]
        return found

    def mean_vector(self, model: str) -> Floats | None:
        """The mean of all vectors of a model."""
        rows, _, held = self._vectors(model)
        mean: Floats | None = held.mean(0) if rows else None
        return mean

    def token_counts(self, tokens: Sequence[int]) -> Sequence[int]:
        """In how many passages each of the static embedder's tokens stands."""
        asked = "SELECT coalesce(sum(count), 0) FROM token WHERE place = ? AND token = ?"
        return [int(self._db.execute(asked, (self._place, token)).get or 0) for token in tokens]

    def texts(self, rows: Iterable[int]) -> Mapping[int, Text]:
        """Passages by their rows; those that are gone are left out."""
        read = self._memories if self._place == MEMORY else self._turns
        return {text.row: text for some in _batches(rows) for text in read(some)}

    def around(self, rows: Iterable[int], before: int, after: int) -> Mapping[int, Sequence[int]]:
        """For each row, its neighbours in the group from `before` places before it to `after` after it, itself too."""
        wanted = list(rows)
        if self._place == MEMORY:
            return {row: (row,) for row in wanted}
        near = 'SELECT row FROM spoken WHERE "group" = ? AND row {} ? ORDER BY row {} LIMIT ?'
        found: dict[int, Sequence[int]] = {}
        for row in wanted:
            group = self._db.execute('SELECT "group" FROM spoken WHERE row = ?', (row,)).get
            if group is None:
                continue
            earlier = [each for (each,) in self._db.execute(near.format("<", "DESC"), (group, row, before))]
            later = [each for (each,) in self._db.execute(near.format(">", "ASC"), (group, row, after))]
            found[row] = (*reversed(earlier), row, *later)
        return found

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that passages mention."""
        found: dict[int, list[str]] = defaultdict(list)
        for some in _batches(rows):
            statement = (
                f"SELECT row, name FROM mention WHERE place = ? AND row IN ({_numbers(some)}) ORDER BY row, name"  # noqa: S608 -- tables are ours
            )
            for row, name in self._db.execute(statement, (self._place,)):
                found[row].append(name)
        return found

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, at most so many of each."""
        statement = "SELECT row FROM mention WHERE place = ? AND name = ? ORDER BY row LIMIT ?"
        found = {name: [row for (row,) in self._db.execute(statement, (self._place, name, limit))] for name in names}
        return {name: rows for name, rows in found.items() if rows}

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
        statement = 'SELECT count(DISTINCT "group") FROM mention WHERE place = ? AND name = ?'
        found = {name: int(self._db.execute(statement, (self._place, name)).get or 0) for name in names}
        return {name: count for name, count in found.items() if count}

    def _memories(self, rows: Sequence[int]) -> Iterator[Text]:
        statement = f"SELECT row, data, title, body, tags FROM passage WHERE row IN ({_numbers(rows)})"  # noqa: S608 -- tables are ours
        for row, data, title, body, tags in self._db.execute(statement):
            memory = from_json(loads(data))
            said = f"{memory.title} {memory.body} {memory.question} {memory.choice} {memory.fact}"
            terms = (*title.split(), *body.split(), *tags.split())
            yield _text(row, row, 0, str(memory.said_by), memory.title, terms, said, memory.updated)

    def _turns(self, rows: Sequence[int]) -> Iterator[Text]:
        statement = f'SELECT row, "group", said_by, text, terms, ts FROM spoken WHERE row IN ({_numbers(rows)})'  # noqa: S608 -- tables are ours
        for row, group, said_by, text, terms, ts in self._db.execute(statement):
            yield _text(row, group_number(group), row, said_by, "", tuple(terms.split()), text, ts)

    def _vectors(self, model: str) -> tuple[list[int], dict[int, int], Floats]:
        if model not in self._held:
            statement = "SELECT row, data FROM vector WHERE place = ? AND model = ? ORDER BY row"
            found: list[tuple[int, bytes]] = list(self._db.execute(statement, (self._place, model)))
            rows = [row for row, _ in found]
            data = np.frombuffer(b"".join(data for _, data in found), np.int8)
            whole: Floats = data.reshape(len(rows), -1).astype(np.float32) if rows else np.zeros((0, 1), np.float32)
            lengths = np.sqrt((whole * whole).sum(1, keepdims=True))
            held: Floats = (whole / np.where(lengths > 0, lengths, 1)).astype(np.float32)
            self._held[model] = rows, {row: place for place, row in enumerate(rows)}, held
        return self._held[model]

    def _one(self, statement: str) -> tuple[Any, ...]:
        return self._db.execute(statement).fetchone() or ()


def _text(  # noqa: PLR0913  # a row's columns
    row: int, group: int, at: int, said_by: str, title: str, terms: tuple[str, ...], said: str, ts: str
) -> Text:
    low = said.lower()
    ends = _SENTENCE_END.findall(said)
    return Text(
        row=row,
        group=group,
        at=at,
        said_by=said_by,
        title=title,
        terms=terms,
        words=tuple(dict.fromkeys(_WORD.findall(low))),
        asks=sum("?" in end for end in ends) / len(ends) if ends else 0.0,
        length=len(said.split()),
        ts=ts,
    )


def _numbers(rows: Sequence[int]) -> str:
    return ",".join(str(int(row)) for row in rows)


def _batches(rows: Iterable[int]) -> Iterator[list[int]]:
    waiting = iter(rows)
    while some := list(islice(waiting, AT_ONCE)):
        yield some
