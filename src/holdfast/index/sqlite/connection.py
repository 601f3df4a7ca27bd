"""Getting a connection to the index: to write, to read, or to an index emptied of whatever it held."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from holdfast.index.sqlite.index_schema import (
    MEMORY,
    PATIENCE_MS,
    TABLES,
    VERSION,
    IndexDamaged,
    IndexMissing,
    IndexOutdated,
    IndexUnreachable,
    translate_errors,
    translate_read_errors,
)

# Virtual tables first: they take along the tables that SQLite keeps for them.
_OWN_TABLES = """
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'
"""
# Pages of a large index that a question comes back to; taken as they are read, up to 128 MB.
_CACHE = "PRAGMA cache_size = -131072"


def open_writer(path: str, patience_ms: int) -> apsw.Connection:
    """A connection to an index of ours, made if there is none."""
    with translate_read_errors(path):
        db = _connect(path, patience_ms)
        with _close_on_failure(db):
            if not _version(db):
                _create_tables(db, path)
            _check_origin(db, path)
            db.execute(_CACHE)
    return db


def open_reader(path: str) -> apsw.Connection:
    """A connection that never writes; in a read-only folder too."""
    if not os.path.exists(path):
        raise IndexMissing(path)
    with translate_read_errors(path):
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        db.set_busy_timeout(PATIENCE_MS)
        try:
            _version(db)
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            db = _connect_immutable(path)
        with _close_on_failure(db):
            _check_origin(db, path)
            db.execute(_CACHE)
    return db


def open_emptied(path: str, patience_ms: int) -> apsw.Connection:
    """A connection to an empty index, whatever the file held.

    The file stays: were it unlinked, other processes' SQLite would tidy away our log when they close theirs.
    """
    if os.path.islink(path):
        os.unlink(path)
    with translate_errors(path):
        db = _connect(path, patience_ms)
        with _close_on_failure(db):
            try:
                _replace_tables(db, path)
            except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
                _reset_database(db)
                _create_tables(db, path)
            db.execute(_CACHE)
    return db


@contextmanager
def in_transaction(db: apsw.Connection) -> Iterator[None]:
    """All or none; others wait from the start, so that nothing read inside it is stale when it is written."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _connect(path: str, patience_ms: int) -> apsw.Connection:
    if path != MEMORY:
        _make_private(path)
    db = apsw.Connection(path)
    db.set_busy_timeout(patience_ms)
    return db


def _make_private(path: str) -> None:
    """An empty file that only its owner reads: captured text goes into it, and SQLite would ask the umask."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise IndexDamaged(path, "it is a link") from error
        raise IndexUnreachable(path, error.strerror or str(error)) from error


def _connect_immutable(path: str) -> apsw.Connection:
    """A reader where SQLite cannot make the side files of a WAL: then nobody can write either."""
    log = path + "-wal"
    if os.path.exists(log) and os.path.getsize(log):
        raise IndexUnreachable(path, "a writer left its log here, and the folder is read-only")
    name = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return apsw.Connection(f"file:{name}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _create_tables(db: apsw.Connection, path: str) -> None:
    """Make the tables, unless another process did so since we looked."""
    db.execute("PRAGMA journal_mode = WAL")
    with in_transaction(db):
        if _version(db):
            return
        if db.execute("SELECT count(*) FROM sqlite_schema").get:
            raise IndexDamaged(path, "it holds another program's tables")
        _make_tables(db, path)


def _make_tables(db: apsw.Connection, path: str) -> None:
    meta = [("version", VERSION), ("cursor", "0:0"), ("origin", _origin(path)), ("changed", 0)]
    # What a process keeps of an index it keeps under this name: two indexes have never the same.
    meta.append(("made", os.urandom(16).hex()))
    db.execute(TABLES)
    db.executemany("INSERT INTO meta VALUES (?, ?)", meta)
    db.execute(f"PRAGMA user_version = {VERSION}")


def _replace_tables(db: apsw.Connection, path: str) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    with in_transaction(db):
        for (name,) in db.execute(_OWN_TABLES).fetchall():
            db.execute('DROP TABLE IF EXISTS "{}"'.format(str(name).replace('"', '""')))
        _make_tables(db, path)


def _reset_database(db: apsw.Connection) -> None:
    db.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)
    try:
        db.execute("VACUUM")
    finally:
        db.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)


def _check_origin(db: apsw.Connection, path: str) -> None:
    """Refuse other versions, and a file that came from elsewhere: a repository could ship one that lies."""
    version = _version(db)
    if version != VERSION:
        raise IndexOutdated(path, f"its version is {version}, and this Holdfast reads {VERSION}")
    if db.execute("SELECT value FROM meta WHERE key = 'origin'").get != _origin(path):
        raise IndexOutdated(path, "it was copied here, not made here")


def _origin(path: str) -> str:
    return "" if path == MEMORY else str(os.stat(path).st_ino)


def _version(db: apsw.Connection) -> int:
    return int(db.execute("PRAGMA user_version").get)


@contextmanager
def _close_on_failure(db: apsw.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        db.close(True)
        raise
