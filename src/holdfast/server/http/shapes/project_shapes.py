"""The project, and what was left for the next session."""

from holdfast.server.http.shapes.base_shape import Shape


class FilePreview(Shape):
    """A file and its first lines."""

    path: str
    text: str


class Part(Shape):
    """A part of the project: where it is and what it is made with."""

    folder: str
    kind: str
    framework: str = ""


class Context(Shape):
    """The project as a new session sees it."""

    path: str
    name: str
    type: str
    framework: str | None
    parts: list[Part]
    key_files: list[FilePreview]
    entry_points: list[str]
    tree: str
    notes: list[str]


class Briefing(Shape):
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


class Counts(Shape):
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
