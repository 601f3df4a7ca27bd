"""The index of an app: opened, refreshed, fixed when damaged, elsewhere when the folder is read-only."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.memory import Entry, Problem
from holdfast.core.search import Select
from holdfast.index.build_index import IndexedVault, sync_index
from holdfast.index.sqlite.sqlite_index import IndexBusy, IndexDamaged, IndexOutdated, SqliteIndex

__all__ = [
    "MEMORY",
    "IndexBusy",
    "IndexDamaged",
    "cached_index_path",
    "check_index",
    "discard_index",
    "index_path",
    "list_index_places",
    "may_know_id",
    "open_in_memory",
    "open_index",
    "rebuild_index",
    "refresh_index",
    "select_on_own_connection",
    "sqlite_index_of",
]

if TYPE_CHECKING:
    from holdfast.core.event import Cursor, JournalRecord
    from holdfast.workspace import App

MEMORY = ":memory:"
BESIDE = ("", "-wal", "-shm", "-journal")
BEHIND = "Another process is updating the index: answers may be a moment behind."


def open_index(app: "App") -> SqliteIndex:
    """The index up to date with vault, candidates and journal; what the user should know is in the app's notices."""
    path = index_path(app)
    try:
        return refresh_index(app, SqliteIndex.open(path))
    except IndexDamaged as damage:
        ordinary = isinstance(damage, IndexOutdated)
        why = f": {damage.reason}" if ordinary else f", since it could not be used ({damage})"
        app.notices.append(f"The index was rebuilt from your files{why}.")
        from holdfast.journal.change_log import note_change

        note_change(app, "migration", "index", after=f"built anew: {damage.reason}")
        return refresh_index(app, SqliteIndex.fresh(path))
    except IndexBusy:
        raise
    except Unavailable as trouble:
        app.notices.append(f"The index could not be kept on disk ({trouble}); this answer was made without it.")
        return refresh_index(app, SqliteIndex.open(MEMORY))


def rebuild_index(app: "App") -> SqliteIndex:
    """The index thrown away and built from nothing."""
    return refresh_index(app, SqliteIndex.fresh(index_path(app)))


def check_index(app: "App") -> Sequence[Problem]:
    """What SQLite's own checks say of the index."""
    return app.index.check()


def index_path(app: "App") -> str:
    """Where the index can be kept: in the folder, in our home's cache, or nowhere but memory."""
    if not app.keeps_index:
        return MEMORY
    if _is_writable(app.folder):
        return os.path.join(app.folder, "index.db")
    if app.workspace and os.path.isdir(app.folder) and _is_writable(app.home):
        os.makedirs(os.path.dirname(cached_index_path(app)), mode=0o700, exist_ok=True)
        return cached_index_path(app)
    return MEMORY


def cached_index_path(app: "App") -> str:
    """Where the index of a read-only workspace is kept."""
    return os.path.join(app.home, "cache", f"index-{app.workspace_id}.db")


def select_on_own_connection(app: "App", chosen: Select) -> "Sequence[Entry]":
    """Entries of an index that is up to date, over a connection of their own: several can be read side by side."""
    path = index_path(app)
    if path == MEMORY:
        return app.index.select(chosen)
    store = SqliteIndex.open(path, readonly=True)
    try:
        return store.select(chosen)
    finally:
        store.close()


def may_know_id(app: "App", memory_id: str) -> bool:
    """Whether the index as it lies there knows an id, or cannot tell. Nothing is brought up to date for it."""
    path = index_path(app)
    if path == MEMORY or not os.path.exists(path):
        return True
    try:
        with closing(SqliteIndex.open(path, readonly=True)) as store:
            return bool(store.select(Select(ids=(memory_id,))))
    except HoldfastError:
        return True


def discard_index(path: str) -> None:
    """Remove an index and what SQLite keeps beside it."""
    for suffix in BESIDE if path != MEMORY else ():
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)


def list_index_places(app: "App") -> list[IndexedVault]:
    """Every folder the index reads, by the name its paths begin with."""
    found = [IndexedVault(name="memory", vault=vault) for vault in app.vaults.values()]
    return [*found, IndexedVault(name="candidates", vault=app.candidate_vault)]


def sqlite_index_of(app: "App") -> SqliteIndex:
    """The app's index with all that SQLite's own has beyond the port."""
    store = app.index
    if not isinstance(store, SqliteIndex):
        raise TypeError(f"the index of {app.folder!r} is no SQLite index")
    return store


def open_in_memory() -> SqliteIndex:
    """An empty index that no file keeps."""
    return SqliteIndex.open(MEMORY)


def refresh_index(app: "App", store: SqliteIndex) -> SqliteIndex:
    """An index, brought up to date with vault, candidates and journal."""
    try:
        done = sync_index(store, list_index_places(app), _TolerantJournal(app), progress=app.progress)
    except IndexBusy:
        note_behind(app)
        return store
    if done.changed or done.removed:
        from holdfast.index.start_comparing import start_comparing

        start_comparing(app)
    return store


def note_behind(app: "App") -> None:
    """Say that another process writes the index, so that what came last may be missing."""
    if BEHIND not in app.notices:
        app.notices.append(BEHIND)


class _TolerantJournal:
    """The journal as the index reads it: one that cannot be read is told, and the files are served all the same."""

    def __init__(self, app: "App") -> None:
        self._app = app

    def read(self, after: "Cursor | None" = None) -> "Iterator[JournalRecord]":
        """Every whole record from a place on, as far as it can be read."""
        try:
            yield from self._app.journal.read(after)
        except Unavailable as trouble:
            self._app.notices.append(f"{trouble} Events may be missing from the answer.")


def _is_writable(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
