"""Triples in a file of their own: an index that is thrown away leaves them, and they cost nobody a second request."""

import errno
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from holdfast.core.errors import Damaged, Unavailable
from holdfast.core.triple import Fact, MemoryTriples, Triple
from holdfast.core.triple_store import Stater
from holdfast.index.sqlite.term_counts import dumps

VERSION = 1
PATIENCE_MS = 5000
TABLES = """
CREATE TABLE told (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, words TEXT NOT NULL, file TEXT NOT NULL, model TEXT NOT NULL,
    note TEXT NOT NULL, reply TEXT NOT NULL
);
CREATE TABLE fact (
    told INTEGER NOT NULL, place INTEGER NOT NULL, subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL,
    one TEXT NOT NULL, other TEXT NOT NULL, one_stem TEXT NOT NULL, other_stem TEXT NOT NULL,
    PRIMARY KEY (told, place)
) WITHOUT ROWID;
CREATE INDEX fact_one ON fact (one);
CREATE INDEX fact_one_stem ON fact (one_stem, one);
CREATE INDEX fact_other_stem ON fact (other_stem, other);
CREATE TABLE ending (name TEXT NOT NULL, told INTEGER NOT NULL, PRIMARY KEY (name, told)) WITHOUT ROWID;
CREATE INDEX ending_told ON ending (told);
CREATE TABLE tally (name TEXT PRIMARY KEY, staters INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
"""
_TOLD = "told.id, told.words, told.file, told.model, told.note, told.reply"
_STATER = "told.id, words, file"
_FACT = "subject, relation, object, one, other, one_stem, other_stem"


class TriplesDamaged(Damaged):
    """The file fails its own check. It is derived."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"The triples in {path!r} cannot be used: {reason}.",
            "delete the file and run `holdfast doctor --triples`: answers that were kept cost nothing.",
        )


class TriplesUnreachable(Unavailable):
    """The disk, or another process, is in the way."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"The triples in {path!r} cannot be reached: {reason}.", "try again in a moment.")


