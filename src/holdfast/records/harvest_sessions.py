"""Harvesting: which workspaces, which sessions; afterwards records and index are refreshed."""

import os

from holdfast.config.registry import BrokenRegistry
from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.harvest.harvest_transcripts import (
    HARVESTED,
    BrokenLine,
    HarvestRequest,
    HarvestResult,
    Progress,
    SessionRead,
)
from holdfast.harvest.harvest_transcripts import harvest as read_transcripts
from holdfast.records.refresh_records import refresh_records
from holdfast.trust.allow import find_registration
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

__all__ = [
    "HARVESTED",
    "BrokenLine",
    "HarvestRequest",
    "HarvestResult",
    "SessionRead",
    "find_harvest_folders",
    "harvest_sessions",
    "parse_since",
]


class WorkspaceNotInitialised(Refused):
    """A workspace that its user never initialised."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"{workspace!r} was not initialised by you: nothing is captured here.", "run `holdfast init` there first."
        )


class BadSinceTime(BadRequest):
    """A --since that is no time."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not a time.", "write it like 2026-11-15 or 2026-11-15T09:22:14Z.")


class NoHarvestProject(NotFound):
    """A --project that belongs to another workspace."""

    def __init__(self, path: str, workspace: str) -> None:
        super().__init__(
            f"{path!r} belongs to the workspace {workspace!r}.", f"run `holdfast harvest -C {workspace}` for it."
        )


def find_harvest_folders(app: App, *, everywhere: bool = False, project: str = "") -> dict[str, str]:
    """Whose sessions are asked for: each folder, and the workspace whose journal takes what ran there."""
    return _find_all(app) if everywhere else _find_one(app, project)


def parse_since(text: str) -> float:
    """A time as the command takes it, in seconds."""
    at = parse_moment(text) if text else None
    if text and at is None:
        raise BadSinceTime(text)
    return at.timestamp() if at else 0.0


def harvest_sessions(app: App, what: HarvestRequest, progress: Progress | None = None) -> HarvestResult:
    """Read transcripts; then bring records and index up to date, so that no hook has to."""
    found = read_transcripts(app, what, progress)
    if not what.dry_run and found.fresh:
        for workspace in dict.fromkeys(each.workspace for each in found.sessions):
            place = app if workspace == app.workspace else app.open_other(workspace)
            place.progress = app.progress
            refresh_records(place)
            place.refresh()
            _ = place.index
    return found


def _find_one(app: App, project: str) -> dict[str, str]:
    """This workspace's folder, or another one whose sessions belong to it; workspaces inside are their own."""
    if find_registration(app) is None:
        raise WorkspaceNotInitialised(app.workspace)
    inner = {path: path for path in _list_registered(app) if path != app.workspace}
    if not project:
        return _exclude_others({app.workspace: app.workspace}, inner)
    path = os.path.realpath(project)
    around = [other for other in inner if _is_inside(path, other) and len(other) > len(app.workspace)]
    outside = [other for other in inner if _is_inside(path, other) and not _is_inside(path, app.workspace)]
    for other in (*around, *outside):
        raise NoHarvestProject(project, other)
    return _exclude_others({path: app.workspace}, inner)


def _exclude_others(folders: dict[str, str], inner: dict[str, str]) -> dict[str, str]:
    """The folders, with those inside that other workspaces own mapped to nothing."""
    return folders | {
        path: "" for path in inner if any(_is_inside(path, folder) and path != folder for folder in folders)
    }


def _find_all(app: App) -> dict[str, str]:
    paths = _list_registered(app)
    if app.workspace and find_registration(app) is None:
        app.notices.append(f"{app.workspace!r} was not initialised by you and is left out.")
    return {path: path for path in paths if os.path.isdir(os.path.join(path, ".holdfast"))}


def _list_registered(app: App) -> list[str]:
    """The workspaces that this user initialised."""
    found: list[str] = []
    for name in app.registry.ids():
        try:
            entry = app.registry.get(name)
        except BrokenRegistry as error:
            app.notices.append(str(error))
            continue
        if entry:
            found.append(os.path.realpath(entry.path))
    return found


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
