"""Forgetting in a team's database: opened by what the settings say, searched and purged table by table."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.config.teams import AT_DATABASE
from holdfast.domain.errors import Refused
from holdfast.domain.value import Value
from holdfast.vault.texts import Markdown
from holdfast.wiring.app import App
from holdfast.wiring.databases import database, name_of_team, project_of, who_is

if TYPE_CHECKING:
    from holdfast.backends.postgres.database import Database, Space, Team
    from holdfast.backends.postgres.forgetting import Wanted


class Meant(Value):
    """Which database, team, project and person are meant; empty: as the settings say. `everywhere`: all projects."""

    url: str = ""
    team: str = ""
    project: str = ""
    person: str = ""
    everywhere: bool = False


class Words(Value):
    """What is sought, as a database is asked for it.

    `person`: the words are somebody's name. `said`: they also go from what was said.
    """

    holds: Callable[[str], bool]
    named: Callable[[str], bool]
    ids: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    person: bool = False
    said: bool = True


class InDatabase(Value):
    """What a database holds of it: rows by table, people of that name; and what was searched for that."""

    name: str
    found: Mapping[str, int]
    people: tuple[str, ...] = ()
    tables: int = 0
    rows: int = 0
    size: int = 0
    swept: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not self.found and not self.people


def uses_database(app: App, meant: Meant) -> bool:
    """Whether a database is named, by the word given or the settings."""
    return bool(_url(app, meant))


def _url(app: App, meant: Meant) -> str:
    """The database that is named, that is set, or that the team's memory comes from."""
    team = app.team.source if app.team and app.team.kind == AT_DATABASE else ""
    return meant.url or str(app.settings["database.url"]) or team


def look_in_database(app: App, words: Words, meant: Meant) -> InDatabase:
    """What the team's database holds of it, as far as the person sees it. Changes nothing."""
    with _spaces(app, meant) as (_, team, spaces):
        return _searched(team, spaces, words)


def purge_in_database(app: App, words: Words, meant: Meant, why: str) -> InDatabase:
    """Take it out of every table, then search them all again."""
    with _spaces(app, meant) as (found, team, spaces):
        if team is None:
            return InDatabase(name="", found={})
        return purge_in_spaces(found, team, spaces, words, why)


def purge_in_spaces(
    found: "Database", team: "Team", spaces: "list[Space]", words: Words, why: str
) -> InDatabase:  # fmt: skip
    """The same for spaces that are open."""
    from holdfast.backends.postgres.forgetting import PostgresForgetting, drop_people, vacuum

    PostgresForgetting(spaces, Markdown()).purge(_wanted(words), why)
    people = [name for name in _people(team, words) if name != team.person]
    # Not every login may change who is in a team: who is left is named.
    with suppress(Refused):
        drop_people(team, people)
    swept = vacuum(found)
    left = _searched(team, spaces, words)
    return InDatabase(
        name=left.name, found=left.found, people=left.people, tables=left.tables, rows=left.rows, size=left.size,
        swept=swept,
    )  # fmt: skip


def project_rows(app: App, meant: Meant) -> tuple[str, dict[str, int]]:
    """What the database has of this project: its name there, and rows by table."""
    from holdfast.backends.postgres.forgetting import count_rows

    with _spaces(app, meant) as (_, __, spaces):
        own = [space for space in spaces if space.kind == "project"]
        return (own[0].name, count_rows(own[0])) if own else ("", {})


def drop_project(app: App, meant: Meant) -> None:
    """Take this project out of the database with every row of it."""
    from holdfast.backends.postgres.forgetting import drop_space, vacuum

    with _spaces(app, meant) as (found, _, spaces):
        for space in spaces:
            if space.kind == "project":
                drop_space(space)
        vacuum(found)


@contextmanager
def _spaces(app: App, meant: Meant) -> "Iterator[tuple[Database, Team | None, list[Space]]]":
    found = database(app, _url(app, meant))
    try:
        from holdfast.backends.postgres.forgetting import find_spaces

        project = meant.project or (project_of(app) if app.workspace else "")
        projects = None if meant.everywhere else frozenset({project})
        team, spaces = find_spaces(found.open(), name_of_team(app, meant.team), who_is(app, meant.person), projects)
        yield found, team, spaces
    finally:
        found.close()


def _searched(team: "Team | None", spaces: "list[Space]", words: Words) -> InDatabase:
    if team is None:
        return InDatabase(name="", found={})
    from holdfast.backends.postgres.forgetting import PostgresForgetting

    seen = PostgresForgetting(spaces, Markdown()).search(_wanted(words))
    return InDatabase(
        name=team.name, found=seen.found, people=tuple(_people(team, words)), tables=seen.tables, rows=seen.rows,
        size=seen.size,
    )  # fmt: skip


def _people(team: "Team", words: Words) -> list[str]:
    """People of that name; a text that happens to stand in a name is no person."""
    from holdfast.backends.postgres.forgetting import people_named

    return people_named(team, words.holds) if words.person else []


def _wanted(words: Words) -> "Wanted":
    from holdfast.backends.postgres.forgetting import Wanted

    return Wanted(holds=words.holds, named=words.named, ids=words.ids, events=words.events, said=words.said)
