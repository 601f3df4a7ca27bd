"""The index in SQLite: FTS5 over our own terms, one file, many readers and one writer at a time."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Self

import apsw

from holdfast.core.event import Cursor
from holdfast.core.ids import is_ulid
from holdfast.core.memory import Entry, Problem, Status
from holdfast.core.passage_store import Vector
from holdfast.core.search import (
    Change,
    EventRow,
    Passage,
    Scored,
    Select,
    SessionRow,
    Source,
    SpokenHit,
    SpokenQuery,
    Supersession,
    WordQuery,
)
from holdfast.core.shelf import title_name
from holdfast.index.entry_rows import ENTRY, SCOPES, Row, entry_of, link_rows, passages_of, problem_rows
from holdfast.index.sqlite import speech_rows, term_counts, vector_rows
from holdfast.index.sqlite.collections import MEMORY, SAID
from holdfast.index.sqlite.connection import in_transaction, open_emptied, open_reader, open_writer
from holdfast.index.sqlite.index_schema import (
    PATIENCE_MS,
    IndexBusy,
    IndexDamaged,
    IndexMissing,
    IndexOutdated,
    IndexUnreachable,
    translate_errors,
    translate_read_errors,
)
from holdfast.index.sqlite.passage_rows import passage_rows, select_condition
from holdfast.index.sqlite.source_files import SourceRows

if TYPE_CHECKING:
    from holdfast.core.shelf import Shelf

__all__ = ["IndexBusy", "IndexDamaged", "IndexMissing", "IndexOutdated", "IndexUnreachable", "SqliteIndex"]

FIRST_LOOK = 32
LONGEST_LOOK = 1024
HELD_BY_FILE = ("passage", "link", "problem")
_SOURCES_OF = "SELECT path, stamp, sha256 FROM source WHERE scope = ?"
_PLACES = "SELECT id, scope, path, line, sha256, status FROM passage"


UPDATED = "coalesce(json_extract(data, '$.updated'), '')"


class SqliteIndex:
    """Passages in one SQLite file. Open it with `open`."""

    def __init__(self, db: apsw.Connection, path: str) -> None:
        self._db = db
        self._path = path
        self._writing = False

    @classmethod
    def open(cls, path: str, *, readonly: bool = False, patience_ms: int = PATIENCE_MS) -> Self:
        """The index in a file, made if it is not there; `:memory:` keeps it nowhere."""
        return cls(open_reader(path) if readonly else open_writer(path, patience_ms), path)

    @classmethod
    def fresh(cls, path: str, *, patience_ms: int = PATIENCE_MS) -> Self:
        """An empty index in this file, whatever it held; sound also for other processes that have it open."""
        return cls(open_emptied(path, patience_ms), path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def sources(self) -> Mapping[tuple[str, str], Source]:
        """Every file the index knows, by scope and path."""
        with self._reading():
            return SourceRows({name: self._db.execute(_SOURCES_OF, (name,)).fetchall() for name in SCOPES})

    def cursor(self) -> Cursor:
        """How far the journal is indexed."""
        with self._reading():
            segment, offset = self._meta("cursor").split(":")
            return Cursor(segment=int(segment), offset=int(offset))

    def apply(self, change: Change) -> None:
        """Bring in what moved, all or none."""
        with translate_errors(self._path), self._transaction() as db:
            _put_sources(db, change)
            _put_events(db, change)
            speech_rows.put_speech(db, change)
            if change.cursor is not None:
                _set_meta(db, "cursor", f"{change.cursor.segment}:{change.cursor.offset}")

    def by_words(self, query: WordQuery) -> Iterator[Scored]:
        """Best first, equal scores by id; lazily. No terms match nothing."""
        if not query.terms:
            return
        match = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in query.terms)
        with self._reading():
            before = self._changed()
            ranked = self._db.execute("SELECT rank, rowid FROM words WHERE words MATCH ? ORDER BY rank", (match,))
            for look in _split_by_rank(ranked):
                for rank, row in self._meant(look, query.select, before):
                    if (entry := self._entry(row, before)) is not None:
                        yield Scored(entry=entry, score=-rank)

    def frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many passages each term stands, and how many passages there are."""
        with self._reading():
            return term_counts.count_terms(self._db, MEMORY, terms), term_counts.count_passages(self._db, MEMORY)

    def select(self, select: Select) -> Sequence[Entry]:
        """The entries meant, by id and then path."""
        where, values = select_condition(select)
        chosen = "passage"
        if select.newest:
            chosen = f"(SELECT * FROM passage WHERE {where} ORDER BY {UPDATED} DESC, id LIMIT {int(select.newest)})"  # noqa: S608 -- columns are ours
            where = "1"
        statement = f"SELECT {ENTRY} FROM {chosen} WHERE {where} ORDER BY id, path, scope, line"  # noqa: S608 -- columns are ours
        with self._reading():
            return [entry_of(row) for row in self._db.execute(statement, values)]

    def count_accepted(self) -> int:
        """How many memories were accepted, and neither replaced nor ended since."""
        statement = """
            SELECT count(*) FROM passage WHERE status = ? AND id NOT IN (SELECT old FROM link)
            AND coalesce(json_extract(data, '$.valid_until'), '') = ''
        """
        with self._reading():
            [found] = self._db.execute(statement, (Status.ACCEPTED.value,)).fetchone() or (0,)
            return int(found)

    def events(self, around: str, before: int, after: int) -> Sequence[EventRow]:
        """Events around a time or an event, oldest first: so many before it, so many from it on."""
        earlier = "SELECT * FROM event WHERE (ts, id) < (?, ?) ORDER BY ts DESC, id DESC LIMIT ?"
        later = "SELECT * FROM event WHERE (ts, id) >= (?, ?) ORDER BY ts, id LIMIT ?"
        with self._reading():
            point = self._db.execute("SELECT ts, id FROM event WHERE id = ?", (around,)).fetchone()
            if point is None and is_ulid(around):
                return []
            at, first = point or (around, "")
            past = self._db.execute(earlier, (at, first, before)).fetchall()
            coming = self._db.execute(later, (at, first, after)).fetchall()
            return [_event(row) for row in (*reversed(past), *coming)]

    def sessions(self) -> Sequence[SessionRow]:
        """Every session of a client, in the order they began."""
        with self._reading():
            return speech_rows.sessions(self._db)

    def by_spoken(self, query: SpokenQuery) -> Sequence[SpokenHit]:
        """What was said that holds any of these terms, best first, equal scores the newest first."""
        with self._reading():
            return speech_rows.find_speech(self._db, query)

    def spoken_hits(self, scored: Sequence[tuple[int, float]]) -> Sequence[SpokenHit]:
        """What was said, by the rows that a shelf names, each with its score."""
        with self._reading():
            return speech_rows.speech_by_rows(self._db, scored)

    def spoken_frequencies(self, terms: Sequence[str]) -> tuple[Mapping[str, int], int]:
        """In how many spoken passages each term stands, and how many there are."""
        with self._reading():
            return term_counts.count_terms(self._db, SAID, terms), term_counts.count_passages(self._db, SAID)

    def pages(self) -> Mapping[str, str]:
        """Every page the index knows, by its path, with its stamp."""
        with self._reading():
            return {str(path): str(stamp) for path, stamp in self._db.execute("SELECT path, stamp FROM page")}

    @property
    def connection(self) -> apsw.Connection:
        """The connection, for a shelf over this index."""
        return self._db

    def shelf(self, place: str) -> "Shelf":
        """A collection as the lanes of recall need it. Only here is numpy loaded."""
        from holdfast.index.sqlite.sqlite_shelf import SqliteShelf

        return SqliteShelf(self._db, place)

    def entries(self, rows: Sequence[int]) -> Mapping[int, Entry]:
        """Entries by the rows that a shelf names."""
        with self._reading():
            numbers = ",".join(str(int(row)) for row in rows)
            statement = f"SELECT row, {ENTRY} FROM passage WHERE row IN ({numbers})"  # noqa: S608 -- numbers and our columns
            return {row: entry_of(rest) for row, *rest in self._db.execute(statement)}

    def ids(self, rows: Sequence[int]) -> Mapping[int, str]:
        """The ids of entries by their rows."""
        with self._reading():
            numbers = ",".join(str(int(row)) for row in rows)
            return dict(self._db.execute(f"SELECT row, id FROM passage WHERE row IN ({numbers})"))  # noqa: S608 -- numbers

    def globs(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Where entries hold, by their rows; those that hold everywhere are left out."""
        with self._reading():
            numbers = ",".join(str(int(row)) for row in rows)
            asked = "SELECT row, json_extract(data, '$.paths') FROM passage"
            scoped = """instr(data, '"paths":[]') = 0"""
            found = self._db.execute(f"{asked} WHERE row IN ({numbers}) AND {scoped}")
            return {row: tuple(map(str, json.loads(paths or "[]"))) for row, paths in found}

    def without_vector(self, place: str, model: str, limit: int) -> Sequence[tuple[int, str]]:
        """Passages of a collection that have no vector of a model yet, the newest first, with their words."""
        with self._reading():
            return vector_rows.rows_without_vector(self._db, place, model, limit)

    def count_without_vector(self, place: str, model: str) -> int:
        """How many passages of a collection have no vector of a model yet."""
        with self._reading():
            return vector_rows.count_without_vector(self._db, place, model)

    def put_vectors(self, place: str, model: str, vectors: Sequence[Vector]) -> None:
        """Keep vectors of a model, all or none."""
        with translate_errors(self._path), self._transaction() as db:
            vector_rows.put_vectors(db, place, model, vectors)

    def vectors_held(self, place: str) -> Mapping[str, int]:
        """How many vectors of each model a collection has."""
        with self._reading():
            return vector_rows.count_vectors(self._db, place)

    def drop_models(self, place: str, keep: Sequence[str]) -> int:
        """Take away the vectors of every other model; how many went."""
        with translate_errors(self._path), self._transaction() as db:
            return vector_rows.drop_models(db, place, keep)

    def sources_of(self, files: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], Source]:
        """Those of some files, by scope and path, that the index knows."""
        asked = "SELECT stamp, sha256 FROM source WHERE scope = ? AND path = ?"
        with self._reading():
            found = {(scope, path): self._db.execute(asked, (scope, path)).fetchone() for scope, path in files}
        return {
            (scope, path): Source(scope=SCOPES[scope], path=path, stamp=row[0], sha256=row[1])
            for (scope, path), row in found.items()
            if row is not None
        }

    def sums(self) -> Mapping[tuple[str, str], str]:
        """The sha256 of every file the index knows, by scope and path."""
        with self._reading():
            found: Sequence[Row] = self._db.execute("SELECT scope, path, sha256 FROM source").fetchall()
            return {(scope, path): sha256 for scope, path, sha256 in found}

    def places(self) -> Sequence[Row]:
        """Every entry without its words: id, scope, path, line, sha256 of its file, status; in the order of lines."""
        with self._reading():
            return self._db.execute(f"{_PLACES} ORDER BY line").fetchall()

    def places_of(self, files: Iterable[tuple[str, str]]) -> Sequence[Row]:
        """The same for the entries of some files, by scope and path."""
        asked = f"{_PLACES} WHERE scope = ? AND path = ? ORDER BY line"
        with self._reading():
            return [row for file in files for row in self._db.execute(asked, file)]

    def written(self) -> int:
        """A number that is another one once somebody else has written; good for as long as it is open."""
        with self._reading():
            return self._changed()

    def links(self) -> tuple[Sequence[Supersession], Sequence[Problem]]:
        """All supersessions by memories that were accepted, and the problems of the files indexed."""
        links = "SELECT DISTINCT old, new, since FROM link ORDER BY old, new, since"
        problems = "SELECT path, line, reason, hint FROM problem ORDER BY path, line, reason"
        with self._reading():
            return (
                [Supersession(old=old, new=new, since=since) for old, new, since in self._db.execute(links)],
                [Problem(path=p, line=n, reason=why, hint=hint) for p, n, why, hint in self._db.execute(problems)],
            )

    def check(self) -> Sequence[Problem]:
        """What is wrong with the file, by every check there is: pages, words against passages, each row's checksum."""
        found = list(self._broken_pages())
        try:
            with translate_read_errors(self._path):
                if not self._db.readonly("main"):
                    self._db.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
                for row in self._db.execute(f"SELECT {ENTRY} FROM passage"):  # noqa: S608 -- columns are ours
                    entry_of(row)
        except IndexDamaged as damage:
            found.append(Problem(path=self._path, reason=str(damage), hint=damage.hint))
        return found

    def _broken_pages(self) -> Iterator[Problem]:
        hint = "run `holdfast doctor --rebuild`: it is made from your files."
        try:
            reasons = [str(row[0]) for row in self._db.execute("PRAGMA integrity_check")]
        except apsw.Error as error:
            reasons = [str(error)]
        return (Problem(path=self._path, reason=reason, hint=hint) for reason in reasons if reason != "ok")

    def _meant(self, look: Sequence[Row], select: Select, before: int) -> Iterator[Row]:
        """The rows of a look that are meant, in order: best first, then by id and place.

        Another process may take passages out between two of our questions: those are left out. Otherwise all are there.
        """
        where, values = select_condition(select)
        rows = ",".join(str(row) for _, row in look)
        statement = f"SELECT row, id, path, scope, line, ({where}) FROM passage WHERE row IN ({rows})"  # noqa: S608 -- numbers and our columns
        places = {row: place for row, *place in self._db.execute(statement, values)}
        if len(places) != len(look) and self._changed() == before:
            raise ValueError("words point to passages that are not there")
        ordered = sorted((rank, places[row][:-1], row) for rank, row in look if row in places and places[row][-1])
        return ((rank, row) for rank, _, row in ordered)

    def _entry(self, row: int, before: int) -> Entry | None:
        """The entry of a row; None where another process took it out since."""
        found = self._db.execute(f"SELECT {ENTRY} FROM passage WHERE row = ?", (row,)).get  # noqa: S608 -- columns are ours
        return None if found is None and self._changed() != before else entry_of(found)

    def _changed(self) -> int:
        """A number that is another one once another connection has written."""
        return int(self._db.execute("PRAGMA data_version").get or 0)

    def _meta(self, key: str) -> str:
        value = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
        if value is None:
            raise ValueError(f"{key!r} is missing")
        return str(value)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Close a damaged file at once: whoever fixes it must not have our SQLite still at it."""
        try:
            with translate_read_errors(self._path):
                yield
        except IndexDamaged:
            self._db.close(True)
            raise

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        if not self._writing:
            # Derived data: a power cut may cost the last changes (the stamps tell), never the file.
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._writing = True
        with in_transaction(self._db):
            yield self._db


def _put_sources(db: apsw.Connection, change: Change) -> None:
    rows = [(str(each.source.scope), each.source.path, each.passages is None) for each in change.sources]
    replaced = [(scope, path) for scope, path, same in rows if not same]
    dropped = [(str(scope), path) for scope, path in change.dropped]
    _forget_files(db, [*replaced, *dropped])
    db.executemany("DELETE FROM source WHERE scope = ? AND path = ?", dropped)
    stored = [(str(s.scope), s.path, s.stamp, s.sha256) for s in (each.source for each in change.sources)]
    db.executemany("INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", stored)
    _put_passages(db, change)


def _forget_files(db: apsw.Connection, places: Sequence[tuple[str, str]]) -> None:
    # The words must be told what they lose, term by term: so the averages behind BM25 stay exact.
    unwrite = "INSERT INTO words (words, rowid, title, body, tags) SELECT 'delete', row, title, body, tags FROM passage"
    db.executemany(f"{unwrite} WHERE scope = ? AND path = ?", places)
    of_file = "SELECT row FROM passage WHERE scope = ? AND path = ?"
    rows = [row for place in places for (row,) in db.execute(of_file, place)]
    vector_rows.forget_vectors(db, MEMORY, rows)
    term_counts.count_out(db, MEMORY, rows)
    term_counts.count_groups(db, MEMORY, -len(rows))
    for table in HELD_BY_FILE:
        db.executemany(f"DELETE FROM {table} WHERE scope = ? AND path = ?", places)  # noqa: S608 -- tables are ours


def _put_passages(db: apsw.Connection, change: Change) -> None:
    first = db.execute("SELECT coalesce(max(row), 0) + 1 FROM passage").get
    db.executemany(f"INSERT INTO passage VALUES ({', '.join('?' * 23)})", passage_rows(change, first))  # noqa: S608 -- placeholders only
    write = "INSERT INTO words (rowid, title, body, tags) SELECT row, title, body, tags FROM passage WHERE row >= ?"
    db.execute(write, (first,))
    new = [_count_passage(row, passage) for row, passage in enumerate(passages_of(change), first)]
    term_counts.count_in(db, MEMORY, new)
    term_counts.count_groups(db, MEMORY, len(new))
    db.executemany("INSERT INTO link VALUES (?, ?, ?, ?, ?)", link_rows(change))
    db.executemany("INSERT INTO problem VALUES (?, ?, ?, ?, ?)", problem_rows(change))


def _count_passage(row: int, passage: Passage) -> term_counts.SqlitePassageCounts:
    terms, memory = passage.terms, passage.entry.memory
    worded = (*terms.title, *terms.body, *terms.tags)
    return term_counts.SqlitePassageCounts(
        row=row, group=row, terms=worded, names=passage.names, called=title_name(memory.title)
    )


def _put_events(db: apsw.Connection, change: Change) -> None:
    rows = ((e.id, e.ts, e.client, e.session, e.name, e.text, e.place.segment, e.place.offset) for e in change.events)
    db.executemany("INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.executemany("DELETE FROM event WHERE id = ?", ((gone,) for gone in change.forgotten))


def _set_meta(db: apsw.Connection, key: str, value: str) -> None:
    db.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))


def _event(row: Row) -> EventRow:
    event_id, ts, client, session, name, text, segment, offset = row
    place = Cursor(segment=segment, offset=offset)
    return EventRow(id=event_id, ts=ts, client=client, session=session, name=name, text=text, place=place)


def _split_by_rank(ranked: Iterator[Row]) -> Iterator[Sequence[Row]]:
    """Rows in growing handfuls that never part equal ranks: their order is decided inside one."""
    look: list[Row] = []
    size = FIRST_LOOK
    for _, equals in groupby(ranked, key=itemgetter(0)):
        look.extend(equals)
        if len(look) >= size:
            yield look
            look, size = [], min(size * 2, LONGEST_LOOK)
    if look:
        yield look
