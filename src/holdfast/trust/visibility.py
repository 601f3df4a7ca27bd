"""Which memory may reach agents: what the user wrote or allowed, and not what came in by other hands since."""

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from holdfast.config.registry import RegisteredWorkspace
from holdfast.core.home import FOLDER
from holdfast.core.memory import NOT_WRITTEN_HERE, Entry, Scope, doubt_candidate
from holdfast.core.value import Value, replace
from holdfast.system.folders import read_own_file
from holdfast.trust.acceptances import OWN
from holdfast.trust.agent_writes import find_copied, find_written_in_sessions, find_written_in_sessions_anywhere
from holdfast.trust.git_writes import find_git_written
from holdfast.trust.lens_bytes import hash_lens_files
from holdfast.trust.tracked_files import TrackedFiles, list_private
from holdfast.workspace import App

PAGE = "memory/overview.md"
LARGEST_PAGE = 64 * 1024


class VisibilityStatus(Value):
    """Whether this workspace's memory may reach agents, and which files are new since the user allowed it."""

    allowed: bool
    allowed_at: str = ""
    new: tuple[str, ...] = ()


def read_visibility_status(app: App) -> VisibilityStatus:
    """Where the workspace stands now. What the user changed by hand is theirs; what git or an agent brought is not."""
    known_as = find_registration(app)
    if known_as is None or not known_as.allowed:
        stood_here = known_as.foreign if known_as else list_private(app) if app.workspace else ()
        new = (*sorted(hash_memory_files(app)), *(f"{FOLDER}/{name}" for name in stood_here))
        return VisibilityStatus(allowed=False, new=new)
    new = (*find_new_files(app), *sorted(find_held_own_files(app, hash_own_files(app))))
    return VisibilityStatus(allowed=True, allowed_at=known_as.allowed_at, new=new)


def find_new_files(app: App) -> tuple[str, ...]:
    """Memory files, by their path in the workspace, that came by other hands since the last `allow`."""
    return tuple(sorted(_find_written_by_others(app, hash_memory_files(app))))


def _find_written_by_others(app: App, files: Mapping[str, str]) -> set[str]:
    """Which of these files (path → sha256) wait for the user's word: git, an agent or a copy brought them, or nobody
    proven to be a person accepted them. Other unknown ones are the user's: noted so."""
    unproven, unknown = _split_known(app, files, app.workspace_id)
    if not unknown:
        return unproven
    brought = find_git_written(app, unknown, app.registry.known(app.workspace_id))
    brought |= find_copied(app, unknown)
    left = {path: sum_ for path, sum_ in unknown.items() if path not in brought}
    asked = lambda paths: find_written_in_sessions(app, paths)  # noqa: E731
    return unproven | brought | _find_written_by_agents(app, left, app.workspace_id, asked)


def _split_known(app: App, files: Mapping[str, str], whose: str) -> tuple[set[str], dict[str, str]]:
    """Of some files: those accepted by nobody proven to be a person, and those that were never heard of."""
    known, doubted = app.registry.known(whose), app.registry.unproven(whose)
    unproven = {path for path, sum_ in files.items() if sum_ in doubted}
    return unproven, {path: sum_ for path, sum_ in files.items() if sum_ not in known and path not in unproven}


def find_held_own_files(app: App, files: Mapping[str, str]) -> set[str]:
    """Which of these files of the user's own memory (path → sha256) wait for a word, in whatever workspace."""
    if not files:
        return set()
    unproven, unknown = _split_known(app, files, OWN)
    asked = lambda paths: find_written_in_sessions_anywhere(app, paths)  # noqa: E731
    return unproven | (_find_written_by_agents(app, unknown, OWN, asked) if unknown else set())


def _find_written_by_agents(
    app: App, files: Mapping[str, str], whose: str, asked: Callable[[Collection[str]], set[str]]
) -> set[str]:
    """Which of these unknown files changed while a client was at work: noted once seen, for the journal need not tell
    for ever. The others are the user's, and noted so, unless every edit shall wait.
    """
    held = app.registry.held(whose)
    before = {path for path, sha256 in files.items() if sha256 in held}
    asked_for = files.keys() - before
    now = set(asked_for) if app.settings["trust.hold_edits"] else asked(asked_for)
    if now:
        _hold(app, whose, [files[path] for path in sorted(now)])
    if not app.client or app.hooked:
        app.registry.learn(whose, (files[path] for path in files if path not in before | now))
    return before | now


def _hold(app: App, whose: str, sums: Sequence[str]) -> None:
    """Note files that wait for the user's word, where their changes are noted too; and none of their words."""
    from holdfast.journal.change_log import BY_HAND, note_change

    with suppress(OSError):
        app.registry.hold(whose, sums)
    named = "1 memory file" if len(sums) == 1 else f"{len(sums)} memory files"
    why = "waits for `holdfast allow`: changed outside our commands, while a client's session was open"
    every = "waits for `holdfast allow`: changed outside our commands (trust.hold_edits)"
    after = every if app.settings["trust.hold_edits"] else why
    note_change(app, "edit", named, after=after, own=whose == OWN, who=BY_HAND)


