"""A team's own memory at a server of the team: a folder that every project here takes part in.

It is a workspace too, so that laptops are synced with it; packs of the projects put it first.
"""

import os
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING

from holdfast.app import build_app
from holdfast.config.registry import RegisteredWorkspace
from holdfast.config.teams import AT_FOLDER, Membership, save_team, team_of
from holdfast.core.home import FOLDER
from holdfast.core.memory import Scope
from holdfast.core.value import replace
from holdfast.exchange.postgres.change_feed import newest_number
from holdfast.exchange.sync.project_mirror import Mirror
from holdfast.exchange.sync.sync_workspace import SyncReport, SyncScope, sync_workspace
from holdfast.vault.entry_json import now
from holdfast.workspace import App, make_workspace_id

if TYPE_CHECKING:
    from holdfast.exchange.postgres.database import DatabaseSpace

__all__ = ["ProjectMirror", "TeamMirror"]

TEAMS_MEMORY = SyncScope(scope=Scope.TEAM, trusted=True)
UNSURE = ""


class TeamMirror(Mirror):
    """The team's own memory here. Its folder is synced by one at a time, whoever asks first."""

    def __init__(self, space: "DatabaseSpace", home: str) -> None:
        super().__init__(space, home)
        self._one = Lock()

    @property
    def root(self) -> str:
        """The folder in which `memory/` lies."""
        return os.path.join(self.path, FOLDER)

    def sync(self, app: App) -> SyncReport:
        """Take what others changed, send what changed here."""
        with self._one:
            return super().sync(app)

    def sync_into(self, app: App) -> tuple[int, SyncReport]:
        """The same as a project that takes part sees it: the number that the database was at, and what was done."""
        with self._one:
            at = newest_number(self.space)
            with self._lock:
                self._believe(at)
            return at, sync_workspace(app, self._shared, TEAMS_MEMORY)

    @property
    def newest_seen(self) -> int:
        """The newest number that was heard of."""
        with self._lock:
            return self._heard


class ProjectMirror(Mirror):
    """A project that takes part in its team: with every change the team's memory is synced as well."""

    def __init__(self, space: "DatabaseSpace", home: str, team: TeamMirror) -> None:
        super().__init__(space, home)
        self._home, self._team = home, team
        self._at = -1
        self._stamps: Mapping[str, str] = {}
        self._takes_part = False

    @property
    def registered(self) -> RegisteredWorkspace:
        """The project as a row of the registry, a member of its team."""
        found = super().registered
        if not self._takes_part:
            self._join(found.path)
        return found

    def doubt(self) -> None:
        """Notifications may have been missed: look at the next chance."""
        super().doubt()
        with self._lock:
            self._at = -1

    def is_behind(self) -> bool:
        """Whether the project or its team moved since we last looked."""
        return super().is_behind() or self._team_moved()

    def sync(self, app: App) -> SyncReport:
        """Take what others changed in the project and in the team, send what changed here."""
        done = super().sync(app)
        if not self._team_moved() and not self._changed_here(app):
            return done
        at, teams = self._team.sync_into(app)
        with self._lock:
            self._at = max(at, self._at)
        self._stamps = app.vaults[Scope.TEAM].stamps()
        # A conflict left a candidate in the project, which its people at other servers shall see.
        return super().sync(app) if teams.conflicts else done

    def _team_moved(self) -> bool:
        heard = self._team.newest_seen
        with self._lock:
            return self._at < heard or self._at < 0

    def _changed_here(self, app: App) -> bool:
        """Whether a file of the team is not as it was; one that was written a moment ago may be another."""
        now_there = app.vaults[Scope.TEAM].stamps()
        return now_there != self._stamps or UNSURE in now_there.values()

    def _join(self, path: str) -> None:
        """Written once for a folder: a membership that is rewritten would be read again by everybody."""
        wid, team = make_workspace_id(path), self.space.team
        self._team.registered  # noqa: B018 -- its folder is made
        os.makedirs(os.path.join(self._team.root, "memory"), mode=0o700, exist_ok=True)
        wanted = Membership(name=team.name, kind=AT_FOLDER, root=self._team.root, person=team.person)
        known = team_of(self._home, wid)
        if known is None or replace(known, joined="") != wanted:
            save_team(self._home, wid, replace(wanted, joined=now(build_app(path))))
        self._takes_part = True
