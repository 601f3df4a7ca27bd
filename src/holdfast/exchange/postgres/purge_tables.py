"""Forgetting in PostgreSQL: the rows that hold the words go, and every table is searched for them afterwards."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any
from zlib import crc32

import psycopg
from psycopg import sql

from holdfast.core.memory import Scope
from holdfast.core.value import Value
from holdfast.core.vault_store import Texts
from holdfast.exchange.postgres.change_feed import PURGED, append_entry
from holdfast.exchange.postgres.database import (
    PERSON,
    PROJECT,
    SCHEMA,
    Cursor,
    DatabaseSpace,
    PostgresDatabase,
    TeamSpaces,
)
from holdfast.exchange.postgres.database_people import LEFT
from holdfast.exchange.postgres.postgres_errors import translate_errors
from holdfast.exchange.postgres.postgres_files import CANDIDATES, FILES, MEMORY, PostgresVault
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import EVENT, JOURNAL, TOMBSTONE, PostgresJournal
from holdfast.exchange.postgres.postgres_marks import put_marks
from holdfast.exchange.postgres.row_json import read_object

AT_ONCE = 500
BETWEEN = "\0"
PLACES = (MEMORY, CANDIDATES)
# All else is derived from these. Where one row of it would have to go, all of it is rebuilt.
TRUTH = frozenset({"file", "journal", "feed", "record", "counter"})
# What was said: it goes by its words, and not because a memory that goes says the same.
SPOKEN = frozenset({"journal", "event", "spoken"})
_COLUMNS = """
    SELECT c.relname, a.attname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND t.typname IN ('text', 'varchar', 'bpchar', 'name', 'bytea', '_text', 'json', 'jsonb', 'tsvector')
      AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'space' AND NOT s.attisdropped)
    ORDER BY 1, a.attnum
"""

_SPACED = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relkind = 'r'
      AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'space' AND NOT s.attisdropped)
    ORDER BY 1
"""


class RowPurgeRequest(Value):
    """What is to go: what holds the words, whose name is made of them, memories and events by their ids.

    `spoken`: also what was said, and holds the words.
    """

    holds: Callable[[str], bool]
    named: Callable[[str], bool]
    ids: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    spoken: bool = True


class PurgeSearch(Value):
    """What was searched: tables, rows and bytes; and in how many rows of each table it was found."""

    tables: int
    rows: int
    size: int
    found: Mapping[str, int]


class RemovedRows(Value):
    """What went, by the number of rows. `index`: spaces whose index is to be rebuilt."""

    files: int = 0
    events: int = 0
    records: int = 0
    feed: int = 0
    index: int = 0
    people: int = 0


class PostgresForgetting:
    """Some spaces of one team, in which something is forgotten."""

    def __init__(self, spaces: Sequence[DatabaseSpace], texts: Texts) -> None:
        self._spaces = spaces
        self._texts = texts

    def search(self, wanted: RowPurgeRequest) -> PurgeSearch:
        """Read every text of every table that has spaces, and say where it is found. Changes nothing."""
        found: dict[str, int] = {}
        rows = size = 0
        tables = _tables(self._spaces[0])
        for table, columns in tables.items():
            for values in self._rows(table, columns):
                text = BETWEEN.join(values)
                rows, size = rows + 1, size + len(text.encode("utf-8", "replace"))
                if _is_wanted(wanted, table, dict(zip(columns, values, strict=True)), text):
                    found[table] = found.get(table, 0) + 1
        return PurgeSearch(tables=len(tables), rows=rows, size=size, found=found)

    def purge(self, wanted: RowPurgeRequest, why: str) -> RemovedRows:
        """Take it away, space by space. Cut short, the same again takes the rest."""
        done = RemovedRows()
        for space in self._spaces:
            part = _SpacePurge(space, self._texts, wanted, why).run(self.search_in(space, wanted))
            done = RemovedRows(
                **{name: getattr(done, name) + getattr(part, name) for name in RemovedRows.__annotations__}
            )
        return done

    def search_in(self, space: DatabaseSpace, wanted: RowPurgeRequest) -> Mapping[str, int]:
        """In how many rows of each table one space holds it."""
        return PostgresForgetting([space], self._texts).search(wanted).found

    def _rows(self, table: str, columns: Sequence[str]) -> Iterator[list[str]]:
        """Every row's texts, in turn: a table may be larger than memory."""
        asked = sql.SQL("SELECT {} FROM {} WHERE space = ANY (%s)").format(
            sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table)
        )
        ids = [space.id for space in self._spaces]
        with self._spaces[0].reading() as cursor, cursor.connection.cursor(name="forgetting") as rows:
            rows.itersize = AT_ONCE
            rows.execute(asked, (ids,))
            for row in rows:
                yield [_text(value) for value in row]


