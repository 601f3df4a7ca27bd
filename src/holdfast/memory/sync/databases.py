"""A team's PostgreSQL: its tables brought forward, and a checkout's memory brought together with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.domain.value import Value
from holdfast.memory.open import need_person
from holdfast.memory.sync.syncing import Synced, What, sync
from holdfast.wiring.app import App
from holdfast.wiring.databases import NoDriver, database, name_of_team, project_of, shared, who_is
from holdfast.wiring.databases import team as team_as

if TYPE_CHECKING:
    from holdfast.backends.postgres.database import Database

__all__ = ["DatabaseState", "Named", "NoDriver", "bring_together", "migrate", "person_of", "state", "team_name"]


class Named(Value):
    """Which database, team, project and person are meant; empty: as the settings say."""

    url: str = ""
    team: str = ""
    project: str = ""
    person: str = ""


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
        team = team_as(app, found.open(), named.team, named.person)
        return DatabaseState(version=version, newest=newest, person=team.person, projects=tuple(team.projects()))


def bring_together(app: App, named: Named, what: What, *, dry_run: bool = False) -> tuple[str, Synced]:
    """Bring this checkout and the team's database together; the project's name there, and what was done."""
    need_person(app, f"vault {what.direction}")
    project = named.project or project_of(app)
    with _held(app, named.url) as found:
        there = shared(app, found.open(), name=named.team, project=project, who=named.person)
        return project, sync(app, there, what, dry_run=dry_run)


def person_of(app: App) -> str:
    """Who works here, as the database knows them."""
    return who_is(app)


def team_name(app: App, named: str = "") -> str:
    """The team that is meant: the one named, the setting's, the one that was joined here."""
    return name_of_team(app, named)


@contextmanager
def _held(app: App, url: str) -> "Iterator[Database]":
    found = database(app, url)
    try:
        yield found
    finally:
        found.close()
