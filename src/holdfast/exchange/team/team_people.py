"""Who is in a team of a database, and who sees which of its projects: said by a person who keeps the database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from holdfast.core.errors import BadRequest
from holdfast.exchange.open_database import may_begin_team, open_database
from holdfast.exchange.open_database import open_team as team_as
from holdfast.exchange.postgres import database_people as rows
from holdfast.exchange.postgres.database import TeamSpaces
from holdfast.exchange.postgres.database_people import TeamPerson, TeamProject
from holdfast.exchange.sync.team_database import DatabaseSelector
from holdfast.workspace import App, need_person

__all__ = ["add_person", "close_project", "list_people", "list_projects", "open_project", "remove_person"]


class NobodyLeft(BadRequest):
    """A project that nobody could see."""

    def __init__(self, project: str) -> None:
        super().__init__(
            f"Nobody would see the project {project!r}.",
            "name its people: holdfast team database project close NAME WHO…",
        )


def list_people(app: App, named: DatabaseSelector) -> list[TeamPerson]:
    """Everybody of a team, with the logins that are theirs."""
    with _open_team(app, named) as team:
        return rows.list_people(team)


def add_person(app: App, named: DatabaseSelector, name: str, login: str = "") -> None:
    """Take somebody into a team; with a login, that one sees what this person sees and no more."""
    need_person(app, f"team database person add {name}")
    with _open_team(app, named, begins=True) as team:
        rows.add_person(team, name, login)


def remove_person(app: App, named: DatabaseSelector, name: str) -> None:
    """Take somebody out of a team."""
    need_person(app, f"team database person remove {name}")
    with _open_team(app, named) as team:
        rows.remove_person(team, name)


def list_projects(app: App, named: DatabaseSelector) -> list[TeamProject]:
    """The projects of a team, and who sees them."""
    with _open_team(app, named) as team:
        return rows.list_projects(team)


def close_project(app: App, named: DatabaseSelector, project: str, names: Sequence[str]) -> str:
    """Let only these people see a project from now on; who asked, where they do not see it any more."""
    need_person(app, f"team database project close {project}")
    if not names:
        raise NobodyLeft(project)
    with _open_team(app, named) as team:
        rows.close_project(team, project, list(names))
        return "" if team.person in names else team.person


def open_project(app: App, named: DatabaseSelector, project: str) -> None:
    """Let the whole team see a project."""
    need_person(app, f"team database project open {project}")
    with _open_team(app, named) as team:
        rows.open_project(team, project)


@contextmanager
def _open_team(app: App, named: DatabaseSelector, *, begins: bool = False) -> Iterator[TeamSpaces]:
    """The team; of an empty database, `begins` makes the first one."""
    opened = open_database(app, named.url)
    try:
        opened.open()
        first = begins and may_begin_team(opened, asked=False)
        yield team_as(app, opened, named.team, named.person, new=first)
    finally:
        opened.close()