class _SpacePurge:
    """What goes from one space."""

    def __init__(self, space: DatabaseSpace, texts: Texts, wanted: RowPurgeRequest, why: str) -> None:
        self._space, self._texts, self._wanted = space, texts, wanted
        self._why = "" if wanted.holds(why) else why
        self._marks: set[str] = set()

    def run(self, found: Mapping[str, int]) -> RemovedRows:
        """All of it; the marks first, so that nobody brings it back meanwhile."""
        events = self._event_ids() if found.get("journal") else []
        self._bury(events)
        files = sum(self._files(place) for place in PLACES) if found.get("file") else 0
        if events:
            PostgresJournal(self._space).purge([name for name, _ in events], self._why)
        self._untell_reasons()
        records = self._delete_records() if found.get("record") else 0
        # What was removed above is told by its number alone.
        told = self._blank_feed()
        index = bool(files or events or found.keys() - TRUTH)
        if index:
            PostgresIndex(self._space).empty()
        return RemovedRows(files=files, events=len(events), records=records, feed=told, index=int(index))

    def _bury(self, events: Sequence[tuple[str, str]]) -> None:
        self._marks |= {f"event:{each}" for pair in events for each in pair if each}
        self._space.written(FILES, self._mark_files)

    def _mark_files(self, cursor: Cursor) -> None:
        for _, path, data in self._doomed_files(cursor):
            inside = [e.memory.id for e in self._texts.read(data, path, Scope.WORKSPACE).entries]
            left, gone = self._tidied(path, data)
            self._marks |= {f"memory:{each}" for each in gone}
            if left is None and set(inside) <= gone:
                self._marks |= {f"file:{sha256(data).hexdigest()}"}
        put_marks(cursor, self._space, self._marks)

    def _files(self, place: str) -> int:
        vault = PostgresVault(self._space, self._texts, Scope.WORKSPACE, place)

        def removed(cursor: Cursor) -> int:
            count = 0
            for _, path, data in [each for each in self._doomed_files(cursor) if each[0] == place]:
                count += 1
                left, _ = self._tidied(path, data)
                self._delete_file(cursor, place, path)
                if left is not None:
                    name = self._better_name(path, left)
                    vault.put_in(cursor, name, left)
                    unsaid = "UPDATE file SET author = '' WHERE space = %s AND place = %s AND path = %s"
                    cursor.execute(unsaid, (self._space.id, place, name))
            return count

        return self._space.written(FILES, removed)

    def _doomed_files(self, cursor: Cursor) -> Iterator[tuple[str, str, bytes]]:
        wanted = self._wanted
        asked = "SELECT place, path, data, ids, author FROM file WHERE space = %s AND place = ANY (%s) ORDER BY 1, 2"
        for place, path, data, ids, author in cursor.execute(asked, (self._space.id, list(PLACES))).fetchall():
            words = bytes(data).decode(errors="replace")
            if wanted.holds(f"{words}{BETWEEN}{author}") or wanted.named(path) or wanted.ids & {*ids}:
                yield str(place), str(path), bytes(data)

    def _tidied(self, path: str, data: bytes) -> tuple[bytes | None, set[str]]:
        """A file without the entries that go (None: without anything), and the ids of those."""
        left: bytes | None = data
        gone = set()
        entries = self._texts.read(data, path, Scope.WORKSPACE).entries
        for entry in sorted(entries, key=lambda each: each.line, reverse=True):
            rest, removed = self._texts.without(left or b"", entry.line)
            if entry.memory.id in self._wanted.ids or self._wanted.holds(removed):
                left = rest
                gone.add(entry.memory.id)
        if left is not None and self._wanted.holds(left.decode(errors="replace")):
            return None, gone
        return left, gone

    def _better_name(self, path: str, data: bytes) -> str:
        """The path, or one that does not hold the words."""
        entries = self._texts.read(data, path, Scope.WORKSPACE).entries
        if not self._wanted.named(path) or not entries:
            return path
        folder, mark, _ = path.rpartition("/")
        return f"{folder}{mark}{self._texts.name(entries[0].memory.id, entries[0].memory.title)}"

    def _delete_file(self, cursor: Cursor, place: str, path: str) -> None:
        gone = "DELETE FROM file WHERE space = %s AND place = %s AND path = %s"
        cursor.execute(gone, (self._space.id, place, path))
        append_entry(cursor, self._space, PURGED, {})

    def _event_ids(self) -> list[tuple[str, str]]:
        """The events that go: their ids here, and where they came from."""
        found = []
        asked = "SELECT n, id, body FROM journal WHERE space = %s AND kind = %s AND n > %s ORDER BY n LIMIT %s"
        after = 0
        while True:
            with self._space.reading() as cursor:
                rows = cursor.execute(asked, (self._space.id, EVENT, after, AT_ONCE)).fetchall()
            for _, name, body in rows:
                spoken = self._wanted.spoken and self._wanted.holds(body)
                if spoken or name in self._wanted.events or self._is_about(body):
                    found.append((str(name), _origin_id(body)))
            if len(rows) < AT_ONCE:
                return found
            after = int(rows[-1][0])

    def _is_about(self, body: str) -> bool:
        """Whether an event keeps what a memory said that goes."""
        if not self._wanted.ids or '"removed"' not in body:
            return False
        data = read_object(body).get("data")
        return isinstance(data, dict) and data.get("id") in self._wanted.ids and bool(data.get("removed"))

    def _untell_reasons(self) -> None:
        """A tombstone's reason may hold the words; the tombstone itself stays."""

        def blanked(cursor: Cursor) -> None:
            asked = "SELECT n, body FROM journal WHERE space = %s AND kind = %s"
            for n, body in cursor.execute(asked, (self._space.id, TOMBSTONE)).fetchall():
                if self._wanted.holds(body):
                    bare = json.dumps({**read_object(body), "why": ""})
                    put = "UPDATE journal SET body = %s, crc = %s WHERE space = %s AND n = %s"
                    cursor.execute(put, (bare, crc32(bare.encode()), self._space.id, n))

        self._space.written(JOURNAL, blanked)

    def _delete_records(self) -> int:
        def deleted(cursor: Cursor) -> int:
            asked = "SELECT kind, id, body FROM record WHERE space = %s"
            rows = cursor.execute(asked, (self._space.id,)).fetchall()
            going = [(self._space.id, kind, name) for kind, name, body in rows if self._is_record(kind, name, body)]
            if going:
                cursor.executemany("DELETE FROM record WHERE space = %s AND kind = %s AND id = %s", going)
                append_entry(cursor, self._space, "file_removed", {"place": "records", "path": ""})
            return len(going)

        return self._space.written("record", deleted)

    def _is_record(self, kind: str, name: str, body: str) -> bool:
        return self._wanted.holds(f"{kind}{BETWEEN}{name}{BETWEEN}{body}") or self._wanted.named(name)

    def _blank_feed(self) -> int:
        """Numbers stay without gaps; what they told goes."""

        def blanked(cursor: Cursor) -> int:
            asked = "SELECT n, data, author FROM feed WHERE space = %s"
            rows = cursor.execute(asked, (self._space.id,)).fetchall()
            going = [(self._space.id, n) for n, data, author in rows if self._is_told(data, author)]
            if going:
                blank = "UPDATE feed SET kind = %s, data = '{}', author = '' WHERE space = %s AND n = %s"
                cursor.executemany(blank, [(PURGED, *each) for each in going])
            return len(going)

        return self._space.written(FILES, blanked)

    def _is_told(self, data: str, author: str) -> bool:
        return self._wanted.holds(f"{data}{BETWEEN}{author}") or self._wanted.named(data)


