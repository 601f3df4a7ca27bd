"""One workspace (or the user's own memory outside any): where it is, what is set, the parts that `app.py` builds."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.core.agent_marks import find_calling_client
from holdfast.core.errors import NotFound, Refused
from holdfast.core.home import FOLDER, find_home, is_server_copy, read_environment
from holdfast.core.memory import Scope

if TYPE_CHECKING:
    from holdfast.config.registry import Registry
    from holdfast.config.settings import Settings
    from holdfast.config.teams import Membership
    from holdfast.core.candidate_store import Candidates
    from holdfast.core.index_store import LocalIndex
    from holdfast.core.journal_store import Journal
    from holdfast.core.vault_store import Vault

Progress = Callable[[str, int, int], None]


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


class App:
    """The parts of one workspace. `workspace` is empty outside any: then only the user's own memory is there.

    `folder` is where it keeps its files, if not in the workspace's `.holdfast`; `home` another home than the user's.
    """

    # False: its index lives in memory alone.
    keeps_index = True

    def __init__(
        self, workspace: str, flags: Mapping[str, str] | None = None, *, home: str = "", folder: str = ""
    ) -> None:
        self.workspace = workspace
        self.home = home or find_home()
        self.folder = folder or (os.path.join(workspace, FOLDER) if workspace else self.home)
        self.flags = flags or {}
        self.clock = SystemClock()
        self.notices: list[str] = []
        self.progress: Progress | None = None
        self.client = find_calling_client(read_environment())
        # In our own hook the journal knows the agent's tool calls, so that what an agent wrote is told from the user's.
        self.hooked = False

    @property
    def base(self) -> str:
        """The folder around `folder`, by which git knows our files: the workspace, unless they are kept elsewhere."""
        return os.path.dirname(self.folder) if self.workspace else ""

    @property
    def scope(self) -> Scope:
        """Whose memory `folder` is."""
        return Scope.WORKSPACE if self.workspace else Scope.USER

    @cached_property
    def is_copy(self) -> bool:
        """Whether this is a server's copy of a team's project: then the memory of who keeps it is out of reach."""
        return is_server_copy(self.home, self.workspace)

    @property
    def workspace_id(self) -> str:
        """The id of the workspace, or an empty text."""
        from holdfast.core.identity import workspace_id

        return workspace_id(self.workspace) if self.workspace else ""

    @cached_property
    def settings(self) -> "Settings":
        """The settings in force; what the repository may not set is a notice."""
        from holdfast.config.settings import load

        settings = load(self.home, self.folder if self.workspace else "", self.flags, _read_settings)
        self.notices.extend(settings.refused)
        return settings

    @cached_property
    def registry(self) -> "Registry":
        """The workspaces the user knows."""
        from holdfast.config.registry import Registry

        return Registry(self.home)

    @cached_property
    def team(self) -> "Membership | None":
        """The team that the user joined with this workspace."""
        from holdfast.config.teams import team_of

        return team_of(self.home, self.workspace_id) if self.workspace else None

    def root_of(self, scope: Scope) -> str:
        """The folder in which the memory of a scope lies, in `memory/`."""
        if scope is Scope.TEAM and self.team:
            return self.team.root
        return self.folder if scope is self.scope else self.home

    @cached_property
    def vaults(self) -> Mapping[Scope, "Vault"]:
        """The vaults in reach: the workspace's, the user's own, and the team's where they joined one."""
        raise NotImplementedError

    @cached_property
    def candidate_vault(self) -> "Vault":
        """The candidates' files, as the index reads them."""
        raise NotImplementedError

    @cached_property
    def candidates(self) -> "Candidates":
        """What waits for review."""
        raise NotImplementedError

    @cached_property
    def journal(self) -> "Journal":
        """The journal of this workspace."""
        raise NotImplementedError

    @cached_property
    def index(self) -> "LocalIndex":
        """The index, refreshed from the files."""
        raise NotImplementedError

    def open_other(self, workspace: str) -> "App":
        """Another workspace of the same home, or this one opened again; an empty text is the user's own memory."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Forget the open index: the next look brings it up to date with what was just written."""
        self.__dict__.pop("index", None)

    def close(self) -> None:
        """Close what is open: a server opens an app for every request, and may run for days."""
        index: LocalIndex | None = self.__dict__.pop("index", None)
        if index is not None:
            index.close()


def _read_settings(path: str) -> Mapping[str, Any]:
    if not os.path.lexists(path):
        return {}
    from holdfast.config.toml_file import read_file

    return read_file(path)


class NoWorkspace(NotFound):
    """No workspace around this folder."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"There is no Holdfast workspace in {folder!r} or above it.",
            "run `holdfast init` in the folder that should have memory, or use --scope user for your own.",
        )


class PersonOnly(Refused):
    """A client's agent asked for what only a person may do."""

    def __init__(self, command: str, client: str) -> None:
        super().__init__(
            f"`holdfast {command}` is for a person, and this runs inside {client}.",
            f"ask the user to type it in a terminal of their own: holdfast {command}",
        )


def need_person(app: App, command: str) -> None:
    """Refuse a client's agent."""
    if app.client:
        raise PersonOnly(command, app.client)
