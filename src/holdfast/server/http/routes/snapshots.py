"""How things are at one moment: the first message of a stream."""

import asyncio
from functools import partial
from typing import Any

from holdfast.act.run_files import Run
from holdfast.app import App
from holdfast.core.memory import Status
from holdfast.server.http.open_workspace import Workspace
from holdfast.server.http.routes.project import briefing_of, counts_of
from holdfast.server.http.run_forms import event_of, row_of
from holdfast.server.http.shapes.event_shapes import RunSnapshot, WorkspaceSnapshot
from holdfast.server.http.streams.run_tail import events_of

# A run that did more than this is read by pages: GET runs/{rid}/events.
MOST_EVENTS = 1000


async def workspace_snapshot(workspace: Workspace) -> dict[str, Any]:
    """How a workspace is."""
    active = workspace.runs.active
    going = await asyncio.to_thread(lambda: [row_of(run, active) for run in workspace.runs.going()])
    found: dict[str, Any] = await workspace.do(partial(_of_memory, workspace))
    return WorkspaceSnapshot(active_runs=going, **found).model_dump(by_alias=True)


async def run_snapshot(workspace: Workspace, run: Run, line: int) -> dict[str, Any]:
    """How a run is at a line of its events."""
    return await asyncio.to_thread(_of_run, run, workspace.runs.active, line)


def _of_run(run: Run, active: str | None, line: int) -> dict[str, Any]:
    happened = [event for event in events_of(run) if event.line <= line]
    events = [event_of(run.name, event) for event in happened[-MOST_EVENTS:]]
    return RunSnapshot(run=row_of(run, active, happened), events=events).model_dump(by_alias=True)


def _of_memory(workspace: Workspace, app: App) -> dict[str, Any]:
    briefing = briefing_of(app)
    return {
        "counts": counts_of(workspace, app),
        "mission": briefing.mission if briefing else "",
        "next_action": briefing.next_action if briefing else "",
        "waiting": [each.memory.id for each in workspace.candidates if each.memory.status is Status.CANDIDATE],
    }