# People and projects


def find_people(team: TeamSpaces, holds: Callable[[str], bool]) -> list[str]:
    """The people of a team whose name is the one; and of those who left, what was set aside."""
    with team.database.connection() as connection:
        asked = """
            SELECT person.name FROM person JOIN team ON team.id = person.team WHERE team.name = %(team)s
            UNION SELECT space.name FROM space JOIN team ON team.id = space.team
            WHERE team.name = %(team)s AND kind = %(kind)s ORDER BY 1
        """
        found = [str(name) for (name,) in connection.execute(asked, {"team": team.name, "kind": PERSON})]
        return [name for name in found if holds(name) or holds(name.rpartition(LEFT)[0] or name)]


def drop_people(team: TeamSpaces, names: Sequence[str]) -> int:
    """Take people away, each with the space of their own; how many rows of it."""
    with team.database.connection() as connection:
        own = """
            DELETE FROM space USING team WHERE team.id = space.team AND team.name = %s AND space.kind = %s
            AND space.name = ANY (%s)
        """
        connection.execute(own, (team.name, PERSON, list(names)))
        gone = "DELETE FROM person USING team WHERE team.id = person.team AND team.name = %s AND person.name = ANY (%s)"
        return connection.execute(gone, (team.name, list(names))).rowcount


