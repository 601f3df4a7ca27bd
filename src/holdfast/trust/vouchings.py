"""Sessions that no hook heard, and for which a person vouched: in the user's own home (docs/formats/transcripts.md).

Who can write into a client's history folder can put a session there that never was. What such a file says counts as
the user's only where hooks heard that session, or a person said once that it is theirs.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.presence import Presence, presence_json
from holdfast.core.times import canonical_time
from holdfast.core.value import Value
from holdfast.workspace import App


class Vouchings(Value):
    """What a person said of sessions: those that are theirs, those that are not, and when they last said so."""

    vouched: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()
    last: str = ""


def read_vouchings(app: App) -> Vouchings:
    """What holds now: the last word on each session."""
    said: dict[str, bool] = {}
    last = ""
    for row in _read_rows(app):
        last = max(last, str(row.get("ts", "")))
        said |= dict.fromkeys(map(str, row["sessions"]), row.get("vouched") is True)
    vouched = frozenset(session for session, theirs in said.items() if theirs)
    return Vouchings(vouched=vouched, declined=frozenset(said) - vouched, last=last)


def record_vouching(app: App, by: Presence, sessions: Iterable[str], *, folder: str = "", vouched: bool = True) -> None:
    """Note who said of which sessions, found in which folder, that they are theirs or not."""
    row = {
        "ts": canonical_time(app.clock.now().isoformat()), "vouched": vouched, **presence_json(by), "folder": folder,
        "sessions": sorted(sessions),
    }  # fmt: skip
    app.registry.add_vouching(app.workspace_id, json.dumps(row, ensure_ascii=True))


def _read_rows(app: App) -> list[Mapping[str, Any]]:
    if not app.workspace:
        return []
    rows = (_load_row(line) for line in app.registry.vouchings(app.workspace_id).splitlines())
    return [row for row in rows if isinstance(row.get("sessions"), list) and "unproven" not in row]


def _load_row(line: str) -> Mapping[str, Any]:
    """A line; nothing where a write was cut short."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}
