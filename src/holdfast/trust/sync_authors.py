"""Whose words came by a sync: what another person accepted is theirs, whatever it says of who said it.

A file that the user changed since is the user's own.
"""

import os
from functools import cached_property

from holdfast.core.memory import Entry, Scope
from holdfast.core.plain_text import one_line
from holdfast.system.json_cache import read_json_cache
from holdfast.workspace import App

STATES, ENDING = os.path.join("state", "sync"), ".json"
LONGEST = 60


class SyncAuthors:
    """The files of a workspace that came from others; looked up when the first is asked for."""

    def __init__(self, app: App) -> None:
        self._app = app

    def of(self, entry: Entry) -> str:
        """Who sent a memory, as it stands here, and over what; empty: nobody did."""
        sha, told = self._came.get(entry.path, ("", "")) if entry.scope is Scope.WORKSPACE else ("", "")
        return told if sha == entry.sha256 else ""

    def sent(self, path: str) -> bool:
        """Whether there is a file of that path that came from others."""
        return path in self._came

    @cached_property
    def _came(self) -> dict[str, tuple[str, str]]:
        folder = os.path.join(self._app.folder, STATES)
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(ENDING))
        except OSError:
            return {}
        found: dict[str, tuple[str, str]] = {}
        for name in names:
            held = read_json_cache(os.path.join(folder, name))
            came = held.get("came")
            for path, row in came.items() if isinstance(came, dict) else ():
                if isinstance(row, list) and len(row) == 2:
                    found[path] = (str(row[0]), _format_author(str(row[1]), str(held.get("name", ""))))
        return found


def _format_author(author: str, side: str) -> str:
    who = one_line(author[:LONGEST]) or "somebody"
    return f"{who}, over {side.partition('://')[2].partition('/')[0] or side}"
