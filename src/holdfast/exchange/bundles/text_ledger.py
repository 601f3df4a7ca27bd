"""What this workspace knows of texts that came and went by bundles. Lost, it costs only some candidates more.

`state/share/ledger.json`: by scope and id, the sums of texts that stood here, the sum of what an import wrote last,
and which ids were forgotten here or elsewhere.
"""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

PLACE = os.path.join("state", "share", "ledger.json")
MOST_STOOD = 64
STOOD, BROUGHT, GONE = "stood", "brought", "gone"


class BundleLedger:
    """The ledger as it is now; `save` writes it."""

    def __init__(self, app: App) -> None:
        self._path = os.path.join(app.folder, PLACE)
        held = read_json_cache(self._path)
        self.earlier: dict[str, list[str]] = {
            key: [str(each) for each in sums] for key, sums in _table(held, STOOD).items() if isinstance(sums, list)
        }
        self.imported: dict[str, str] = {key: str(each) for key, each in _table(held, BROUGHT).items()}
        self.forgotten: dict[str, bool] = dict.fromkeys(_table(held, GONE), True)

    def note_text(self, key: str, *sums: str) -> None:
        """Note that texts stand here, or stood."""
        known = self.earlier.setdefault(key, [])
        known.extend(each for each in sums if each not in known)
        del known[:-MOST_STOOD]

    def drop_text(self, key: str, text_sum: str) -> None:
        """Take it back: the text became a candidate."""
        self.earlier[key] = [each for each in self.earlier.get(key, ()) if each != text_sum]

    def form(self) -> dict[str, Any]:
        """As it stands on disk."""
        return {"v": 1, STOOD: self.earlier, BROUGHT: self.imported, GONE: self.forgotten}

    def save(self) -> None:
        """Put it on disk."""
        put_file(self._path, json.dumps(self.form(), separators=(",", ":")).encode())


def write_ledger(app: App, form: Mapping[str, Any]) -> None:
    """Put a ledger's form on disk."""
    put_file(os.path.join(app.folder, PLACE), json.dumps(form, separators=(",", ":")).encode())


def key_of(scope: str, place: str, name: str) -> str:
    """What a thing is called in the ledger."""
    return f"{scope}/{place}/{name}"


def render_lines(ledger: BundleLedger, scope: str, ids: Iterable[str], gone: Iterable[str]) -> bytes:
    """What a bundle tells of its memories' earlier texts, and of what was forgotten."""
    rows: list[dict[str, Any]] = [
        {"id": each, STOOD: ledger.earlier[key]}
        for each in ids
        if (key := key_of(scope, "memory", each)) in ledger.earlier
    ]
    rows += [{"id": each, GONE: True} for each in sorted(gone)]
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()


def parse_lines(data: bytes) -> tuple[dict[str, list[str]], set[str]]:
    """What such lines tell."""
    stood: dict[str, list[str]] = {}
    gone: set[str] = set()
    for line in data.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict):
            continue
        if row.get(GONE) is True:
            gone.add(str(row.get("id", "")))
        elif isinstance(row.get(STOOD), list):
            stood[str(row.get("id", ""))] = [str(each) for each in row[STOOD][-MOST_STOOD:]]
    return stood, gone


def _table(held: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = held.get(name)
    return found if isinstance(found, dict) else {}
