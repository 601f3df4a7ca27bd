"""The queue and what a person does with it."""

from typing import Literal

from pydantic import Field

from holdfast.server.http.shapes.base_shape import ApiBody, ApiView
from holdfast.server.http.shapes.memory_shapes import (
    EditMemoryBody,
    MemoryView,
    QuotedEvidenceView,
    RelationView,
    Speaker,
    TypeName,
)

AnswerName = Literal["keep-old", "supersede", "narrow", "keep-both"]


class SettledView(ApiView):
    """A candidate that goes with another one: it says the same, or was taken back by it."""

    id: str
    title: str
    how: Literal["repeats", "taken back"]
    reason: str = ""


class CandidateView(MemoryView):
    """What waits for review: a memory in its one form, what it clashes with, and how it came."""

    conflicts: list[RelationView]
    blocked: bool = Field(description="It contradicts a memory that holds: accepting it needs an answer.")
    looked: bool = Field(
        default=True, description="False: it was not compared with memory yet; a `memory_changed` message tells when."
    )
    turned_down_before: str | None = Field(default=None, description="The same was rejected once: that one's id.")
    session: str = ""
    client: str = ""
    group: str = Field(default="", description="The candidate that leads its question: its own id, mostly.")
    topic: str = Field(default="", description="The same for questions that speak of one thing; they stand together.")
    settles: list[SettledView] = Field(default=[], description="What leaves the queue with it when it is accepted.")
    settled: Literal["repeats", "taken back"] | None = Field(
        default=None, description="What it is to the one that leads, where that is another one."
    )
    expires: str | None = Field(default=None, description="The day on which it leaves the queue, unless it is decided.")


class CandidateDetail(ApiView):
    """A candidate with its evidence in the conversation, and the memories it clashes with in full."""

    candidate: CandidateView
    evidence: list[QuotedEvidenceView]
    others: list[MemoryView]
    markdown: str


class ConflictAnswerBody(ApiBody):
    """What to do about a contradiction."""

    choice: AnswerName
    because: str = Field(default="", max_length=20_000)
    paths: list[str] = Field(default=[], max_length=100)


class AcceptBody(ApiBody):
    """Accept a candidate. `answer` settles its contradictions, or the one with `against`."""

    scope: Literal["", "workspace", "user"] = ""
    again: bool = False
    answer: ConflictAnswerBody | None = None
    against: str = Field(default="", max_length=200)


class RejectBody(ApiBody):
    """Turn a candidate down."""

    because: str = Field(default="", max_length=20_000)


class MergeBody(ApiBody):
    """Fold others into this one, or this and others into a memory."""

    ids: list[str] = Field(min_length=1, max_length=500)
    into: str = Field(default="", max_length=200)


class EditCandidateBody(EditMemoryBody):
    """Other words for a candidate. `sha256`: of the file that was read; `If-Match` says the same."""


class ResolveBody(ApiBody):
    """Settle a contradiction with a memory that holds, without accepting anything else."""

    against: str = Field(min_length=1, max_length=200)
    answer: ConflictAnswerBody


class BulkReviewBody(ApiBody):
    """Accept or reject many: the ids given, or all that the filter means."""

    verb: Literal["accept", "reject"]
    ids: list[str] = Field(default=[], max_length=5000)
    all: bool = False
    types: list[TypeName] = []
    session: str = Field(default="", max_length=200)
    min_confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    said_by: list[Speaker] = []
    words: str = Field(default="", max_length=1000)
    because: str = Field(default="", max_length=20_000)
    scope: Literal["", "workspace", "user"] = ""


class AcceptedRow(ApiView):
    """A candidate and the memory it became."""

    candidate: str
    memory: MemoryView


class BlockedRow(ApiView):
    """A candidate that was not accepted, and why."""

    id: str
    conflicts: list[RelationView]


class ReviewResultView(ApiView):
    """What came of it. `restart`: what to tell of clients that run with old memory."""

    accepted: list[AcceptedRow] = []
    rejected: list[str] = []
    merged: list[str] = []
    settled: list[SettledView] = Field(default=[], description="Other candidates that went with those accepted.")
    blocked: list[BlockedRow] = []
    memory: MemoryView | None = None
    restart: list[str] = []
