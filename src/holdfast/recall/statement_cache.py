"""What became of what was said, from vault, candidates and tombstones; kept as long as the answers of `scope_cache`."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from holdfast.core.search import Select
from holdfast.recall.validity import holds_at, supersession_times
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.standing import Standing, StatementRow, Statements, list_settled, list_statements
from holdfast.workspace import App

if TYPE_CHECKING:
    from holdfast.core.index_store import IndexStore

VERSION = 1
FILE = os.path.join("state", "statements.json")
# So many entries, the newest, are looked at: what was said is told for some days only.
MOST = 3_000
PLAIN = ("event", "words", "digest", "since")


def load_statements(app: App, check: str, store: "Callable[[], IndexStore]") -> Statements:
    """All statements. `check` is a sum over the files they are read from, or empty while one may move unseen."""
    path = os.path.join(app.folder, FILE)
    rows = _read(path, check)
    if rows is None:
        rows = _look_up(app, store())
        if check:
            write_json_cache(path, {"v": VERSION, "check": check, "rows": [_to_json(row) for row in rows]})
    return Statements([*rows, *list_settled(app)])


def _read(path: str, check: str) -> list[StatementRow] | None:
    found = read_json_cache(path) if check else {}
    if not check or found.get("v") != VERSION or found.get("check") != check:
        return None
    try:
        return [_from_json(each) for each in found["rows"]]
    except (KeyError, TypeError, ValueError):
        return None


def _look_up(app: App, store: "IndexStore") -> list[StatementRow]:
    ended, now = supersession_times(store.links()[0]), app.clock.now()
    return list_statements(store.select(Select(newest=MOST)), lambda memory: holds_at(memory, now, ended))


def _to_json(row: StatementRow) -> dict[str, Any]:
    return {"standing": row.standing, **{name: getattr(row, name) for name in PLAIN if getattr(row, name)}}


def _from_json(data: dict[str, Any]) -> StatementRow:
    return StatementRow(standing=Standing(data["standing"]), **{name: str(data.get(name, "")) for name in PLAIN})
