"""What was purged from a space, as marks without words: nobody who syncs brings it back."""

from collections.abc import Collection

from holdfast.exchange.postgres.change_feed import PURGED, append_entry
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.postgres_files import CANDIDATES, FILES, MEMORY
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import JOURNAL, PostgresJournal
from holdfast.exchange.postgres.row_json import read_object

PLACE = "gone"
FILE, EVENT = "file:", "event:"
WHY = "purged elsewhere"


class PostgresMarks:
    """The marks of a space: files of a place of their own, with a name and no bytes."""

    def __init__(self, space: DatabaseSpace) -> None:
        self._space = space

    def list_marks(self) -> Collection[str]:
        """Every mark."""
        with self._space.reading() as cursor:
            found = cursor.execute("SELECT path FROM file WHERE space = %s AND place = %s", (self._space.id, PLACE))
            return frozenset(str(mark) for (mark,) in found)

    def add_marks(self, marks: Collection[str]) -> None:
        """Keep marks of what was purged elsewhere. Exact copies and events go, and what feed and index tell of them."""
        events = frozenset(mark for mark in marks if mark.startswith(EVENT))
        said = bool(events) and self._space.written(JOURNAL, lambda cursor: self._unsaid(cursor, events))
        files = self._space.written(FILES, lambda cursor: self._buried(cursor, frozenset(marks) - events))
        if said or files:
            PostgresIndex(self._space).empty()

    def _unsaid(self, cursor: Cursor, marks: frozenset[str]) -> bool:
        """The events go with the transaction that keeps their marks: cut short, the same again does both."""
        put_marks(cursor, self._space, marks)
        journal = PostgresJournal(self._space)
        doomed = journal.called(cursor, frozenset(mark.removeprefix(EVENT) for mark in marks))
        return bool(doomed and journal.purge_in(cursor, doomed, WHY))

    def _buried(self, cursor: Cursor, marks: Collection[str]) -> bool:
        put_marks(cursor, self._space, marks)
        sums = [mark.removeprefix(FILE) for mark in marks if mark.startswith(FILE)]
        dropped = """
            DELETE FROM file WHERE space = %s AND place = ANY (%s) AND sha256 = ANY (%s) RETURNING path
        """
        given = (self._space.id, [MEMORY, CANDIDATES], sums)
        paths = [str(path) for (path,) in cursor.execute(dropped, given).fetchall()] if sums else []
        if paths:
            self._untell(cursor, frozenset(paths))
            append_entry(cursor, self._space, PURGED, {})
        return bool(paths)

    def _untell(self, cursor: Cursor, paths: frozenset[str]) -> None:
        """Numbers of the feed stay without gaps; what they told of files that went goes."""
        told = cursor.execute("SELECT n, data FROM feed WHERE space = %s", (self._space.id,)).fetchall()
        blank = "UPDATE feed SET kind = %s, data = '{}', author = '' WHERE space = %s AND n = %s"
        if going := [(PURGED, self._space.id, n) for n, data in told if _path(data) in paths]:
            cursor.executemany(blank, going)


def _path(data: str) -> str:
    return str(read_object(data).get("path", ""))


def put_marks(cursor: Cursor, space: DatabaseSpace, marks: Collection[str]) -> None:
    """Keep marks, with the transaction."""
    put = """
        INSERT INTO file (space, place, path, data, sha256, ids, changed) VALUES (%s, %s, %s, '', '', '{}', 0)
        ON CONFLICT DO NOTHING
    """
    if marks:
        cursor.executemany(put, [(space.id, PLACE, mark) for mark in sorted(marks)])
