"""Memory rendered into the files that clients read as instructions: planned, written, checked, taken out."""

import os
from collections.abc import Sequence

from holdfast.clients.client_table import client_of
from holdfast.clients.instruction_files import TARGETS
from holdfast.journal.change_log import note_change
from holdfast.render.block_files import (
    apply_plan,
    list_kept_targets,
    plan_check,
    plan_claude_memory,
    plan_remove,
    plan_render,
)
from holdfast.render.client_files import ClientFileChange, RenderPlan, SkippedClientFile, join_plans
from holdfast.render.stale_sessions import describe_due_restarts, describe_restarts, find_clients_in_use
from holdfast.workspace import App, need_person

__all__ = [
    "ClientFileChange",
    "RenderPlan",
    "SkippedClientFile",
    "check_rendered",
    "describe_restart_due",
    "plan_removal",
    "plan_rendering",
    "write_plan",
]


def plan_rendering(app: App, clients: Sequence[str] = (), *, claude_memory: bool = False) -> RenderPlan:
    """What `render` would write: for some clients, or for the files that are there and the clients in use."""
    named = _client_ids(clients)
    if claude_memory and not named:
        return plan_claude_memory(app)
    found = plan_render(app, named, find_clients_in_use(app))
    return join_plans(found, plan_claude_memory(app)) if claude_memory else found


def plan_removal(app: App, clients: Sequence[str] = (), *, claude_memory: bool = False) -> RenderPlan:
    """What would be taken out again: every block, those of some clients, or what stands in Claude Code's memory."""
    named = _client_ids(clients)
    if claude_memory and not named:
        return plan_claude_memory(app, removing=True)
    found = plan_remove(app, named)
    return join_plans(found, plan_claude_memory(app, removing=True)) if claude_memory or not named else found


def check_rendered(app: App) -> RenderPlan:
    """The blocks that stand here as memory would have them; what changes is out of step."""
    return plan_check(app)


def write_plan(app: App, planned: RenderPlan, *, removing: bool = False) -> list[str]:
    """Carry a plan out; what the user should do so that running clients see it."""
    need_person(app, "render")
    before = list_kept_targets(app)
    apply_plan(app, planned, removing=removing)
    if (after := list_kept_targets(app)) != before:
        note_change(app, "render", "targets", before=", ".join(before) or "none", after=", ".join(after) or "none")
    return describe_restarts(app, {change.target for change in planned.changed_files})


def describe_restart_due(app: App) -> list[str]:
    """What the user should do now so that clients see memory: of those that run since before their files changed."""
    kept = list_kept_targets(app)
    changed = {target.id: _modified_time(app, target.path) for target in TARGETS if target.id in kept}
    return describe_due_restarts(app, changed) if any(changed.values()) else []


def _modified_time(app: App, path: str) -> float:
    try:
        return os.lstat(os.path.join(app.workspace, path)).st_mtime
    except OSError:
        return 0.0


def _client_ids(clients: Sequence[str]) -> list[str]:
    return [client_of(name).id for name in clients]
