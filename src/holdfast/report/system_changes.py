"""What altered the memory system itself: settings, rules, clients, migrations."""

from typing import Any

from holdfast.core.times import BadTime
from holdfast.core.value import Value
from holdfast.journal.change_log import SystemChange, note_change, notice_edits, read_changes
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

__all__ = ["SystemChange", "SystemChangeList", "change_json", "list_changes", "note_change", "notice_edits"]


class SystemChangeList(Value):
    """The changes asked for, oldest first; how many there are in all; and the lines that cannot be read."""

    changes: tuple[SystemChange, ...]
    total: int
    broken: tuple[str, ...]


def list_changes(app: App, since: str = "", kinds: tuple[str, ...] = (), limit: int = 0) -> SystemChangeList:
    """What changed since a time, of some kinds, the latest few. Looks for edits by hand first."""
    begin = parse_moment(since) if since else None
    if since and begin is None:
        raise BadTime("--since", since)
    notice_edits(app)
    told = read_changes(app)
    found = [each for each in told.changes if not kinds or each.kind in kinds]
    if begin is not None:
        found = [each for each in found if (then := parse_moment(each.ts)) and then >= begin]
    return SystemChangeList(changes=tuple(found[-limit:] if limit else found), total=len(found), broken=told.broken)


def change_json(change: SystemChange) -> dict[str, Any]:
    """A change for programs."""
    return {
        "ts": change.ts, "who": change.who, "kind": change.kind, "what": change.what, "from": change.before or None,
        "to": change.after or None, "scope": "user" if change.own else "workspace",
    }  # fmt: skip
