"""Forgetting in databases: every one that this workspace was synced with, searched and purged by table."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdfast.config.team_databases import UsedTeamDatabase, read_used_databases, strip_password
from holdfast.config.teams import AT_DATABASE
from holdfast.core.errors import HoldfastError, Refused
from holdfast.core.value import Value
from holdfast.exchange.open_database import find_person, list_used_teams, name_of_team, open_database, project_of
from holdfast.exchange.three_way import state_name
from holdfast.vault.memory_text import MarkdownTexts
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase, TeamSpaces
    from holdfast.exchange.postgres.purge_tables import RowPurgeRequest

STATES, ENDING = os.path.join("state", "sync"), ".json"
# Beside them lie files of other kinds.
OTHERS = ("last", "authors", "records")


class PurgeTarget(Value):
    """Which database, team, project and person are meant; empty: as the settings say. `everywhere`: all projects."""

    url: str = ""
    team: str = ""
    project: str = ""
    person: str = ""
    everywhere: bool = False


class PurgeWords(Value):
    """What is sought, as a database is asked for it.

    `person`: the words are somebody's name. `spoken`: they also go from what was said.
    """

    holds: Callable[[str], bool]
    named: Callable[[str], bool]
    ids: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    person: bool = False
    spoken: bool = True


class DatabaseMatches(Value):
    """What databases hold of it: rows by table, people of that name; and what was searched for that.

    `name`: the teams. `failed`: databases that could not be asked, and why.
    """

    name: str
    found: Mapping[str, int]
    people: tuple[str, ...] = ()
    tables: int = 0
    rows: int = 0
    size: int = 0
    swept: bool = False
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not self.found and not self.people


def uses_database(app: App, meant: PurgeTarget) -> bool:
    """Whether there is a database to look into: named, set, the team's, or synced with."""
    return bool(_list_places(app, meant))


def search_databases(app: App, words: PurgeWords, meant: PurgeTarget) -> DatabaseMatches:
    """What the databases hold of it, as far as the person sees it. Changes nothing."""
    return _run_in_each(app, meant, lambda _, team, spaces: _search_spaces(team, spaces, words))


def purge_databases(app: App, words: PurgeWords, meant: PurgeTarget, why: str) -> DatabaseMatches:
    """Take it out of every table, then search them all again."""
    return _run_in_each(app, meant, lambda found, team, spaces: purge_in_spaces(found, team, spaces, words, why))


def purge_in_spaces(
    found: "PostgresDatabase", team: "TeamSpaces", spaces: "list[DatabaseSpace]", words: PurgeWords, why: str
) -> DatabaseMatches:  # fmt: skip
    """The same for spaces that are open."""
    from holdfast.exchange.postgres.purge_tables import PostgresForgetting, drop_people, vacuum

    PostgresForgetting(spaces, MarkdownTexts()).purge(_make_request(words), why)
    people = [name for name in _find_people(team, words) if name != team.person]
    # Not every login may change who is in a team: who is left is named.
    with suppress(Refused):
        drop_people(team, people)
    swept = vacuum(found)
    left = _search_spaces(team, spaces, words)
    return DatabaseMatches(
        name=left.name, found=left.found, people=left.people, tables=left.tables, rows=left.rows, size=left.size,
        swept=swept,
    )  # fmt: skip


def count_project_rows(app: App, meant: PurgeTarget) -> tuple[str, DatabaseMatches]:
    """What the databases have of this project: its names there, and rows by table."""
    names: dict[str, None] = {}

    def counted(_: "PostgresDatabase", team: "TeamSpaces", spaces: "list[DatabaseSpace]") -> DatabaseMatches:
        # Only where there is a database at all: its driver is an extra.
        from holdfast.exchange.postgres.purge_tables import count_rows

        own = [space for space in spaces if space.kind == "project"]
        names.update(dict.fromkeys(space.name for space in own))
        return _sum_matches([DatabaseMatches(name=team.name, found=count_rows(space)) for space in own])

    rows = _run_in_each(app, meant, counted, guessing=False)
    return ", ".join(names), rows


def drop_project(app: App, meant: PurgeTarget) -> DatabaseMatches:
    """Take this project out of the databases with every row of it; what could not be asked is told."""

    def dropped(found: "PostgresDatabase", team: "TeamSpaces", spaces: "list[DatabaseSpace]") -> DatabaseMatches:
        from holdfast.exchange.postgres.purge_tables import drop_space, vacuum

        for space in spaces:
            if space.kind == "project":
                drop_space(space)
        vacuum(found)
        return DatabaseMatches(name=team.name, found={})

    return _run_in_each(app, meant, dropped, guessing=False)


def find_lost_states(app: App, meant: PurgeTarget, others: Sequence[str] = ()) -> list[str]:
    """What this workspace was once synced with, and is neither known nor found: `others` are known places."""
    places = _list_places(app, meant)
    known = {state_name(f"{each.team}/{each.project}") for each in places} | {state_name(each) for each in others}
    lost = _states(app) - known
    for url in _group_by_database(places) if lost else ():
        with suppress(HoldfastError), _open_database(app, url) as found:
            lost -= {state_name(f"{each.team}/{each.project}") for each in _guess_projects(app, found, meant)}
    return sorted(lost)


# Where


