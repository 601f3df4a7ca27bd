"""The project, what was left for the next session, and how much memory there is."""

from collections import Counter
from functools import partial

from holdfast.context.session_briefing import read_last_briefing
from holdfast.context.session_context import SessionContext
from holdfast.core.memory import MemoryType, Scope, Status
from holdfast.core.value import as_dict
from holdfast.recall.find import effective_status
from holdfast.render.render_files import describe_restart_due
from holdfast.review.badge import read_badge
from holdfast.server.http.memory_lists import newer_of
from holdfast.server.http.open_workspace import OpenWorkspace
from holdfast.server.http.open_workspaces import Opened
from holdfast.server.http.queue_lists import list_waiting
from holdfast.server.http.routes.route_parts import Reads, make_router
from holdfast.server.http.shapes import project_shapes as shapes
from holdfast.server.http.to_shapes import build_view, sanitize_json
from holdfast.trust.allow import find_registration
from holdfast.workspace import App

ROUTER = make_router("project")


@ROUTER.get("/context", response_model=shapes.ProjectContextView, operation_id="getContext")
async def context(workspace: Opened, _: Reads) -> shapes.ProjectContextView:
    """The project as a new session sees it: what it is, its key files, where it begins, its tree."""
    return await workspace.aside(lambda app: build_project_view(app.workspace))


@ROUTER.get("/briefing", response_model=shapes.BriefingView | None, operation_id="getBriefing")
async def briefing(workspace: Opened, _: Reads) -> shapes.BriefingView | None:
    """What the last session left: mission, status, hazards, hot files, next action; null where none did."""
    return await workspace.do(build_briefing_view)


@ROUTER.get("/memory", response_model=shapes.MemoryCountsView, operation_id="getCounts")
async def counts(workspace: Opened, _: Reads) -> shapes.MemoryCountsView:
    """How much memory there is, what waits, and which clients run with old memory."""
    return await workspace.do(partial(build_counts_view, workspace))


def build_project_view(path: str) -> shapes.ProjectContextView:
    """The project in a folder."""
    found = SessionContext.cached(path)
    if not found.directory_tree:
        found = SessionContext.build(path, "")
    return build_view(
        shapes.ProjectContextView,
        {
            "path": path, "name": found.project_name, "type": found.project_type, "framework": found.framework,
            "parts": [build_view(shapes.ProjectPartView, part) for part in found.parts],
            "key_files": [{"path": name, "text": text} for name, text in found.key_files],
            "entry_points": found.entry_points, "tree": found.directory_tree, "notes": found.notes,
        },
    )  # fmt: skip


def build_briefing_view(app: App) -> shapes.BriefingView | None:
    """What the last session left."""
    left = read_last_briefing(app)
    if left is None:
        return None
    fields = sanitize_json({**as_dict(left.briefing), "session": left.session})
    at = left.at.isoformat(timespec="seconds")
    return build_view(shapes.BriefingView, fields, at=at, fresh=left.is_fresh(app.clock.now()))


def build_counts_view(workspace: OpenWorkspace, app: App) -> shapes.MemoryCountsView:
    """How much memory there is. For `do`."""
    numbers = workspace.held("counts", lambda _: _numbers(workspace))
    shown, row = read_badge(app.workspace), find_registration(app)
    last = workspace.held("last event", _last_event, events=True)
    return build_view(
        shapes.MemoryCountsView,
        {
            **numbers, "allowed": row is not None and row.allowed, "badge": shown.words,
            "conflict_count": shown.conflicts, "last_event": last, "restart": describe_restart_due(app),
        },
    )  # fmt: skip


def _numbers(workspace: OpenWorkspace) -> dict[str, int]:
    newer = newer_of(workspace)
    found = [(entry, effective_status(entry, newer)) for entry in workspace.entries]
    held = [entry for entry, status in found if status is Status.ACCEPTED]
    kinds = Counter(entry.memory.type for entry in held if entry.scope is Scope.WORKSPACE)
    return {
        **{f"{kind}_count": kinds[kind] for kind in MemoryType},
        "team_decision_count": sum(
            entry.scope is Scope.TEAM and entry.memory.type is MemoryType.DECISION for entry in held
        ),
        "candidate_count": len(list_waiting(workspace)),
        "user_count": sum(entry.scope is Scope.USER for entry in held),
        "superseded_count": sum(status is Status.SUPERSEDED for _, status in found),
    }  # fmt: skip


def _last_event(app: App) -> str:
    last = app.index.events("9999", 1, 0)
    return last[-1].ts if last else ""
