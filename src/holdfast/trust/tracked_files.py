"""What stands in the private part of `.holdfast` and came by git, a sync or before `init` is somebody else's.

No agent is told it. Memory files are asked about in `visibility.py`.
"""

import os
from functools import cached_property

from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry
from holdfast.system.git import ask_git_with_input
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.sync_authors import SyncAuthors
from holdfast.workspace import App

PRIVATE = (
    "candidates", "changes", "context", "journal", "learning", "log", "research", "runs", "security", "state", "work",
)  # fmt: skip
PRIVATE_FILES = ("briefing.json",)
CANDIDATES = "candidates/"
GIT = ".git"
# How git's index calls the commit of a submodule.
GITLINK = "160000"
VERSION = 3


class TrackedFiles:
    """The private files that others brought. Git is asked once for every state of its index."""

    def __init__(self, app: App) -> None:
        self._app = app

    def holds(self, *paths: str) -> bool:
        """Whether others brought any of these files, or one in these folders (paths that end in `/`).

        By git, as a repository inside ours, by a sync, or before this folder was a workspace of the user's.
        """
        if any(path.startswith(CANDIDATES) and self._senders.sent(path) for path in paths):
            return True
        names = (*self._names, *self._brought, *self._repositories)
        return any(name == path or _is_below(name, path) or _is_below(path, name) for name in names for path in paths)

    def holds_candidate(self, entry: Entry) -> bool:
        """Whether others brought a candidate: also where its words are not as we wrote them."""
        return self.holds(entry.path) or (self._proposed is not None and entry.sha256 not in self._proposed)

    @cached_property
    def _senders(self) -> SyncAuthors:
        return SyncAuthors(self._app)

    @cached_property
    def _proposed(self) -> frozenset[str] | None:
        # A server's copy has what a team's members sent it, which the server itself lets in.
        own = self._app.workspace and not self._app.is_copy
        return self._app.registry.proposed(self._app.workspace_id) if own else None

    @cached_property
    def _brought(self) -> tuple[str, ...]:
        known_as = self._app.registry.get(self._app.workspace_id) if self._app.workspace else None
        return known_as.foreign if known_as else ()

    @cached_property
    def _repositories(self) -> tuple[str, ...]:
        """The private folders that are repositories of their own, or lie in one that is not the workspace's."""
        folder = self._app.folder if self._app.workspace else ""
        every = bool(folder) and os.path.lexists(os.path.join(folder, GIT))
        names = [f"{name}/" for name in PRIVATE if every or os.path.lexists(os.path.join(folder, name, GIT))]
        return (*names, *(PRIVATE_FILES if every else ()))

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
        listed = ask_git_with_input(self._app.base, "ls-files", "--stage", "-z", "--", *folders, *files)
        if listed is None:
            # Where git does not answer, whatever is there may have come by it.
            return [*(f"{folder}/" for folder in PRIVATE), *PRIVATE_FILES]
        rows = (line.partition("\t") for line in listed.split("\0") if line)
        return [name.removeprefix(f"{FOLDER}/") + _ending(head) for head, _, name in rows]

    @property
    def _path(self) -> str:
        return os.path.join(self._app.folder, "state", "tracked.json")


def list_private(app: App) -> tuple[str, ...]:
    """What stands in the private part of `.holdfast`: files, and folders that hold anything, with `/` at their end."""
    folders = (f"{name}/" for name in PRIVATE if _holds_anything(os.path.join(app.folder, name)))
    return (*folders, *(name for name in PRIVATE_FILES if os.path.lexists(os.path.join(app.folder, name))))


def _holds_anything(path: str) -> bool:
    """Whether there is more than empty folders; what cannot be looked into may hold anything."""
    try:
        with os.scandir(path) as inside:
            return any(not each.is_dir(follow_symlinks=False) or _holds_anything(each.path) for each in inside)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _ending(head: str) -> str:
    """All of a submodule is its own repository's."""
    return "/" if head.startswith(GITLINK) else ""


def is_in_other_repository(base: str, path: str) -> bool:
    """Whether a file of ours, by its path in the workspace, lies in a repository that stands inside `.holdfast`."""
    folder = os.path.dirname(path)
    while folder == FOLDER or folder.startswith(f"{FOLDER}/"):
        if os.path.lexists(os.path.join(base, folder, GIT)):
            return True
        folder = os.path.dirname(folder)
    return False


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