def _list_places(app: App, meant: PurgeTarget) -> list[UsedTeamDatabase]:
    """Every project of every team and database that is meant: as named or set, the team's, and those synced with."""
    project = meant.project or (project_of(app) if app.workspace else "")
    team = app.team if app.team and app.team.kind == AT_DATABASE else None
    found = []
    if url := meant.url or str(app.settings["database.url"]) or (team.source if team else ""):
        named = name_of_team(app, meant.team, url)
        found.append(UsedTeamDatabase(url=url, team=named, project=project, person=meant.person))
    if team:
        found.append(UsedTeamDatabase(url=team.source, team=team.name, project=project, person=team.person))
    found += list_used_teams(app)
    for each in app.registry.ids() if meant.everywhere else ():
        found += read_used_databases(app.home, each)
    return list(dict.fromkeys(found))


def _group_by_database(places: Sequence[UsedTeamDatabase]) -> dict[str, list[UsedTeamDatabase]]:
    """The same by address: the first that was said of a database is used for all of it."""
    urls: dict[str, str] = {}
    found: dict[str, list[UsedTeamDatabase]] = {}
    for each in places:
        url = urls.setdefault(strip_password(each.url) or each.url, each.url)
        found.setdefault(url, []).append(each)
    return found


def _run_in_each(
    app: App,
    meant: PurgeTarget,
    verb: "Callable[[PostgresDatabase, TeamSpaces, list[DatabaseSpace]], DatabaseMatches]",
    *,
    guessing: bool = True,
) -> DatabaseMatches:
    """Do it in every team of every database; one that is away stops none of the others.

    `guessing`: also in projects that the files of old syncs alone tell of. A repository may have brought those.
    """
    done, failed = list[DatabaseMatches](), list[tuple[str, str]]()
    for url, places in _group_by_database(_list_places(app, meant)).items():
        try:
            with _open_database(app, url) as found:
                more = _guess_projects(app, found, meant) if guessing else []
                inside = _spaces(app, found, [*places, *more], meant)
                done += [verb(found, team, spaces) for team, spaces in inside]
        except HoldfastError as error:
            failed.append((strip_password(url), f"{error} {error.hint}".strip()))
    return _sum_matches(done, failed)


@contextmanager
def _open_database(app: App, url: str) -> "Iterator[PostgresDatabase]":
    found = open_database(app, url)
    try:
        yield found.open()
    finally:
        found.close()


def _spaces(
    app: App, found: "PostgresDatabase", places: Sequence[UsedTeamDatabase], meant: PurgeTarget
) -> "Iterator[tuple[TeamSpaces, list[DatabaseSpace]]]":  # fmt: skip
    """The spaces of each team: the projects that are meant, the person's own, the team's."""
    from holdfast.exchange.postgres.purge_tables import find_spaces

    bound = dict(found.bound_to())
    wanted: dict[str, set[str]] = {}
    people: dict[str, str] = {}
    for each in places:
        wanted.setdefault(each.team, set()).add(each.project)
        people[each.team] = people.get(each.team, "") or meant.person or bound.get(each.team, "") or each.person
    for name, projects in wanted.items():
        only = None if meant.everywhere and name == places[0].team else frozenset(projects)
        team, spaces = find_spaces(found, name, people[name] or find_person(app), only)
        if team is not None:
            yield team, spaces


def _guess_projects(app: App, found: "PostgresDatabase", meant: PurgeTarget) -> list[UsedTeamDatabase]:
    """The projects whose names the files of syncs bear."""
    states = _states(app)
    seen = _list_visible_projects(app, found, meant) if states else []
    return [
        UsedTeamDatabase(url=found.url, team=team, project=project)
        for team, project in seen
        if state_name(f"{team}/{project}") in states
    ]


def _list_visible_projects(app: App, found: "PostgresDatabase", meant: PurgeTarget) -> list[tuple[str, str]]:
    from holdfast.exchange.postgres.purge_tables import visible_projects

    return visible_projects(found, find_person(app, meant.person))


def _states(app: App) -> set[str]:
    """What this workspace keeps of its syncs, by the names of those files."""
    try:
        names = os.listdir(os.path.join(app.folder, STATES)) if app.workspace else []
    except OSError:
        return set()
    return {name.removesuffix(ENDING) for name in names if name.endswith(ENDING)} - {*OTHERS}


# What


def _sum_matches(done: Sequence[DatabaseMatches], failed: Sequence[tuple[str, str]] = ()) -> DatabaseMatches:
    rows: dict[str, int] = {}
    for table, count in (each for one in done for each in one.found.items()):
        rows[table] = rows.get(table, 0) + count
    return DatabaseMatches(
        name=", ".join(dict.fromkeys(each.name for each in done)), found=rows,
        people=tuple(dict.fromkeys(name for each in done for name in each.people)),
        tables=max((each.tables for each in done), default=0), rows=sum(each.rows for each in done),
        size=sum(each.size for each in done), swept=all(each.swept for each in done), failed=tuple(failed),
    )  # fmt: skip


def _search_spaces(team: "TeamSpaces", spaces: "list[DatabaseSpace]", words: PurgeWords) -> DatabaseMatches:
    from holdfast.exchange.postgres.purge_tables import PostgresForgetting

    seen = PostgresForgetting(spaces, MarkdownTexts()).search(_make_request(words))
    return DatabaseMatches(
        name=team.name, found=seen.found, people=tuple(_find_people(team, words)), tables=seen.tables, rows=seen.rows,
        size=seen.size,
    )  # fmt: skip


def _find_people(team: "TeamSpaces", words: PurgeWords) -> list[str]:
    """People of that name; a text that happens to stand in a name is no person."""
    from holdfast.exchange.postgres.purge_tables import find_people

    return find_people(team, words.holds) if words.person else []


def _make_request(words: PurgeWords) -> "RowPurgeRequest":
    from holdfast.exchange.postgres.purge_tables import RowPurgeRequest

    return RowPurgeRequest(
        holds=words.holds, named=words.named, ids=words.ids, events=words.events, spoken=words.spoken
    )