class SqliteTriples:
    """The triples of one workspace."""

    def __init__(self, path: str) -> None:
        self._path = path
        with self._named():
            self._db = _open_database(path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def keep(self, told: MemoryTriples) -> None:
        """Keep what a memory says, in the place of what was kept of it before."""
        with self._named(), self._db:
            self._take_out([told.id])
            row = (told.id, told.words, told.file, told.model, told.note, told.reply)
            self._db.execute("INSERT INTO told (id, words, file, model, note, reply) VALUES (?, ?, ?, ?, ?, ?)", row)
            number = self._db.last_insert_rowid()
            rows = [
                (number, place, fact.triple.subject, fact.triple.relation, fact.triple.object, *fact.ends, *fact.stems)
                for place, fact in enumerate(told.facts)
            ]
            self._db.executemany("INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            ends = sorted({(end, number) for fact in told.facts for end in fact.ends})
            self._db.executemany("INSERT INTO ending VALUES (?, ?)", ends)
            more = "INSERT INTO tally VALUES (?, 1) ON CONFLICT DO UPDATE SET staters = staters + 1"
            self._db.executemany(more, [(end,) for end, _ in ends])

    def drop(self, ids: Iterable[str]) -> None:
        """Take memories out; what is deleted is overwritten."""
        with self._named(), self._db:
            self._take_out(list(ids))

    def known(self) -> Mapping[str, tuple[str, str]]:
        """By id, the sums of the words and of the file that each entry was made of."""
        return {row[0]: (row[1], row[2]) for row in self._rows("SELECT id, words, file FROM told")}

    def of(self, ids: Iterable[str]) -> Sequence[MemoryTriples]:
        """What is kept of some memories."""
        statement = f"""
            SELECT {_TOLD}, {_FACT} FROM json_each(?1) AS wanted CROSS JOIN told ON told.id = wanted.value
            LEFT JOIN fact ON fact.told = told.number ORDER BY told.id, fact.place
        """  # noqa: S608 -- columns are ours
        return _group_by_memory(self._rows(statement, _json_list(ids)))

    def ends(self, ids: Iterable[str]) -> Sequence[tuple[str, Stater]]:
        """The names that memories state something of."""
        statement = f"""
            SELECT name, {_STATER} FROM json_each(?1) AS wanted CROSS JOIN told ON told.id = wanted.value
            CROSS JOIN ending ON ending.told = number
        """  # noqa: S608 -- columns are ours
        return [(name, (*stater,)) for name, *stater in self._rows(statement, _json_list(ids))]

    def staters(self, names: Iterable[str], limit: int) -> Sequence[tuple[str, Stater]]:
        """Who states something of a name, the newest first, at most so many of each."""
        numbers = """
            SELECT wanted.value, (SELECT group_concat(told) FROM (
                SELECT told FROM ending WHERE name = wanted.value ORDER BY told DESC LIMIT ?2))
            FROM json_each(?1) AS wanted
        """
        found = [
            (name, [*map(int, told.split(","))]) for name, told in self._rows(numbers, _json_list(names), limit) if told
        ]
        wanted = sorted({number for _, several in found for number in several})
        who = f"SELECT number, {_STATER} FROM json_each(?) AS wanted CROSS JOIN told ON number = wanted.value"  # noqa: S608 -- ours
        staters = {number: (*stater,) for number, *stater in self._rows(who, dumps(wanted))}
        return [(name, staters[number]) for name, several in found for number in several]

    def tallies(self, names: Iterable[str]) -> Mapping[str, int]:
        """How many state something of each name; names nobody speaks of are left out."""
        statement = "SELECT name, staters FROM json_each(?) AS wanted CROSS JOIN tally ON name = wanted.value"
        return dict(self._rows(statement, _json_list(names)))

    def joined(self, names: Iterable[str]) -> Sequence[tuple[str, str, Stater]]:
        """The facts both ends of which are among these names, and who states them."""
        statement = f"""
            SELECT one, other, {_STATER} FROM json_each(?1) AS wanted CROSS JOIN fact ON one = wanted.value
            CROSS JOIN told ON number = told WHERE other IN (SELECT value FROM json_each(?1))
        """  # noqa: S608 -- columns are ours
        return [(one, other, (*stater,)) for one, other, *stater in self._rows(statement, _json_list(names))]

    def spoken(self, stems: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The names whose stems are these."""
        statement = """
            SELECT one_stem, one FROM json_each(?1) AS wanted CROSS JOIN fact ON one_stem = wanted.value
            UNION SELECT other_stem, other FROM json_each(?1) AS wanted CROSS JOIN fact ON other_stem = wanted.value
            ORDER BY 1, 2
        """
        found: dict[str, list[str]] = defaultdict(list)
        for stem, name in self._rows(statement, _json_list(stems)):
            found[stem].append(name)
        return found

    def counts(self) -> tuple[int, int, int]:
        """How many memories are known, how many facts there are, how many memories gave no usable answer."""
        statement = "SELECT count(*), (SELECT count(*) FROM fact), count(nullif(note, '')) FROM told"
        told, facts, without = self._rows(statement)[0]
        return int(told), int(facts), int(without)

    def _take_out(self, ids: Sequence[str]) -> None:
        wanted = (dumps(list(dict.fromkeys(ids))),)
        numbers = "SELECT number FROM told WHERE id IN (SELECT value FROM json_each(?))"
        ends = self._db.execute(f"SELECT name FROM ending WHERE told IN ({numbers})", wanted).fetchall()  # noqa: S608 -- ours
        self._db.executemany("UPDATE tally SET staters = staters - 1 WHERE name = ?", ends)
        self._db.executemany("DELETE FROM tally WHERE name = ? AND staters <= 0", ends)
        for table in ("fact", "ending"):
            self._db.execute(f"DELETE FROM {table} WHERE told IN ({numbers})", wanted)  # noqa: S608 -- ours
        self._db.execute("DELETE FROM told WHERE id IN (SELECT value FROM json_each(?))", wanted)

    def _rows(self, statement: str, *given: Any) -> list[Any]:
        with self._named():
            return self._db.execute(statement, given).fetchall()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (apsw.BusyError, apsw.LockedError, apsw.CantOpenError, apsw.FullError, apsw.IOError) as error:
            raise TriplesUnreachable(self._path, str(error)) from error
        except (apsw.PermissionsError, apsw.ReadOnlyError) as error:
            raise TriplesUnreachable(self._path, str(error)) from error
        except (apsw.Error, ValueError) as error:
            raise TriplesDamaged(self._path, str(error)) from error


def _json_list(some: Iterable[str]) -> str:
    return dumps(list(dict.fromkeys(some)))


def _open_database(path: str) -> apsw.Connection:
    _make_private(path)
    db = apsw.Connection(path)
    try:
        db.set_busy_timeout(PATIENCE_MS)
        # One file and no log beside it, its free pages empty: a purge must leave no word.
        for pragma in ("journal_mode = DELETE", "secure_delete = ON"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        if not db.execute("SELECT count(*) FROM sqlite_schema").get:
            with db:
                if not db.execute("SELECT count(*) FROM sqlite_schema").get:
                    db.execute(TABLES)
                    meta = [("version", VERSION), ("origin", _origin(path))]
                    db.executemany("INSERT INTO meta VALUES (?, ?)", meta)
        meta_now = dict(db.execute("SELECT key, value FROM meta"))
        if meta_now != {"version": VERSION, "origin": _origin(path)}:
            raise TriplesDamaged(path, "they were not made here, or by another version")
    except BaseException:
        db.close(True)
        raise
    return db


def _make_private(path: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise TriplesDamaged(path, "it is a link") from error
        raise TriplesUnreachable(path, error.strerror or str(error)) from error


def _origin(path: str) -> str:
    """What a copy does not have: a repository could ship a file that lies."""
    return str(os.stat(path).st_ino)


def _group_by_memory(rows: Iterable[Sequence[Any]]) -> list[MemoryTriples]:
    found: dict[str, tuple[Sequence[str], list[Fact]]] = {}
    for row in rows:
        head, fact = [str(part) for part in row[:6]], row[6:]
        facts = found.setdefault(head[0], (head, []))[1]
        if fact[0] is not None:
            facts.append(_fact([str(part) for part in fact]))
    return [
        MemoryTriples(
            id=head[0], words=head[1], file=head[2], model=head[3], note=head[4], reply=head[5], facts=tuple(facts)
        )
        for head, facts in found.values()
    ]


def _fact(row: Sequence[str]) -> Fact:
    triple = Triple(subject=row[0], relation=row[1], object=row[2])
    return Fact(triple=triple, ends=(row[3], row[4]), stems=(row[5], row[6]))
