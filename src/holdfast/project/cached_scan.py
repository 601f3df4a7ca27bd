"""The last look at a workspace, kept in `state/context.json`: hooks read it, and look at nothing themselves."""

import os

from holdfast.project.scan_project import VERSION, Workspace, form_of, from_form, stamp_of
from holdfast.system.json_cache import read_derived, write_derived
from holdfast.workspace import App

FILE = "context.json"


def kept_workspace(app: App) -> Workspace | None:
    """The last look, if nothing that it rests on moved since; None otherwise. No file is opened but its own."""
    if not app.workspace:
        return None
    kept = read_derived(_path(app))
    found = (
        from_form(kept["workspace"]) if kept.get("v") == VERSION and isinstance(kept.get("workspace"), dict) else None
    )
    return found if found is not None and kept.get("stamp") == stamp_of(app.workspace, found.stamped) else None


def keep_workspace(app: App, found: Workspace) -> None:
    """Keep a look at the workspace's own folder for hooks; not worth an error."""
    if app.workspace and os.path.isdir(os.path.join(app.folder, "state")):
        form = {"v": VERSION, "stamp": stamp_of(app.workspace, found.stamped), "workspace": form_of(found)}
        write_derived(_path(app), form)


def _path(app: App) -> str:
    return os.path.join(app.folder, "state", FILE)
