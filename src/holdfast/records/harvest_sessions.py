"""Harvesting: which workspaces, which sessions; afterwards records and index are brought in step."""

import os

from holdfast.config.registry import BrokenRegistry
from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.harvest.harvest_transcripts import HARVESTED, BrokenLine, Harvested, Progress, SessionRead, Wanted
from holdfast.harvest.harvest_transcripts import harvest as read_transcripts
from holdfast.records.follow_journal import catch_up
from holdfast.trust.allow import registered
from holdfast.vault.entry_json import moment
from holdfast.workspace import App

__all__ = ["HARVESTED", "BrokenLine", "Harvested", "SessionRead", "Wanted", "folders_of", "harvest", "since_of"]


class NotYours(Refused):
    """A workspace that its user never initialised."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"{workspace!r} was not initialised by you: nothing is captured here.", "run `holdfast init` there first."
        )


class NotATime(BadRequest):
    """A --since that is no time."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not a time.", "write it like 2026-11-15 or 2026-11-15T09:22:14Z.")


class NoProject(NotFound):
    """A --project that belongs to another workspace."""

    def __init__(self, path: str, workspace: str) -> None:
        super().__init__(
            f"{path!r} belongs to the workspace {workspace!r}.", f"run `holdfast harvest -C {workspace}` for it."
        )


def folders_of(app: App, *, everywhere: bool = False, project: str = "") -> dict[str, str]:
    """Whose sessions are asked for: each folder, and the workspace whose journal takes what ran there."""
    return _all(app) if everywhere else _one(app, project)


def since_of(text: str) -> float:
    """A time as the command takes it, in seconds."""
    at = moment(text) if text else None
    if text and at is None:
        raise NotATime(text)
    return at.timestamp() if at else 0.0


def harvest(app: App, what: Wanted, progress: Progress | None = None) -> Harvested:
    """Read transcripts; then bring records and index in step, so that no hook has to."""
    found = read_transcripts(app, what, progress)
    if not what.dry_run and found.fresh:
        for workspace in dict.fromkeys(each.workspace for each in found.sessions):
            place = app if workspace == app.workspace else App(workspace)
            place.progress = app.progress
            catch_up(place)
            place.refresh()
            _ = place.index
    return found


def _one(app: App, project: str) -> dict[str, str]:
    """This workspace's folder, or another one whose sessions belong to it; workspaces inside are their own."""
    if registered(app) is None:
        raise NotYours(app.workspace)
    inner = {path: path for path in _registered(app) if path != app.workspace}
    if not project:
        return _without_others({app.workspace: app.workspace}, inner)
    path = os.path.realpath(project)
    around = [other for other in inner if _inside(path, other) and len(other) > len(app.workspace)]
    outside = [other for other in inner if _inside(path, other) and not _inside(path, app.workspace)]
    for other in (*around, *outside):
        raise NoProject(project, other)
    return _without_others({path: app.workspace}, inner)


def _without_others(folders: dict[str, str], inner: dict[str, str]) -> dict[str, str]:
    """The folders, with those inside that other workspaces own mapped to nothing."""
    return folders | {path: "" for path in inner if any(_inside(path, folder) and path != folder for folder in folders)}


def _all(app: App) -> dict[str, str]:
    paths = _registered(app)
    if app.workspace and registered(app) is None:
        app.notices.append(f"{app.workspace!r} was not initialised by you and is left out.")
    return {path: path for path in paths if os.path.isdir(os.path.join(path, ".holdfast"))}


def _registered(app: App) -> list[str]:
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


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
