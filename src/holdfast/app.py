"""The one place that builds: a workspace's vaults, candidates, journal and index, each when it is first asked for."""

import os
import stat
from collections.abc import Mapping
from functools import cached_property
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from holdfast.config.foreign_environment import check_home
from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.core.home import FOLDER, find_workspace
from holdfast.core.memory import Scope
from holdfast.core.presence import LIBRARY, Presence
from holdfast.workspace import App, NoWorkspace

if TYPE_CHECKING:
    from holdfast.core.candidate_store import Candidates
    from holdfast.core.index_store import LocalIndex
    from holdfast.core.journal_store import Journal
    from holdfast.core.vault_store import Vault
    from holdfast.index.sqlite.sqlite_index import SqliteIndex


class BuiltApp(App):
    """A workspace over files. Loads each part's machinery only when that part is asked for."""

    def open_other(self, workspace: str) -> App:
        """As the class says."""
        folder = self.folder if workspace == self.workspace else ""
        found = BuiltApp(workspace, self.flags, home=self.home, folder=folder)
        found.keeps_index = self.keeps_index
        found.presence = self.presence
        return found

    @cached_property
    def vaults(self) -> Mapping[Scope, "Vault"]:
        """As the port says.

        A server's copy has no user's own: every token of the team would see what the keeper wrote for themselves.
        """
        from holdfast.vault.lazy_vault import LazyVault

        shared, own = (Scope.WORKSPACE,) if self.workspace else (), () if self.is_copy else (Scope.USER,)
        team = (Scope.TEAM,) if self.team else ()
        return {
            scope: LazyVault(os.path.join(self.root_of(scope), "memory"), scope) for scope in (*shared, *own, *team)
        }

    @cached_property
    def candidate_vault(self) -> "Vault":
        """The candidates' files, as the index reads them."""
        from holdfast.vault.lazy_vault import LazyVault

        folder = os.path.join(self.folder, "candidates")
        return LazyVault(folder, self.scope, private=True, note=self.note_proposed)

    @cached_property
    def candidates(self) -> "Candidates":
        """What waits for review."""
        from holdfast.vault.candidate_files import FileCandidates

        return FileCandidates(os.path.join(self.folder, "candidates"), note=self.note_proposed)

    @cached_property
    def journal(self) -> "Journal":
        """The journal of this workspace."""
        from holdfast.journal.lazy_journal import LazyJournal

        if self.workspace and os.path.isdir(os.path.join(self.home, "spool")):
            # A hook could not have the journal's lock: its event comes before whatever is done now.
            from holdfast.journal.spool import take_in

            take_in(self.home, self.folder)
        return LazyJournal(os.path.join(self.folder, "journal"), self._segment_bytes)

    @cached_property
    def index(self) -> "LocalIndex":
        """The index, up to date with the files."""
        from holdfast.index.open_index import open_index

        return open_index(self)

    def _segment_bytes(self) -> int:
        return max(1, int(self.settings["journal.segment_mb"])) * 1024 * 1024


class EmptyApp(BuiltApp):
    """A workspace that has nothing yet: real files, and a home, in a temporary folder of its own that goes with it."""

    keeps_index = False

    def __init__(self, workspace: str = "") -> None:
        """`workspace`: the folder whose code it is about; nothing of ours in there is looked at."""
        top = os.path.realpath(mkdtemp(prefix="holdfast-"))
        self._removal = finalize(self, _remove_folder, top, os.getpid())
        base = os.path.join(top, "workspace")
        # Granite would keep its arrays in the user's cache: of theirs nothing is touched here.
        flags = {"embedder": "static"}
        super().__init__(workspace or base, flags, home=os.path.join(top, "home"), folder=os.path.join(base, FOLDER))
        # Whoever starts us, what is put in here is theirs: there is no user to guard it for.
        self.client = ""
        self.presence = Presence(who="", how=LIBRARY)
        self._store: SqliteIndex | None = None
        os.makedirs(os.path.join(self.folder, "memory"))
        os.mkdir(self.home, 0o700)

    @cached_property
    def index(self) -> "LocalIndex":
        """The index, refreshed from the files. It stays open: to open it again would be to build it from nothing."""
        from holdfast.index.open_index import open_in_memory, refresh_index

        self._store = self._store or open_in_memory()
        return refresh_index(self, self._store)

    def close(self) -> None:
        """Close what is open, and remove every file."""
        if self._store is not None:
            self._store.close()
        self._removal()


def _remove_folder(folder: str, owner: int) -> None:
    """Remove a temporary folder; not from a fork of the process that made it, whose copy of it is no other."""
    if os.getpid() == owner:
        rmtree(folder, ignore_errors=True)


def build_app(workspace: str, flags: Mapping[str, str] | None = None) -> App:
    """The app of a workspace; with an empty text, of the user's own memory."""
    return BuiltApp(workspace, flags)


def open_app(start: str, flags: Mapping[str, str] | None = None) -> App:
    """The app of the workspace around a folder."""
    return build_app(find_workspace(start), flags)


class WorkspaceNotAFolder(BadRequest):
    """`.holdfast` is something else than a folder."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is not a folder.", "move it away, then run `holdfast init`.")


class LinkInWorkspace(Refused):
    """A link where our files belong."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r} is a link; links in {FOLDER} are not followed.", "put the real file or folder there."
        )


class FolderMissing(NotFound):
    """The folder named does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no folder {path!r}.", "check the path given with -C.")


def open_memory(start: str = "", flags: Mapping[str, str] | None = None, *, anywhere: bool = False) -> App:
    """The app for the workspace around a folder; with `anywhere`, the user's own memory where there is none."""
    folder = os.path.abspath(start or os.getcwd())
    if not os.path.isdir(folder):
        raise FolderMissing(folder)
    app = open_app(folder, flags)
    check_home(app.home, folder, app.workspace)
    if not app.workspace and not anywhere:
        raise NoWorkspace(folder)
    if app.workspace:
        check_folder(os.path.join(app.workspace, FOLDER))
    return app


def check_folder(path: str) -> None:
    """Refuse what is no folder, and links in it: a repository could point our writes anywhere."""
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise WorkspaceNotAFolder(path)
    with os.scandir(path) as inside:
        for entry in inside:
            if entry.is_symlink():
                raise LinkInWorkspace(entry.path)
