"""The project, and what was left for the next session."""

from holdfast.server.http.shapes.base_shape import ApiView


class FilePreview(ApiView):
    """A file and its first lines."""

    path: str
    text: str


class ProjectPartView(ApiView):
    """A part of the project: where it is and what it is made with."""

    folder: str
    kind: str
    framework: str = ""


class ProjectContextView(ApiView):
    """The project as a new session sees it."""

    path: str
    name: str
    type: str
    framework: str | None
    parts: list[ProjectPartView]
    key_files: list[FilePreview]
    entry_points: list[str]
    tree: str
    notes: list[str]


class BriefingView(ApiView):
    """What the last session left."""

    mission: str
    status: str
    progress: str
    hazards: list[str]
    hot_files: list[str]
    predicted_skills: list[str]
    next_action: str
    session: str = ""
    at: str = ""
    fresh: bool = True


class MemoryCountsView(ApiView):
    """How much memory there is."""

    learning_count: int
    decision_count: int
    failure_count: int
    team_decision_count: int
    pattern_count: int
    assumption_count: int
    invariant_count: int
    candidate_count: int
    user_count: int
    superseded_count: int
    conflict_count: int
    allowed: bool
    badge: str
    last_event: str
    restart: list[str]
