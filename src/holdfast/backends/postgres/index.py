"""The index in PostgreSQL: what SQLite's is for one laptop, for the servers of a team."""

import json
from collections.abc import Iterator, Mapping, Sequence

from holdfast.backends.postgres import meaning, speech
from holdfast.backends.postgres.counts import (
    Counted,
    count_groups,
    count_in,
    count_out,
    frequencies,
    numbers_of,
    put_rows,
    totals,
)
from holdfast.backends.postgres.database import Cursor, Row, Space
from holdfast.backends.postgres.failures import DatabaseDamaged
from holdfast.backends.postgres.rows import condition, passage_row, storable
from holdfast.backends.postgres.shelf import PostgresShelf
from holdfast.backends.postgres.words import ranked
from holdfast.domain.event import Cursor as Place
from holdfast.domain.ids import is_ulid
from holdfast.domain.memory import Entry, Problem
from holdfast.domain.search import (
    Change,
    EventRow,
    Passage,
    Said,
    Scored,
    Select,
    SessionRow,
    Source,
    SpokenQuery,
    Supersession,
    WordQuery,
)
from holdfast.ports.passages import MEMORY, SAID, Vector
from holdfast.ports.rows import ENTRY, SCOPES, entry_of, link_rows, passages, problem_rows
from holdfast.ports.shelf import called

INDEX = "index"
AT_ONCE = 128
HELD_BY_FILE = ("passage", "link", "problem")
C = 'COLLATE "C"'
BY_PLACE = f"id {C}, path {C}, scope {C}, line"
_EVENT = "id, ts, client, session, name, text, segment, place"


