"""Another tool's SQLite file, read-only: bounded, distrusted, and left as it was, with no file beside it."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from urllib.parse import quote

import apsw

from holdfast.core.errors import Damaged, NotFound, Unavailable
from holdfast.importers.foreign_tables import Row

LARGEST_FILE = 4 << 30
LARGEST_VALUE = 16 << 20
MOST_ROWS = 200_000
PATIENCE_MS = 2000


class ClaudeMemDamaged(Damaged):
    """A file that is no sound SQLite database."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"The database {path!r} cannot be read: {reason}.", "check it with `sqlite3 FILE 'PRAGMA integrity_check'`."
        )


class ClaudeMemMissing(NotFound):
    """No database at a path."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"There is no database {path!r}.", "give the path of the file, such as ~/.claude-mem/claude-mem.db."
        )


class ClaudeMemTooLarge(Unavailable):
    """A database that is larger than we read."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(f"The database {path!r} has {size:,} bytes.", f"at most {LARGEST_FILE:,} are read.")


class SqliteTables:
    """The tables of a database file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._copy = ""
        _check_file(path)
        try:
            self._db = apsw.Connection(self._uri(), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
            _distrust(self._db)
            self._tables = self._names()
        except apsw.Error as error:
            self.close()
            raise ClaudeMemDamaged(path, str(error)) from None
        except BaseException:
            self.close()
            raise

    def columns(self, table: str) -> Sequence[str]:
        """The columns of a real table; none for what is not there, a view, or a virtual table."""
        if table not in self._tables:
            return ()
        try:
            return [str(row[1]) for row in self._db.execute(f"PRAGMA table_info({_quote_name(table)})")]
        except apsw.Error as error:
            raise ClaudeMemDamaged(self._path, str(error)) from None

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table, in the order of their ids."""
        names = self.columns(table)
        if not names:
            return
        order = " ORDER BY id" if "id" in names else ""
        listed = ", ".join(map(_quote_name, names))
        statement = f"SELECT {listed} FROM {_quote_name(table)}{order} LIMIT {MOST_ROWS}"  # noqa: S608 -- names are quoted
        try:
            for values in self._db.execute(statement):
                yield dict(zip(names, values, strict=True))
        except apsw.Error as error:
            raise ClaudeMemDamaged(self._path, str(error)) from None

    def close(self) -> None:
        """Close the database, and drop the copy if one was made."""
        if db := self.__dict__.pop("_db", None):
            db.close()
        if self._copy:
            shutil.rmtree(self._copy, ignore_errors=True)
            self._copy = ""

    def _names(self) -> set[str]:
        found = self._db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        return {str(name) for name, sql in found if str(sql).upper().lstrip().startswith("CREATE TABLE")}

    def _uri(self) -> str:
        """How to open it so that nothing appears beside it.

        A reader of a database with a write-ahead log makes an index file for that log. So: without a log, nobody has it
        open and it does not change; with log and index, we read beside their writer; with a log only, we read a copy.
        """
        log, index = f"{self._path}-wal", f"{self._path}-shm"
        if not os.path.lexists(log):
            return f"file:{quote(self._path)}?mode=ro&immutable=1"
        if os.path.lexists(index):
            return f"file:{quote(self._path)}?mode=ro"
        self._copy = tempfile.mkdtemp(prefix="holdfast-import-")
        copy = os.path.join(self._copy, "copy.db")
        shutil.copyfile(self._path, copy)
        shutil.copyfile(log, f"{copy}-wal")
        return f"file:{quote(copy)}?mode=ro"


def _check_file(path: str) -> None:
    try:
        found = os.stat(path)
    except OSError:
        raise ClaudeMemMissing(path) from None
    if not stat.S_ISREG(found.st_mode):
        raise ClaudeMemDamaged(path, "it is no regular file")
    if found.st_size > LARGEST_FILE:
        raise ClaudeMemTooLarge(path, found.st_size)


def _distrust(db: apsw.Connection) -> None:
    """A hostile file may hold anything: its functions, triggers and views do not run, and values have a limit."""
    db.set_busy_timeout(PATIENCE_MS)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    db.execute("PRAGMA cell_size_check = 1")


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
