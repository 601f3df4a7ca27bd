"""The index in PostgreSQL: what SQLite's is for one laptop, for the servers of a team."""

import json
from collections.abc import Iterator, Mapping, Sequence

from holdfast.core.event import Cursor as Place
from holdfast.core.memory import Entry, Problem
from holdfast.core.passage_store import MEMORY, Vector
from holdfast.core.search import Change, Passage, Scored, Select, Source, Supersession, WordQuery
from holdfast.core.shelf import title_name
from holdfast.exchange.postgres import postgres_vectors
from holdfast.exchange.postgres.bm25 import Look, weigh_rows
from holdfast.exchange.postgres.bulk_rows import put_rows
from holdfast.exchange.postgres.collection_counts import (
    PostgresPassageCounts,
    count_groups,
    count_in,
    count_out,
    count_terms,
    counts_of_row,
)
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace, Row
from holdfast.exchange.postgres.index_rows import (
    BODY,
    TAGS,
    TITLE,
    passage_row,
    select_condition,
    split_names,
    strip_unstorable,
    weigh_terms,
)
from holdfast.exchange.postgres.postgres_errors import PostgresDamaged
from holdfast.exchange.postgres.postgres_shelf import PostgresShelf
from holdfast.index.entry_rows import ENTRY, SCOPES, entry_of, link_rows, passages_of, problem_rows

INDEX = "index"
CHANGES = "index changes"
OF_FILES = "space = %s AND (scope, path) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
HELD_BY_FILE = ("passage", "link", "problem")
C = 'COLLATE "C"'
BY_PLACE = f"id {C}, path {C}, scope {C}, line"
PASSAGE = (
    "integer text text text integer text text text boolean text bigint text text text text text text real integer text "
    "text"
)


