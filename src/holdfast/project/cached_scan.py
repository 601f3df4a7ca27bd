"""The last look at a workspace, kept in `state/context.json`: hooks read it, and look at nothing themselves."""

import os

from holdfast.project.scan_project import VERSION, WorkspaceScan, scan_from_json, scan_to_json, stamp_of
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.workspace import App

FILE = "context.json"


def load_cached_workspace(app: App) -> WorkspaceScan | None:
    """The last look, if nothing that it rests on moved since; None otherwise. No file is opened but its own."""
    if not app.workspace:
        return None
    kept = read_json_cache(_path(app))
    found = (
        scan_from_json(kept["workspace"])
        if kept.get("v") == VERSION and isinstance(kept.get("workspace"), dict)
        else None
    )
    return found if found is not None and kept.get("stamp") == stamp_of(app.workspace, found.stamped) else None


def cache_workspace(app: App, found: WorkspaceScan) -> None:
    """Keep a look at the workspace's own folder for hooks; not worth an error."""
    if app.workspace and os.path.isdir(os.path.join(app.folder, "state")):
        form = {"v": VERSION, "stamp": stamp_of(app.workspace, found.stamped), "workspace": scan_to_json(found)}
        write_json_cache(_path(app), form)


def _path(app: App) -> str:
    return os.path.join(app.folder, "state", FILE)
