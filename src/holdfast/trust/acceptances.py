"""Who accepted what: a line for each text that became memory, in the user's own home (docs/formats/acceptance.md)."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from holdfast.core.memory import Entry, Memory, Scope
from holdfast.core.memory_json import to_json
from holdfast.core.plain_text import one_line
from holdfast.core.presence import UNPROVEN, Presence, presence_from_json, presence_json
from holdfast.core.times import canonical_time
from holdfast.core.value import Value
from holdfast.workspace import App

# Under this name the registry keeps what is of the user's own memory.
OWN = "own"
SHOWN = 12
# What a memory says and binds to. The rest (ids, times, what it rests on) may change without another text.
TEXT = (
    "type", "title", "question", "choice", "rejected", "fact", "body", "category", "tags", "paths", "enforce",
    "error_type", "error_message", "root_cause", "context", "supersedes",
)  # fmt: skip


class Acceptance(Value):
    """One acceptance: of which text, in which file, by whom. `text`: its sum, empty where only the file is known."""

    ts: str
    id: str
    text: str
    sha256: str
    by: Presence


def hash_text(memory: Memory) -> str:
    """The sum of what a memory says: another one once a word of it, or where it holds, changed."""
    every = {**to_json(memory), "body": memory.body.strip()}
    said = {name: value for name, value in every.items() if name in TEXT and value not in ("", [], None, {})}
    return sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


def record_acceptance(app: App, entry: Entry, by: Presence) -> None:
    """Note who stands for a memory as it is now."""
    memory = entry.memory
    row = {
        "ts": canonical_time(app.clock.now().isoformat()), "id": memory.id, "sha256": entry.sha256,
        "text": hash_text(memory) if memory.title else "", **presence_json(by),
    }  # fmt: skip
    app.registry.add_acceptance(registry_name(app, entry.scope), json.dumps(row, ensure_ascii=True))


def list_acceptances(app: App, entry: Entry) -> list[Acceptance]:
    """Who accepted a memory, oldest first; those of texts that it had before too."""
    rows = _read_rows(app, registry_name(app, entry.scope))
    return [_parse_row(row) for row in rows if row.get("id") == entry.memory.id]


def list_unproven(app: App, entries: Sequence[Entry]) -> list[tuple[Entry, Acceptance | None]]:
    """The memories whose acceptance no person is proven to have made, each with how it was made."""
    found: list[tuple[Entry, Acceptance | None]] = []
    for scope in (Scope.WORKSPACE, Scope.USER):
        whose = registry_name(app, scope)
        sums = app.registry.unproven(whose)
        held = [entry for entry in entries if entry.scope is scope and entry.sha256 in sums]
        rows = {str(row.get("sha256")): row for row in _read_rows(app, whose)} if held else {}
        found += [(each, _parse_row(rows[each.sha256]) if each.sha256 in rows else None) for each in held]
    return found


def acceptance_json(acceptance: Acceptance, now: str) -> dict[str, Any]:
    """An acceptance for programs. `now`: the sum of the memory's text as it is."""
    form = {"ts": acceptance.ts, **presence_json(acceptance.by), "text": acceptance.text, "sha256": acceptance.sha256}
    return {**form, "as_accepted": acceptance.text == now}


def describe_acceptance(acceptance: Acceptance) -> str:
    """An acceptance on one line."""
    by = acceptance.by
    how = f"{by.who}, by {by.how}" + (f" ({by.where})" if by.where else "")
    doubt = "" if by.proven else f", {UNPROVEN}: {by.why}"
    text = f", text {acceptance.text[:SHOWN]}" if acceptance.text else ""
    return f"accepted by {one_line(how)}, {acceptance.ts[:16].replace('T', ' ')}{text}{one_line(doubt)}"


def registry_name(app: App, scope: Scope) -> str:
    """Under which name the registry keeps what is of a scope."""
    return OWN if scope is Scope.USER else app.workspace_id


def _read_rows(app: App, whose: str) -> list[Mapping[str, Any]]:
    rows = (_load_row(line) for line in app.registry.acceptances(whose).splitlines())
    return [row for row in rows if row]


def _load_row(line: str) -> Mapping[str, Any]:
    """A line; nothing where a write was cut short."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _parse_row(row: Mapping[str, Any]) -> Acceptance:
    texts = {name: str(row.get(name, "")) for name in ("ts", "id", "text", "sha256")}
    return Acceptance(**texts, by=presence_from_json(row))