class PostgresIndex:
    """The passages of memories, in a space's rows."""

    def __init__(self, space: DatabaseSpace) -> None:
        self._space = space
        self._changes = 0

    def sources(self) -> Mapping[tuple[str, str], Source]:
        """Every file the index knows, by scope and path."""
        with self._space.reading() as cursor:
            found = cursor.execute("SELECT scope, path, stamp, sha256 FROM source WHERE space = %s", (self._space.id,))
            return {
                (scope, path): Source(scope=SCOPES[scope], path=path, stamp=stamp, sha256=digest)
                for scope, path, stamp, digest in found
            }

    def cursor(self) -> Place:
        """How far the journal is indexed."""
        segment, offset = self._state("cursor", "0:0").split(":")
        return Place(segment=int(segment), offset=int(offset))

    def synced_to(self) -> int:
        """How far the feed was followed when the index was last up to date with all files; -1 where it never was."""
        with self._space.reading() as cursor:
            self._changes = self._changed(cursor)
        return int(self._state("feed", "-1"))

    def put_synced_to(self, n: int) -> None:
        """The index is up to date with all files as they were at this number of the feed, or after it.

        Not kept where somebody else changed the index since `told`: what they had read may have been older.
        """

        def kept(cursor: Cursor) -> None:
            if self._changed(cursor) == self._changes:
                self._put_state(cursor, "feed", str(n))

        self._space.written(INDEX, kept)

    def apply(self, change: Change) -> None:
        """Bring in what moved among the files, all or none. What was said is not looked for here."""

        def applied(cursor: Cursor) -> None:
            self._put_sources(cursor, change)
            if change.cursor is not None:
                self._put_state(cursor, "cursor", f"{change.cursor.segment}:{change.cursor.offset}")
            self._space.number(cursor, CHANGES)

        self._space.written(INDEX, applied)
        self._changes += 1

    def by_words(self, query: WordQuery) -> Iterator[Scored]:
        """Best first, equal scores by id; entries are read as they are asked for. No terms match nothing."""
        if not query.terms:
            return
        with self._space.reading() as cursor:
            looks = weigh_rows(cursor, self._space, MEMORY, query.terms).looks()
            found = self._meant(cursor, next(looks, ()), query.select)
        yield from found
        for look in looks:
            with self._space.reading() as cursor:
                found = self._meant(cursor, look, query.select)
            yield from found

    def frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many passages each term stands, and how many passages there are."""
        with self._space.reading() as cursor:
            return count_terms(cursor, self._space, MEMORY, terms)

    def select(self, select: Select) -> Sequence[Entry]:
        """The entries meant, by id and then path."""
        where, values = select_condition(select)
        chosen = f"SELECT * FROM passage WHERE space = %(space)s AND {where}"  # noqa: S608 -- columns are ours
        if select.newest:
            chosen += f" ORDER BY updated {C} DESC, id {C} LIMIT {int(select.newest)}"
        statement = f"SELECT {ENTRY} FROM ({chosen}) AS chosen ORDER BY {BY_PLACE}"  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            return [self._entry(row) for row in cursor.execute(statement.encode(), {"space": self._space.id, **values})]

    def shelf(self, place: str) -> PostgresShelf:
        """A collection as the lanes of recall need it."""
        return PostgresShelf(self._space, place)

    def entries(self, rows: Sequence[int]) -> Mapping[int, Entry]:
        """Entries by the rows that a shelf names."""
        statement = f"SELECT row, {ENTRY} FROM passage WHERE space = %s AND row = ANY (%s)"  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            found = cursor.execute(statement.encode(), (self._space.id, list(rows)))
            return {row: self._entry(tuple(rest)) for row, *rest in found}

    def globs(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Where entries hold, by their rows; those that hold everywhere are left out."""
        with self._space.reading() as cursor:
            asked = "SELECT row, data FROM passage WHERE space = %s AND row = ANY (%s) AND scoped"
            found = cursor.execute(asked, (self._space.id, list(rows))).fetchall()
        try:
            return {int(row): tuple(map(str, json.loads(data)["paths"])) for row, data in found}
        except (ValueError, KeyError, TypeError) as error:
            raise PostgresDamaged(str(error)) from error

    def without_vector(self, place: str, model: str, limit: int) -> Sequence[tuple[int, str]]:
        """Passages of a collection that have no vector of a model yet, the newest first, with their words."""
        with self._space.reading() as cursor:
            return postgres_vectors.rows_without_vector(cursor, self._space, place, model, limit)

    def count_without_vector(self, place: str, model: str) -> int:
        """How many passages of a collection have no vector of a model yet."""
        with self._space.reading() as cursor:
            return postgres_vectors.count_without_vector(cursor, self._space, place, model)

    def put_vectors(self, place: str, model: str, vectors: Sequence[Vector]) -> None:
        """Keep vectors of a model, all or none."""
        self._space.written(
            INDEX, lambda cursor: postgres_vectors.put_vectors(cursor, self._space, place, model, vectors)
        )

    def links(self) -> tuple[Sequence[Supersession], Sequence[Problem]]:
        """All supersessions by memories that were accepted, and the problems of the files indexed."""
        links = f"SELECT DISTINCT old {C}, new {C}, since {C} FROM link WHERE space = %s ORDER BY 1, 2, 3"  # noqa: S608 -- ours
        problems = f"""
            SELECT path, line, reason, hint FROM problem WHERE space = %s
            ORDER BY path {C}, line NULLS FIRST, reason {C}
        """  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            found = cursor.execute(links.encode(), (self._space.id,)).fetchall()
            broken = cursor.execute(problems.encode(), (self._space.id,)).fetchall()
        return (
            [Supersession(old=old, new=new, since=since) for old, new, since in found],
            [Problem(path=path, line=line, reason=why, hint=hint) for path, line, why, hint in broken],
        )

    def empty(self) -> None:
        """Throw the index away: it is made from files and journal."""

        def emptied(cursor: Cursor) -> None:
            tables = ("source", "passage", "link", "problem", "event", "spoken", "page", "total", "state")
            for table in (*tables, "term", "posting", "vector", "meaning", "token"):
                cursor.execute(f"DELETE FROM {table} WHERE space = %s".encode(), (self._space.id,))  # noqa: S608 -- tables are ours

        self._space.written(INDEX, emptied)

    def _state(self, key: str, otherwise: str) -> str:
        asked = "SELECT value FROM state WHERE space = %s AND key = %s"
        with self._space.reading() as cursor:
            found = cursor.execute(asked, (self._space.id, key)).fetchone()
        return str(found[0]) if found else otherwise

    def _changed(self, cursor: Cursor) -> int:
        """How often the index was changed."""
        asked = "SELECT value FROM counter WHERE space = %s AND name = %s"
        found = cursor.execute(asked, (self._space.id, CHANGES)).fetchone()
        return int(found[0]) if found else 0

    def _put_state(self, cursor: Cursor, key: str, value: str) -> None:
        put = "INSERT INTO state VALUES (%s, %s, %s) ON CONFLICT (space, key) DO UPDATE SET value = excluded.value"
        cursor.execute(put, (self._space.id, key, value))

    def _entry(self, row: Row) -> Entry:
        try:
            return entry_of(row)
        except (ValueError, KeyError, TypeError) as error:
            raise PostgresDamaged(str(error)) from error

    def _meant(self, cursor: Cursor, look: Look, select: Select) -> Iterator[Scored]:
        """The entries of a look that are meant: best first, equal ones by id and place; parsed when asked for."""
        where, values = select_condition(select)
        asked = f"SELECT row, {ENTRY} FROM passage WHERE space = %(space)s AND row = ANY (%(rows)b) AND {where}"  # noqa: S608 -- columns are ours
        given = {"space": self._space.id, "rows": [row for _, row in look], **values}
        found = {row: tuple(rest) for row, *rest in cursor.execute(asked.encode(), given)}
        ordered = sorted((-score, *_place(found[row]), row) for score, row in look if row in found)
        return (Scored(entry=self._entry(found[row]), score=-score) for score, *_, row in ordered)

    def _put_sources(self, cursor: Cursor, change: Change) -> None:
        replaced = [each.source for each in change.sources if each.passages is not None]
        places = [(str(each.scope), each.path) for each in replaced]
        dropped = [(str(scope), path) for scope, path in change.dropped]
        self._forget_files(cursor, [*places, *dropped])
        if dropped:
            given = (self._space.id, [scope for scope, _ in dropped], [path for _, path in dropped])
            cursor.execute(f"DELETE FROM source WHERE {OF_FILES}".encode(), given)  # noqa: S608 -- ours
        # A file that comes twice is as it was last.
        sources = {(str(s.scope), s.path): (s.stamp, s.sha256) for s in (each.source for each in change.sources)}
        rows = [(*place, *held) for place, held in sources.items()]
        newer = "ON CONFLICT (space, scope, path) DO UPDATE SET stamp = excluded.stamp, sha256 = excluded.sha256"
        put_rows(cursor, self._space, "source", "text text text text", rows, newer)
        self._put_passages(cursor, change)

    def _forget_files(self, cursor: Cursor, places: Sequence[tuple[str, str]]) -> None:
        if not places:
            return
        given = (self._space.id, [scope for scope, _ in places], [path for _, path in places])
        asked = f"SELECT row, worded, names FROM passage WHERE {OF_FILES}"  # noqa: S608 -- ours
        gone = [
            counts_of_row(row, row, worded, split_names(names))
            for row, worded, names in cursor.execute(asked.encode(), given)
        ]
        if gone:
            count_out(cursor, self._space, MEMORY, gone)
            count_groups(cursor, self._space, MEMORY, -len(gone))
            postgres_vectors.forget_vectors(cursor, self._space, MEMORY, [each.row for each in gone])
        for table in HELD_BY_FILE:
            cursor.execute(f"DELETE FROM {table} WHERE {OF_FILES}".encode(), given)  # noqa: S608 -- tables are ours

    def _put_passages(self, cursor: Cursor, change: Change) -> None:
        new, space = list(passages_of(change)), self._space
        if new:
            first = space.number(cursor, "passage", len(new)) - len(new) + 1
            rows = [passage_row(row, each) for row, each in enumerate(new, first)]
            put_rows(cursor, space, "passage", PASSAGE, rows)
            count_in(cursor, space, MEMORY, [_count_passage(row, each) for row, each in enumerate(new, first)])
            count_groups(cursor, space, MEMORY, len(new))
        links = [tuple(map(strip_unstorable, row)) for row in link_rows(change)]
        put_rows(cursor, space, "link", "text text text text text", links)
        put_rows(cursor, space, "problem", "text text integer text text", list(problem_rows(change)))


def _count_passage(row: int, passage: Passage) -> PostgresPassageCounts:
    terms, name = passage.terms, title_name(passage.entry.memory.title)
    weights = weigh_terms((terms.title, TITLE), (terms.body, BODY), (terms.tags, TAGS))
    size = len(terms.title) + len(terms.body) + len(terms.tags)
    return PostgresPassageCounts(row=row, group=row, terms=weights, size=size, names=passage.names, called=name)


def _place(row: Row) -> Row:
    name, scope, path, line, *_ = row
    return name, path, scope, line
