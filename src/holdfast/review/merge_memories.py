"""Two into one: what one says and rests on goes over to the other, and nothing is said twice."""

from typing import Any

from holdfast.core.memory import Memory
from holdfast.core.value import replace
from holdfast.review.lifecycle import reject_candidate

MERGED_INTO = "merged_into"
LISTS = ("tags", "rejected", "evidence", "cites", "supersedes")
TEXTS = (
    "subject",
    "question",
    "choice",
    "category",
    "error_type",
    "error_message",
    "root_cause",
    "context",
    "fact",
    "source",
)


def merge_memories(into: Memory, other: Memory, now: str) -> Memory:
    """`into` with what only the other one has: words, evidence, tags, what was rejected. Its own words stay first."""
    changes: dict[str, Any] = {name: _join_lists(getattr(into, name), getattr(other, name)) for name in LISTS}
    changes |= {name: getattr(into, name) or getattr(other, name) for name in TEXTS}
    same = into.type is other.type
    if not same:
        # What belongs to another type (a choice, a root cause) is words here.
        changes |= {name: getattr(into, name) for name in TEXTS}
    changes["supersedes"] = tuple(each for each in changes["supersedes"] if each != into.id)
    # One that holds everywhere stays so: a part of it would be less than was said.
    changes["paths"] = _join_lists(into.paths, other.paths) if into.paths and other.paths else ()
    changes["attempts"] = _attempts(into, other)
    sure = [each for each in (into.confidence, other.confidence if same else None) if each is not None]
    changes["confidence"] = max(sure, default=None)
    changes["body"] = _body(into, other)
    return replace(into, **changes, updated=now)


def mark_merged_away(candidate: Memory, into: str, now: str) -> Memory:
    """The candidate that went into another: remembered, so that it is not proposed again."""
    gone = reject_candidate(candidate, f"merged into {into}", now)
    return replace(gone, extra={**gone.extra, MERGED_INTO: into})


def _join_lists(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*mine, *(each for each in theirs if each not in mine))


def _attempts(into: Memory, other: Memory) -> int | None:
    if into.attempts is None and other.attempts is None:
        return None
    return (into.attempts or 1) + (other.attempts or 1)


def _body(into: Memory, other: Memory) -> str:
    said = _normalize_text(f"{into.title} {into.fact} {into.body}")
    new = [part for part in _paragraphs(other) if _normalize_text(part) not in said]
    return "\n\n".join((into.body.rstrip(), *new)) if into.body.strip() else "\n\n".join(new)


def _paragraphs(other: Memory) -> list[str]:
    """What the other one says, the title first unless its body does."""
    body = [part.strip() for part in other.body.split("\n\n") if part.strip()]
    titled = any(_normalize_text(other.title.rstrip("….")) in _normalize_text(part) for part in body)
    return body if titled or not other.title else [other.title, *body]


def _normalize_text(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())
