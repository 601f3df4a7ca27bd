"""Harvesting: which workspaces, which sessions; afterwards records and index are refreshed, if much came behind it."""

import os
from contextlib import suppress

from holdfast.config.registry import BrokenRegistry
from holdfast.core.errors import BadRequest, NotFound, Refused
from holdfast.core.value import replace
from holdfast.harvest.harvest_transcripts import (
    HARVESTED,
    BrokenLine,
    HarvestRequest,
    HarvestResult,
    HarvestRunning,
    Progress,
    SessionRead,
)
from holdfast.harvest.harvest_transcripts import find_sessions as find_transcripts
from holdfast.harvest.harvest_transcripts import harvest as read_transcripts
from holdfast.harvest.unhooked_sessions import UnhookedSession
from holdfast.records.refresh_records import refresh_records, refresh_records_gently
from holdfast.system.background import start_background
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
    "harvest_in_background",
    "harvest_missed",
    "harvest_sessions",
    "list_past_sessions",
    "parse_since",
]


# So many new events are followed by records and index at once; more of them by a process of its own.
REFRESHED_AT_ONCE = 500
NICER = 10


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
    """Read transcripts; then refresh records and index, so that no hook has to: after many events in the background."""
    found = read_transcripts(app, what, progress)
    if what.dry_run or not found.fresh:
        return found
    places = dict.fromkeys(each.workspace for each in found.sessions)
    if found.fresh > REFRESHED_AT_ONCE:
        for workspace in places:
            start_background(app.home, workspace, "harvest", "--quiet")
        return replace(found, refreshed=False)
    for workspace in places:
        place = app if workspace == app.workspace else app.open_other(workspace)
        place.progress = app.progress
        refresh_records(place)
        place.refresh()
        _ = place.index
    return found


def list_past_sessions(app: App) -> list[UnhookedSession]:
    """The sessions that clients keep of this workspace, before any is read; subagents belong to theirs."""
    rows = find_transcripts(app, HarvestRequest(folders=find_harvest_folders(app)))
    return [
        UnhookedSession(session=row.session, client=row.client, path=row.path, since=row.since, until=row.until)
        for row in rows
        if row.workspace and not row.agent and not row.parent
    ]


def harvest_in_background(app: App) -> None:
    """What no hook told of, then records and index; politely, and so that others get their turn at the records."""
    os.nice(NICER)
    harvest_missed(app)
    refresh_records_gently(app)
    app.refresh()
    _ = app.index


def harvest_missed(app: App) -> None:
    """Read sessions that wrote since the workspace was initialised and that no hook told of.

    Clients load hooks when a session starts: one that ran while the workspace was initialised has none.
    """
    registered = find_registration(app)
    if registered is None or not registered.capture:
        return
    since = parse_since(registered.initialised)
    with suppress(HarvestRunning):
        read_transcripts(
            app, HarvestRequest(folders=find_harvest_folders(app), since=since, workers=1, only_missed=True)
        )


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
