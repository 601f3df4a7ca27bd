"""What stands in the private part of `.holdfast` and came by git or a sync is somebody else's: no agent is told it."""

import os
from functools import cached_property

from holdfast.core.home import FOLDER
from holdfast.system.git import ask_git
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.sync_authors import SyncAuthors
from holdfast.workspace import App

PRIVATE = ("candidates", "context", "journal", "log", "state")
PRIVATE_FILES = ("briefing.json",)
CANDIDATES = "candidates/"
VERSION = 2


class TrackedFiles:
    """The private files that git tracks. Git is asked once for every state of its index."""

    def __init__(self, app: App) -> None:
        self._app = app

    def holds(self, *paths: str) -> bool:
        """Whether git tracks any of these files, or one in these folders (paths that end in `/`), or others sent it."""
        if any(path.startswith(CANDIDATES) and self._senders.sent(path) for path in paths):
            return True
        return any(
            name == path or _is_below(name, path) or _is_below(path, name) for name in self._names for path in paths
        )

    @cached_property
    def _senders(self) -> SyncAuthors:
        return SyncAuthors(self._app)

    @cached_property
    def _names(self) -> frozenset[str]:
        stamp = _stamp(self._app.base)
        if not stamp:
            return frozenset()
        known = read_json_cache(self._path)
        if known.get("git") != stamp or known.get("v") != VERSION:
            known = {"v": VERSION, "git": stamp, "tracked": self._asked()}
            write_json_cache(self._path, known)
        return frozenset(map(str, known.get("tracked", ())))

    def _asked(self) -> list[str]:
        folders = [f"{FOLDER}/{name}" for name in PRIVATE]
        files = [f"{FOLDER}/{name}" for name in PRIVATE_FILES]
        listed = ask_git(self._app.base, "ls-files", "-z", "--", *folders, *files)
        # Where git does not answer, whatever is there may have come by it.
        names = listed.split("\0") if listed is not None else [*(f"{folder}/" for folder in folders), *files]
        return [name.removeprefix(f"{FOLDER}/") for name in names if name]

    @property
    def _path(self) -> str:
        return os.path.join(self._app.folder, "state", "tracked.json")


def _is_below(path: str, folder: str) -> bool:
    return folder.endswith("/") and path.startswith(folder)


def _stamp(workspace: str) -> str:
    """What moves when git's index does; empty where there is no git. No repository can know it beforehand."""
    place = find_git_folder(workspace)
    if not place:
        return ""
    parts = [f"{os.stat(workspace).st_ino}"]
    for name in ("index", "HEAD"):
        try:
            seen = os.stat(os.path.join(place, name))
            parts.append(f"{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}.{seen.st_ctime_ns}")
        except OSError:
            parts.append("-")
    return " ".join(parts)


def find_git_folder(workspace: str) -> str:
    """The folder with git's index for the repository around a workspace; a worktree names it in a file."""
    folder = workspace
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    marker = os.path.join(folder, ".git")
    if os.path.isdir(marker):
        return marker
    try:
        with open(marker, encoding="utf-8") as file:
            named = file.read().partition("gitdir:")[2].strip()
    except (OSError, UnicodeDecodeError):
        return marker
    return os.path.join(folder, named)
