"""The user's yes to a workspace's memory, and what they wrote themselves."""

import json

from holdfast.app import need_person
from holdfast.config.registry import Registered
from holdfast.core.ids import random_part
from holdfast.core.memory import Entry, Scope
from holdfast.core.value import replace
from holdfast.journal.change_log import note_change
from holdfast.system.safe_write import put_file
from holdfast.trust.visibility import (
    OWN,
    Standing,
    memory_files,
    new_since,
    own_files,
    own_held,
    reachable,
    read_token,
    registered,
    standing,
    token_path,
)
from holdfast.workspace import App

__all__ = ["Standing", "allow", "learn", "new_since", "reachable", "register", "registered", "standing"]

TOKEN_LENGTH = 26


def allow(app: App) -> tuple[str, ...]:
    """The user's yes to the memory as it is now; the files it covers that were new."""
    need_person(app, "allow")
    before = standing(app)
    register(app, allowed=True)
    app.registry.learn(app.workspace_id, memory_files(app).values())
    own = own_files(app)
    held = own_held(app, own)
    app.registry.learn(OWN, [own[path] for path in sorted(held)])
    new = tuple(dict.fromkeys([*before.new, *sorted(held)]))
    if new or not before.allowed:
        note_change(app, "allow", "memory here", after=f"may reach agents, {len(new)} files of it new")
    return new


def learn(app: App, entry: Entry, before: str = "") -> None:
    """Note a file that the user wrote through us. Not one that was somebody else's `before`: an edit is no allow."""
    if entry.scope not in {Scope.WORKSPACE, Scope.USER} or (entry.scope is Scope.WORKSPACE and not registered(app)):
        return
    whose = OWN if entry.scope is Scope.USER else app.workspace_id
    if not before or before in app.registry.known(whose):
        app.registry.learn(whose, [entry.sha256])


def register(app: App, *, allowed: bool, capture: bool = False) -> Registered:
    """Put the workspace into the user's registry, or bring its row up to date. Only `init` turns capture on."""
    now = app.clock.now().isoformat(timespec="seconds")
    entry = registered(app) or Registered(
        workspace_id=app.workspace_id, path=app.workspace, token=random_part(TOKEN_LENGTH), initialised=now
    )
    if allowed:
        entry = replace(entry, allowed_at=now)
    if capture:
        entry = replace(entry, capture=True)
    app.registry.put(entry)
    write_token(app, entry.token)
    return entry


def write_token(app: App, token: str) -> None:
    """Tie this folder to the registry."""
    if read_token(app) != token:
        put_file(token_path(app), (json.dumps({"token": token}) + "\n").encode())
