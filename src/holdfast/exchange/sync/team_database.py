"""A team's PostgreSQL: its tables brought forward, and a checkout's memory brought together with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.app import need_person
from holdfast.core.value import Value
from holdfast.exchange.open_database import (
    NoDriver,
    NoSuchTeam,
    database,
    may_begin,
    notice_nobody,
    project_of,
    remember_team,
    shared,
    who_is,
)
from holdfast.exchange.open_database import team as team_as
from holdfast.exchange.sync.sync_workspace import PULL, Synced, What, sync, unsent
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.exchange.postgres.database import Database

__all__ = ["DatabaseState", "Named", "NoDriver", "bring_together", "migrate", "person_of", "state", "team_served"]


class Named(Value):
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


def migrate(app: App, url: str = "") -> list[str]:
    """Bring the database's tables forward; the steps taken."""
    need_person(app, "database migrate")
    with _held(app, url) as found:
        return found.migrate()


def state(app: App, named: Named) -> DatabaseState:
    """How the database is."""
    with _held(app, named.url) as found:
        version, newest = found.look()
        if version != newest:
            return DatabaseState(version=version, newest=newest, person=who_is(app, named.person), projects=())
        if not found.open().teams() and not named.team:
            return DatabaseState(version=version, newest=newest, person=who_is(app, named.person), projects=())
        team = team_as(app, found, named.team, named.person, looking=True)
        return DatabaseState(version=version, newest=newest, person=team.person, projects=tuple(team.projects()))


def bring_together(app: App, named: Named, what: What, *, dry_run: bool = False) -> tuple[str, Synced]:
    """Bring this checkout and the team's database together; the project's name there, and what was done."""
    need_person(app, f"vault {what.direction}")
    project = named.project or project_of(app)
    with _held(app, named.url) as found:
        found.open()
        if dry_run:
            return project, _planned(app, found, named, project, what)
        begins = what.direction != PULL and may_begin(found, asked=named.new)
        team = team_as(app, found, named.team, named.person, new=begins)
        if not named.person and not found.bound_to():
            notice_nobody(app, team.person)
        remember_team(app, found, team, project)
        return project, sync(app, shared(team, project), what)


def person_of(app: App) -> str:
    """Who works here, as the database knows them."""
    return who_is(app)


def team_served(app: App, named: Named) -> str:
    """The team that a server of the database serves; begun where it is the first, or was asked for."""
    with _held(app, named.url) as found:
        begins = may_begin(found.open(), asked=named.new)
        return team_as(app, found, named.team, named.person, new=begins).name


def _planned(app: App, found: "Database", named: Named, project: str, what: What) -> Synced:
    """What would move. Neither a team nor a person nor a project is made for the question."""
    try:
        team = team_as(app, found, named.team, named.person, looking=True)
    except NoSuchTeam:
        if what.direction == PULL or not may_begin(found, asked=named.new):
            raise
        return Synced(planned=tuple(unsent(app, "", what)))
    if project in team.projects():
        return sync(app, shared(team, project), what, dry_run=True)
    return Synced(planned=() if what.direction == PULL else tuple(unsent(app, "", what)))


@contextmanager
def _held(app: App, url: str) -> "Iterator[Database]":
    found = database(app, url)
    try:
        yield found
    finally:
        found.close()
