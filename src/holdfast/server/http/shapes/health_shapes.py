"""How the workspace is."""

from typing import Any, Literal

from pydantic import Field

from holdfast.clients.manage_clients import ClientState
from holdfast.core.memory import Problem
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView, Json
from holdfast.server.http.shapes.derive import mirrors


@mirrors(ClientState)
class ClientRow(ApiView):
    """A client: found here, set up, trusted, and what it sent. `silent`: we should hear it and do not."""


class FindingRow(ApiView):
    """Something that doctor found."""

    check: str
    problem: str
    remedy: str
    mendable: bool


@mirrors(Problem)
class ProblemRow(ApiView):
    """A file that is broken."""


class JournalState(ApiView):
    """The journal."""

    records: int
    segments: int
    bytes: int
    last_event: str
    checked_at: str
    ok: bool | None


class IndexState(ApiView):
    """The index."""

    memories: int
    candidates: int
    bytes: int
    version: str
    embedder: str
    vectors: int


class DiskRow(ApiView):
    """What a part takes on disk."""

    part: str
    bytes: int
    files: int


class CuratorLook(ApiView):
    """The curator's last look. `score`: 0 to 100."""

    at: str
    score: int | None
    memories: int
    findings: int
    counts: dict[str, int]


class ConflictRow(ApiView):
    """Two memories that hold and contradict each other."""

    new: str
    old: str
    new_title: str
    old_title: str
    reason: str


class WorkspaceHealth(ApiView):
    """Everything that can be wrong, and what to do about it."""

    ok: bool
    clients: list[ClientRow]
    findings: list[FindingRow]
    problems: list[ProblemRow]
    journal: JournalState
    index: IndexState
    disk: list[DiskRow]
    free_bytes: int
    curator: CuratorLook | None
    conflicts: list[ConflictRow]
    holding: int = Field(description="How many memories hold.")
    uncompared: int = Field(
        description="How many of them were not compared with the others yet: each call compares a few more."
    )
    failures_today: int
    distil_waiting: int


class VerificationView(ApiView):
    """What a look at every record said."""

    ok: bool
    records: int
    problems: list[str]


class CuratorFinding(ApiView):
    """Something that memory could be better for, with ways to mend it."""

    id: str
    kind: str
    rule: str
    ids: list[str]
    reason: str
    sure: float | bool
    default: str | None
    hints: list[str]
    titles: dict[str, str]
    ways: list[Json]


class CurationView(ApiView):
    """A look at memory."""

    health: Json | None
    memories: int
    counts: dict[str, int]
    findings: list[CuratorFinding]
    total: int
    dismissed: int


class ApplyFindingsBody(ApiBody):
    """Carry findings out, each its default way or `ID:WAY`."""

    findings: list[str] = Field(min_length=1, max_length=500)


class DismissFindingsBody(ApplyFindingsBody):
    """Findings that are none."""


class AppliedFindingsView(ApiView):
    """What was carried out, and what was left and why."""

    done: list[str]
    left: list[Any]
    ids: list[str]


class ChangeRow(ApiView):
    """A change of memory, from git and the journal."""

    at: str
    what: str
    id: str
    title: str
    author: str = ""
    commit: str = ""
    type: str = ""


class SettingPlace(ApiView):
    """What a file says of a setting. `value`: null where it says nothing. `sha256`: of the whole file.

    `locked`: why who asks cannot change the setting there over the network; empty where they can.
    """

    file: Literal["user", "project"]
    path: str
    value: bool | int | float | str | None
    sha256: str
    locked: str = ""


class SettingRow(ApiView):
    """A setting: its value and where that comes from. `origin`: the file's path, or the same as `source`.

    `repository`: whether a project may set it. `files`: what each file says, the user's first; the later one wins.
    """

    key: str
    value: bool | int | float | str | list[str] | None
    default: bool | int | float | str | list[str] | None
    kind: str
    origin: str
    source: Literal["default", "user", "project", "environment", "flag"]
    about: str
    variable: str
    repository: bool
    choices: list[str] = []
    files: list[SettingPlace] = []


class NewSettingBody(ApiBody):
    """A value as it would be typed; null: the file says nothing of it any more.

    `sha256`: of the file as it was read; a project's is not changed without it, there or as `If-Match`.
    """

    value: str | None = Field(max_length=4000)
    file: Literal["user", "project"] = "user"
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")


class TokenRow(ApiView):
    """A token, never its text."""

    name: str
    rights: list[Literal["read", "review", "run"]]
    created: str
    last_used: str = ""
