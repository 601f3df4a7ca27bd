"""What nobody reviews leaves the queue after a time that is said, and stays what it is besides: an observation.

Nothing is written when that happens: a candidate's time is counted from when it was last changed, or its file was. So
it is found as before (`search --status candidate`), shown by its id, accepted, and put back by `undo ID`, by saying the
same again, or by a longer time in the settings.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from holdfast.core.memory import Entry, Status
from holdfast.core.times import parse_moment
from holdfast.index.entries import is_candidate
from holdfast.workspace import App

SETTING = "review.expire_days"
# From then on a line says that it is about to go.
SOON = timedelta(days=7)


def find_expiry(app: App, entry: Entry) -> datetime | None:
    """When a candidate leaves the queue, or left it; None where it never does, or was decided."""
    days = int(app.settings[SETTING])
    if not days or not is_candidate(entry) or entry.memory.status is not Status.CANDIDATE:
        return None
    return _waits_since(app, entry) + timedelta(days=days)


def has_expired(app: App, entry: Entry) -> bool:
    """Whether a candidate waited for longer than anybody wants."""
    ends = find_expiry(app, entry)
    return ends is not None and ends <= app.clock.now()


def format_expiry(app: App, entry: Entry) -> str:
    """The day on which a candidate leaves the queue, or left it; empty where it never does."""
    ends = find_expiry(app, entry)
    return ends.strftime("%Y-%m-%d") if ends else ""


def describe_expiry(app: App, entry: Entry) -> str:
    """That a candidate leaves the queue soon, in words; empty while there is time."""
    ends = find_expiry(app, entry)
    if ends is None or ends - app.clock.now() > SOON:
        return ""
    if ends <= app.clock.now():
        return f"left the queue on {ends:%Y-%m-%d}: nobody reviewed it"
    return f"leaves the queue on {ends:%Y-%m-%d} unless you decide"


def describe_time(app: App) -> str:
    """How long candidates wait, in words; empty where they wait for ever."""
    days = int(app.settings[SETTING])
    return f"What nobody reviews leaves the queue after {days} days and stays findable ({SETTING})." if days else ""


def split_expired(app: App, entries: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Those in the queue, and those that left it by their time."""
    queue: list[Entry] = []
    left: list[Entry] = []
    for entry in entries:
        (left if has_expired(app, entry) else queue).append(entry)
    return queue, left


def _waits_since(app: App, entry: Entry) -> datetime:
    """When it was last changed, or its file: what is distilled of an old session waits from today."""
    said = parse_moment(entry.memory.updated) or datetime.min.replace(tzinfo=UTC)
    try:
        written = os.lstat(os.path.join(app.folder, entry.path)).st_mtime
    except OSError:
        return said if entry.memory.updated else app.clock.now()
    return max(said, datetime.fromtimestamp(written, UTC))
