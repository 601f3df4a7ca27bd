"""A team's database, opened by what the settings say."""

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from holdfast.config.team_databases import UsedTeamDatabase, is_same_database, read_used_databases, save_used_database
from holdfast.core.errors import BadRequest, NotFound, Unavailable
from holdfast.core.extras import extra_command
from holdfast.exchange.git_remote import read_git_person
from holdfast.system.git import ask_git
from holdfast.vault.memory_text import MarkdownTexts
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.exchange.peer import Peer
    from holdfast.exchange.postgres.database import PostgresDatabase, TeamSpaces

DEFAULT_TEAM = "team"
# The team of bundles that lie in a database: nobody works in it.
STORE = "store"
NOBODY = "somebody"
SHOWN = 8


class NoDatabase(BadRequest):
    """No database is named."""

    def __init__(self) -> None:
        super().__init__(
            "No database is named.", "set HOLDFAST_DATABASE_URL, or give --database postgresql://user@host/holdfast."
        )


class NoDriver(Unavailable):
    """The driver is not installed."""

    def __init__(self) -> None:
        super().__init__("PostgreSQL needs a driver that is not installed.", f"install it: {extra_command('postgres')}")


class NoSuchTeam(NotFound):
    """A team that the database does not know."""

    def __init__(self, name: str, there: list[str]) -> None:
        known = ", ".join(there[:SHOWN]) or "none yet"
        super().__init__(
            f"The database has no team {name!r}; it has: {known}.",
            "`holdfast team init NAME URL` begins one; so do `sync database push --new-team` and `serve --new-team`.",
        )


class AmbiguousTeam(BadRequest):
    """A database with several teams, none of which was named."""

    def __init__(self, there: list[str]) -> None:
        super().__init__(
            f"Which team? The database has: {', '.join(there[:SHOWN]) or 'none yet'}.",
            "say it: --team NAME (team join: --name NAME), or set database.team.",
        )


def open_database(app: App, url: str = "") -> "PostgresDatabase":
    """The team's database. Raises NoDatabase, NoDriver."""
    found = url or str(app.settings["database.url"])
    if not found:
        raise NoDatabase
    try:
        from holdfast.exchange.postgres.database import PostgresDatabase
    except ImportError as error:
        raise NoDriver from error
    return PostgresDatabase(found)


def open_team(
    app: App, opened: "PostgresDatabase", name: str = "", who: str = "", *, new: bool = False, looking: bool = False
) -> "TeamSpaces":  # fmt: skip
    """The team that a workspace works in, as its user sees it; a login that is one person's says who that is.

    `new`: it is begun where it is not there. `looking`: nothing is made. Raises NoSuchTeam, WhichTeam.
    """
    there, bound = opened.teams(), dict(opened.bound_to())
    wanted = find_team_name(app, name, opened.url) or require_only_team(there)
    if wanted not in there and not new and not bound:
        raise NoSuchTeam(wanted, there)
    return opened.team(wanted, who or bound.get(wanted, "") or find_person(app), looking=looking)


def notice_unnamed_person(app: App, person: str) -> None:
    """Tell somebody without a name of their own: two of them are one person there."""
    if person and person == os.environ.get("USER") and person != _find_own_name(app) and not list_used_teams(app):
        app.notices.append(
            f"you are {person!r} to your team, after your login; another of that name would be the same person: "
            "git config user.name NAME, or --as NAME."
        )
    if person == NOBODY:
        app.notices.append(
            f"nobody knows your name here, so you are {NOBODY!r} to your team: git config user.name NAME, or --as NAME."
        )


def may_begin_team(opened: "PostgresDatabase", *, asked: bool) -> bool:
    """Whether a team may be begun beside other work: the first one of a database, or one that was asked for."""
    return asked or not [name for name in opened.teams() if name != STORE]


def name_of_team(app: App, named: str = "", url: str = "") -> str:
    """The team that is meant: the one named, the setting's, the first that we synced with, the one joined here."""
    return find_team_name(app, named, url) or DEFAULT_TEAM


def list_used_teams(app: App) -> list[UsedTeamDatabase]:
    """Every team of every database that this workspace was synced with."""
    return read_used_databases(app.home, app.workspace_id) if app.workspace else []


def remember_team(app: App, opened: "PostgresDatabase", found: "TeamSpaces", project: str) -> None:
    """Note where this workspace is synced with, before anything goes there."""
    used = UsedTeamDatabase(url=opened.url, team=found.name, project=project, person=found.person)
    save_used_database(app.home, app.workspace_id, used)


def find_team_name(app: App, named: str, url: str) -> str:
    """The same, or nothing where nobody said one."""
    used = [each.team for each in list_used_teams(app) if not url or is_same_database(each.url, url)]
    return named or str(app.settings["database.team"]) or "".join(used[:1]) or (app.team.name if app.team else "")


def require_only_team(there: list[str]) -> str:
    """The only team there is; in an empty database, the one that will be."""
    working = [name for name in there if name != STORE]
    if len(working) > 1:
        raise AmbiguousTeam(working)
    return working[0] if working else DEFAULT_TEAM


def open_project_peer(found: "TeamSpaces", project: str) -> "Peer":
    """What the team has of a project; the project is made where it is new."""
    from holdfast.exchange.postgres.postgres_peer import PostgresPeer

    return PostgresPeer(found.project(project), MarkdownTexts())


def open_team_peer(app: App, opened: "PostgresDatabase", *, name: str = "", who: str = "") -> "Peer":
    """What the team has for all its projects."""
    from holdfast.exchange.postgres.postgres_peer import PostgresPeer

    return PostgresPeer(open_team(app, opened, name, who).shared, MarkdownTexts())


def project_of(app: App) -> str:
    """What a workspace is called among its team: as its repository is, wherever it is checked out; else its folder."""
    named = str(app.settings["database.project"])
    if named:
        return named
    remote = (ask_git(app.workspace, "config", "--get", "remote.origin.url") or "").strip()
    return normalise_remote(remote) or os.path.basename(app.workspace) or "project"


def normalise_remote(remote: str) -> str:
    """A repository's address, whichever way it is fetched: host and path, without a user, a password or `.git`."""
    if "://" in remote:
        parts = urlsplit(remote)
        host, path = parts.hostname or "", parts.path
    else:
        host, _, path = remote.rpartition("@")[2].partition(":")
    path = path.strip("/").removesuffix(".git")
    return f"{host.lower()}/{path}" if host and path else ""


def find_person(app: App, who: str = "") -> str:
    """Who works here: by the word given, the setting, git, or the system."""
    return who or _find_own_name(app) or os.environ.get("USER", "") or NOBODY


def _find_own_name(app: App) -> str:
    """The name that somebody gave themselves: in the settings, in the team joined, in git."""
    named = str(app.settings["database.person"]) or (app.team.person if app.team else "")
    return named or read_git_person(app.workspace or app.home)
