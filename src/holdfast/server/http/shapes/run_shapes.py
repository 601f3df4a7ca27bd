"""Runs of the agent."""

from typing import Any, Literal

from pydantic import Field

from holdfast.records.file_lineage import LineageChange
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView, Json
from holdfast.server.http.shapes.derive import mirrors

TrustName = Literal["read_only", "ask", "workspace", "full"]
RunStatus = Literal["running", "planned", "complete", "failed", "cancelled", "open", "interrupted"]


class NewRunBody(ApiBody):
    """A goal to reach."""

    goal: str = Field(min_length=1, max_length=20_000)
    trust: TrustName | None = None
    model: str | None = Field(default=None, max_length=200)
    lens: str | None = Field(default=None, max_length=200)
    planner: Literal["harmonic", "artifact"] | None = None
    plan_only: bool = False
    resume: str | None = Field(default=None, max_length=100, description="Go on with a run; its goal counts.")


class StartedRunView(ApiView):
    """A run that began."""

    run_id: str


class RunRow(ApiView):
    """A run in the list. `here`: whether this server carries it."""

    run_id: str
    goal: str
    status: RunStatus
    started_at: str
    completed_at: str | None
    tasks_completed: int
    tasks: int
    model: str = ""
    trust: str = ""
    here: bool = False


class RunEvent(ApiView):
    """One thing that happened. `cursor`: its place in the stream."""

    type: str
    data: Json
    ts: str
    run: str
    cursor: str


class TaskRow(ApiView):
    """A task of the plan, and how far it is: waiting, running, done, failed."""

    id: str
    description: str
    mode: str
    target_path: str
    depends_on: list[str]
    produces: list[str]
    state: Literal["waiting", "running", "done", "failed"]
    summary: str = ""
    error: str = ""
    files: list[str] = []
    duration_ms: int = 0


class ApprovalRow(ApiView):
    """What a run waits for a person to say."""

    approval_id: str
    what: str
    diff: str
    command: str
    why: str


class RunDetail(ApiView):
    """A run in full, but for its events (GET runs/{rid}/events pages them)."""

    run: RunRow
    phase: str
    approach: str
    stance: str
    tasks: list[TaskRow]
    criteria: list[Any]
    gates: list[Any]
    rejected_plans: list[Any]
    budget: Json
    cost_usd: float | None
    memory_used: list[str]
    memory_added: list[str]
    files: list[str]
    approvals: list[ApprovalRow]
    why: str = ""
    can_resume: bool = False
    can_undo: bool = False


class ApprovalBody(ApiBody):
    """A person's answer."""

    answer: Literal["yes", "no", "always"]
    reason: str = Field(default="", max_length=4000)


class RunDiff(ApiView):
    """What a run changed, as a unified diff."""

    run_id: str
    diff: str
    files: list[str]


class UndoRunBody(ApiBody):
    """Take a run back. `force`: also files that changed since."""

    force: bool = False


class UndoneRunView(ApiView):
    """Files as they were before the run."""

    run_id: str
    restored: list[str]


@mirrors(LineageChange, without="path")
class EditRow(ApiView):
    """A change of a file."""


class ArtifactView(ApiView):
    """A file that agents made or changed, and its story, oldest first."""

    artifact_id: str
    path: str
    created_by: str
    goal_id: str
    model: str
    edits: list[EditRow]


class ArtifactRow(ArtifactView):
    """A file in the list of artifacts."""

    edit_count: int
    last: str
