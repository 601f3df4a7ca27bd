"""The one place that builds: a workspace's vaults, candidates, journal and index, each when it is first asked for."""

import os
import stat
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.core.home import FOLDER, find_workspace
from holdfast.core.memory import Scope
from holdfast.workspace import App, NoWorkspace

if TYPE_CHECKING:
    from holdfast.core.candidate_store import Candidates
    from holdfast.core.index_store import IndexStore
    from holdfast.core.journal_store import Journal
    from holdfast.core.vault_store import Vault


class BuiltApp(App):
    """A workspace over files. Loads each part's machinery only when that part is asked for."""

    @cached_property
    def vaults(self) -> Mapping[Scope, "Vault"]:
        """As the port says. A server's copy has no user's own: every token of the team would see what the keeper wrote for themselves."""
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

        return LazyVault(os.path.join(self.folder, "candidates"), self.scope, private=True)

    @cached_property
    def candidates(self) -> "Candidates":
        """What waits for review."""
        from holdfast.vault.candidate_files import FileCandidates

        return FileCandidates(os.path.join(self.folder, "candidates"))

    @cached_property
    def journal(self) -> "Journal":
        """The journal of this workspace."""
        from holdfast.journal.lazy_journal import LazyJournal

        return LazyJournal(os.path.join(self.folder, "journal"), self._segment_bytes)

    @cached_property
    def index(self) -> "IndexStore":
        """The index, in step with the files."""
        from holdfast.index.open_index import open_index

        return open_index(self)

    def _segment_bytes(self) -> int:
        return max(1, int(self.settings["journal.segment_mb"])) * 1024 * 1024


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
