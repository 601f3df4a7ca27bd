"""A memory, and where it stands."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from holdfast.core.value import Value, replace


class MemoryType(StrEnum):
    """The six types."""

    DECISION = "decision"
    ASSUMPTION = "assumption"
    INVARIANT = "invariant"
    FAILURE = "failure"
    LEARNING = "learning"
    PATTERN = "pattern"


class Status(StrEnum):
    """Where a memory is in its life."""

    CANDIDATE = "candidate"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"


class SaidBy(StrEnum):
    """Who said it."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"


class Scope(StrEnum):
    """Whose memory it is."""

    WORKSPACE = "workspace"
    USER = "user"
    TEAM = "team"


PREFIXES: Mapping[MemoryType, str] = {
    MemoryType.DECISION: "DEC",
    MemoryType.ASSUMPTION: "ASM",
    MemoryType.INVARIANT: "INV",
    MemoryType.FAILURE: "FAIL",
    MemoryType.LEARNING: "LRN",
    MemoryType.PATTERN: "PAT",
}
CANDIDATE_PREFIX = "CAND"
NOTHING: Mapping[str, Any] = {}
FOLDERS: Mapping[MemoryType, str] = {kind: f"{kind}s" for kind in MemoryType}


class RejectedOption(Value):
    """What was not chosen, and why."""

    option: str
    reason: str = ""


class Evidence(Value):
    """The event a memory came from, with the quoted words."""

    event: str
    quote: str = ""


class Citation(Value):
    """Code a memory speaks of: a path, lines, the hash of what stood there, and short marks of its single lines."""

    path: str
    lines: str = ""
    sha256: str = ""
    marks: str = ""


class Memory(Value):
    """One entry: frontmatter and body. Fields that a type does not use stay empty."""

    id: str
    type: MemoryType
    status: Status = Status.ACCEPTED
    title: str = ""
    body: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    subject: str = ""
    question: str = ""
    choice: str = ""
    rejected: tuple[RejectedOption, ...] = ()
    enforce: Mapping[str, Any] = NOTHING
    error_type: str = ""
    error_message: str = ""
    root_cause: str = ""
    context: str = ""
    attempts: int | None = None
    fact: str = ""
    confidence: float | None = None
    said_by: SaidBy = SaidBy.USER
    evidence: tuple[Evidence, ...] = ()
    cites: tuple[Citation, ...] = ()
    supersedes: tuple[str, ...] = ()
    valid_from: str = ""
    valid_until: str = ""
    source: str = ""
    updated: str = ""
    because: str = ""
    extra: Mapping[str, Any] = NOTHING


# In `extra`: why a candidate does not count as the user's, though it came as their words.
DOUBT = "doubt"
# In `extra`: which agent proposed it, resting on the user's words.
PROPOSED_BY = "proposed_by"
AMID_CALL = "an agent's command was running when this was said, and may have said it"
UNHOOKED = "read from a file; no hook heard that session, and nobody vouched for it"
NOT_WRITTEN_HERE = "this file was not written by Holdfast here, or was changed since"
NOT_TYPED = "the client's own transcript says that nobody typed this"


def doubt_candidate(memory: Memory, why: str) -> Memory:
    """A candidate that came as the user's words, as one that may be an agent's: it waits for the user themselves."""
    if memory.said_by is not SaidBy.USER:
        return memory
    return replace(memory, said_by=SaidBy.AGENT, extra={**memory.extra, DOUBT: why})


def trust_candidate(memory: Memory, why: str) -> Memory:
    """A candidate as the user's again, where this reason alone stood in the way."""
    if memory.extra.get(DOUBT) != why:
        return memory
    rest = {name: value for name, value in memory.extra.items() if name != DOUBT}
    return replace(memory, said_by=SaidBy.USER, extra=rest)


class Entry(Value):
    """A memory and its place. `sha256` is the whole file's, as it was read."""

    memory: Memory
    scope: Scope
    path: str
    line: int
    sha256: str


class Problem(Value):
    """Something broken: where, why, and what fixes it."""

    path: str
    reason: str
    line: int | None = None
    hint: str = ""


class MemoryFile(Value):
    """What one file holds: entries that load and problems that do not."""

    path: str
    sha256: str
    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
