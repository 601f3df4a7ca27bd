"""Which memory may reach agents: what the user wrote or allowed, and not what came in by other hands since."""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import new as new_hash
from typing import Any

from holdfast.config.home import FOLDER
from holdfast.config.registry import Registered
from holdfast.domain.ids import random_part
from holdfast.domain.memory import Entry, Scope
from holdfast.domain.value import Value, replace
from holdfast.memory.git import ask
from holdfast.memory.open import need_person
from holdfast.vault.write import put_file
from holdfast.wiring.app import App

TOKEN_LENGTH = 26


class Standing(Value):
    """Whether this workspace's memory may reach agents, and which files are new since the user allowed it."""

    allowed: bool
    allowed_at: str = ""
    new: tuple[str, ...] = ()


def standing(app: App) -> Standing:
    """Where the workspace stands now. Files the user changed by hand are theirs; files that git brought are not."""
    known_as = registered(app)
    if known_as is None or not known_as.allowed:
        return Standing(allowed=False, new=tuple(sorted(_files(app))))
    new = new_since(app)
    return Standing(allowed=True, allowed_at=known_as.allowed_at, new=new)


def new_since(app: App) -> tuple[str, ...]:
    """Memory files, by their path in the workspace, that came by other hands since the last `allow`."""
    known = app.registry.known(app.workspace_id)
    unknown = {path: sha256 for path, sha256 in _files(app).items() if sha256 not in known}
    if not unknown:
        return ()
    tree = _tree(app)
    brought = {path for path in unknown if _came_by_git(app, path, tree)}
    if not app.client:
        app.registry.learn(app.workspace_id, (sha256 for path, sha256 in unknown.items() if path not in brought))
    return tuple(sorted(brought))


def reachable(app: App, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that whoever asks may see: all for a person; for an agent, what the user wrote or allowed."""
    if not app.client or not app.workspace:
        return list(entries)
    stand = standing(app)
    held = set(stand.new)
    kept = [entry for entry in entries if _may_reach(entry, stand, held)]
    if len(kept) < len(entries):
        app.notices.append(
            f"{len(entries) - len(kept)} memories are held back: the user has not allowed them "
            "(`holdfast allow`, in a terminal of their own)."
        )
    return kept


def _may_reach(entry: Entry, stand: Standing, held: set[str]) -> bool:
    if entry.scope is Scope.USER or not entry.path.startswith("memory/"):
        return True
    return stand.allowed and f"{FOLDER}/{entry.path}" not in held


def allow(app: App) -> tuple[str, ...]:
    """The user's yes to the memory as it is now; the files it covers that were new."""
    need_person(app, "allow")
    before = standing(app)
    register(app, allowed=True)
    app.registry.learn(app.workspace_id, _files(app).values())
    return before.new


def learn(app: App, entry: Entry, before: str = "") -> None:
    """Note a file that the user wrote through us. Not one that was somebody else's `before`: an edit is no allow."""
    if entry.scope is not Scope.WORKSPACE or registered(app) is None:
        return
    if not before or before in app.registry.known(app.workspace_id):
        app.registry.learn(app.workspace_id, [entry.sha256])


def register(app: App, *, allowed: bool) -> Registered:
    """Put the workspace into the user's registry, or bring its row up to date."""
    now = app.clock.now().isoformat(timespec="seconds")
    entry = registered(app) or Registered(
        workspace_id=app.workspace_id, path=app.workspace, token=random_part(TOKEN_LENGTH), initialised=now
    )
    if allowed:
        entry = replace(entry, allowed_at=now)
    app.registry.put(entry)
    write_token(app, entry.token)
    return entry


def registered(app: App) -> Registered | None:
    """The workspace's row in the registry; a folder that was moved is known again by its token."""
    if not app.workspace:
        return None
    entry = app.registry.get(app.workspace_id)
    return entry or _moved(app)


def _moved(app: App) -> Registered | None:
    token = read_token(app)
    old = app.registry.by_token(token) if token else None
    if old is None or os.path.isdir(os.path.join(old.path, FOLDER)):
        # The old folder is still there: this one is a copy, and a copy was never allowed.
        return None
    entry = replace(old, workspace_id=app.workspace_id, path=app.workspace)
    app.registry.put(entry)
    app.registry.learn(app.workspace_id, app.registry.known(old.workspace_id))
    app.registry.drop(old.workspace_id)
    app.notices.append(f"This workspace was moved here from {old.path!r}; its standing moved along.")
    return entry


def read_token(app: App) -> str:
    """What ties this folder to the registry; an empty text when there is none."""
    try:
        with open(_token_path(app), encoding="utf-8") as file:
            data: Any = json.load(file)
    except (OSError, ValueError):
        return ""
    return str(data.get("token", "")) if isinstance(data, dict) else ""


def write_token(app: App, token: str) -> None:
    """Tie this folder to the registry."""
    if read_token(app) != token:
        put_file(_token_path(app), (json.dumps({"token": token}) + "\n").encode())


def _token_path(app: App) -> str:
    return os.path.join(app.folder, "state", "workspace.json")


def _files(app: App) -> dict[str, str]:
    return {
        f"{FOLDER}/{path}": source.sha256
        for (scope, path), source in app.index.sources().items()
        if scope == Scope.WORKSPACE and path.startswith("memory/")
    }


def _tree(app: App) -> Mapping[str, str] | None:
    """The memory files that git's newest commit holds, with their blobs; None when git cannot be asked."""
    listed = ask(app.workspace, "ls-tree", "-r", "-z", "HEAD", "--", f"{FOLDER}/memory")
    if listed is None:
        return None if os.path.lexists(os.path.join(app.workspace, ".git")) else {}
    rows = (row.partition("\t") for row in listed.split("\0") if row)
    return {path: head.split(" ")[2] for head, _, path in rows}


def _came_by_git(app: App, path: str, tree: Mapping[str, str] | None) -> bool:
    if tree is None:
        return True
    if path not in tree:
        return False
    with open(os.path.join(app.workspace, path), "rb") as file:
        content = file.read()
    return tree[path] in {_blob(content, tree[path]), _blob(content.replace(b"\r\n", b"\n"), tree[path])}


def _blob(content: bytes, like: str) -> str:
    blob = new_hash("sha256" if len(like) > 40 else "sha1", usedforsecurity=False)
    blob.update(b"blob %d\0" % len(content) + content)
    return blob.hexdigest()
