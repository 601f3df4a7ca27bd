"""Whether a workspace's files moved since they were last looked at, and what came of it.

Linux tells which files changed (inotify): these alone are read, so that a look costs little however many there are, and
nothing when none did. What we wrote ourselves is told in the same way. Every so often, and elsewhere always, the stamps
of all files are compared: 50 ms of them for 10,000 files.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from holdfast.config.settings import FILE as SETTINGS_FILE
from holdfast.config.teams import team_path
from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Scope
from holdfast.index.build_index import IndexedVault, sync_files, sync_index
from holdfast.index.open_index import index_path, list_index_places, sqlite_index_of
from holdfast.index.sqlite.sqlite_index import IndexBusy, IndexDamaged, SqliteIndex
from holdfast.system.inotify import CREATE, MOVED_TO, Notices
from holdfast.vault.lazy_vault import LazyVault
from holdfast.workspace import App

# Remote folders and mapped writes are told by no kernel.
TRUSTED_SECONDS = 5.0
# However many files there are, looking for that costs a fiftieth of the time at most.
TIMES_AS_LONG = 50
# More files than this are looked at with all others.
SOME = 500
JOURNAL = "journal"

File = tuple[str, str]


class DetectedChange(StrEnum):
    """What moved between two looks. Files count for more than events."""

    NOTHING = "nothing"
    EVENTS = "events"
    FILES = "files"


class EntrySummary(NamedTuple):
    """An entry of the index, without its words. A plain tuple: there are thousands, after each change."""

    id: str
    scope: str
    path: str
    line: int
    sha256: str
    status: str


class FileTransition(NamedTuple):
    """What a file's entries were, and what they are now."""

    before: tuple[EntrySummary, ...]
    now: tuple[EntrySummary, ...]


class StampedVault(LazyVault):
    """A vault whose stamps were taken already."""

    def __init__(self, root: str, scope: Scope, taken: Mapping[str, str], *, private: bool) -> None:
        super().__init__(root, scope, private=private)
        self._taken = taken

    def stamps(self) -> Mapping[str, str]:
        """The stamps as they were taken."""
        return self._taken


class WatchedApp(App):
    """An app with a sight: its index stays open, and what was written is brought in by name."""

    detector: "ChangeDetector | None" = None

    def refresh(self) -> None:
        """Have the index up to date with what was just written."""
        if self.detector is None or "index" not in self.__dict__:
            super().refresh()
            return
        try:
            self.detector.refresh()
        except (HoldfastError, OSError):
            # What was written is written: whoever asks the index next opens it again, or is told why not.
            super().refresh()

    def reopen(self) -> None:
        """Forget the open index."""
        super().refresh()


