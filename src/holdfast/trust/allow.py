"""The user's yes to a workspace's memory, and what they wrote themselves."""

import json

from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.ids import random_part
from holdfast.core.memory import Entry, Scope
from holdfast.core.value import replace
from holdfast.journal.change_log import note_change
from holdfast.system.safe_write import put_file
from holdfast.trust.visibility import (
    OWN,
    VisibilityStatus,
    filter_visible,
    find_held_own_files,
    find_new_files,
    find_registration,
    hash_memory_files,
    hash_own_files,
    read_token,
    read_visibility_status,
    token_path,
)
from holdfast.workspace import App, need_person

__all__ = [
    "VisibilityStatus",
    "allow",
    "filter_visible",
    "find_new_files",
    "find_registration",
    "mark_as_own",
    "read_visibility_status",
    "register",
]

TOKEN_LENGTH = 26


def allow(app: App) -> tuple[str, ...]:
    """The user's yes to the memory as it is now; the files it covers that were new."""
    need_person(app, "allow")
    before = read_visibility_status(app)
    register(app, allowed=True)
    app.registry.learn(app.workspace_id, hash_memory_files(app).values())
    own = hash_own_files(app)
    held = find_held_own_files(app, own)
    app.registry.learn(OWN, [own[path] for path in sorted(held)])
    new = tuple(dict.fromkeys([*before.new, *sorted(held)]))
    if new or not before.allowed:
        note_change(app, "allow", "memory here", after=f"may reach agents, {len(new)} files of it new")
    return new


def mark_as_own(app: App, entry: Entry, before: str = "") -> None:
    """Note a file that the user wrote through us. Not one that was somebody else's `before`: an edit is no allow."""
    if entry.scope not in {Scope.WORKSPACE, Scope.USER} or (
        entry.scope is Scope.WORKSPACE and not find_registration(app)
    ):
        return
    whose = OWN if entry.scope is Scope.USER else app.workspace_id
    if not before or before in app.registry.known(whose):
        app.registry.learn(whose, [entry.sha256])


def register(app: App, *, allowed: bool, capture: bool = False) -> RegisteredWorkspace:
    """Put the workspace into the user's registry, or bring its row up to date. Only `init` turns capture on."""
    now = app.clock.now().isoformat(timespec="seconds")
    entry = find_registration(app) or RegisteredWorkspace(
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
