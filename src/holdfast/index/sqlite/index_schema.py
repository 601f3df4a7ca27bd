"""The tables of the index, and what can be wrong with a file that should hold them."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from holdfast.core.errors import Damaged, NotFound, Unavailable

VERSION = 5
MEMORY = ":memory:"
PATIENCE_MS = 2000

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE source (
    scope TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (scope, path)
) WITHOUT ROWID;
CREATE TABLE passage (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, scope TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL,
    sha256 TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, crc INTEGER NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL, called TEXT NOT NULL, as_titled TEXT NOT NULL,
    ts TEXT NOT NULL, said_by TEXT NOT NULL, plain TEXT NOT NULL, spelled BLOB NOT NULL, asks REAL NOT NULL,
    length INTEGER NOT NULL, numbers BLOB NOT NULL, names TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX passage_id ON passage (id);
CREATE INDEX passage_place ON passage (scope, path);
CREATE VIRTUAL TABLE words USING fts5 (title, body, tags, content='passage', content_rowid='row', tokenize='ascii');
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(4.0, 1.0, 3.0)');
CREATE TABLE link (scope TEXT NOT NULL, path TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, since TEXT NOT NULL);
CREATE INDEX link_place ON link (scope, path);
CREATE TABLE problem (
    scope TEXT NOT NULL, path TEXT NOT NULL, line INTEGER, reason TEXT NOT NULL, hint TEXT NOT NULL
);
CREATE INDEX problem_place ON problem (scope, path);
CREATE TABLE event (
    id TEXT PRIMARY KEY, ts TEXT NOT NULL, client TEXT NOT NULL, session TEXT NOT NULL, name TEXT NOT NULL,
    text TEXT NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX event_ts ON event (ts, id);
CREATE TABLE spoken (
    row INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, part INTEGER NOT NULL, "group" TEXT NOT NULL,
    number INTEGER NOT NULL, ts TEXT NOT NULL, client TEXT NOT NULL, said_by TEXT NOT NULL, terms TEXT NOT NULL,
    plain TEXT NOT NULL, spelled BLOB NOT NULL, asks REAL NOT NULL, length INTEGER NOT NULL, numbers BLOB NOT NULL,
    names TEXT NOT NULL, text TEXT NOT NULL
);
CREATE UNIQUE INDEX spoken_id ON spoken (id, part);
CREATE INDEX spoken_group ON spoken ("group");
CREATE INDEX spoken_number ON spoken (number, row);
CREATE VIRTUAL TABLE speech USING fts5 (terms, content='spoken', content_rowid='row', tokenize='ascii');
CREATE TABLE total (
    place TEXT PRIMARY KEY, passages INTEGER NOT NULL, terms INTEGER NOT NULL, groups INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE term (
    place TEXT NOT NULL, term TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (place, term)
) WITHOUT ROWID;
CREATE TABLE name (
    number INTEGER PRIMARY KEY, place TEXT NOT NULL, name TEXT NOT NULL, groups INTEGER NOT NULL, first BLOB NOT NULL,
    UNIQUE (place, name)
);
CREATE TABLE mention (
    name INTEGER NOT NULL, later INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (name, later, row)
) WITHOUT ROWID;
CREATE TABLE mentioning (
    name INTEGER NOT NULL, "group" INTEGER NOT NULL, rows INTEGER NOT NULL, PRIMARY KEY (name, "group")
) WITHOUT ROWID;
CREATE TABLE vector (
    place TEXT NOT NULL, row INTEGER NOT NULL, model TEXT NOT NULL, tokens BLOB NOT NULL,
    PRIMARY KEY (place, row, model)
) WITHOUT ROWID;
CREATE TABLE block (
    number INTEGER PRIMARY KEY, place TEXT NOT NULL, model TEXT NOT NULL, block INTEGER NOT NULL,
    changed INTEGER NOT NULL, there INTEGER NOT NULL, data BLOB NOT NULL,
    UNIQUE (place, model, block)
);
CREATE INDEX block_changed ON block (place, model, changed, there);
CREATE TABLE token (
    place TEXT NOT NULL, token INTEGER NOT NULL, model TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (place, token, model)
) WITHOUT ROWID;
CREATE TABLE page (path TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
"""


class IndexDamaged(Damaged):
    """The index fails its own check. It is derived: throw it away and build it again."""

    state = "is damaged"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"The index {path!r} {self.state}: {reason}.",
            "run `holdfast doctor --rebuild`: it is made from your files.",
        )
        self.reason = reason


class IndexOutdated(IndexDamaged):
    """An index of another version, or copied along with its folder. Nothing is wrong with it; it is built again."""

    state = "must be rebuilt"


class IndexBusy(Unavailable):
    """Another process writes the index, and went on longer than we wait."""

    def __init__(self, path: str) -> None:
        super().__init__(f"Another process is writing the index {path!r}.", "try again in a moment.")


class IndexMissing(NotFound):
    """There is no index to read."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"There is no index at {path!r}.", "run `holdfast doctor --rebuild`: it is made from your files."
        )


class IndexUnreachable(Unavailable):
    """The disk or the file system under the index refuses."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"The index {path!r} cannot be used: {reason}.", "look at the disk's space and the folder's rights."
        )


@contextmanager
def translate_errors(path: str) -> Iterator[None]:
    """SQLite's failures by our names."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise IndexBusy(path) from error
    except (apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.PermissionsError, apsw.ReadOnlyError) as error:
        raise IndexUnreachable(path, str(error)) from error
    except apsw.Error as error:
        raise IndexDamaged(path, str(error)) from error


@contextmanager
def translate_read_errors(path: str) -> Iterator[None]:
    """The same where rows are read: bad UTF-8, a word nobody knows, a checksum that fails are damage."""
    try:
        with translate_errors(path):
            yield
    except (KeyError, TypeError, ValueError) as error:
        raise IndexDamaged(path, str(error) or type(error).__name__) from error
