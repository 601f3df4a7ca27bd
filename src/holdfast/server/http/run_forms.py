"""A run in the shapes that the server gives: read off its files, whoever carried it."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.act.execute.edit_log import FOLDER, LOG, RUNS, EditLog
from holdfast.act.execute.undo_run import RunChangedNothing, diff_run, net_changes
from holdfast.act.run_files import CANCELLED, FAILED, INTERRUPTED, PLANNED, RUNNING, AgentRun
from holdfast.core.run import EventType
from holdfast.server.http.agent_runs import PendingApproval
from holdfast.server.http.shapes.run_shapes import ApprovalRow, RunDetail, RunDiff, RunEvent, RunRow, TaskRow
from holdfast.server.http.streams.run_tail import NumberedEvent, read_events
from holdfast.server.http.to_shapes import build_view
from holdfast.system.safe_fs import SafeFolder

RESUMABLE = frozenset((PLANNED, FAILED, CANCELLED, INTERRUPTED))
PHASES: Mapping[str, str] = {
    EventType.ORIENT: "orient", EventType.PLAN_START: "plan", EventType.PLAN_COMPLETE: "plan",
    EventType.TASK_START: "execute", EventType.TASK_COMPLETE: "execute", EventType.APPROVAL_NEEDED: "execute",
    EventType.VALIDATION_START: "validate", EventType.VALIDATION_PASSED: "validate",
    EventType.VALIDATION_FAILED: "validate", EventType.DECISION_MADE: "learn", EventType.LEARNING_ADDED: "learn",
    EventType.FAILURE_RECORDED: "learn", EventType.BRIEFING_UPDATED: "learn", EventType.COMPLETE: "done",
}  # fmt: skip
ADDED = frozenset((EventType.DECISION_MADE, EventType.LEARNING_ADDED, EventType.FAILURE_RECORDED))
STATUSES = frozenset((RUNNING, PLANNED, "complete", FAILED, CANCELLED, "open", INTERRUPTED))


def build_run_row(run: AgentRun, active: str | None, events: Sequence[NumberedEvent] | None = None) -> RunRow:
    """A run in the list."""
    state, happened = run.state(), read_events(run) if events is None else events
    status = run.status
    return build_view(
        RunRow,
        {
            "run_id": run.name, "goal": _text(state, "goal"),
            "status": status if status in STATUSES else INTERRUPTED, "started_at": _text(state, "started"),
            "completed_at": None if status == RUNNING else _text(state, "ended") or None,
            "tasks_completed": sum(task["success"] for task in _collect_completed(happened).values()),
            "tasks": len(_list_planned_tasks(state)), "model": _text(state, "model"), "trust": _text(state, "trust"),
            "here": run.name == active,
        },
    )  # fmt: skip


def build_run_detail(
    run: AgentRun, active: str | None, waiting: Sequence[PendingApproval], changed: Sequence[str]
) -> RunDetail:
    """A run in full. `changed`: the files that an undo would restore."""
    state, happened = run.state(), read_events(run)
    row = build_run_row(run, active, happened)
    last = _find_last_event(happened, EventType.COMPLETE)
    budget = _budget(state, happened)
    return build_view(
        RunDetail,
        {
            "run": row, "phase": _phase(happened), "approach": _text(_plan(state), "approach"),
            "stance": _text(_plan(state), "stance"), "tasks": _tasks(state, happened, running=row.status == RUNNING),
            "criteria": last.get("criteria") or _criteria(_plan(state)), "gates": _gates(happened),
            "rejected_plans": _list(state, "rejected_plans"), "budget": budget, "cost_usd": _cost(budget),
            "memory_used": _list(_find_last_event(happened, EventType.ORIENT), "ids"),
            "memory_added": [_text(_map(each.data, "candidate"), "id") for each in happened if each.type in ADDED],
            "files": list(dict.fromkeys([*_files(happened), *changed])),
            "approvals": [_approval(each) for each in waiting],
            "why": _describe_silence(run) or _text(last, "why") or _find_end_message(happened, row.status),
            "can_resume": row.status in RESUMABLE and not run.elsewhere,
            "can_undo": bool(changed) and row.status != RUNNING,
        },
    )  # fmt: skip


def build_run_event(run: str, event: NumberedEvent) -> RunEvent:
    """An event, with its place in the stream."""
    return build_view(
        RunEvent,
        {"type": event.type, "data": dict(event.data), "ts": event.ts, "run": run, "cursor": str(event.line)},
    )


def list_changed_files(root: str, run: str) -> list[str]:
    """The files that a run changed and that an undo would restore."""
    below = SafeFolder(root)
    try:
        if below.status((FOLDER, RUNS, run, LOG)) is None:
            return []
        log = EditLog(below, run, reading=True)
        return [] if log.undone else [net.path for net in net_changes(log.changes)]
    finally:
        below.close()


def build_run_diff(root: str, run: str) -> RunDiff:
    """What a run changed."""
    try:
        text = diff_run(root, run)
    except RunChangedNothing:
        text = ""
    return build_view(RunDiff, {"run_id": run, "diff": text, "files": list_changed_files(root, run)})


def _phase(happened: Sequence[NumberedEvent]) -> str:
    return next((PHASES[each.type] for each in reversed(happened) if each.type in PHASES), "orient")


def _tasks(state: Mapping[str, Any], happened: Sequence[NumberedEvent], *, running: bool) -> list[TaskRow]:
    begun = {_text(each.data, "task_id"): each.data for each in happened if each.type == EventType.TASK_START}
    done = _collect_completed(happened)
    planned = {_text(task, "id"): task for task in _list_planned_tasks(state)}
    # What was fixed later was in no plan.
    for name, data in begun.items():
        planned.setdefault(name, {"id": name, "description": data.get("description"), "mode": data.get("mode")})
    return [_task(task, name in begun and running, done.get(name)) for name, task in planned.items()]


def _task(task: Mapping[str, Any], begun: bool, came: Mapping[str, Any] | None) -> TaskRow:
    data = came or {}
    state = "done" if came and came["success"] else "failed" if came else "running" if begun else "waiting"
    duration = data.get("duration_ms")
    return build_view(
        TaskRow,
        {
            "id": _text(task, "id"), "description": _text(task, "description"), "mode": _text(task, "mode"),
            "target_path": _text(task, "target_path"), "depends_on": _list(task, "depends_on"),
            "produces": _list(task, "produces"), "state": state, "summary": _text(data, "summary"),
            "error": _text(data, "error"), "files": _list(data, "files"),
            "duration_ms": duration if isinstance(duration, int) else 0,
        },
    )  # fmt: skip


def _collect_completed(happened: Sequence[NumberedEvent]) -> dict[str, dict[str, Any]]:
    return {
        _text(each.data, "task_id"): {**each.data, "success": each.data.get("success") is True}
        for each in happened
        if each.type == EventType.TASK_COMPLETE
    }


def _gates(happened: Sequence[NumberedEvent]) -> list[dict[str, Any]]:
    """Each gate as it was last seen."""
    found: dict[str, dict[str, Any]] = {}
    for each in happened:
        name = _text(each.data, "gate")
        match each.type:
            case EventType.VALIDATION_START:
                found[name] = {"name": name, "command": _text(each.data, "command"), "state": "running", "error": ""}
            case EventType.VALIDATION_PASSED | EventType.VALIDATION_FAILED:
                passed = each.type == EventType.VALIDATION_PASSED
                state = {"state": "passed" if passed else "failed", "error": _text(each.data, "error")}
                found[name] = {**found.get(name, {"name": name, "command": ""}), **state}
    return list(found.values())


def _criteria(plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    plain = [(each, False) for each in _list(plan, "criteria")]
    anti = [(each, True) for each in _list(plan, "anti_criteria")]
    return [{"text": text, "anti": is_anti, "met": None, "evidence": ""} for text, is_anti in plain + anti]


def _budget(state: Mapping[str, Any], happened: Sequence[NumberedEvent]) -> Mapping[str, Any]:
    told = (each.data["budget"] for each in reversed(happened) if isinstance(each.data.get("budget"), dict))
    return _map(state, "budget") or next(told, {})


def _cost(budget: Mapping[str, Any]) -> float | None:
    cents = budget.get("spent_cents")
    return round(cents / 100, 6) if isinstance(cents, int | float) and cents else None


def _files(happened: Sequence[NumberedEvent]) -> list[str]:
    return [path for each in happened if each.type == EventType.TASK_COMPLETE for path in _list(each.data, "files")]


def _describe_silence(run: AgentRun) -> str:
    since = run.silent_since
    return f"Not heard of since {since}: the machine that carries it may be gone." if since else ""


def _approval(each: PendingApproval) -> ApprovalRow:
    asked = each.request
    return build_view(
        ApprovalRow,
        {"approval_id": each.id, "what": asked.what, "diff": asked.diff, "command": asked.command, "why": asked.why},
    )


def _find_end_message(happened: Sequence[NumberedEvent], status: str) -> str:
    """Why it ended, in its own words."""
    kind = EventType.CANCELLED if status == CANCELLED else EventType.ERROR
    return _text(_find_last_event(happened, kind), "message")


def _find_last_event(happened: Sequence[NumberedEvent], kind: EventType) -> Mapping[str, Any]:
    return next((each.data for each in reversed(happened) if each.type == kind), {})


def _plan(state: Mapping[str, Any]) -> Mapping[str, Any]:
    return _map(state, "plan")


def _list_planned_tasks(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [task for task in _list(_plan(state), "tasks") if isinstance(task, dict)]


def _map(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = row.get(name)
    return found if isinstance(found, dict) else {}


def _list(row: Mapping[str, Any], name: str) -> list[Any]:
    found = row.get(name)
    return found if isinstance(found, list) else []


def _text(row: Mapping[str, Any], name: str) -> str:
    found = row.get(name)
    return found if isinstance(found, str) else ""
