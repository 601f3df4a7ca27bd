"""What clients remember by themselves, taken as candidates when a session is distilled or harvested; each thing once.

Claude Code's `memory/*.md` with its index (what `#` and "remember" write), Codex's memories, Gemini CLI's. A folder
that did not change is not read again; what a person rejected, accepted or forgot does not come back.
"""

import os
from collections.abc import Sequence

from holdfast.core.event import Event
from holdfast.core.memory import Entry
from holdfast.importers.find_readers import find_usual_places
from holdfast.importers.import_candidates import CHANGED, NEW, REVISION, ImportStep, plan_import
from holdfast.index.entries import to_vault_entry
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.vault.file_stamps import read_stamps
from holdfast.workspace import App

KINDS = frozenset({"claude-memory", "codex-memories", "gemini-memory"})
FILE = os.path.join("state", "client-memories.json")
VERSION = 1
# A person is not asked more at once; the rest comes with the next sessions.
MOST_AT_ONCE = 20


def take_client_memories(app: App) -> list[Entry]:
    """The candidates that came of what clients remember of this workspace, and that are new."""
    if not app.settings["harvest.client_memories"] or not app.workspace or TrackedFiles(app).holds("journal/"):
        return []
    known = _read_known(app)
    taken: list[Entry] = []
    for kind, path in find_usual_places(app):
        if kind not in KINDS or not os.path.isdir(path):
            continue
        seen = _stamp_folder(path)
        if seen and known.get(path) == seen:
            continue
        steps = plan_import(app, path, kind).of(NEW, CHANGED, REVISION)
        fresh, whole = _take(app, steps, MOST_AT_ONCE - len(taken))
        taken += fresh
        known.pop(path, None)
        known |= {path: seen} if seen and whole else {}
    _keep_known(app, known)
    if taken:
        app.refresh()
    return taken


def _take(app: App, steps: Sequence[ImportStep], room: int) -> tuple[list[Entry], bool]:
    """The candidates that are new, as many as there is room for; and whether those were all."""
    taken: list[Entry] = []
    for step in steps:
        if len(taken) >= room:
            return taken, False
        entry = _write(app, step)
        taken += [entry] if entry else []
    return taken, True


def _write(app: App, step: ImportStep) -> Entry | None:
    """A candidate on disk; None where it waits already, or a person decided of it before."""
    if step.does == CHANGED and step.entry:
        app.candidates.rewrite(to_vault_entry(step.entry), step.memory)
        return None
    name = step.memory.id
    if app.candidates.find(name) is not None:
        return None
    entry = app.candidates.add(step.memory)
    data = {"id": name, "sha256": entry.sha256, "text": name}
    key = f"remembered:{name}"
    [receipt] = app.journal.append([Event(client="holdfast", name="candidate.added", key=key, data=data)])
    if not receipt.fresh:
        app.candidates.remove(entry)
    return entry if receipt.fresh else None


def _stamp_folder(path: str) -> str:
    """A mark of all files in a folder; empty while one of them may change unseen."""
    stamps = read_stamps(path)
    return "" if "" in stamps.values() else " ".join(f"{name} {stamp}" for name, stamp in sorted(stamps.items()))


def _read_known(app: App) -> dict[str, str]:
    found = read_json_cache(os.path.join(app.folder, FILE))
    rows = found.get("folders")
    if found.get("v") != VERSION or not isinstance(rows, dict):
        return {}
    return {str(name): str(stamp) for name, stamp in rows.items()}


def _keep_known(app: App, known: dict[str, str]) -> None:
    if known != _read_known(app):
        write_json_cache(os.path.join(app.folder, FILE), {"v": VERSION, "folders": known})
