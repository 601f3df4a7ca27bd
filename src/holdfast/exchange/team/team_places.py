"""A team's memory that lies in a database, or behind a server: where it is asked for, and what of it is kept here.

What is kept here is a cache in the home folder, whole files that packs and the index read; a sync makes both the same.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdfast.config.remotes import remotes_of
from holdfast.config.team_databases import strip_password
from holdfast.config.teams import AT_DATABASE, AT_SERVER, TEAMS, Membership, has_other_members, teams_of
from holdfast.core.errors import Conflict, HoldfastError, NotFound, Refused, Unavailable
from holdfast.core.memory import Scope
from holdfast.core.value import Value, as_dict, replace
from holdfast.exchange.http.http_peer import HttpPeer, NotOnServer, check_url
from holdfast.exchange.open_database import NoSuchTeam, find_team_name, open_database, open_team_peer, require_only_team
from holdfast.exchange.open_database import open_team as team_as
from holdfast.exchange.sync.sync_workspace import (
    PULL,
    SyncReport,
    SyncRunning,
    SyncScope,
    list_unsent_steps,
    sync_workspace,
)
from holdfast.index.entries import CANDIDATES
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.vault.entry_json import now
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.exchange.peer import Peer

__all__ = [
    "IN_SETTINGS",
    "TeamSyncPreview",
    "check_sent",
    "check_token",
    "drop_cache",
    "find_database_team",
    "find_known_token",
    "find_server_team",
    "is_at",
    "is_cached",
    "is_database",
    "is_server",
    "membership_json",
    "preview_team_sync",
    "side_of",
    "sync_team",
    "sync_team_quietly",
    "team_root_path",
]

IN_SETTINGS = "database"
DATABASES = ("postgresql://", "postgres://")
SERVERS = ("https://", "http://")
LAST = os.path.join("state", "sync", "last.json")
TEAMS_MEMORY = SyncScope(scope=Scope.TEAM)
PLAIN = re.compile(r"[\w][\w. -]{0,63}")


class NoTeamThere(NotFound):
    """A server without a team's memory."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"The server {url} offers no team's memory.",
            "it does with `serve --database`; else say which of its workspaces is the team's: --workspace ID",
        )


class TeamMemoryUnsent(Conflict):
    """Memory that nobody else has."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"Changes in {number} of the team's files are on this machine alone.",
            "`holdfast team sync` sends them; `team leave --drop-unsent` throws them away.",
        )


class MayOnlyRead(Refused):
    """A token that takes what the team has, and sends nothing."""

    def __init__(self, error: Refused, url: str) -> None:
        super().__init__(
            str(error),
            "ask the server's keeper for one: `holdfast serve token add NAME --right review`; then, here: "
            f"`holdfast team join {url} --token-file FILE`. What you accepted waits until then.",
        )


class TeamServerNotReached(Unavailable):
    """A server that does not answer who would join its team."""

    def __init__(self, error: Unavailable) -> None:
        super().__init__(str(error), "see that it runs and that the address is right; nothing was joined.")


class TeamSyncPreview(Value):
    """What a sync would do. `behind` is None where the team's place could not be asked; `failed` says why.

    `at`: when the last good sync was; `missed`: why the last one was none. `waiting`: candidates that servers of the
    team left in its own space, because two of them took changes of one memory; `review`: where a person decides them.
    """

    unsent: int
    behind: int | None
    failed: str = ""
    at: str = ""
    missed: str = ""
    waiting: int = 0
    review: str = ""


def is_database(source: str) -> bool:
    """Whether a source is a database: its address, or the word for the one in the settings."""
    return source == IN_SETTINGS or source.startswith(DATABASES)


def is_server(source: str) -> bool:
    """Whether a source is a Holdfast server. An address that ends with `.git` is a repository's."""
    return source.startswith(SERVERS) and not source.rstrip("/").endswith(".git")


def is_cached(team: Membership) -> bool:
    """Whether what lies here is a copy of what a database or a server has."""
    return team.kind in (AT_DATABASE, AT_SERVER)


def find_database_team(app: App, source: str, name: str, who: str, *, new: bool) -> Membership:
    """A team of a database, after asking it. Raises NoSuchTeam, WhichTeam, and what the database says."""
    url = str(app.settings["database.url"]) if source == IN_SETTINGS else source
    opened = open_database(app, url)
    try:
        there = opened.open().teams()
        wanted = find_team_name(app, name, url) or require_only_team(there)
        if wanted not in there and not new:
            raise NoSuchTeam(wanted, there)
        team_as(app, opened, wanted, who, new=new)
        # Only a name that somebody said is kept: git's may be set tomorrow.
        person = who or dict(opened.bound_to()).get(wanted, "")
    finally:
        opened.close()
    root = team_root_path(app, wanted, strip_password(url), wanted)
    return Membership(name=wanted, kind=AT_DATABASE, root=root, source=url, person=person)


def find_server_team(app: App, url: str, token: str, name: str, workspace: str) -> Membership:
    """The team of a server, after asking it. Raises NoTeamThere, and what the server says."""
    there, told = HttpPeer(url, token, workspace), ""
    try:
        if workspace:
            there.files()
        else:
            told, workspace = _team_of(there, url)
    except Unavailable as error:
        raise TeamServerNotReached(error) from error
    source = check_url(url)
    called = name or (told if PLAIN.fullmatch(told) else _host(source))
    return Membership(
        name=called,
        kind=AT_SERVER,
        root=team_root_path(app, called, source, workspace),
        source=source,
        workspace=workspace,
        token=token,
    )


def is_at(team: Membership, url: str) -> bool:
    """Whether a team's server is the one of an address."""
    return team.source == check_url(url)


