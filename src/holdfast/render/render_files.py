"""Memory rendered into the files that clients read as instructions: planned, written, checked, taken out."""

import os
from collections.abc import Sequence

from holdfast.app import need_person
from holdfast.clients.client_table import client_of
from holdfast.clients.instruction_files import TARGETS
from holdfast.journal.change_log import note_change
from holdfast.render.block_files import apply, claude_memory_plan, plan_check, plan_remove, plan_render, targets_kept
from holdfast.render.client_files import Change, Left, Plan, joined
from holdfast.render.stale_sessions import due_words, in_use, restart_words
from holdfast.workspace import App

__all__ = ["Change", "Left", "Plan", "check", "plan", "removal", "restart_due", "write"]


def plan(app: App, clients: Sequence[str] = (), *, claude_memory: bool = False) -> Plan:
    """What `render` would write: for some clients, or for the files that are there and the clients in use."""
    named = _named(clients)
    if claude_memory and not named:
        return claude_memory_plan(app)
    found = plan_render(app, named, in_use(app))
    return joined(found, claude_memory_plan(app)) if claude_memory else found


def removal(app: App, clients: Sequence[str] = (), *, claude_memory: bool = False) -> Plan:
    """What would be taken out again: every block, those of some clients, or what stands in Claude Code's memory."""
    named = _named(clients)
    if claude_memory and not named:
        return claude_memory_plan(app, removing=True)
    found = plan_remove(app, named)
    return joined(found, claude_memory_plan(app, removing=True)) if claude_memory or not named else found


def check(app: App) -> Plan:
    """The blocks that stand here as memory would have them; what changes is out of step."""
    return plan_check(app)


def write(app: App, planned: Plan, *, removing: bool = False) -> list[str]:
    """Carry a plan out; what the user should do so that running clients see it."""
    need_person(app, "render")
    before = targets_kept(app)
    apply(app, planned, removing=removing)
    if (after := targets_kept(app)) != before:
        note_change(app, "render", "targets", before=", ".join(before) or "none", after=", ".join(after) or "none")
    return restart_words(app, {change.target for change in planned.news})


def restart_due(app: App) -> list[str]:
    """What the user should do now so that clients see memory: of those that run since before their files changed."""
    kept = targets_kept(app)
    changed = {target.id: _changed_at(app, target.path) for target in TARGETS if target.id in kept}
    return due_words(app, changed) if any(changed.values()) else []


def _changed_at(app: App, path: str) -> float:
    try:
        return os.lstat(os.path.join(app.workspace, path)).st_mtime
    except OSError:
        return 0.0


def _named(clients: Sequence[str]) -> list[str]:
    return [client_of(name).id for name in clients]
