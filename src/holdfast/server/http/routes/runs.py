"""Runs of the agent: begun, looked at, answered, cancelled, taken back."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, TypeVar

from fastapi import Path, Query, Response

from holdfast.act.execute.edit_log import StillRuns
from holdfast.act.execute.run_trust import ApprovalAnswer
from holdfast.act.execute.undo_run import undo_run
from holdfast.act.run_files import AgentRun
from holdfast.server.http.agent_runs import RunRequest
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.routes.route_parts import LISTED, Reads, Runs, make_router
from holdfast.server.http.run_forms import (
    build_run_detail,
    build_run_diff,
    build_run_event,
    build_run_row,
    list_changed_files,
)
from holdfast.server.http.shapes import run_shapes as shapes
from holdfast.server.http.streams.run_tail import read_events

ROUTER = make_router("runs")
T = TypeVar("T")
RunId = Annotated[str, Path(max_length=100, description="A run's whole name.")]


@ROUTER.post("/run", status_code=202, response_model=shapes.StartedRunView, operation_id="startRun")
async def start(given: shapes.NewRunBody, workspace: Opened, _: Runs) -> shapes.StartedRunView:
    """Begin a run, or go on with one (`resume`). One goes on at a time in a workspace: 409 names it."""
    fields = given.model_dump(exclude_none=True)
    return shapes.StartedRunView(run_id=await workspace.runs.start(RunRequest(**fields)))


@ROUTER.delete("/run/{rid}", status_code=204, operation_id="cancelRun")
async def cancel(rid: RunId, workspace: Opened, caller: Runs) -> Response:
    """End a run, here or in a terminal, also one that waits. One that has ended stays as it is. It can go on later."""
    await workspace.runs.cancel(rid, caller.name)
    return Response(status_code=204)


@ROUTER.post("/run/{rid}/approvals/{aid}", status_code=204, operation_id="answerApproval")
async def answer(
    rid: RunId, aid: Annotated[str, Path(max_length=100)], given: shapes.ApprovalBody, workspace: Opened, _: Runs
) -> Response:
    """Answer what a run asks: `approval_needed` in its stream, `approvals` of the run."""
    await workspace.runs.answer(rid, aid, ApprovalAnswer(answer=given.answer, reason=given.reason))
    return Response(status_code=204)


@ROUTER.get("/runs", response_model=list[shapes.RunRow], responses=LISTED, operation_id="listRuns")
async def listed(
    workspace: Opened, _: Reads, wanted: Paged,
    status: Annotated[shapes.RunStatus | None, Query(description="Only those of this status.")] = None,
) -> list[shapes.RunRow]:  # fmt: skip
    """Runs, the newest first, whoever carried them. `interrupted`: it has no end, and no process."""
    names = list(reversed(await _read(workspace.runs.runs.names)))
    if status is not None:
        found = await _read(lambda: [name for name in names if workspace.runs.runs.run(name).status == status])
        names = found
    return await _rows(workspace, list(paginate(names, wanted, str)))


@ROUTER.get("/runs/active", response_model=list[shapes.RunRow], operation_id="listActiveRuns")
async def active(workspace: Opened, _: Reads) -> list[shapes.RunRow]:
    """The runs that go on now, here or in a terminal."""
    return await _rows(workspace, [run.name for run in await _read(workspace.runs.going)])


@ROUTER.get("/runs/{rid}", response_model=shapes.RunDetail, operation_id="getRun")
async def detail(rid: RunId, workspace: Opened, _: Reads) -> shapes.RunDetail:
    """A run in full: its plan, tasks, gates, budget, the memory it was told and what it added, what it waits for."""
    keeper = workspace.runs
    return await _read(
        lambda: build_run_detail(
            keeper.named(rid), keeper.active, keeper.waiting(rid), list_changed_files(workspace.path, rid)
        )
    )


@ROUTER.get("/runs/{rid}/events", response_model=list[shapes.RunEvent], responses=LISTED, operation_id="listRunEvents")
async def events(rid: RunId, workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.RunEvent]:
    """What happened in a run, oldest first. `cursor` of an event is its place in the run's stream."""
    run = await _read(partial(workspace.runs.named, rid))
    happened = await _read(partial(read_events, run))
    return [build_run_event(rid, event) for event in paginate(happened, wanted, lambda event: str(event.line))]


@ROUTER.get("/runs/{rid}/diff", response_model=shapes.RunDiff, operation_id="getRunDiff")
async def diff(rid: RunId, workspace: Opened, _: Reads) -> shapes.RunDiff:
    """What a run changed; also while it goes on."""
    run = await _read(partial(workspace.runs.named, rid))
    return await _read(lambda: build_run_diff(workspace.path, run.name))


@ROUTER.post("/runs/{rid}/undo", response_model=shapes.UndoneRunView, operation_id="undoRun")
async def undo(rid: RunId, given: shapes.UndoRunBody, workspace: Opened, _: Runs) -> shapes.UndoneRunView:
    """Every file as it was before the run, or, where one changed since, nothing (409), unless `force` says so."""
    run = await _read(partial(workspace.runs.named, rid))
    done = await _read(partial(_undo_run, workspace, run, force=given.force))
    workspace.touched("a run was undone")
    return done


def _undo_run(workspace: OpenWorkspace, run: AgentRun, *, force: bool) -> shapes.UndoneRunView:
    if run.alive:
        raise StillRuns(run.name)
    done = undo_run(workspace.path, run.name, force=force)
    return shapes.UndoneRunView(run_id=run.name, restored=list(done.restored))


async def _rows(workspace: OpenWorkspace, names: list[str]) -> list[shapes.RunRow]:
    runs, here = workspace.runs.runs, workspace.runs.active
    return await _read(lambda: [build_run_row(runs.run(name), here) for name in names])


async def _read(look: Callable[[], T]) -> T:
    """A look at files, beside the loop."""
    return await asyncio.to_thread(look)