class PostgresIndex:
    """Passages in a space's rows."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def close(self) -> None:
        """Nothing to let go of: connections are the database's."""

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
        with self._space.reading() as cursor:
            asked = "SELECT value FROM state WHERE space = %s AND key = 'cursor'"
            found = cursor.execute(asked, (self._space.id,)).fetchone()
        segment, offset = str(found[0]).split(":") if found else ("0", "0")
        return Place(segment=int(segment), offset=int(offset))

    def apply(self, change: Change) -> None:
        """Bring in what moved, all or none."""

        def applied(cursor: Cursor) -> None:
            self._put_sources(cursor, change)
            self._put_events(cursor, change)
            speech.put_speech(cursor, self._space, change)
            if change.cursor is not None:
                put = """
                    INSERT INTO state VALUES (%s, 'cursor', %s)
                    ON CONFLICT (space, key) DO UPDATE SET value = excluded.value
                """
                cursor.execute(put, (self._space.id, f"{change.cursor.segment}:{change.cursor.offset}"))

        self._space.written(INDEX, applied)

    def by_words(self, query: WordQuery) -> Iterator[Scored]:
        """Best first, equal scores by id; entries are read as they are asked for. No terms match nothing."""
        if not query.terms:
            return
        where, values = condition(query.select)
        with self._space.reading() as cursor:
            found = ranked(cursor, self._space, MEMORY, query.terms, "row", BY_PLACE, where=where, values=values)
        for at in range(0, len(found), AT_ONCE):
            some = found[at : at + AT_ONCE]
            entries = self.entries([row for _, row in some])
            for score, row in some:
                if row in entries:
                    yield Scored(entry=entries[row], score=float(score))

    def frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many passages each term stands, and how many passages there are."""
        with self._space.reading() as cursor:
            return frequencies(cursor, self._space, MEMORY, terms), totals(cursor, self._space, MEMORY)[0]

    def select(self, select: Select) -> Sequence[Entry]:
        """The entries meant, by id and then path."""
        where, values = condition(select)
        chosen = f"SELECT * FROM passage WHERE space = %(space)s AND {where}"  # noqa: S608 -- columns are ours
        if select.newest:
            chosen += f" ORDER BY updated {C} DESC, id {C} LIMIT {int(select.newest)}"
        statement = f"SELECT {ENTRY} FROM ({chosen}) AS chosen ORDER BY {BY_PLACE}"  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            return [self._entry(row) for row in cursor.execute(statement.encode(), {"space": self._space.id, **values})]

    def events(self, around: str, before: int, after: int) -> Sequence[EventRow]:
        """Events around a time or an event, oldest first: so many before it, so many from it on."""
        point = f"(ts {C}, id {C})"
        earlier = f"""
            SELECT {_EVENT} FROM event WHERE space = %s AND {point} < (%s, %s)
            ORDER BY ts {C} DESC, id {C} DESC LIMIT %s
        """  # noqa: S608 -- columns are ours
        later = f"""
            SELECT {_EVENT} FROM event WHERE space = %s AND {point} >= (%s, %s) ORDER BY ts {C}, id {C} LIMIT %s
        """  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            asked = "SELECT ts, id FROM event WHERE space = %s AND id = %s"
            found = cursor.execute(asked, (self._space.id, storable(around))).fetchone()
            if found is None and is_ulid(around):
                return []
            at, first = found or (storable(around), "")
            past = cursor.execute(earlier.encode(), (self._space.id, at, first, before)).fetchall()
            coming = cursor.execute(later.encode(), (self._space.id, at, first, after)).fetchall()
            return [_event(row) for row in (*reversed(past), *coming)]

    def sessions(self) -> Sequence[SessionRow]:
        """Every session of a client, in the order they began."""
        with self._space.reading() as cursor:
            return speech.sessions(cursor, self._space)

    def by_spoken(self, query: SpokenQuery) -> Sequence[Said]:
        """What was said that holds any of these terms, best first, equal scores the newest first."""
        with self._space.reading() as cursor:
            return speech.find(cursor, self._space, query)

    def said(self, scored: Sequence[tuple[int, float]]) -> Sequence[Said]:
        """What was said, by the rows that a shelf names, each with its score."""
        with self._space.reading() as cursor:
            return speech.by_rows(cursor, self._space, scored)

    def spoken_frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many spoken passages each term stands, and how many there are."""
        with self._space.reading() as cursor:
            return frequencies(cursor, self._space, SAID, terms), totals(cursor, self._space, SAID)[0]

    def pages(self) -> Mapping[str, str]:
        """Every page the index knows, by its path, with its stamp."""
        with self._space.reading() as cursor:
            found = cursor.execute("SELECT path, stamp FROM page WHERE space = %s", (self._space.id,))
            return {str(path): str(stamp) for path, stamp in found}

    def shelf(self, place: str) -> PostgresShelf:
        """A collection as the lanes of recall need it."""
        return PostgresShelf(self._space, place)

    def entries(self, rows: Sequence[int]) -> Mapping[int, Entry]:
        """Entries by the rows that a shelf names."""
        statement = f"SELECT row, {ENTRY} FROM passage WHERE space = %s AND row = ANY (%s)"  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            found = cursor.execute(statement.encode(), (self._space.id, list(rows)))
            return {row: self._entry(tuple(rest)) for row, *rest in found}

    def ids(self, rows: Sequence[int]) -> Mapping[int, str]:
        """The ids of entries by their rows."""
        with self._space.reading() as cursor:
            asked = "SELECT row, id FROM passage WHERE space = %s AND row = ANY (%s)"
            return {int(row): str(name) for row, name in cursor.execute(asked, (self._space.id, list(rows)))}

    def globs(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Where entries hold, by their rows; those that hold everywhere are left out."""
        with self._space.reading() as cursor:
            asked = "SELECT row, data FROM passage WHERE space = %s AND row = ANY (%s) AND scoped"
            found = cursor.execute(asked, (self._space.id, list(rows)))
            return {int(row): tuple(map(str, json.loads(data)["paths"])) for row, data in found}

    def without_vector(self, place: str, model: str, limit: int) -> Sequence[tuple[int, str]]:
        """Passages of a collection that have no vector of a model yet, the newest first, with their words."""
        with self._space.reading() as cursor:
            return meaning.without_vector(cursor, self._space, place, model, limit)

    def count_without_vector(self, place: str, model: str) -> int:
        """How many passages of a collection have no vector of a model yet."""
        with self._space.reading() as cursor:
            return meaning.count_without_vector(cursor, self._space, place, model)

    def put_vectors(self, place: str, model: str, vectors: Sequence[Vector]) -> None:
        """Keep vectors of a model, all or none."""
        self._space.written(INDEX, lambda cursor: meaning.put_vectors(cursor, self._space, place, model, vectors))

    def vectors_held(self, place: str) -> Mapping[str, int]:
        """How many vectors of each model a collection has."""
        with self._space.reading() as cursor:
            return meaning.vectors_held(cursor, self._space, place)

    def drop_models(self, place: str, keep: Sequence[str]) -> int:
        """Take away the vectors of every other model; how many went."""
        return self._space.written(INDEX, lambda cursor: meaning.drop_models(cursor, self._space, place, keep))

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

    def check(self) -> Sequence[Problem]:
        """What is wrong with the rows, by each one's checksum."""
        found = []
        statement = f"SELECT {ENTRY} FROM passage WHERE space = %s"  # noqa: S608 -- columns are ours
        with self._space.reading() as cursor:
            for row in cursor.execute(statement.encode(), (self._space.id,)):
                try:
                    entry_of(row)
                except (ValueError, KeyError) as error:
                    found.append(Problem(path=str(row[2]), reason=str(error), hint="run `holdfast rebuild`."))
        return found

    def empty(self) -> None:
        """Throw the index away: it is made from files and journal."""

        def emptied(cursor: Cursor) -> None:
            tables = ("source", "passage", "link", "problem", "event", "spoken", "page", "total", "mention", "state")
            for table in (*tables, "term", "vector", "meaning", "token"):
                cursor.execute(f"DELETE FROM {table} WHERE space = %s".encode(), (self._space.id,))  # noqa: S608 -- tables are ours

        self._space.written(INDEX, emptied)

    def _entry(self, row: Row) -> Entry:
        try:
            return entry_of(row)
        except (ValueError, KeyError, TypeError) as error:
            raise DatabaseDamaged(str(error)) from error

    def _put_sources(self, cursor: Cursor, change: Change) -> None:
        space = self._space.id
        replaced = [each.source for each in change.sources if each.passages is not None]
        places = [(str(each.scope), each.path) for each in replaced]
        dropped = [(str(scope), path) for scope, path in change.dropped]
        self._forget_files(cursor, [*places, *dropped])
        if dropped:
            gone = "DELETE FROM source WHERE space = %s AND scope = %s AND path = %s"
            cursor.executemany(gone, [(space, *place) for place in dropped])
        put = """
            INSERT INTO source VALUES (%s, %s, %s, %s, %s)
            ON CONFLICT (space, scope, path) DO UPDATE SET stamp = excluded.stamp, sha256 = excluded.sha256
        """
        sources = [each.source for each in change.sources]
        if sources:
            cursor.executemany(put, [(space, str(s.scope), s.path, s.stamp, s.sha256) for s in sources])
        self._put_passages(cursor, change)

    def _forget_files(self, cursor: Cursor, places: Sequence[tuple[str, str]]) -> None:
        if not places:
            return
        given = (self._space.id, [scope for scope, _ in places], [path for _, path in places])
        of_files = "space = %s AND (scope, path) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
        asked = f"SELECT row, worded, names, called FROM passage WHERE {of_files}"  # noqa: S608 -- ours
        gone = [
            Counted(row=row, group=row, terms=worded.split(), names=names, called=name)
            for row, worded, names, name in cursor.execute(asked.encode(), given)
        ]
        if gone:
            count_out(cursor, self._space, MEMORY, gone)
            count_groups(cursor, self._space, MEMORY, -len(gone))
            meaning.forget_vectors(cursor, self._space, MEMORY, [each.row for each in gone])
        for table in HELD_BY_FILE:
            cursor.execute(f"DELETE FROM {table} WHERE {of_files}".encode(), given)  # noqa: S608 -- tables are ours

    def _put_passages(self, cursor: Cursor, change: Change) -> None:
        new, space = list(passages(change)), self._space
        if new:
            numbers = numbers_of(cursor, space, MEMORY, (term for each in new for term in _terms(each)))
            first = space.number(cursor, "passage", len(new)) - len(new) + 1
            rows = [(space.id, *passage_row(row, each, numbers)) for row, each in enumerate(new, first)]
            put_rows(cursor, "passage", rows)
            count_in(cursor, space, MEMORY, [_counted(row, each) for row, each in enumerate(new, first)])
            count_groups(cursor, space, MEMORY, len(new))
        links, problems = list(link_rows(change)), list(problem_rows(change))
        if links:
            cursor.executemany(
                "INSERT INTO link VALUES (%s, %s, %s, %s, %s, %s)", [(space.id, *map(storable, r)) for r in links]
            )
        if problems:
            put = "INSERT INTO problem VALUES (%s, %s, %s, %s, %s, %s)"
            cursor.executemany(put, [(space.id, *row) for row in problems])

    def _put_events(self, cursor: Cursor, change: Change) -> None:
        put = """
            INSERT INTO event VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
            ON CONFLICT (space, id) DO UPDATE SET ts = excluded.ts, client = excluded.client,
                session = excluded.session, name = excluded.name, text = excluded.text,
                segment = excluded.segment, place = excluded.place
        """
        if change.events:
            rows = [
                (
                    self._space.id,
                    *map(storable, (e.id, e.ts, e.client, e.session, e.name, e.text)),
                    e.place.segment,
                    e.place.offset,
                )
                for e in change.events
            ]
            cursor.executemany(put, rows)
        if change.forgotten:
            gone = "DELETE FROM event WHERE space = %s AND id = ANY (%s)"
            cursor.execute(gone, (self._space.id, list(change.forgotten)))


def _terms(passage: Passage) -> Iterator[str]:
    yield from (*passage.terms.title, *passage.terms.body, *passage.terms.tags)


def _counted(row: int, passage: Passage) -> Counted:
    name = called(passage.entry.memory.title)
    return Counted(row=row, group=row, terms=tuple(_terms(passage)), names=passage.names, called=name)


def _event(row: Row) -> EventRow:
    event_id, ts, client, session, name, text, segment, offset = row
    place = Place(segment=segment, offset=offset)
    return EventRow(id=event_id, ts=ts, client=client, session=session, name=name, text=text, place=place)
