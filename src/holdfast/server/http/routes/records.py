"""Records of the work: units, todos, the buffer, the log, research, failures, the guard's book."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import Path, Query

from holdfast.core.plain_text import one_line
from holdfast.guard.guard_log import read_guard_log
from holdfast.inject.packs import read_buffer
from holdfast.records.daily_log import list_log_days, read_daily_log
from holdfast.records.work_records import (
    RecordedWork,
    RecordPage,
    TodoItem,
    add_todo,
    change_todos,
    list_failures,
    list_research,
    list_todos,
    list_works,
)
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, paginate
from holdfast.server.http.routes.route_parts import LISTED, Reads, Reviews, make_router
from holdfast.server.http.shapes import record_shapes as shapes
from holdfast.server.http.slow_answers import look_up_cached
from holdfast.server.http.to_shapes import build_view, sanitize_json
from holdfast.workspace import App

ROUTER = make_router("records")
MOST_VERDICTS = 10_000
VERBS = {"done": "done", "reopen": "open", "drop": "drop"}


@ROUTER.get("/work", response_model=list[shapes.WorkRow], responses=LISTED, operation_id="listWork")
async def work(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.WorkRow]:
    """Work units, open ones first, then the newest."""
    found = await look_up_cached(workspace, "work", list_works)
    return [_work(each) for each in paginate(found, wanted, lambda each: each.path)]


@ROUTER.get("/todo", response_model=list[shapes.TodoView], responses=LISTED, operation_id="listTodos")
async def listed(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.TodoView]:
    """What is to do, open items first."""
    found = await workspace.do(list_todos)
    return [_todo(each) for each in paginate(found, wanted, lambda each: each.id)]


@ROUTER.post("/todo", status_code=201, response_model=shapes.TodoView, operation_id="addTodo")
async def add(given: shapes.NewTodoBody, workspace: Opened, _: Reviews) -> shapes.TodoView:
    """Put an item on the list."""
    return _todo(await workspace.change(lambda app: add_todo(app, given.text)))


@ROUTER.post("/todo/{tid}", response_model=shapes.TodoView, operation_id="changeTodo")
async def change(
    given: shapes.TodoChangeBody, workspace: Opened, _: Reviews, tid: Annotated[str, Path(min_length=1, max_length=100)]
) -> shapes.TodoView:
    """Tick an item, open it again, or drop it."""
    [item] = await workspace.change(lambda app: change_todos(app, VERBS[given.verb], [tid]))
    return _todo(item, gone=given.verb == "drop")


@ROUTER.get("/buffer", response_model=list[shapes.BufferNoteView], responses=LISTED, operation_id="listNotes")
async def buffer(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.BufferNoteView]:
    """What users said in sessions of late that is no memory yet, the newest first; and each session's goal."""
    return list(paginate(await workspace.do(_notes), wanted, lambda each: f"{each.session} {each.id} {each.kind}"))


@ROUTER.get("/log", response_model=shapes.LogDay, operation_id="getLog")
async def log(
    workspace: Opened, _: Reads,
    day: Annotated[str, Query(max_length=10, description="Like 2026-11-15; empty: today.")] = "",
) -> shapes.LogDay:  # fmt: skip
    """A day's log, and which days have one."""
    return await workspace.do(partial(_day, day))


@ROUTER.get("/research", response_model=list[shapes.RecordPageView], responses=LISTED, operation_id="listResearch")
async def answers(
    workspace: Opened, _: Reads, wanted: Paged,
    words: Annotated[str, Query(max_length=500, description="Only what holds all of these words.")] = "",
) -> list[shapes.RecordPageView]:  # fmt: skip
    """What subagents answered, the newest first."""
    found = await look_up_cached(workspace, ("research", words), lambda app: list_research(app, words.split()))
    return _pages(found, wanted)


@ROUTER.get(
    "/failures-log", response_model=list[shapes.RecordPageView], responses=LISTED, operation_id="listFailureRecords"
)
async def went_wrong(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.RecordPageView]:
    """Sessions that were rated badly, as they were kept, the newest first."""
    return _pages(await look_up_cached(workspace, "failures", list_failures), wanted)


@ROUTER.get("/security", response_model=list[shapes.GuardRow], responses=LISTED, operation_id="listVerdicts")
async def security(workspace: Opened, _: Reads, wanted: Paged) -> list[shapes.GuardRow]:
    """What the guard said, the newest first."""
    found = await look_up_cached(
        workspace, "security", lambda app: read_guard_log(app, limit=MOST_VERDICTS).verdicts[::-1]
    )
    return [
        build_view(shapes.GuardRow, row, why=row.reason)
        for row in paginate(found, wanted, lambda row: f"{row.ts} {row.event} {row.rule}")
    ]


def _work(each: RecordedWork) -> shapes.WorkRow:
    meta, isc = sanitize_json(dict(each.meta)), sanitize_json(dict(each.isc))
    return build_view(shapes.WorkRow, each, name=str(each.meta["id"]), meta=meta, isc=isc)


def _todo(item: TodoItem, *, gone: bool = False) -> shapes.TodoView:
    state = "dropped" if gone else "done" if item.done else "open"
    return build_view(shapes.TodoView, {"id": item.id, "text": item.text, "state": state, "ts": item.at, "by": item.by})


def _notes(app: App) -> list[shapes.BufferNoteView]:
    found = []
    for session in read_buffer(app):
        where = {"client": session.client, "session": session.id}
        if session.goal:
            goal = {"id": session.id, "text": one_line(session.goal), "ts": session.since, "kind": "goal"}
            found.append(build_view(shapes.BufferNoteView, goal | where))
        for note in session.notes:
            fields = {"id": note.event, "text": note.quote, "ts": note.at, "kind": note.kind}
            found.append(build_view(shapes.BufferNoteView, fields | where))
    return sorted(found, key=lambda each: each.ts, reverse=True)


def _day(wanted: str, app: App) -> shapes.LogDay:
    day, lines = read_daily_log(app, wanted)
    rows = [{"time": line.time, "text": line.text} for line in lines]
    return build_view(shapes.LogDay, {"day": day, "lines": sanitize_json(rows), "days": list_log_days(app)})


def _pages(found: Sequence[RecordPage], wanted: Paged) -> list[shapes.RecordPageView]:
    return [
        build_view(shapes.RecordPageView, each, head=sanitize_json(dict(each.head)))
        for each in paginate(found, wanted, lambda each: each.path)
    ]
