"""Records of the work: units, todos, the buffer, the log, research, failures, the guard's book."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import Path, Query

from holdfast.app import App
from holdfast.core.plain_text import one_line
from holdfast.guard.guard_log import read_guard_log
from holdfast.inject.packs import read_buffer
from holdfast.records.daily_log import list_log_days, read_daily_log
from holdfast.records.work_records import (
    RecordedWork,
    TodoItem,
    add_todo,
    change_todos,
    list_failures,
    list_research,
    list_todos,
    list_works,
)
from holdfast.records.work_records import RecordPage as RecordPage
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paged
from holdfast.server.http.routes.route_parts import LISTED, Reads, Reviews, router
from holdfast.server.http.shapes import record_shapes as shapes
from holdfast.server.http.slow_answers import slowly
from holdfast.server.http.to_shapes import made, whole

ROUTER = router("records")
MOST_VERDICTS = 10_000
VERBS = {"done": "done", "reopen": "open", "drop": "drop"}


@ROUTER.get("/work", response_model=list[shapes.WorkRow], responses=LISTED, operation_id="listWork")
async def work(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.WorkRow]:
    """Work units, open ones first, then the newest."""
    found = await slowly(workspace, "work", list_works)
    return [_work(each) for each in paged(found, wanted, lambda each: each.path)]


@ROUTER.get("/todo", response_model=list[shapes.Todo], responses=LISTED, operation_id="listTodos")
async def listed(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.Todo]:
    """What is to do, open items first."""
    found = await workspace.do(list_todos)
    return [_todo(each) for each in paged(found, wanted, lambda each: each.id)]


@ROUTER.post("/todo", status_code=201, response_model=shapes.Todo, operation_id="addTodo")
async def add(given: shapes.NewTodo, workspace: Opened, _: Reviews) -> shapes.Todo:
    """Put an item on the list."""
    return _todo(await workspace.change(lambda app: add_todo(app, given.text)))


@ROUTER.post("/todo/{tid}", response_model=shapes.Todo, operation_id="changeTodo")
async def change(
    given: shapes.TodoChange, workspace: Opened, _: Reviews, tid: Annotated[str, Path(min_length=1, max_length=100)]
) -> shapes.Todo:
    """Tick an item, open it again, or drop it."""
    [item] = await workspace.change(lambda app: change_todos(app, VERBS[given.verb], [tid]))
    return _todo(item, gone=given.verb == "drop")


@ROUTER.get("/buffer", response_model=list[shapes.Note], responses=LISTED, operation_id="listNotes")
async def buffer(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.Note]:
    """What users said in sessions of late that is no memory yet, the newest first; and each session's goal."""
    return list(paged(await workspace.do(_notes), wanted, lambda each: f"{each.session} {each.id} {each.kind}"))


@ROUTER.get("/log", response_model=shapes.LogDay, operation_id="getLog")
async def log(
    workspace: Opened, _: Reads,
    day: Annotated[str, Query(max_length=10, description="Like 2026-11-15; empty: today.")] = "",
) -> shapes.LogDay:  # fmt: skip
    """A day's log, and which days have one."""
    return await workspace.do(partial(_day, day))


@ROUTER.get("/research", response_model=list[shapes.Page], responses=LISTED, operation_id="listResearch")
async def answers(
    workspace: Opened, _: Reads, wanted: Paged,
    words: Annotated[str, Query(max_length=500, description="Only what holds all of these words.")] = "",
) -> list[shapes.Page]:  # fmt: skip
    """What subagents answered, the newest first."""
    found = await slowly(workspace, ("research", words), lambda app: list_research(app, words.split()))
    return _pages(found, wanted)


@ROUTER.get("/failures-log", response_model=list[shapes.Page], responses=LISTED, operation_id="listFailureRecords")
async def went_wrong(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.Page]:
    """Sessions that were rated badly, as they were kept, the newest first."""
    return _pages(await slowly(workspace, "failures", list_failures), wanted)


@ROUTER.get("/security", response_model=list[shapes.GuardRow], responses=LISTED, operation_id="listVerdicts")
async def security(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.GuardRow]:
    """What the guard said, the newest first."""
    found = await slowly(workspace, "security", lambda app: read_guard_log(app, limit=MOST_VERDICTS).verdicts[::-1])
    return [
        made(
            shapes.GuardRow,
            {
                "ts": row.ts, "action": row.action, "rule": row.rule, "why": row.reason, "client": row.client,
                "session": row.session, "tool": row.tool,
            },
        )
        for row in paged(found, wanted, lambda row: f"{row.ts} {row.event} {row.rule}")
    ]  # fmt: skip


def _work(each: RecordedWork) -> shapes.WorkRow:
    fields = {"meta": whole(dict(each.meta)), "isc": whole(dict(each.isc)), "path": each.path}
    return made(shapes.WorkRow, {"name": str(each.meta["id"]), **fields})


def _todo(item: TodoItem, *, gone: bool = False) -> shapes.Todo:
    state = "dropped" if gone else "done" if item.done else "open"
    return made(shapes.Todo, {"id": item.id, "text": item.text, "state": state, "ts": item.at, "by": item.by})


def _notes(app: App) -> list[shapes.Note]:
    found = []
    for session in read_buffer(app):
        where = {"client": session.client, "session": session.id}
        if session.goal:
            goal = {"id": session.id, "text": one_line(session.goal), "ts": session.since, "kind": "goal"}
            found.append(made(shapes.Note, goal | where))
        for note in session.notes:
            fields = {"id": note.event, "text": note.quote, "ts": note.at, "kind": note.kind}
            found.append(made(shapes.Note, fields | where))
    return sorted(found, key=lambda each: each.ts, reverse=True)


def _day(wanted: str, app: App) -> shapes.LogDay:
    day, lines = read_daily_log(app, wanted)
    rows = [{"time": line.time, "text": line.text} for line in lines]
    return made(shapes.LogDay, {"day": day, "lines": whole(rows), "days": list_log_days(app)})


def _pages(found: Sequence[RecordPage], wanted: Paged) -> list[shapes.Page]:
    return [
        made(shapes.Page, {"name": each.name, "head": whole(dict(each.head)), "text": each.text, "path": each.path})
        for each in paged(found, wanted, lambda each: each.path)
    ]