def check_token(team: Membership, token: str) -> None:
    """Ask the team's server with a token. Raises what the server says."""
    HttpPeer(team.source, token, team.workspace).files()


def find_known_token(app: App, url: str) -> str:
    """The token that was given for a server before: with a remote of this workspace, or a team of another."""
    with suppress(HoldfastError):
        wanted = check_url(url)
        remotes = [(each.url, each.token) for each in remotes_of(app.home, app.workspace_id).values()]
        known = [(each.source, each.token) for each in teams_of(app.home).values() if each.kind == AT_SERVER]
        return next((token for source, token in [*remotes, *known] if source == wanted), "")
    return ""


def side_of(team: Membership) -> str:
    """What the team's place is called in what syncs keep; empty where there was none yet."""
    return str(_read_last_sync(team).get("name", ""))


def sync_team(app: App, team: Membership, *, yes: bool = False) -> SyncReport:
    """Take what the team has, send what was accepted here; how it went is kept for `team status`."""
    try:
        with _open_peer(app, team) as there:
            done = _sync_with_peer(app, there, team, yes=yes)
    except SyncRunning:
        raise
    except HoldfastError as error:
        _save_last_sync(team, {"at": _read_last_sync(team).get("at", ""), "failed": str(error)})
        raise
    _save_last_sync(team, {"at": now(app), "name": there.name})
    return done


def _sync_with_peer(app: App, there: "Peer", team: Membership, *, yes: bool) -> SyncReport:
    """Who may only read has what the others have, and is told that theirs was not taken."""
    try:
        return sync_workspace(app, there, replace(TEAMS_MEMORY, yes=yes))
    except Refused as error:
        sync_workspace(app, there, SyncScope(scope=Scope.TEAM, direction=PULL, yes=yes))
        if team.kind == AT_SERVER:
            raise MayOnlyRead(error, team.source) from error
        raise


def sync_team_quietly(app: App) -> None:
    """The same behind other work: a team that is away stops nothing, and the next sync goes on."""
    if app.team is None or not is_cached(app.team):
        return
    with suppress(HoldfastError):
        sync_team(app, app.team)


def preview_team_sync(app: App, team: Membership) -> TeamSyncPreview:
    """What a sync would do, and how the last one went; where the team is away, what this side knows."""
    last = _read_last_sync(team)
    told = {"at": last.get("at", ""), "missed": last.get("failed", "")}
    try:
        with _open_peer(app, team) as there:
            steps = sync_workspace(app, there, TEAMS_MEMORY, dry_run=True).planned
            waiting = sum(path.startswith(f"{CANDIDATES}/") for path in there.files())
    except HoldfastError as error:
        return TeamSyncPreview(unsent=_count_unsent(app, team), behind=None, failed=str(error), **told)
    sends = sum(step.does in ("push", "withdraw") for step in steps)
    comes = sum(step.does in ("pull", "drop", "clash") for step in steps)
    review = f"{team.source}/w/{team.workspace}/review" if team.kind == AT_SERVER else "Studio at a server of the team"
    return TeamSyncPreview(unsent=sends, behind=comes, waiting=waiting, review=review if waiting else "", **told)


def drop_cache(app: App, team: Membership) -> bool:
    """Remove what is kept here of a team, unless another workspace takes part in it; whether it is gone."""
    inside = os.path.realpath(os.path.dirname(team.root)) == os.path.realpath(os.path.join(app.home, TEAMS))
    if not inside or os.path.islink(team.root) or has_other_members(app.home, team.root, app.workspace_id):
        return False
    shutil.rmtree(team.root, ignore_errors=True)
    return not os.path.lexists(team.root)


def check_sent(app: App, team: Membership) -> None:
    """Refuse to throw away what nobody else has. Raises NotSentYet."""
    number = 0 if has_other_members(app.home, team.root, app.workspace_id) else _count_unsent(app, team)
    if number:
        raise TeamMemoryUnsent(number)


def membership_json(team: Membership) -> dict[str, Any]:
    """A membership for people and programs: never with a token or a password."""
    held = {key: value for key, value in as_dict(team).items() if key != "token"}
    return {**held, "source": strip_password(team.source) if team.kind == AT_DATABASE else team.source}


@contextmanager
def _open_peer(app: App, team: Membership) -> "Iterator[Peer]":
    if team.kind == AT_SERVER:
        yield HttpPeer(team.source, team.token, team.workspace)
        return
    opened = open_database(app, team.source)
    try:
        yield open_team_peer(app, opened.open(), name=team.name, who=team.person)
    finally:
        opened.close()


def _count_unsent(app: App, team: Membership) -> int:
    name = side_of(team)
    return len(list_unsent_steps(app, name, TEAMS_MEMORY)) if name else 0


def _team_of(there: HttpPeer, url: str) -> tuple[str, str]:
    try:
        return there.team()
    except NotOnServer as error:
        raise NoTeamThere(url) from error


def team_root_path(app: App, name: str, place: str, part: str) -> str:
    """A folder of its own for each team of each place: two teams of one name are never mixed."""
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    digest = blake2b(f"{place}\n{part}".encode(), digest_size=4).hexdigest()
    return os.path.join(app.home, TEAMS, f"{plain.strip('.')[:40] or 'team'}-{digest}")


def _host(url: str) -> str:
    return urlsplit(url).hostname or "team"


def _read_last_sync(team: Membership) -> Mapping[str, Any]:
    return read_json_cache(os.path.join(team.root, LAST))


def _save_last_sync(team: Membership, told: Mapping[str, Any]) -> None:
    name = _read_last_sync(team).get("name", "")
    put_file(os.path.join(team.root, LAST), json.dumps({"name": name, **told}, ensure_ascii=False).encode())
