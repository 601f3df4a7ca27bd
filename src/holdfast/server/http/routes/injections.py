"""What sessions were told, and a person's word on it."""

from functools import partial
from typing import Annotated

from fastapi import Path

from holdfast.core.memory import Entry
from holdfast.core.value import as_dict
from holdfast.index.entries import candidate_id, find_entry
from holdfast.records.injection_history import InjectionEvent, MemoryInjection, SessionInjections, read_injections
from holdfast.records.injection_marks import NO_MARK, MarkResult, Marks, mark_injection, read_marks, undo_mark
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.routes.route_parts import LONGEST_ID, MemoryId, Reads, Reviews, make_router
from holdfast.server.http.shapes import injection_shapes as shapes
from holdfast.server.http.slow_answers import look_up_cached
from holdfast.server.http.to_shapes import build_view
from holdfast.workspace import App

ROUTER = make_router("sessions")
SessionId = Annotated[
    str, Path(min_length=1, max_length=500, description="A session's id, or enough of its beginning.")
]
MarkId = Annotated[str, Path(min_length=1, max_length=LONGEST_ID, description="The `mark` that marking gave.")]


@ROUTER.get("/injections/{sid:path}", response_model=shapes.SessionInjectionsView, operation_id="getInjections")
async def injections(workspace: Opened, _: Reads, sid: SessionId) -> shapes.SessionInjectionsView:
    """All that a session was told: when, for what, why, and what came of it. Empty where it was told nothing."""
    found = await look_up_cached(workspace, ("injections", sid), lambda app: read_injections(app, sid))
    return await workspace.do(partial(_build_injections_view, workspace, found))


@ROUTER.post(
    "/memory/{mid}/injection-marks",
    status_code=201,
    response_model=shapes.InjectionMarkView,
    operation_id="markInjection",
)
async def mark(
    workspace: Opened, mid: MemoryId, body: shapes.MarkInjectionBody, _: Reviews
) -> shapes.InjectionMarkView:
    """Say of a memory that was told: wrong, not relevant, or always; `none` takes back all that was said of it."""
    return await workspace.change(partial(_mark_memory, mid, body))


@ROUTER.delete(
    "/memory/{mid}/injection-marks/{mark}", response_model=shapes.InjectionMarkView, operation_id="undoInjectionMark"
)
async def unmark(workspace: Opened, mid: MemoryId, mark: MarkId, _: Reviews) -> shapes.InjectionMarkView:
    """Take one word back, and that alone: what was said before and after it counts as if it had not been said."""
    return await workspace.change(lambda app: _build_mark_view(undo_mark(app, mid, mark)))


def _mark_memory(mid: str, body: shapes.MarkInjectionBody, app: App) -> shapes.InjectionMarkView:
    return _build_mark_view(mark_injection(app, find_entry(app, mid).memory.id, body.verdict, body.session))


def _build_mark_view(done: MarkResult) -> shapes.InjectionMarkView:
    return build_view(
        shapes.InjectionMarkView, done.mark, mark=done.event, id=done.memory_id, marked=done.mark.describe()
    )


def _build_injections_view(
    workspace: OpenWorkspace, found: SessionInjections, app: App
) -> shapes.SessionInjectionsView:
    entries, marks = workspace.held("every id", lambda _: _index_entries(workspace)), read_marks(app)

    def build(event: InjectionEvent) -> shapes.InjectionEventView:
        memories = [_build_memory_view(each, entries.get(each.id), marks) for each in event.memories]
        return build_view(shapes.InjectionEventView, event, memories=memories)

    tellings = [build(event) for event in found.tellings]
    return build_view(shapes.SessionInjectionsView, found, tokens=found.tokens, tellings=tellings)


def _index_entries(workspace: OpenWorkspace) -> dict[str, Entry]:
    """Every memory and candidate by its id, and a memory by the id it had while it waited."""
    waited = {candidate_id(entry.memory.id): entry for entry in workspace.entries}
    return waited | {entry.memory.id: entry for entry in (*workspace.candidates, *workspace.entries)}


def _build_memory_view(each: MemoryInjection, entry: Entry | None, marks: Marks) -> shapes.MemoryInjectionView:
    if entry is None:
        return build_view(shapes.MemoryInjectionView, each)
    memory = entry.memory
    mark = marks.get(memory.id, NO_MARK)
    known = {"now": memory.id, "title": memory.title, "type": str(memory.type), "status": str(memory.status)}
    return build_view(shapes.MemoryInjectionView, each, **known, **as_dict(mark), marked=mark.describe())
