"""Servers of a team: captured and remembered here first, synced with the server when it answers."""

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from holdfast.config.remotes import Remote, has_remotes, remotes_of, save_remotes
from holdfast.core.errors import BadRequest, Conflict, HoldfastError, NotFound, Refused, Unavailable
from holdfast.core.memory import Scope
from holdfast.core.value import Value, replace
from holdfast.exchange.http.http_peer import HttpPeer, check_url
from holdfast.exchange.open_database import normalise_remote, project_of
from holdfast.exchange.sync.sync_state import adopt_received_files
from holdfast.exchange.sync.sync_workspace import SyncReport, SyncRunning, SyncScope, TooManyDeletions, sync_workspace
from holdfast.forget.tombstones import lift_peer_marks
from holdfast.index.entries import CANDIDATES, MEMORY
from holdfast.journal.change_log import note_change
from holdfast.records.team_forms import RECORDS
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.vault.entry_json import now
from holdfast.workspace import App, need_person

__all__ = [
    "RemoteState",
    "RemoteSyncResult",
    "add_remote",
    "check_new_remote",
    "drop_remote",
    "list_remotes",
    "preview_remotes",
    "require_remote",
    "set_token",
    "sync_quietly",
    "sync_remotes",
]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
STATE = os.path.join("state", "sync", "last.json")
MOST_NAMED = 20


class NoSuchRemote(NotFound):
    """A name that no server has here."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no remote {name!r}.", "`holdfast sync list` shows them.")


class RemoteExists(Conflict):
    """A name that is taken."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is a remote {name!r} already.",
            f"take another name; another token for it: `holdfast sync set {name} --token-file FILE`.",
        )


class AmbiguousRemoteWorkspace(BadRequest):
    """A server with several workspaces, none of which is called as this one."""

    def __init__(self, found: Mapping[str, str]) -> None:
        shown = ", ".join(f"{name} ({wid})" for wid, name in list(found.items())[:8]) or "none"
        super().__init__(f"Which workspace of the server is this one? It has: {shown}.", "say it: --workspace ID")


class TokenForOtherWorkspace(Refused):
    """A token that does not reach the workspace that a remote is."""

    def __init__(self, remote: Remote) -> None:
        super().__init__(
            f"This token does not see the workspace {remote.workspace!r} of {remote.url!r}.",
            f"the token of {remote.name!r} is as it was; have one made for that workspace, or add another remote.",
        )


class TokenNotChecked(Unavailable):
    """A server that cannot be asked whether it takes a token."""

    def __init__(self, error: Unavailable) -> None:
        super().__init__(str(error), "the token is as it was; do it again when the server answers.")


class RemoteNotReached(Unavailable):
    """A server that does not answer who would add it."""

    def __init__(self, error: Unavailable) -> None:
        super().__init__(str(error), "see that it runs and that the address is right; no remote was added.")


class RemoteState(Value):
    """A server, when it was last synced with, what went wrong then, and what it did not take.

    `deletions`: what it last took away here, and when.
    """

    remote: Remote
    at: str = ""
    refused: str = ""
    deletions: str = ""
    failed: str = ""
    failed_at: str = ""


class RemoteSyncResult(Value):
    """What a sync with a server did, or why it did not. `asks`: it waits for a person's yes."""

    remote: Remote
    done: SyncReport | None
    failed: str = ""
    hint: str = ""
    asks: bool = False


def add_remote(app: App, given: Remote) -> Remote:
    """Take a server in, after asking it. Raises what the server says."""
    check_new_remote(app, given.name, given.url)
    known = remotes_of(app.home, app.workspace_id)
    try:
        there = {str(row["id"]): str(row["name"]) for row in HttpPeer(given.url, given.token, "").workspaces()}
    except Unavailable as error:
        raise RemoteNotReached(error) from error
    wanted = given.workspace or _find_same_workspace(app, there)
    if wanted not in there:
        raise AmbiguousRemoteWorkspace(there)
    made = Remote(
        name=given.name, url=check_url(given.url), token=given.token, workspace=wanted, journal=given.journal,
        candidates=given.candidates,
    )  # fmt: skip
    save_remotes(app.home, app.workspace_id, {**known, made.name: made})
    note_change(app, "remote", made.name, after=made.url)
    return made


def check_new_remote(app: App, name: str, url: str) -> None:
    """Look at a new remote before its token is asked for. Raises what is wrong with its name or address."""
    need_person(app, f"sync add {name}")
    if not NAME.fullmatch(name):
        raise BadRequest(f"{name!r} cannot be a remote's name.", "use letters, digits, dots and dashes.")
    if name in remotes_of(app.home, app.workspace_id):
        raise RemoteExists(name)
    check_url(url)


def require_remote(app: App, name: str) -> Remote:
    """A remote whose token is about to be asked for. Raises NoSuchRemote."""
    need_person(app, f"sync set {name}")
    known = remotes_of(app.home, app.workspace_id)
    if name not in known:
        raise NoSuchRemote(name)
    return known[name]


def set_token(app: App, name: str, token: str) -> Remote:
    """Give a remote another token, after asking the server; what both had last time is still known."""
    remote = require_remote(app, name)
    try:
        there = {str(row["id"]) for row in HttpPeer(remote.url, token, "").workspaces()}
    except Unavailable as error:
        raise TokenNotChecked(error) from error
    if remote.workspace not in there:
        raise TokenForOtherWorkspace(remote)
    made = replace(remote, token=token)
    save_remotes(app.home, app.workspace_id, {**remotes_of(app.home, app.workspace_id), name: made})
    note_change(app, "remote", name, after="another token")
    return made