def filter_visible(app: App, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that whoever asks may see: all for a person; for an agent, what the user wrote or allowed."""
    return filter_visible_to_agents(app, entries) if app.client else list(entries)


def filter_visible_to_agents(app: App, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that may be put before an agent; only their own files are looked at."""
    known_as = find_registration(app)
    ours = {f"{FOLDER}/{entry.path}": entry.sha256 for entry in entries if _is_shared(entry)}
    allowed = known_as is not None and known_as.allowed
    held = _find_written_by_others(app, ours) if allowed else set(ours)
    held |= _find_foreign_candidates(app, entries, allowed=allowed)
    held |= find_held_own_files(app, {os.path.join(app.home, e.path): e.sha256 for e in entries if _is_own(e)})
    kept = [e for e in entries if _place(app, e) not in held]
    if held_back := len(entries) - len(kept):
        app.notices.append(
            f"{'1 memory is' if held_back == 1 else f'{held_back} memories are'} held back: "
            "not allowed by the user yet (`holdfast allow`, in a terminal of their own)."
        )
    return kept


def find_held_lenses(app: App) -> set[str]:
    """The workspace's lenses, by their path in it, that are somebody else's words: not to be worked by."""
    known_as = find_registration(app)
    sums = hash_lens_files(app)
    return _find_written_by_others(app, sums) if known_as is not None and known_as.allowed else set(sums)


def may_show_events(app: App) -> bool:
    """Whether the journal is this machine's own, and may be shown to an agent."""
    known_as = find_registration(app)
    return not app.workspace or (known_as is not None and known_as.allowed and not TrackedFiles(app).holds("journal/"))


def doubt_foreign_candidates(app: App, entries: Sequence[Entry]) -> list[Entry]:
    """Candidates for a person's eyes: what a file says of the user that Holdfast did not write is nobody's word."""
    known_as = find_registration(app)
    foreign = _find_foreign_candidates(app, entries, allowed=known_as is not None and known_as.allowed)
    return [
        replace(entry, memory=doubt_candidate(entry.memory, NOT_WRITTEN_HERE))
        if _place(app, entry) in foreign
        else entry
        for entry in entries
    ]


def _find_foreign_candidates(app: App, entries: Sequence[Entry], *, allowed: bool) -> set[str]:
    """Candidates that we did not write are somebody else's words; in a workspace nobody allowed, all may be."""
    found = [e for e in entries if e.scope is Scope.WORKSPACE and e.path.startswith("candidates/")]
    if not found:
        return set()
    others = TrackedFiles(app)
    return {f"{FOLDER}/{entry.path}" for entry in found if not allowed or others.holds_candidate(entry)}


def _is_shared(entry: Entry) -> bool:
    return entry.scope is Scope.WORKSPACE and entry.path.startswith("memory/")


def _is_own(entry: Entry) -> bool:
    return entry.scope is Scope.USER and entry.path.startswith("memory/")


def _place(app: App, entry: Entry) -> str:
    """How a file is named here: by its path in the workspace, and one of the user's own by its whole path."""
    if entry.scope is Scope.WORKSPACE:
        return f"{FOLDER}/{entry.path}"
    return os.path.join(app.home, entry.path) if _is_own(entry) else ""


def find_registration(app: App) -> RegisteredWorkspace | None:
    """The workspace's row in the registry; a folder that was moved is known again by its token."""
    if not app.workspace:
        return None
    entry = app.registry.get(app.workspace_id)
    return entry or _find_moved_registration(app)


def _find_moved_registration(app: App) -> RegisteredWorkspace | None:
    token = read_token(app)
    old = app.registry.by_token(token) if token else None
    if old is None or os.path.isdir(os.path.join(old.path, FOLDER)):
        # The old folder is still there: this one is a copy, and a copy was never allowed.
        return None
    entry = replace(old, workspace_id=app.workspace_id, path=app.workspace)
    app.registry.put(entry)
    app.registry.learn(app.workspace_id, app.registry.known(old.workspace_id))
    app.registry.hold(app.workspace_id, app.registry.held(old.workspace_id))
    app.registry.drop(old.workspace_id)
    app.notices.append(f"This workspace was moved here from {old.path!r}; what you allowed still holds.")
    return entry


def read_token(app: App) -> str:
    """What ties this folder to the registry; an empty text when there is none."""
    try:
        data: Any = json.loads(read_own_file(token_path(app), LARGEST_PAGE) or b"{}")
    except (ValueError, RecursionError):
        return ""
    return str(data.get("token", "")) if isinstance(data, dict) else ""


def token_path(app: App) -> str:
    """The file that ties a folder to the registry."""
    return os.path.join(app.folder, "state", "workspace.json")


def hash_memory_files(app: App) -> dict[str, str]:
    """The workspace's memory files, with the sha256 of each."""
    found = {
        f"{FOLDER}/{path}": sum_
        for (scope, path), sum_ in app.index.sums().items()
        if scope == Scope.WORKSPACE and path.startswith("memory/")
    }
    page = read_overview_page(app)
    return found | hash_lens_files(app) | ({f"{FOLDER}/{PAGE}": sha256(page).hexdigest()} if page.strip() else {})


def hash_own_files(app: App) -> dict[str, str]:
    """The files of the user's own memory, by their whole path, with the sha256 of each."""
    return {
        os.path.join(app.home, path): sum_
        for (scope, path), sum_ in app.index.sums().items()
        if scope == Scope.USER and path.startswith("memory/")
    }


def read_overview_page(app: App) -> bytes:
    """The people's own page, which holds no memory and may be told all the same; empty when there is none."""
    return read_own_file(os.path.join(app.folder, PAGE), LARGEST_PAGE) or b""
