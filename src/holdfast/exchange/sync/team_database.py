"""A team's PostgreSQL: its tables brought forward, and a checkout's memory synced with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.core.value import Value
from holdfast.exchange.open_database import (
    NoDriver,
    NoSuchTeam,
    find_person,
    may_begin_team,
    notice_unnamed_person,
    open_database,
    open_project_peer,
    project_of,
    remember_team,
)
from holdfast.exchange.open_database import open_team as team_as
from holdfast.exchange.sync.sync_workspace import BOTH, PULL, SyncReport, SyncScope, list_unsent_steps, sync_workspace
from holdfast.workspace import App, need_person

if TYPE_CHECKING:
    from holdfast.exchange.postgres.database import PostgresDatabase

__all__ = [
    "DatabaseSelector",
    "DatabaseState",
    "NoDriver",
    "find_database_person",
    "find_served_team",
    "migrate_database",
    "read_database_state",
    "sync_database",
]


class DatabaseSelector(Value):
    """Which database, team, project and person are meant; empty: as the settings say.

    `new`: the team is begun, where the database has others and not this one.
    """

    url: str = ""
    team: str = ""
    project: str = ""
    person: str = ""
    new: bool = False


class DatabaseState(Value):
    """How a database is: its version, the newest known here, and the projects that the user sees."""

    version: int
    newest: int
    person: str
    projects: tuple[str, ...]


def migrate_database(app: App, url: str = "") -> list[str]:
    """Bring the database's tables forward; the steps taken."""
    need_person(app, "team database migrate")
    with _open_database(app, url) as found:
        return found.migrate()


def read_database_state(app: App, named: DatabaseSelector) -> DatabaseState:
    """How the database is."""
    with _open_database(app, named.url) as found:
        version, newest = found.look()
        if version != newest:
            return DatabaseState(version=version, newest=newest, person=find_person(app, named.person), projects=())
        if not found.open().teams() and not named.team:
            return DatabaseState(version=version, newest=newest, person=find_person(app, named.person), projects=())
        team = team_as(app, found, named.team, named.person, looking=True)
        return DatabaseState(version=version, newest=newest, person=team.person, projects=tuple(team.projects()))


def sync_database(
    app: App, named: DatabaseSelector, what: SyncScope, *, dry_run: bool = False
) -> tuple[str, SyncReport]:
    """Bring this checkout and the team's database together; the project's name there, and what was done."""
    way = "" if what.direction == BOTH else f" {what.direction}"
    need_person(app, f"sync database{way}")
    project = named.project or project_of(app)
    with _open_database(app, named.url) as found:
        found.open()
        if dry_run:
            return project, _preview_sync(app, found, named, project, what)
        begins = what.direction != PULL and may_begin_team(found, asked=named.new)
        team = team_as(app, found, named.team, named.person, new=begins)
        if not named.person and not found.bound_to():
            notice_unnamed_person(app, team.person)
        remember_team(app, found, team, project)
        return project, sync_workspace(app, open_project_peer(team, project), what)


def find_database_person(app: App) -> str:
    """Who works here, as the database knows them."""
    return find_person(app)


def find_served_team(app: App, named: DatabaseSelector) -> str:
    """The team that a server of the database serves; begun where it is the first, or was asked for."""
    with _open_database(app, named.url) as found:
        begins = may_begin_team(found.open(), asked=named.new)
        return team_as(app, found, named.team, named.person, new=begins).name


def _preview_sync(
    app: App, found: "PostgresDatabase", named: DatabaseSelector, project: str, what: SyncScope
) -> SyncReport:
    """What would move. Neither a team nor a person nor a project is made for the question."""
    try:
        team = team_as(app, found, named.team, named.person, looking=True)
    except NoSuchTeam:
        if what.direction == PULL or not may_begin_team(found, asked=named.new):
            raise
        return SyncReport(planned=tuple(list_unsent_steps(app, "", what)))
    if project in team.projects():
        return sync_workspace(app, open_project_peer(team, project), what, dry_run=True)
    return SyncReport(planned=() if what.direction == PULL else tuple(list_unsent_steps(app, "", what)))


@contextmanager
def _open_database(app: App, url: str) -> "Iterator[PostgresDatabase]":
    found = open_database(app, url)
    try:
        yield found
    finally:
        found.close()
