"""A run of the agent: what is to be done, how far it may go, what happens, and what came of it."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from holdfast.core.value import Value

NOTHING: Mapping[str, Any] = {}
# Runs of our own agent: who they are in the journal, and how one is called.
AGENT = "holdfast-agent"
RUN_NAME = re.compile(r"run-\d{4}-\d\d-\d\d-\d{6}-[0-9a-z]{1,8}")
# A file in the folder of a run that another machine carries: here it is only shown.
ELSEWHERE = "elsewhere"


class Trust(StrEnum):
    """How far a run may go by itself: look only, ask before each change, change the workspace, or anything."""

    READ_ONLY = "read_only"
    ASK = "ask"
    WORKSPACE = "workspace"
    FULL = "full"


class Lens(Value):
    """A way to work: heuristics, style and skills, by name. `when`: words of a goal that call for it."""

    name: str
    about: str = ""
    heuristics: tuple[str, ...] = ()
    style: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    body: str = ""
    path: str = ""


class RunOptions(Value):
    """What a user may say about a run."""

    trust: Trust = Trust.ASK
    timeout_seconds: int = 1800
    model: str = ""
    lens: str = ""
    planner: str = "harmonic"


class Criterion(Value):
    """What must be true at the end (or, `anti`, must not be), and whether it is. `evidence`: what showed it."""

    id: str
    text: str
    anti: bool = False
    met: bool | None = None
    evidence: str = ""


class Task(Value):
    """One thing to do. `produces`: files it writes, and so owns; `mode`: code, test, docs, command or research."""

    id: str
    description: str
    mode: str = "code"
    target_path: str = ""
    produces: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    gate: str = ""


class Choice(Value):
    """A decision that a plan takes: the question, what it chose, and what it turned down and why."""

    question: str
    choice: str
    because: str = ""
    rejected: tuple[tuple[str, str], ...] = ()


class Plan(Value):
    """Tasks in an order that their dependencies allow, and what was decided on the way. `stance`: whose plan it is."""

    tasks: tuple[Task, ...]
    approach: str = ""
    stance: str = ""
    choices: tuple[Choice, ...] = ()
    criteria: tuple[str, ...] = ()
    anti_criteria: tuple[str, ...] = ()


class TaskResult(Value):
    """What came of a task."""

    task_id: str
    success: bool
    files: tuple[str, ...] = ()
    summary: str = ""
    error: str = ""
    duration_ms: int = 0


class Gate(Value):
    """A command of the project's own that says whether it is whole: lint, types, tests."""

    name: str
    command: tuple[str, ...]
    kind: str = "test"
    cwd: str = ""


class GateResult(Value):
    """What a gate said. `hash`: of the error without what changes from run to run, so that the same is known again."""

    gate: str
    passed: bool
    output: str = ""
    error: str = ""
    hash: str = ""
    seconds: float = 0.0
    missing: bool = False


class EventType(StrEnum):
    """What happens in a run."""

    SIGNAL = "signal"
    ORIENT = "orient"
    PLAN_START = "plan_start"
    PLAN_COMPLETE = "plan_complete"
    TASK_START = "task_start"
    TASK_COMPLETE = "task_complete"
    VALIDATION_START = "validation_start"
    VALIDATION_PASSED = "validation_passed"
    VALIDATION_FAILED = "validation_failed"
    LEARNING_ADDED = "learning_added"
    DECISION_MADE = "decision_made"
    FAILURE_RECORDED = "failure_recorded"
    BRIEFING_UPDATED = "briefing_updated"
    APPROVAL_NEEDED = "approval_needed"
    APPROVAL_GIVEN = "approval_given"
    CANCELLED = "cancelled"
    COMPLETE = "complete"
    ERROR = "error"


class CancelRequest(Value):
    """Somebody wants a run to end. `way`: `terminal` or `server`. `by`: the token's name, over a server."""

    way: str = ""
    by: str = ""
    at: str = ""

    @property
    def words(self) -> str:
        """Who it was."""
        match self.way:
            case "server":
                return f"cancelled over the server by the token {self.by!r}"
            case "terminal":
                return "cancelled from another terminal"
            case _:
                return "cancelled from outside"


class AgentEvent(Value):
    """One thing that happened: its type, what it says, when, and in which run."""

    type: EventType
    data: Mapping[str, Any] = NOTHING
    ts: str = ""
    run: str = ""