def count_rows(space: DatabaseSpace) -> dict[str, int]:
    """How many rows a space has, by table; those without any are left out."""
    counts = {}
    tables = _tables(space)
    with space.reading() as cursor:
        for table in tables:
            counted = sql.SQL("SELECT count(*) FROM {} WHERE space = %s").format(sql.Identifier(table))
            found = cursor.execute(counted, (space.id,)).fetchone()
            counts[table] = int(found[0]) if found else 0
    return {table: count for table, count in counts.items() if count}


def drop_space(space: DatabaseSpace) -> None:
    """Take a space away with every row of it."""
    with space.team.database.connection() as connection:
        # A large project takes longer than a question may.
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("DELETE FROM space WHERE id = %s", (space.id,))


def find_spaces(
    database: PostgresDatabase, team: str, person: str, projects: Collection[str] | None = None
) -> tuple[TeamSpaces | None, list[DatabaseSpace]]:
    """The spaces there are: some projects' (None: all that are seen), the person's own, the team's. Makes no team."""
    with database.connection() as connection:
        if connection.execute("SELECT 1 FROM team WHERE name = %s", (team,)).fetchone() is None:
            return None, []
    found = database.team(team, person)
    names = [name for name in found.projects() if projects is None or name in projects]
    return found, [*(found.project(name) for name in names), found.own, found.shared]


def visible_projects(database: PostgresDatabase, person: str) -> list[tuple[str, str]]:
    """Every team and project that somebody sees; makes nothing."""
    asked = """
        SELECT team.name, space.name FROM space JOIN team ON team.id = space.team
        WHERE space.kind = %s AND space.id = ANY (spaces_of(team.name, %s)) ORDER BY 1, 2
    """
    with database.connection() as connection:
        return [(str(team), str(name)) for team, name in connection.execute(asked, (PROJECT, person))]


def vacuum(database: PostgresDatabase) -> bool:
    """Have the rows that went overwritten by the next ones; False where only the tables' owner may."""
    said: list[str] = []
    with translate_errors(), psycopg.connect(database.url, autocommit=True) as connection:
        connection.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        for (table,) in connection.execute(_SPACED, (SCHEMA,)).fetchall():
            place = sql.SQL(".").join((sql.Identifier(SCHEMA), sql.Identifier(str(table))))
            connection.execute(sql.SQL("VACUUM {}").format(place))
    return not said


def _tables(space: DatabaseSpace) -> dict[str, list[str]]:
    """Every table whose rows belong to spaces, with its columns of text; as the catalogue has them now."""
    tables: dict[str, list[str]] = {}
    with space.reading() as cursor:
        for table, column in cursor.execute(_COLUMNS, (SCHEMA,)):
            tables.setdefault(str(table), []).append(str(column))
    return tables


def _is_wanted(wanted: RowPurgeRequest, table: str, row: Mapping[str, str], text: str) -> bool:
    if (wanted.spoken or table not in SPOKEN) and wanted.holds(text):
        return True
    match table:
        case "file":
            return wanted.named(row["path"]) or bool(wanted.ids & {*row["ids"].split("\n")})
        case "journal":
            return row["id"] in wanted.events
        case "feed":
            return wanted.named(row["data"])
        case _:
            return False


def _origin_id(body: str) -> str:
    """The id that an event has in the journal it came from: the end of its key."""
    return str(read_object(body).get("key", "")).rpartition(":")[2][:64]


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bytes() | memoryview():
            return bytes(value).decode(errors="replace")
        case list():
            return "\n".join(map(str, value))
        case _:
            return str(value)
