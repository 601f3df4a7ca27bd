"""The user's yes to a workspace's memory, and what they wrote themselves."""

import json
import os
from collections.abc import Sequence

from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.errors import NotFound, Refused
from holdfast.core.home import FOLDER
from holdfast.core.ids import random_part
from holdfast.core.memory import Entry, Scope
from holdfast.core.presence import Presence
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.index.entries import find_entries
from holdfast.journal.change_log import note_change
from holdfast.system.safe_write import put_file
from holdfast.trust.acceptances import OWN, list_unproven, record_acceptance, registry_name
from holdfast.trust.tracked_files import list_private
from holdfast.trust.visibility import (
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


class NothingToAllow(NotFound):
    """No file of a memory waits for a word."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"No file of {memory_id!r} waits to be allowed.", "`holdfast allow --list` shows what does.")


class ProofNeeded(Refused):
    """Something that other people get, and nobody is proven to be a person."""

    def __init__(self, command: str, why: str) -> None:
        super().__init__(
            f"`holdfast {command}` needs a person who is proven to be there: {why}.",
            "type it in a terminal of your own, do it in Studio, or give your key (HOLDFAST_KEY).",
        )


def allow(app: App, ids: Sequence[str] = ()) -> tuple[str, ...]:
    """The user's yes to the memory as it is now, or to the files of some memories; the files that were new.

    Needs proof of a person: without it, what waits for a person would let itself in.
    """
    by = require_proof(app, f"allow {' '.join(ids)}".rstrip())
    before = read_visibility_status(app)
    own = hash_own_files(app)
    files = {**hash_memory_files(app), **own}
    new = tuple(dict.fromkeys([*before.new, *sorted(find_held_own_files(app, own))]))
    if ids:
        new = _choose_files(app, ids, new)
        files = {path: sum_ for path, sum_ in files.items() if path in new}
    else:
        register(app, allowed=True)
    for entry, _ in list_unproven(app, app.index.select(Select())):
        if _place_of(app, entry) in files:
            record_acceptance(app, entry, by)
    _confirm(app, app.workspace_id, [sum_ for path, sum_ in files.items() if path not in own])
    _confirm(app, OWN, [sum_ for path, sum_ in files.items() if path in own and path in new])
    if new or not before.allowed:
        note_change(app, "allow", "memory here", after=f"may reach agents, {len(new)} files of it new")
    return new


def _choose_files(app: App, ids: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for wanted in ids:
        paths = [_place_of(app, entry) for entry in find_entries(app, wanted)]
        if not set(paths) & set(new):
            raise NothingToAllow(wanted)
        found += [path for path in paths if path in new]
    return tuple(dict.fromkeys(found))


def _place_of(app: App, entry: Entry) -> str:
    return os.path.join(app.home, entry.path) if entry.scope is Scope.USER else f"{FOLDER}/{entry.path}"


def _confirm(app: App, whose: str, sums: Sequence[str]) -> None:
    app.registry.learn(whose, sums)
    app.registry.confirm(whose, sums)


def require_proof(app: App, command: str) -> Presence:
    """Who does this, proven to be a person. Raises ProofNeeded."""
    from holdfast.trust.presence import find_presence

    need_person(app, command)
    presence = find_presence(app)
    if not presence.proven:
        raise ProofNeeded(command, presence.why)
    return presence


def mark_as_own(app: App, entry: Entry, before: str = "") -> None:
    """Note a file that somebody wrote through us, and who. Not one that waited `before`: an edit is no allow."""
    if entry.scope not in {Scope.WORKSPACE, Scope.USER} or (
        entry.scope is Scope.WORKSPACE and not find_registration(app)
    ):
        return
    # A warm search loads this module, and must not load what looks at processes.
    from holdfast.trust.presence import find_presence

    whose = registry_name(app, entry.scope)
    presence = find_presence(app)
    record_acceptance(app, entry, presence)
    if not presence.proven or (before and before in app.registry.unproven(whose)):
        app.registry.doubt(whose, [entry.sha256])
    elif not before or before in app.registry.known(whose):
        _confirm(app, whose, [entry.sha256])


def register(
    app: App, *, allowed: bool, capture: bool = False, foreign: tuple[str, ...] | None = None
) -> RegisteredWorkspace:
    """Put the workspace into the user's registry, or bring its row up to date. Only `init` turns capture on.

    `foreign`: what stood in its private part before; left out, what stands there now.
    """
    now = app.clock.now().isoformat(timespec="seconds")
    entry = find_registration(app) or RegisteredWorkspace(
        workspace_id=app.workspace_id, path=app.workspace, token=random_part(TOKEN_LENGTH), initialised=now,
        foreign=list_private(app) if foreign is None else foreign,
    )  # fmt: skip
    if allowed:
        entry = replace(entry, allowed_at=now, foreign=())
    if capture:
        entry = replace(entry, capture=True)
    app.registry.put(entry)
    if not entry.foreign:
        keep_proposed(app)
    write_token(app, entry.token)
    return entry


def keep_proposed(app: App) -> None:
    """From now on a candidate is Holdfast's only where Holdfast wrote it; what waits here at the first time is."""
    if app.registry.proposed(app.workspace_id) is None:
        app.registry.begin_proposed(app.workspace_id)
        app.registry.note_proposed(app.workspace_id, sorted({entry.sha256 for entry in app.candidates.all()}))


def write_token(app: App, token: str) -> None:
    """Tie this folder to the registry."""
    if read_token(app) != token:
        put_file(token_path(app), (json.dumps({"token": token}) + "\n").encode())
