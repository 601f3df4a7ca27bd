"""Whose hand wrote a memory file: an agent's, where a tool call of one was running when the file changed.

What is known: when the file last changed (its time of writing, and the system's own time of the last change, which no
program can set), and the journal's events before that. A call that runs commands may have written any file; any other
tool only one that its words name. Nothing is known of what a process writes that outlives its call. See
docs/formats/memory-file.md.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.home import FOLDER
from holdfast.core.search import EventRow
from holdfast.core.times import canonical_time, parse_moment
from holdfast.journal.capture_event import RUNNING
from holdfast.workspace import App

# How far back a call is looked for: one that never ended, because its client died, must not count for ever.
LONGEST_CALL = timedelta(hours=1)
MOST_EVENTS = 500
# A file system's clock ticks some milliseconds behind the one that events are stamped with.
TICK = timedelta(milliseconds=50)
ROUNDING = timedelta(milliseconds=1)
ENDS = frozenset({"after_tool", "tool_failed"})
TURNS = frozenset({"session_start", "prompt", "answer", "session_end"})


def find_agent_written(app: App, paths: Iterable[str]) -> set[str]:
    """Which of these files, by their path in the workspace, an agent's tool wrote last, as far as can be known."""
    return {path for path in paths if any(_has_call_written(call, path) for call in _calls_at_change(app, path))}


def find_agent_written_anywhere(app: App, paths: Iterable[str]) -> set[str]:
    """Which of these files, by their whole path, an agent's tool wrote last, in whatever workspace it worked."""
    left = set(paths)
    found: set[str] = set()
    for place in _find_active_workspaces(app, left):
        with suppress(HoldfastError, OSError):
            found |= find_agent_written(app if place == app.workspace else app.open_other(place), left - found)
    return found


def _find_active_workspaces(app: App, paths: Iterable[str]) -> list[str]:
    """The captured workspaces in which a call may have been running when the first of some files changed."""
    first = min((change for path in paths for change in _list_change_times(path)), default=None)
    if first is None:
        return []
    entries = (app.registry.get(name) for name in app.registry.ids())
    places = dict.fromkeys(filter(None, [app.workspace, *(each.path for each in entries if each and each.capture)]))
    return [place for place in places if _last_event(app.open_other(place)) >= (first - LONGEST_CALL).timestamp()]


def _last_event(app: App) -> float:
    """When something was last written into a workspace's journal."""
    with suppress(OSError), os.scandir(os.path.join(app.folder, "journal")) as inside:
        return max((each.stat(follow_symlinks=False).st_mtime for each in inside), default=0.0)
    return 0.0


def _calls_at_change(app: App, path: str) -> Iterator[Mapping[str, Any]]:
    """The tool calls that were running when a file last changed."""
    for changed in _list_change_times(os.path.join(app.base, path)):
        yield from (_read_event_data(app, row) for row in _find_running_calls(app, changed))


def _list_change_times(path: str) -> list[datetime]:
    with suppress(OSError, OverflowError, ValueError):
        found = os.lstat(path)
        return [datetime.fromtimestamp(stamp, UTC) for stamp in {found.st_mtime, found.st_ctime}]
    return []


def _find_running_calls(app: App, when: datetime) -> list[EventRow]:
    """The tool calls that had begun and not ended at a moment."""
    running: dict[str, list[EventRow]] = defaultdict(list)
    for row in app.index.events(canonical_time((when + TICK).isoformat()), MOST_EVENTS, 0):
        at = parse_moment(row.ts)
        if at is None or at < when - LONGEST_CALL:
            continue
        if row.name == "before_tool":
            running[row.session].append(row)
        elif at < when - ROUNDING and row.name in TURNS:
            running[row.session].clear()
        elif at < when - ROUNDING and row.name in ENDS and running[row.session]:
            running[row.session].remove(_match_ended_call(app, running[row.session], row))
    return [row for rows in running.values() for row in rows]


def _match_ended_call(app: App, running: list[EventRow], end: EventRow) -> EventRow:
    """The call that ended: by its id, else by its tool, else the first that began."""
    if len(running) > 1:
        ended = _read_event_data(app, end)
        for field in ("call", "tool"):
            for row in running:
                if ended.get(field) and _read_event_data(app, row).get(field) == ended[field]:
                    return row
    return running[0]


def _read_event_data(app: App, row: EventRow) -> Mapping[str, Any]:
    """What an event says; nothing where the journal no longer has it."""
    # A deleted neighbour moves where a record is read from, never past it.
    found = next(app.journal.read(row.place), None)
    data = found.data.get("data") if found and found.id == row.id else None
    return data if isinstance(data, Mapping) else {}


def _has_call_written(call: Mapping[str, Any], path: str) -> bool:
    given = call.get("input")
    if not isinstance(given, Mapping):
        return isinstance(given, str)
    words = json.dumps(given, ensure_ascii=False)
    return bool(RUNNING & given.keys()) or FOLDER in words or os.path.basename(path) in words
