"""Sessions of clients, and each as a conversation."""

import os
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import Path, Query

from holdfast.distil.distil_sessions import list_jobs
from holdfast.records.sessions import Conversation, NoSuchTurn, Turn, list_sessions, open_session
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.paging import Paged, PageRequest, paginate, set_page_headers, slice_page
from holdfast.server.http.routes.route_parts import LISTED, Reads, make_router
from holdfast.server.http.shapes.session_shapes import SessionDetail, SessionSummaryView
from holdfast.server.http.slow_answers import look_up_cached
from holdfast.server.http.streams.run_tail import NOFOLLOW
from holdfast.server.http.to_shapes import build_turn_row, build_view
from holdfast.workspace import App

ROUTER = make_router("sessions")
LONGEST_SUMMARY = 64 * 1024


@ROUTER.get("/sessions", response_model=list[SessionSummaryView], responses=LISTED, operation_id="listSessions")
async def listed(
    workspace: Opened, _: Reads, wanted: Paged,
    client: Annotated[str, Query(max_length=100, description="Only those of this client.")] = "",
) -> list[SessionSummaryView]:  # fmt: skip
    """Sessions, the newest first."""
    found = await look_up_cached(workspace, "sessions", list_sessions)
    chosen = [each for each in found if client in {"", each.client}]
    return [build_view(SessionSummaryView, each) for each in paginate(chosen, wanted, lambda each: each.id)]


@ROUTER.get("/sessions/{sid:path}", response_model=SessionDetail, responses=LISTED, operation_id="getSession")
async def detail(
    workspace: Opened, _: Reads, wanted: Paged,
    sid: Annotated[str, Path(max_length=500, description="A session's id, or enough of its beginning.")],
    turn: Annotated[str, Query(max_length=100, description="Begin with the page around this turn.")] = "",
) -> SessionDetail:  # fmt: skip
    """A session as a conversation. `parent` says which turn a turn follows: two of one parent are branches."""
    opened = await look_up_cached(workspace, ("session", sid, turn), lambda app: open_session(app, sid, turn))
    found = opened.conversation
    summary, learned = await workspace.do(partial(_summarize_session, workspace, found.session))
    times = [each.ts for each in found.turns if each.ts]
    return build_view(
        SessionDetail,
        {
            "id": found.session, "client": found.client, "title": found.title, "started": min(times, default=""),
            "last": max(times, default=""), "total": len(found.turns), "summary": summary, "candidates": learned,
            "turns": [build_turn_row(each) for each in _page_turns(found, opened.turn, wanted)],
        },
    )  # fmt: skip


def _page_turns(found: Conversation, turn: str, wanted: PageRequest) -> Sequence[Turn]:
    """A page of turns; without a cursor, the one around a turn."""
    at = next((number for number, each in enumerate(found.turns) if each.id == turn), -1)
    if turn and at < 0:
        raise NoSuchTurn(turn)
    begin = max(0, at - wanted.limit // 2) if turn and not wanted.cursor else 0
    rows, following = slice_page(found.turns[begin:], wanted.cursor, wanted.limit, lambda each: each.id)
    set_page_headers(wanted, following, len(found.turns))
    return rows


def _summarize_session(workspace: OpenWorkspace, session: str, app: App) -> tuple[str, list[str]]:
    """What a session came to: its summary, and the memories and candidates that rest on it."""
    run = next((job.run for job in list_jobs(app) if job.session == session), "")
    sources = {session, run} - {""}
    every = (*workspace.candidates, *workspace.entries)
    return _summary(workspace.folder, run), [each.memory.id for each in every if each.memory.source in sources]


def _summary(folder: str, run: str) -> str:
    if not run or os.sep in run or run.startswith("."):
        return ""
    try:
        with open(os.open(os.path.join(folder, "runs", run, "summary.md"), NOFOLLOW), "rb") as file:
            return file.read(LONGEST_SUMMARY).decode("utf-8", "replace")
    except OSError:
        return ""
