"""The one JSON form of a memory with its place, for CLI, library and, later, server and MCP."""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, Scope
from holdfast.core.memory_json import to_json
from holdfast.core.times import parse_moment
from holdfast.workspace import App

__all__ = ["display_path", "entry_json", "format_age", "now", "parse_moment", "today"]

DATE_LENGTH = len("2026-11-15")


def entry_json(app: App, entry: Entry, superseded_by: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A memory as JSON, with where it stands."""
    form = to_json(entry.memory)
    form |= {"scope": str(entry.scope), "path": display_path(app, entry), "line": entry.line, "sha256": entry.sha256}
    if superseded_by and entry.memory.id in superseded_by:
        form["superseded_by"] = superseded_by[entry.memory.id]
    return form


def display_path(app: App, entry: Entry) -> str:
    """The file as a person would name it: relative to the workspace, or whole for memory that lies elsewhere."""
    if entry.scope is Scope.WORKSPACE:
        return f"{FOLDER}/{entry.path}"
    return os.path.join(app.root_of(entry.scope), entry.path)


def today(app: App) -> str:
    """The date, as `valid_from` carries it."""
    return app.clock.now().date().isoformat()


def now(app: App) -> str:
    """The time to the second, as `updated` carries it: a day alone would leave the order of a day's work open."""
    return app.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")


def format_age(when: str, now: datetime) -> str:
    """How long ago, in one short word; empty when the time is not known."""
    then = parse_moment(when)
    if then is None:
        return ""
    if len(when) == DATE_LENGTH and then.date() == now.date():
        return "today"
    seconds = max(0.0, (now - then).total_seconds())
    for size, unit in ((86400 * 365, "y"), (86400 * 30, "mo"), (86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return "now"
