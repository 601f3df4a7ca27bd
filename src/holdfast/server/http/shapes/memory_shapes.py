"""A memory: the one form, with the names that each type's list gives it."""

from typing import Any, Literal

from pydantic import Field

from holdfast.core.conversation import Turn, UserChoice
from holdfast.core.memory import Memory
from holdfast.review.batches import BatchSummary
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView
from holdfast.server.http.shapes.derive import mirrors

TypeName = Literal["decision", "assumption", "invariant", "failure", "learning", "pattern"]
StatusName = Literal["candidate", "accepted", "rejected", "superseded", "deprecated"]
ScopeName = Literal["workspace", "user", "team"]
Speaker = Literal["user", "agent", "tool"]


class RejectedOptionView(ApiView):
    """What was not chosen, and why."""

    option: str
    reason: str = ""


class EvidenceRow(ApiView):
    """The event a memory came from, with the quoted words."""

    event: str
    quote: str = ""


class CiteRow(ApiView):
    """Code that a memory speaks of; in full, how it stands now. `state`: same, moved, changed, gone; empty unknown."""

    path: str
    lines: str = ""
    sha256: str = ""
    state: str = ""
    now_path: str = ""
    now_lines: str = ""
    words: str = ""


@mirrors(Memory)
class MemoryView(ApiView):
    """A memory and its place. `text` fields that a type does not use are empty.

    `notices`, in the answer to a change: what was not kept as it was given, as what looks like a secret; that it
    waits as a candidate, for it contradicts what holds; what a changed one contradicts now.
    """

    rationale: str = ""
    rejected: list[RejectedOptionView] = []
    description: str = ""
    evidence: list[EvidenceRow] = []
    cites: list[CiteRow] = []
    superseded_by: str | None = None
    timestamp: str = ""
    scope: ScopeName = "workspace"
    path: str = ""
    line: int = 0
    sha256: str = ""
    notices: list[str] = []


class ListedView(ApiView):
    """What every list of memories says of one."""

    id: str
    title: str
    status: StatusName
    scope: ScopeName
    tags: list[str]
    paths: list[str]


class MemoryRow(ListedView):
    """A memory in a list: enough to draw one line."""

    type: TypeName
    category: str = ""
    confidence: float | None = None
    attempts: int | None = None
    valid_from: str = ""
    valid_until: str = ""
    updated: str = ""
    superseded_by: str | None = None
    uses: int = 0


class DecisionView(ListedView):
    """A decision in the list. `supersedes`: what it took the place of."""

    category: str
    question: str
    choice: str
    rationale: str
    rejected: list[RejectedOptionView]
    timestamp: str
    supersedes: list[str]
    superseded_by: str | None
    valid_from: str
    valid_until: str


class FailureView(ListedView):
    """A failure in the list. `attempts`: how often it happened."""

    description: str
    error_type: str
    root_cause: str
    context: str
    attempts: int
    timestamp: str


class LearningView(ListedView):
    """A learning in the list."""

    fact: str
    category: str
    confidence: float | None
    source: str
    timestamp: str


class TeamMemoryView(ApiView):
    """What the team shares."""

    decisions: list[DecisionView]
    failures: list[FailureView]
    patterns: list[MemoryView]


@mirrors(UserChoice)
class UserChoiceView(ApiView):
    """What the user answered in a form."""


@mirrors(Turn)
class TurnRow(ApiView):
    """A turn of a conversation."""

    kind: str
    choices: list[UserChoiceView] = []


class QuotedEvidenceView(ApiView):
    """Evidence in its conversation. `at`: which of the turns it is; `missing`: why there are none."""

    event: str
    quote: str
    session: str
    client: str
    turns: list[TurnRow]
    at: str
    missing: str


class MemoryChangeView(ApiView):
    """A step in a memory's life."""

    what: str
    when: str
    author: str
    commit: str
    subject: str
    fields: dict[str, tuple[Any, Any]]


class MemoryLifeView(ApiView):
    """How long a memory held, and its steps, newest first."""

    valid_from: str
    until: str
    holds: bool
    why: str
    superseded_by: str | None
    changes: list[MemoryChangeView]
    note: str


class MemoryUseView(ApiView):
    """How often a memory was told and what came of it."""

    sessions: int = 0
    used: int = 0
    ignored: int = 0
    contradicted: int = 0
    tokens: int = 0
    avoided: int = 0
    repeated: int = 0
    last: str = ""


class AsOfView(ApiView):
    """A memory at a moment."""

    when: str
    held: bool
    why: str
    note: str


class RelationView(ApiView):
    """What one memory is to another. `relation`: contradicts, supersedes, duplicates, refines."""

    id: str
    relation: str
    reason: str
    sure: float
    rule: str = ""
    title: str = ""
    status: StatusName = "accepted"
    text: str = Field(default="", description="The words of the other that clash.")
    own_text: str = ""


class MemoryDetail(ApiView):
    """Everything about one memory. `markdown`: the file's own text for editing, its frontmatter among it."""

    memory: MemoryView
    markdown: str
    evidence: list[QuotedEvidenceView]
    life: MemoryLifeView | None
    use: MemoryUseView
    relations: list[RelationView]
    related: list[MemoryRow]
    as_of: AsOfView | None = None


class NewMemoryBody(ApiBody):
    """Something to remember."""

    type: TypeName
    text: str = Field(min_length=1, max_length=100_000)
    title: str = Field(default="", max_length=300)
    because: str = Field(default="", max_length=20_000)
    category: str = Field(default="", max_length=200)
    tags: list[str] = Field(default=[], max_length=50)
    paths: list[str] = Field(default=[], max_length=100)
    subject: str = Field(default="", max_length=300)
    question: str = Field(default="", max_length=2000)
    choice: str = Field(default="", max_length=2000)
    rejected: list[RejectedOptionView] = Field(default=[], max_length=50)
    error_type: str = Field(default="", max_length=300)
    root_cause: str = Field(default="", max_length=20_000)
    fact: str = Field(default="", max_length=20_000)
    supersedes: list[str] = Field(default=[], max_length=50)
    cites: list[str] = Field(default=[], max_length=50)
    scope: Literal["", "workspace", "user"] = ""
    candidate: bool = Field(default=False, description="Propose it instead: it waits for review.")


class EditMemoryBody(ApiBody):
    """A memory as it shall be: its whole Markdown, or only some fields.

    `sha256`: of the file that was read; `If-Match` says the same.
    """

    sha256: str | None = Field(default=None, min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")
    markdown: str | None = Field(default=None, max_length=500_000)
    fields: dict[str, str | list[str]] | None = None


class UndoBody(ApiBody):
    """Which batch to take back: the `Holdfast-Batch` of the answer to a change. Empty: the last one of all."""

    batch: str = Field(default="", max_length=100)


@mirrors(BatchSummary)
class UndoneBatchView(ApiView):
    """The batch that was taken back."""


@mirrors(BatchSummary)
class LastBatchView(ApiView):
    """What `undo` would take back; empty `id` and `verb`: nothing."""
