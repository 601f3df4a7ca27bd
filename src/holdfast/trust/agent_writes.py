"""Which memory files changed while a client's session was open: they may be an agent's, and wait for the user's word.

What is known: when the file last changed (its time of writing, and the system's own time of the last change, which no
program can set), and the journal's events before that. Whose hand it was in such a session nobody can tell: a process
may outlive the call that began it. See docs/formats/memory-file.md.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from holdfast.core.errors import HoldfastError
from holdfast.core.times import canonical_time, parse_moment
from holdfast.workspace import App

# How long a session counts as open after its last event: some clients never say that one ended, and some are killed.
LONGEST_SILENCE = timedelta(hours=4)
MOST_EVENTS = 500
# A file system's clock ticks some milliseconds behind the one that events are stamped with.
TICK = timedelta(milliseconds=10)
# An editor that saves and then sets what a file may do is done by then.
MOST_BETWEEN_NS = 2_000_000_000
OWN_EVENTS = frozenset({"holdfast", ""})
END = "session_end"
# What a client says before its agent can have done anything: no file is an agent's for being a tick older.
BEFORE_ANY_CALL = frozenset({"session_start", "prompt"})


def find_written_in_sessions(app: App, paths: Iterable[str]) -> set[str]:
    """Which of these files, by their path in the workspace, last changed while a client's session was open in it."""
    changes = {path: _list_change_times(os.path.join(app.base, path)) for path in paths}
    return {path for path, times in changes.items() if any(_was_session_open(app, each) for each in times)}


def find_written_in_sessions_anywhere(app: App, paths: Iterable[str]) -> set[str]:
    """Which of these files, by their whole path, changed while a client's session was open in whatever workspace."""
    left = set(paths)
    found: set[str] = set()
    for place in _find_active_workspaces(app, left):
        with suppress(HoldfastError, OSError):
            found |= find_written_in_sessions(app if place == app.workspace else app.open_other(place), left - found)
    return found


def find_copied(app: App, paths: Iterable[str]) -> set[str]:
    """Which of these files, by their path in the workspace, have an older time of writing than the system saw them
    change: a program laid them there with the time that they had elsewhere (an archive, a copy, a move).
    """
    return {path for path in paths if _has_time_of_elsewhere(os.path.join(app.base, path))}


def _has_time_of_elsewhere(path: str) -> bool:
    with suppress(OSError):
        found = os.lstat(path)
        return found.st_ctime_ns - found.st_mtime_ns > MOST_BETWEEN_NS
    return False


def is_session_open(app: App) -> bool:
    """Whether a client's session is open in this workspace now."""
    return bool(app.workspace) and _was_session_open(app, app.clock.now())


def _find_active_workspaces(app: App, paths: Iterable[str]) -> list[str]:
    """The captured workspaces in which a session may have been open when the first of some files changed."""
    first = min((change for path in paths for change in _list_change_times(path)), default=None)
    if first is None:
        return []
    entries = (app.registry.get(name) for name in app.registry.ids())
    places = dict.fromkeys(filter(None, [app.workspace, *(each.path for each in entries if each and each.capture)]))
    since = (first - LONGEST_SILENCE).timestamp()
    return [place for place in places if _last_event(app.open_other(place)) >= since]


def _last_event(app: App) -> float:
    """When something was last written into a workspace's journal."""
    with suppress(OSError), os.scandir(os.path.join(app.folder, "journal")) as inside:
        return max((each.stat(follow_symlinks=False).st_mtime for each in inside), default=0.0)
    return 0.0


def _list_change_times(path: str) -> list[datetime]:
    with suppress(OSError, OverflowError, ValueError):
        found = os.lstat(path)
        return [datetime.fromtimestamp(stamp, UTC) for stamp in {found.st_mtime, found.st_ctime}]
    return []


def _was_session_open(app: App, when: datetime) -> bool:
    """Whether a client's session had begun and not ended at a moment: by the newest event of each before it."""
    seen: set[tuple[str, str]] = set()
    for row in reversed(app.index.events(canonical_time((when + TICK).isoformat()), MOST_EVENTS, 0)):
        at, session = parse_moment(row.ts), (row.client, row.session)
        if row.client in OWN_EVENTS or session in seen or at is None:
            continue
        if at < when - LONGEST_SILENCE:
            return False
        if at > when and row.name in BEFORE_ANY_CALL:
            continue
        if row.name != END:
            return True
        seen.add(session)
    return False
