"""What a workspace knows of one side that it is synced with.

`state/sync/<name>.json`: what both had last time, where the other side's history stood then, what came from there, and
what it took away here. Without it, what differs is taken for changed on both.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

from holdfast.core.event import BEGINNING, Cursor
from holdfast.core.memory import Scope
from holdfast.core.value import Value
from holdfast.exchange.three_way import state_name
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

PLACE = os.path.join("state", "sync")
ENDING = ".json"
MOST_REFUSED = 100
MOST_SUMS = 10_000


class ReceivedFile(Value):
    """A file that came from a side: its sum then, and who changed it last, as the side says."""

    sha256: str
    author: str = ""


class SyncState:
    """What both sides had last time, where the other side's history stood, and how far the journal is sent.

    `took`: sums of files that the side took away here; `returned`: those of them that a person brought back;
    `obeyed`: sums of files that its marks took.
    """

    def __init__(self, path: str, name: str = "") -> None:
        self._path = path
        held = read_json_cache(path)
        self.name = name or str(held.get("name", ""))
        self.known = bool(held)
        self.base: dict[str, str] = _to_text_map(held.get("base"))
        self.marks: dict[str, str] = _to_text_map(held.get("marks"))
        self.came = _parse_received(held.get("came"))
        self.took, self.returned, self.obeyed = (
            _to_text_list(held.get(each)) for each in ("took", "returned", "obeyed")
        )
        refused = held.get("refused")
        self._refused: list[Any] = refused if isinstance(refused, list) else []
        at = held.get("journal")
        whole = isinstance(at, list) and len(at) == 2 and all(isinstance(each, int) for each in at)
        self.cursor = Cursor(segment=at[0], offset=at[1]) if whole and isinstance(at, list) else BEGINNING
        self._kept = self._form() if held else b""

    def agreed(self, path: str, sha: str) -> None:
        """Both sides have this now; an empty sum: neither has it."""
        if self.came.get(path, ReceivedFile(sha256=sha)).sha256 != sha:
            del self.came[path]
        if not sha:
            self.base.pop(path, None)
            return
        self.base[path] = sha
        if sha in self.took:
            self.took.remove(sha)
            self.returned.append(sha)

    def note_deletion(self, sha: str) -> None:
        """The side took a file away here."""
        self.took.append(sha)

    def refuse(self, event: str, why: str) -> None:
        """Note an event that was passed over."""
        self._refused = [*self._refused, {"what": event, "why": why}][-MOST_REFUSED:]

    def keep(self) -> None:
        """Write it down, where it moved."""
        form = self._form()
        if form != self._kept:
            put_file(self._path, form)
            self._kept = form

    def _form(self) -> bytes:
        held = {
            "v": 1, "name": self.name, "base": self.base, "journal": [self.cursor.segment, self.cursor.offset],
            "marks": self.marks, "refused": self._refused,
            "came": {path: [each.sha256, each.author] for path, each in self.came.items()},
            "took": self.took[-MOST_SUMS:], "returned": self.returned[-MOST_SUMS:], "obeyed": self.obeyed[-MOST_SUMS:],
        }  # fmt: skip
        return (json.dumps(held, sort_keys=True) + "\n").encode()


def state_folder(app: App, scope: Scope) -> str:
    """Where it is kept what both sides had: beside the files, which several workspaces may share."""
    return os.path.join(app.root_of(scope), PLACE)


def state_of(app: App, scope: Scope, name: str) -> SyncState:
    """What is known of a side."""
    return SyncState(os.path.join(state_folder(app, scope), f"{state_name(name)}{ENDING}"), name)


def list_states(app: App, scope: Scope, but: str = "") -> Iterator[SyncState]:
    """Every side that is known, without one."""
    folder = state_folder(app, scope)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(ENDING))
    except OSError:
        return
    for name in names:
        found = SyncState(os.path.join(folder, name))
        if found.name and found.name != but:
            yield found


def adopt_received_files(app: App, scope: Scope, name: str) -> None:
    """A side that is left: what came from it is the user's own from now on."""
    found = state_of(app, scope, name)
    found.came.clear()
    if found.known:
        found.keep()


def _to_text_map(held: object) -> dict[str, str]:
    return {str(key): str(word) for key, word in held.items()} if isinstance(held, dict) else {}


def _to_text_list(held: object) -> list[str]:
    return [str(each) for each in held] if isinstance(held, list) else []


def _parse_received(held: object) -> dict[str, ReceivedFile]:
    rows = held.items() if isinstance(held, dict) else ()
    return {
        str(path): ReceivedFile(sha256=str(row[0]), author=str(row[1]))
        for path, row in rows
        if isinstance(row, list) and len(row) == 2
    }
