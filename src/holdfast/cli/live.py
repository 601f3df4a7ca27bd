"""A run as it happens: lines where they are kept, a small picture of phases and tasks where a person watches."""

import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.cli.output import Output, fit, one_line
from holdfast.core.run import AgentEvent, EventType

MARKS = {"waits": "·", "runs": "▸", "done": "✓", "failed": "✗"}
PHASES = ("orient", "plan", "execute", "validate", "learn")
_PHASE_OF: Mapping[EventType, str] = {
    EventType.ORIENT: "orient", EventType.PLAN_START: "plan", EventType.PLAN_COMPLETE: "plan",
    EventType.TASK_START: "execute", EventType.TASK_COMPLETE: "execute", EventType.VALIDATION_START: "validate",
    EventType.VALIDATION_PASSED: "validate", EventType.VALIDATION_FAILED: "validate",
    EventType.DECISION_MADE: "learn", EventType.LEARNING_ADDED: "learn", EventType.FAILURE_RECORDED: "learn",
    EventType.BRIEFING_UPDATED: "learn",
}  # fmt: skip
_PAUSE = 0.1


def format_event(event: AgentEvent) -> str:
    """An event in one line; empty for those that say nothing to a person."""
    data = event.data
    match event.type:
        case EventType.ORIENT:
            return (
                f"orient    {data['constraints']} constraints, {data['dead_ends']} dead ends, "
                f"{data['learnings']} learnings, {data['patterns']} patterns"
            )
        case EventType.PLAN_COMPLETE:
            others = len(data["rejected_plans"])
            more = f"; {others} other plans turned down" if others else ""
            return f"plan      {len(data['tasks'])} tasks ({data['stance'] or 'as it was'}): {data['approach']}{more}"
        case EventType.TASK_START:
            return f"task      {data['task_id']} {data['description']}"
        case EventType.TASK_COMPLETE:
            what = ", ".join(data["files"]) or "no file" if data["success"] else data["error"]
            state = "done" if data["success"] else "failed"
            return f"{state:<9} {data['task_id']} {what} ({data['duration_ms'] / 1000:.1f} s)"
        case EventType.VALIDATION_START:
            return f"gate      {data['gate']}: {data['command']}"
        case EventType.VALIDATION_PASSED:
            return f"passed    {data['gate']}"
        case EventType.VALIDATION_FAILED:
            return f"failed    {data['gate']}: {data['error']}"
        case EventType.DECISION_MADE | EventType.LEARNING_ADDED | EventType.FAILURE_RECORDED:
            candidate = data["candidate"]
            return f"candidate {candidate['id']} {candidate['type']}: {candidate['title']}"
        case EventType.SIGNAL:
            return f"{data['level']:<9} {data['message']}"
        case EventType.ERROR:
            return f"error     {data['message']}"
        case EventType.CANCELLED:
            return f"cancelled {str(data['message']).removeprefix('cancelled ')}"
        case _:
            return ""


class Lines:
    """One line for each thing that happens."""

    def __init__(self, out: Output) -> None:
        self._out = out

    def take(self, event: AgentEvent) -> None:
        """Say it."""
        if line := format_event(event):
            self._out.cut(line)

    def leave(self) -> None:
        """Nothing is drawn that could be in the way."""

    def close(self) -> None:
        """Nothing is left to do."""


class Picture:
    """Phases, tasks, cost and memory, drawn again in the same place. Lines that matter later stay above it."""

    def __init__(self, write: Callable[[str], object] = sys.stderr.write) -> None:
        self._write = write
        self._tasks: dict[str, tuple[str, str]] = {}
        self._phase = ""
        self._memory = self._cost = self._gate = ""
        self._drawn = 0
        self._last = 0.0
        self._begun = time.monotonic()

    def take(self, event: AgentEvent) -> None:
        """Bring the picture in step."""
        self._phase = _PHASE_OF.get(event.type, self._phase)
        data = event.data
        match event.type:
            case EventType.ORIENT:
                self._memory = f"memory: {len(data['ids'])} told"
            case EventType.PLAN_COMPLETE:
                self._tasks = {task["id"]: ("waits", task["description"]) for task in data["tasks"]}
            case EventType.TASK_START:
                self._tasks[data["task_id"]] = ("runs", data["description"])
            case EventType.TASK_COMPLETE:
                words = self._tasks.get(data["task_id"], ("", ""))[1]
                self._tasks[data["task_id"]] = ("done" if data["success"] else "failed", words)
                self._cost = _cost(data.get("budget", {}))
            case EventType.VALIDATION_START:
                self._gate = f"{MARKS['runs']} {data['gate']}"
            case EventType.VALIDATION_PASSED | EventType.VALIDATION_FAILED:
                passed = event.type is EventType.VALIDATION_PASSED
                self._gate = f"{MARKS['done' if passed else 'failed']} {data['gate']}"
        if event.type in {EventType.SIGNAL, EventType.ERROR, EventType.VALIDATION_FAILED}:
            self._keep(format_event(event))
        self._draw()

    def leave(self) -> None:
        """Leave what is drawn where it is: something else is written below it."""
        self._drawn = 0

    def close(self) -> None:
        """Leave the last picture as it is."""
        self._draw(always=True)

    def _keep(self, line: str) -> None:
        self._clear()
        self._write(f"{fit(one_line(line), _width())}\n")

    def _draw(self, *, always: bool = False) -> None:
        if not always and time.monotonic() - self._last < _PAUSE:
            return
        self._last = time.monotonic()
        self._clear()
        lines = [self._head()]
        lines += [f"  {MARKS[state]} {name} {one_line(words)}" for name, (state, words) in self._tasks.items()]
        if self._gate:
            lines.append(f"  gate: {self._gate}")
        self._write("".join(f"{fit(line, _width())}\n" for line in lines))
        self._drawn = len(lines)

    def _head(self) -> str:
        phases = " ".join(f"[{name}]" if name == self._phase else name for name in PHASES)
        seconds = f"{time.monotonic() - self._begun:.0f} s"
        return "  ".join(filter(None, (phases, seconds, self._cost, self._memory)))

    def _clear(self) -> None:
        if self._drawn:
            self._write(f"\x1b[{self._drawn}F\x1b[J")
            self._drawn = 0


def _cost(budget: Mapping[str, Any]) -> str:
    if not budget:
        return ""
    cents = f", {budget['spent_cents']:.1f} ct" if budget["spent_cents"] else ""
    return f"{budget['spent_tokens']} tokens{cents}"


def _width() -> int:
    return max(20, shutil.get_terminal_size().columns - 1)