def drop_remote(app: App, name: str) -> Remote:
    """Forget a server; what came from it stays."""
    need_person(app, f"sync remove {name}")
    known = remotes_of(app.home, app.workspace_id)
    if name not in known:
        raise NoSuchRemote(name)
    gone = known.pop(name)
    save_remotes(app.home, app.workspace_id, known)
    note_change(app, "remote", name, before=gone.url)
    # What came from it stays, and is the user's own now; what it wanted gone may come back by an import.
    adopt_received_files(app, Scope.WORKSPACE, _open_peer(gone).name)
    lift_peer_marks(app, _open_peer(gone).name)
    return gone


def list_remotes(app: App) -> list[RemoteState]:
    """The servers of this workspace, and how the last sync with each went."""
    last = _read_last_syncs(app)
    return [
        RemoteState(
            remote=each,
            deletions=str(last.get(each.name, {}).get("taken", "")),
            **{key: str(last.get(each.name, {}).get(key, "")) for key in ("at", "refused", "failed", "failed_at")},
        )
        for each in remotes_of(app.home, app.workspace_id).values()
    ]


def sync_remotes(app: App, name: str = "", *, yes: bool = False, pass_on: bool = False) -> list[RemoteSyncResult]:
    """Bring this workspace together with its servers, or with one; a server that is away stops nothing.

    `yes`: a server may take away much. `pass_on`: what came from others goes to it too. Both are a person's to say.
    """
    if yes or pass_on:
        need_person(app, f"sync {'--yes' if yes else '--pass-on'}")
    return [
        _sync_remote(app, each, replace(_build_sync_scope(each), yes=yes, pass_on=pass_on))
        for each in _find_remotes(app, name)
    ]


def preview_remotes(app: App, name: str = "") -> list[RemoteSyncResult]:
    """What a sync would bring, send and take away; nothing is written."""
    return [
        _try_sync(each, partial(sync_workspace, app, _open_peer(each), _build_sync_scope(each), dry_run=True))
        for each in _find_remotes(app, name)
    ]


def _find_remotes(app: App, name: str) -> list[Remote]:
    known = remotes_of(app.home, app.workspace_id)
    if name and name not in known:
        raise NoSuchRemote(name)
    return [each for each in known.values() if name in ("", each.name)]


def sync_quietly(app: App) -> None:
    """The same behind other work: whatever is wrong is told by `sync list` and `status`."""
    if not app.workspace or not has_remotes(app.home, app.workspace_id):
        return
    sync_remotes(app)


def _build_sync_scope(remote: Remote) -> SyncScope:
    places = (
        MEMORY, *([CANDIDATES] if remote.candidates else ()), *([RECORDS] if remote.journal else ()),
    )  # fmt: skip
    return SyncScope(places=places, events=remote.journal)


def _open_peer(remote: Remote) -> HttpPeer:
    return HttpPeer(remote.url, remote.token, remote.workspace)


def _try_sync(remote: Remote, do: Callable[[], SyncReport]) -> RemoteSyncResult:
    try:
        return RemoteSyncResult(remote=remote, done=do())
    except HoldfastError as error:
        asks = isinstance(error, TooManyDeletions)
        return RemoteSyncResult(remote=remote, done=None, failed=str(error), hint=error.hint, asks=asks)


def _sync_remote(app: App, remote: Remote, what: SyncScope) -> RemoteSyncResult:
    def do() -> SyncReport:
        try:
            return sync_workspace(app, _open_peer(remote), what)
        except SyncRunning:
            raise
        except HoldfastError as error:
            _save_last_sync(app, remote.name, {"failed": str(error), "failed_at": now(app)})
            raise

    found = _try_sync(remote, do)
    if done := found.done:
        taken = ", ".join(each.what for each in done.deletions[:MOST_NAMED])
        refused = ", ".join(each.what for each in done.refused[:MOST_NAMED])
        told = {"taken": f"{now(app)}: {taken}"} if taken else {}
        _save_last_sync(app, remote.name, {"at": now(app), "refused": refused, **told})
    return found


def _find_same_workspace(app: App, there: Mapping[str, str]) -> str:
    """The server's workspace that is called as this one; the only one there is."""
    called = {project_of(app), normalise_remote(project_of(app)), os.path.basename(app.workspace)}
    found = [wid for wid, name in there.items() if name in called or name.rpartition("/")[2] in called]
    if len(found) == 1:
        return found[0]
    return next(iter(there)) if len(there) == 1 else ""


def _read_last_syncs(app: App) -> dict[str, dict[str, Any]]:
    return {k: v for k, v in read_json_cache(os.path.join(app.folder, STATE)).items() if isinstance(v, dict)}


def _save_last_sync(app: App, name: str, told: Mapping[str, str]) -> None:
    held = _read_last_syncs(app)
    before = held.get(name, {})
    # A good sync leaves no trouble behind; a bad one leaves the time of the last good one.
    stays = {"taken": str(before.get("taken", ""))}
    held[name] = {**stays, **told} if "at" in told else {"at": before.get("at", ""), **stays, **told}
    put_file(os.path.join(app.folder, STATE), json.dumps(held, ensure_ascii=False).encode())
