"""Whether a workspace's files moved since they were last looked at, and what came of it.

Linux tells of changes (inotify), so that a look costs microseconds; every so often, and elsewhere always, the stamps
of all files are compared: 50 ms of them for 10,000 files.
"""

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from holdfast.backends.sqlite.index import IndexBusy, IndexDamaged, SqliteIndex
from holdfast.config.settings import FILE as SETTINGS_FILE
from holdfast.config.teams import team_path
from holdfast.domain.memory import Scope
from holdfast.index.build import Place, sync
from holdfast.memory.open import App
from holdfast.wiring.index import index_path, places
from holdfast.wiring.vaults import LazyVault

# Remote folders and mapped writes are told by no kernel.
TRUSTED_SECONDS = 5.0
# However many files there are, looking for that costs a fiftieth of the time at most.
TIMES_AS_LONG = 50
MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF = 2, 4, 8, 64, 128, 256, 512, 1024
TOLD_OF = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF
AT_ONCE = 1 << 16
JOURNAL = "journal"

Stamps = Mapping[str, Mapping[str, str]]


class Moved(StrEnum):
    """What moved between two looks. Files count for more than events."""

    NOTHING = "nothing"
    EVENTS = "events"
    FILES = "files"


class Row(NamedTuple):
    """An entry of the index, without its words. A plain tuple: there are thousands, after each change."""

    id: str
    scope: str
    path: str
    line: int
    sha256: str
    status: str


class Still(LazyVault):
    """A vault whose stamps were taken already."""

    def __init__(self, root: str, scope: Scope, taken: Mapping[str, str], *, private: bool) -> None:
        super().__init__(root, scope, private=private)
        self._taken = taken

    def stamps(self) -> Mapping[str, str]:
        """The stamps as they were taken."""
        return self._taken


class Notices:
    """What the kernel tells of folders. Where it cannot, everything may have moved."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
        self._file = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC) if self._libc else -1

    def watch(self, folders: Iterable[str], of: int = TOLD_OF) -> None:
        """Have changes in these folders told; a folder that cannot be watched leaves all in doubt."""
        if self._libc is None or self._file < 0:
            return
        for folder in folders:
            if self._libc.inotify_add_watch(self._file, os.fsencode(folder), of) < 0 and os.path.isdir(folder):
                self.close()
                return

    def came(self) -> bool:
        """Whether anything was told since the last call, or cannot be told."""
        if self._file < 0:
            return True
        heard = False
        try:
            while os.read(self._file, AT_ONCE):
                heard = True
        except BlockingIOError:
            return heard
        return True

    def close(self) -> None:
        """Listen no more."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


class Sight:
    """One app's files as they were at the last look. For one thread."""

    def __init__(self, app: App, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._notices = Notices()
        self._at, self._trusted = float("-inf"), TRUSTED_SECONDS
        self._settings = self._stamps_of_settings()
        self._journal: tuple[str, int] = ("", 0)
        self._index = 0
        self._stamps: Stamps = {}
        self.rows: Mapping[tuple[str, str], tuple[Row, ...]] = {}
        self._sums: Mapping[tuple[str, str], str] = {}

    def look(self) -> Moved:
        """Bring the index in step with what moved, and say which it was."""
        settled = self._settings_same()
        self._same_index()
        journal, grown = self._end_of_journal(), False
        if journal != self._journal:
            self._journal, grown = journal, True
        if self._files_moved(grown=grown) or not settled:
            return Moved.FILES
        return Moved.EVENTS if grown else Moved.NOTHING

    def doubt(self) -> None:
        """Compare all stamps at the next look, whatever the kernel says."""
        self._at = float("-inf")

    def close(self) -> None:
        """Let go of what watches."""
        self._notices.close()

    def _files_moved(self, *, grown: bool) -> bool:
        told = self._notices.came()
        begun = self._clock()
        if told or begun - self._at > self._trusted or "index" not in self._app.__dict__:
            self._watch()
            stamps = {place.name + str(place.vault.scope): place.vault.stamps() for place in places(self._app)}
            self._at = self._clock()
            self._trusted = max(TRUSTED_SECONDS, (self._at - begun) * TIMES_AS_LONG)
            if stamps != self._stamps or any("" in files.values() for files in stamps.values()):
                self._stamps = stamps
                self._sync()
                return self._read()
        if grown:
            self._sync()
        return False

    def _sync(self) -> None:
        """One look at the disk is enough for both of us."""
        opened = "index" in self._app.__dict__
        store = self._app.index
        if not opened:
            return
        try:
            sync(store, [self._still(place) for place in places(self._app)], self._app.journal)
        except IndexBusy:
            self._stamps = {}
        except IndexDamaged:
            # Opening it says what is wrong, and builds it anew.
            self._app.refresh()
            assert self._app.index

    def _still(self, place: Place) -> Place:
        vault = place.vault
        assert isinstance(vault, LazyVault)
        taken = self._stamps[place.name + str(vault.scope)]
        still = Still(vault.root, vault.scope, taken, private=place.name != "memory")
        return Place(name=place.name, vault=still)

    def _read(self) -> bool:
        """What the index knows now; whether that is something else than before."""
        store = self._app.index
        assert isinstance(store, SqliteIndex)
        sums = store.sums()
        if sums == self._sums:
            return False
        self._sums = sums
        rows: dict[tuple[str, str], tuple[Row, ...]] = {}
        for row in map(Row._make, store.places()):
            key = row.scope, row.path
            rows[key] = (*rows[key], row) if key in rows else (row,)
        self.rows = rows
        return True

    def _watch(self) -> None:
        """Before the stamps are taken: what moves between is told."""
        for place in places(self._app):
            vault = place.vault
            assert isinstance(vault, LazyVault)
            if os.path.isdir(vault.root):
                self._notices.watch(_folders(vault.root))
            else:
                self._notices.watch([os.path.dirname(vault.root)], CREATE | MOVED_TO)

    def _same_index(self) -> None:
        """An index that was thrown away, by a purge say, is not read on from: nobody could empty it any more."""
        now = _stamp(index_path(self._app))
        inode = now[-1] if now else 0
        if inode != self._index and "index" in self._app.__dict__:
            self._app.refresh()
        self._index = inode

    def _settings_same(self) -> bool:
        now = self._stamps_of_settings()
        if now == self._settings:
            return True
        self._settings = now
        for name in ("settings", "team", "vaults"):
            self._app.__dict__.pop(name, None)
        self.doubt()
        return False

    def _stamps_of_settings(self) -> tuple[object, ...]:
        """What the user set, and which team they joined: both are read once by an app."""
        app = self._app
        files = [os.path.join(folder, SETTINGS_FILE) for folder in (app.home, app.folder)]
        return tuple(map(_stamp, (*files, team_path(app.home, app.workspace_id))))

    def _end_of_journal(self) -> tuple[str, int]:
        folder = os.path.join(self._app.folder, JOURNAL)
        try:
            newest = max((name for name in os.listdir(folder) if name.endswith(".jsonl")), default="")
            return newest, os.path.getsize(os.path.join(folder, newest)) if newest else 0
        except FileNotFoundError:
            return "", 0


def _folders(root: str) -> list[str]:
    found = [root]
    for folder in found:
        try:
            with os.scandir(folder) as inside:
                found += [each.path for each in inside if each.is_dir(follow_symlinks=False) and each.name[0] != "."]
        except OSError:
            continue
    return found


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino
