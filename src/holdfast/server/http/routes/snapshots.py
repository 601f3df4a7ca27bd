"""How things are at one moment: the first message of a stream."""

import asyncio
from functools import partial
from typing import Any

from holdfast.act.run_files import AgentRun
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.queue_lists import list_waiting
from holdfast.server.http.routes.project import build_briefing_view, build_counts_view
from holdfast.server.http.run_forms import build_run_event, build_run_row
from holdfast.server.http.shapes.event_shapes import RunSnapshot, WorkspaceSnapshot
from holdfast.server.http.streams.run_tail import read_events
from holdfast.workspace import App

# A run that did more than this is read by pages: GET runs/{rid}/events.
MOST_EVENTS = 1000


async def take_workspace_snapshot(workspace: OpenWorkspace) -> dict[str, Any]:
    """How a workspace is."""
    active = workspace.runs.active
    going = await asyncio.to_thread(lambda: [build_run_row(run, active) for run in workspace.runs.going()])
    found: dict[str, Any] = await workspace.do(partial(_snapshot_memory, workspace))
    return WorkspaceSnapshot(active_runs=going, **found).model_dump(by_alias=True)


async def take_run_snapshot(workspace: OpenWorkspace, run: AgentRun, line: int) -> dict[str, Any]:
    """How a run is at a line of its events."""
    return await asyncio.to_thread(_snapshot_run, run, workspace.runs.active, line)


def _snapshot_run(run: AgentRun, active: str | None, line: int) -> dict[str, Any]:
    happened = [event for event in read_events(run) if event.line <= line]
    events = [build_run_event(run.name, event) for event in happened[-MOST_EVENTS:]]
    return RunSnapshot(run=build_run_row(run, active, happened), events=events).model_dump(by_alias=True)


def _snapshot_memory(workspace: OpenWorkspace, app: App) -> dict[str, Any]:
    briefing = build_briefing_view(app)
    return {
        "counts": build_counts_view(workspace, app),
        "mission": briefing.mission if briefing else "",
        "next_action": briefing.next_action if briefing else "",
        "waiting": [each.memory.id for each in list_waiting(workspace)],
    }
