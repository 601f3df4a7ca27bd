"""What each tool answers. The types are the output schemas; text of memories in them is inert, and marked as data."""

from typing import NotRequired

# pydantic reads only this one before Python 3.12.
from typing_extensions import TypedDict


class ToolAnswer(TypedDict):
    """What every answer has: the mark that it is data, and what the user should know besides."""

    note: str
    notices: list[str]


class ListedMemory(TypedDict):
    """A memory or candidate in a list: enough to choose by."""

    id: str
    type: str
    title: str
    status: str
    updated: str


class ListedHit(ListedMemory):
    """A memory found. `stale`: what became of the code that it cites, where that is not as it was."""

    stale: NotRequired[str]


class SearchAnswer(ToolAnswer):
    """Best first. `searched`: how many memories were looked at."""

    hits: list[ListedHit]
    searched: int
    next_cursor: NotRequired[str]


class Moment(TypedDict):
    """One thing that happened."""

    at: str
    kind: str
    id: str
    title: str
    type: NotRequired[str]
    client: NotRequired[str]


class TimelineAnswer(ToolAnswer):
    """Oldest first."""

    items: list[Moment]


class FullMemory(TypedDict):
    """A memory in the one JSON form of a memory, with all fields that say something. `cut`: those that go on."""

    id: str
    type: str
    title: str
    status: str
    body: str
    scope: str
    path: str
    cut: NotRequired[list[str]]


class ShowAnswer(ToolAnswer):
    """In the order asked for."""

    memories: list[FullMemory]


class PackAnswer(ToolAnswer):
    """What matters to a goal, under headings that say how to use it; each line ends in the memory's id."""

    prompt: str
    tokens: int
    dropped: int


class PlanViolation(TypedDict):
    """A memory that a plan breaks. `confidence`: 1 where it is certain."""

    memory: str
    severity: str
    rule: str
    reason: str
    title: str
    line: int | None
    confidence: float
    resolve: list[str]


class CheckAnswer(ToolAnswer):
    """What a plan breaks, errors first. `checked`: how many memories were looked at."""

    findings: list[PlanViolation]
    checked: int


class KeptAnswer(TypedDict):
    """A candidate, and what a person types to accept it."""

    id: str
    status: str
    path: str
    accept: str
    notices: list[str]


class BriefingAnswer(ToolAnswer):
    """What a session is told at its start; empty when there is nothing to tell."""

    text: str


class ListedCandidate(ListedMemory):
    """A candidate, with the beginning of its words."""

    said_by: str
    text: str


class ReviewAnswer(ToolAnswer):
    """The candidates that wait, oldest first."""

    candidates: list[ListedCandidate]
    waiting: int
    next_cursor: NotRequired[str]
