"""A team's database, opened by what the settings say."""

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from holdfast.domain.errors import BadRequest, Unavailable
from holdfast.vault.texts import Markdown
from holdfast.wiring.app import App
from holdfast.wiring.git import ask
from holdfast.wiring.team_git import person

if TYPE_CHECKING:
    from holdfast.backends.postgres.database import Database, Team
    from holdfast.ports.shared import Shared

DEFAULT_TEAM = "team"


class NoDatabase(BadRequest):
    """No database is named."""

    def __init__(self) -> None:
        super().__init__(
            "No database is named.", "set HOLDFAST_DATABASE_URL, or give --database postgresql://user@host/holdfast."
        )


class NoDriver(Unavailable):
    """The driver is not installed."""

    def __init__(self) -> None:
        super().__init__("PostgreSQL needs a driver that is not installed.", 'pip install "holdfast[postgres]"')


def database(app: App, url: str = "") -> "Database":
    """The team's database. Raises NoDatabase, NoDriver."""
    found = url or str(app.settings["database.url"])
    if not found:
        raise NoDatabase
    try:
        from holdfast.backends.postgres.database import Database
    except ImportError as error:
        raise NoDriver from error
    return Database(found)


def team(app: App, opened: "Database", name: str = "", who: str = "") -> "Team":
    """The team that a workspace works in, as its user sees it; a login that is one person's says who that is."""
    wanted = name_of_team(app, name)
    return opened.team(wanted, who or dict(opened.bound_to()).get(wanted, "") or who_is(app))


def name_of_team(app: App, named: str = "") -> str:
    """The team that is meant: the one named, the setting's, the one that was joined here."""
    return named or str(app.settings["database.team"]) or (app.team.name if app.team else "") or DEFAULT_TEAM


def shared(app: App, opened: "Database", *, name: str = "", project: str = "", who: str = "") -> "Shared":
    """What the team has of this project."""
    from holdfast.backends.postgres.shared import PostgresShared

    return PostgresShared(team(app, opened, name, who).project(project or project_of(app)), Markdown())


def team_shared(app: App, opened: "Database", *, name: str = "", who: str = "") -> "Shared":
    """What the team has for all its projects."""
    from holdfast.backends.postgres.shared import PostgresShared

    return PostgresShared(team(app, opened, name, who).shared, Markdown())


def project_of(app: App) -> str:
    """What a workspace is called among its team: as its repository is, wherever it is checked out; else its folder."""
    named = str(app.settings["database.project"])
    if named:
        return named
    remote = (ask(app.workspace, "config", "--get", "remote.origin.url") or "").strip()
    return normal(remote) or os.path.basename(app.workspace) or "project"


def normal(remote: str) -> str:
    """A repository's address, whichever way it is fetched: host and path, without a user, a password or `.git`."""
    if "://" in remote:
        parts = urlsplit(remote)
        host, path = parts.hostname or "", parts.path
    else:
        host, _, path = remote.rpartition("@")[2].partition(":")
    path = path.strip("/").removesuffix(".git")
    return f"{host.lower()}/{path}" if host and path else ""


def who_is(app: App, who: str = "") -> str:
    """Who works here: by the word given, the setting, git, or the system."""
    named = who or str(app.settings["database.person"]) or (app.team.person if app.team else "")
    return named or person(app.workspace or app.home) or os.environ.get("USER", "") or "somebody"
