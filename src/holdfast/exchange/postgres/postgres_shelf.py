"""The memories of the index as the lanes of recall need them."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from holdfast.core.embedder import Floats
from holdfast.core.shelf import Text, Totals
from holdfast.exchange.postgres import collection_counts, postgres_vectors
from holdfast.exchange.postgres.bm25 import weigh_rows
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.index_rows import split_names, strip_unstorable
from holdfast.exchange.postgres.postings import Numbers, TermPostings, load_postings

_TEXTS = "SELECT row, row, 0, said_by, title, worded, plain, asks, length, ts FROM passage"


class PostgresShelf:
    """One collection, as it is now. Passages that were read are kept for as long as the shelf is."""

    def __init__(self, space: DatabaseSpace, place: str) -> None:
        self._space = space
        self._place = place
        self._known: dict[int, Text | None] = {}

    def totals(self) -> Totals:
        """How much there is."""
        with self._space.reading() as cursor:
            passages, terms, groups = collection_counts.read_totals(cursor, self._space, self._place)
        return Totals(passages=passages, terms=terms, groups=groups)

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term stands."""
        with self._space.reading() as cursor:
            return collection_counts.count_terms(cursor, self._space, self._place, terms)[0]

    def by_words(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """The rows that hold any of these terms, best first by BM25, equal ones by row."""
        if not terms or limit <= 0:
            return ()
        with self._space.reading() as cursor:
            best = next(weigh_rows(cursor, self._space, self._place, terms).looks(limit), ())
        return [row for _, row in best[:limit]]

    def by_vector(self, model: str, vector: Floats, limit: int) -> Sequence[int]:
        """The rows whose vectors are nearest, best first; in large collections the best that HNSW leads to."""
        with self._space.reading() as cursor:
            return postgres_vectors.nearest_rows(cursor, self._space, self._place, model, vector, limit)

    def vectors(self, model: str, rows: Sequence[int]) -> Floats | None:
        """Their unit vectors, one per row; zeros where there is none."""
        with self._space.reading() as cursor:
            return postgres_vectors.load_vectors(cursor, self._space, self._place, model, rows)

    def mean_vector(self, model: str) -> Floats | None:
        """The mean of all vectors of a model."""
        with self._space.reading() as cursor:
            return postgres_vectors.vector_stats(cursor, self._space, self._place, model)[2]

    def vectors_at_hand(self, model: str) -> int:  # noqa: ARG002 -- the port's
        """None is in this process: the database looks them through."""
        return 0

    def token_counts(self, tokens: Sequence[int]) -> Sequence[int]:
        """In how many passages each of the static embedder's tokens stands."""
        with self._space.reading() as cursor:
            return postgres_vectors.count_tokens(cursor, self._space, self._place, tokens)

    def texts(self, rows: Iterable[int]) -> Mapping[int, Text]:
        """Passages by their rows; those that are gone are left out."""
        wanted = list(rows)
        new = [row for row in dict.fromkeys(wanted) if row not in self._known]
        if new:
            with self._space.reading() as cursor:
                self._known |= dict.fromkeys(new) | self._read(cursor, new)
        return {row: text for row in wanted if (text := self._known[row]) is not None}

    def holding(self, rows: Sequence[int], terms: Sequence[str]) -> Mapping[int, Mapping[str, int]]:
        """How often terms stand in passages; rows that hold none of them are left out."""
        wanted = frozenset(terms)
        held = self.texts(rows) if terms else {}
        found = {row: wanted.intersection(text.terms) for row, text in held.items()}
        return {row: {term: held[row].terms.count(term) for term in each} for row, each in found.items() if each}

    def around(self, rows: Iterable[int], before: int, after: int) -> Mapping[int, Sequence[int]]:
        """For each row itself: a memory is a group of its own."""
        del before, after
        return {row: (row,) for row in rows}

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that passages mention."""
        wanted = list(rows)
        asked = "SELECT row, names FROM passage WHERE space = %s AND row = ANY (%s)"
        with self._space.reading() as cursor:
            found = {int(row): split_names(names) for row, names in
                     cursor.execute(asked, (self._space.id, wanted)) if names}  # fmt: skip
        return {row: found[row] for row in wanted if row in found}

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, at most so many of each; one that has it for a title comes first."""
        most = max(0, limit)
        return {name: _order_rows(each).tolist()[:most] for name, each in self._mentions(names).items() if most}

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
        return {name: len(np.unique(each.details >> 1)) for name, each in self._mentions(names).items()}

    def _mentions(self, names: Iterable[str]) -> dict[str, TermPostings]:
        wanted = {strip_unstorable(name): name for name in names}
        with self._space.reading() as cursor:
            found = load_postings(cursor, self._space, self._place + collection_counts.NAMES, wanted)
        return {name: found[kept] for kept, name in wanted.items() if kept in found}

    def _read(self, cursor: Cursor, rows: Sequence[int]) -> dict[int, Text | None]:
        statement = f"{_TEXTS} WHERE space = %s AND row = ANY (%s)"
        found: dict[int, Text | None] = {}
        for row, group, at, said_by, title, worded, plain, asks, length, ts in cursor.execute(
            statement.encode(), (self._space.id, list(rows))
        ):
            found[int(row)] = Text(
                row=row, group=group, at=at, said_by=said_by, title=title, terms=tuple(worded.split()),
                words=tuple(plain.split()), asks=float(asks), length=length, ts=ts,
            )  # fmt: skip
        return found


def _order_rows(name: TermPostings) -> Numbers:
    """The rows that mention a name: those that are called so come first."""
    return name.rows[np.lexsort((name.rows, name.details & 1))]