class ChangeDetector:
    """One app's files as they were at the last look. For one thread."""

    def __init__(self, app: WatchedApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._notices = Notices()
        self._at, self._trusted = float("-inf"), TRUSTED_SECONDS
        self._settings = self._stamps_of_settings()
        self._journal: tuple[str, int] = ("", 0)
        self._index = 0
        self._written: tuple[SqliteIndex, int] | None = None
        self._stamps: dict[str, dict[str, str]] = {}
        self._rows: dict[File, tuple[EntrySummary, ...]] = {}
        self._sums: dict[File, str] = {}
        self._grown = False
        self._coming: dict[File, FileTransition] = {}
        self.moved: Mapping[File, FileTransition] = {}
        app.detector = self

    def look(self) -> DetectedChange:
        """Bring the index up to date with what moved, and say which it was; `moved` has the files."""
        settled = self._settings_same()
        self.refresh()
        self.moved, self._coming = self._coming, {}
        grown, self._grown = self._grown, False
        if self.moved or not settled:
            return DetectedChange.FILES
        return DetectedChange.EVENTS if grown else DetectedChange.NOTHING

    def refresh(self) -> None:
        """Bring the index up to date; the next look tells of it. What cannot be done now is done by a later one."""
        done = False
        try:
            self._bring()
            done = True
        except IndexBusy:
            # Another process writes to it: until it is done, answers are a moment behind.
            return
        except IndexDamaged:
            # Opening it says what is wrong, and rebuilds it.
            self._app.reopen()
            self._read_all()
        finally:
            if not done:
                self._stamps = {}
                self.doubt()

    def _bring(self) -> None:
        self._same_index()
        journal = self._end_of_journal()
        grown, self._journal = journal != self._journal, journal
        self._grown = self._grown or grown
        told, begun = self._notices.moved(), self._clock()
        inside = None if told is None else self._inside(told)
        if inside is None or begun - self._at > self._trusted or "index" not in self._app.__dict__:
            self._look_at_all(begun, grown=grown)
        elif inside or grown:
            self._look_at(inside)

    def doubt(self) -> None:
        """Compare all stamps at the next look, whatever the kernel says."""
        self._at = float("-inf")

    def close(self) -> None:
        """Close what watches."""
        self._notices.close()

    def _inside(self, paths: Iterable[str]) -> set[File] | None:
        """The files of vaults among paths, by place; None where a vault itself came."""
        found: set[File] = set()
        for place in list_index_places(self._app):
            vault = _vault(place)
            if vault.root in paths:
                return None
            below = f"{vault.root}/"
            found |= {(_key(place), path.removeprefix(below)) for path in paths if path.startswith(below)}
        return {(key, path) for key, path in found if path.endswith(".md") and path.rpartition("/")[2][0] != "."}

    def _look_at_all(self, begun: float, *, grown: bool) -> None:
        """Compare every stamp. Those that moved are looked at; all of them, where the index is not as we left it."""
        opened = "index" in self._app.__dict__
        self._watch()
        before, now = self._stamps, {_key(place): dict(place.vault.stamps()) for place in list_index_places(self._app)}
        self._at = self._clock()
        self._trusted = max(TRUSTED_SECONDS, (self._at - begun) * TIMES_AS_LONG)
        moved = {
            (key, path)
            for key in before.keys() | now.keys()
            for path in _find_moved_paths(before.get(key), now.get(key))
        }
        self._stamps = now
        if not opened or len(moved) > SOME or before.keys() != now.keys() or self._written_by_others():
            self._sync(opened=opened)
        elif moved or grown:
            self._look_at(moved)

    def _look_at(self, files: Iterable[File]) -> None:
        """Bring some files up to date, and the journal with them."""
        there, stamps, asked = list_index_places(self._app), dict[Scope, dict[str, str]](), list[File]()
        for place in there:
            key, scope = _key(place), place.vault.scope
            paths = [path for name, path in files if name == key]
            found = _vault(place).stamps_of(paths)
            asked += [(str(scope), f"{place.name}/{path}") for path in paths]
            stamps.setdefault(scope, {}).update({f"{place.name}/{path}": stamp for path, stamp in found.items()})
            kept = self._stamps.setdefault(key, {})
            for path in paths:
                kept.pop(path, None)
            kept.update(found)
        store = sqlite_index_of(self._app)
        sync_files(store, there, self._app.journal, (store.sources_of(asked), stamps))
        self._read({file: source.sha256 for file, source in store.sources_of(asked).items()}, asked)

    def _sync(self, *, opened: bool) -> None:
        """One look at the disk is enough for both of us; opening the index looks for itself."""
        store = sqlite_index_of(self._app)
        if opened:
            sync_index(store, [self._still(place) for place in list_index_places(self._app)], self._app.journal)
        self._read_all()

    def _still(self, place: IndexedVault) -> IndexedVault:
        vault = _vault(place)
        still = StampedVault(vault.root, vault.scope, self._stamps[_key(place)], private=place.name != "memory")
        return IndexedVault(name=place.name, vault=still)

    def _read_all(self) -> None:
        sums = sqlite_index_of(self._app).sums()
        self._read(sums, sums.keys() | self._sums.keys())
        store = sqlite_index_of(self._app)
        self._written = store, store.written()

    def _read(self, sums: Mapping[File, str], files: Iterable[File]) -> None:
        """What the index knows now of files; those that are something else than before have moved."""
        apart = [file for file in files if sums.get(file) != self._sums.get(file)]
        rows: dict[File, tuple[EntrySummary, ...]] = {}
        store = sqlite_index_of(self._app)
        found = store.places() if len(apart) > SOME else store.places_of(apart)
        for row in map(EntrySummary._make, found):
            key = row.scope, row.path
            rows[key] = (*rows[key], row) if key in rows else (row,)
        for file in apart:
            before, now = self._rows.pop(file, ()), rows.get(file, ())
            self._coming[file] = FileTransition(
                before=self._coming[file].before if file in self._coming else before, now=now
            )
            self._sums.pop(file, None)
            if file in sums:
                self._rows[file], self._sums[file] = now, sums[file]

    def _written_by_others(self) -> bool:
        """Whether somebody else wrote to the index since all of it was read: a rebuild that was cut short, say."""
        store = sqlite_index_of(self._app)
        return self._written is None or (store, store.written()) != self._written

    def _watch(self) -> None:
        """Before the stamps are taken: what moves between is told."""
        for place in list_index_places(self._app):
            vault = _vault(place)
            if os.path.isdir(vault.root):
                self._notices.watch(_folders(vault.root))
            else:
                self._notices.watch([os.path.dirname(vault.root)], CREATE | MOVED_TO)

    def _same_index(self) -> None:
        """An index that was thrown away, by a purge say, is not read on from: nobody could empty it any more."""
        now = _stamp(index_path(self._app))
        inode = now[-1] if now else 0
        if inode != self._index and "index" in self._app.__dict__:
            self._app.reopen()
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


def _key(place: IndexedVault) -> str:
    return place.name + str(place.vault.scope)


def _vault(place: IndexedVault) -> LazyVault:
    vault = place.vault
    assert isinstance(vault, LazyVault)
    return vault


def _find_moved_paths(before: Mapping[str, str] | None, now: Mapping[str, str] | None) -> set[str]:
    """The paths whose stamps differ, and those that may have moved unseen."""
    was, is_ = before or {}, now or {}
    differ = {path for path, _ in was.items() ^ is_.items()}
    return differ | ({path for path, stamp in is_.items() if not stamp} if "" in is_.values() else set())


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
