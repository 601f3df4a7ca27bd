"""What a plan does to a memory: end it, look at it again, merge it into another."""

from collections.abc import Sequence
from datetime import datetime

from holdfast.core.memory import Memory, Status
from holdfast.core.times import parse_moment
from holdfast.core.value import replace
from holdfast.curator.curator_finding import Change, FixPlan, MemoryRewrite
from holdfast.review.merge_memories import merge_memories

DATE_LENGTH = len("2026-11-15")
RENEW, DEPRECATE, MERGE, SUPERSEDE = "renew", "deprecate", "merge", "supersede"


def format_time(now: datetime) -> str:
    """A time as `updated` carries it."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def end_memory(memory: Memory, status: Status, because: str, now: datetime) -> Memory:
    """A memory that holds no longer: from today on, or from when it had ended already."""
    today = format_time(now)[:DATE_LENGTH]
    known = parse_moment(memory.valid_until)
    until = memory.valid_until if known is not None and known <= now else max(today, memory.valid_from[:DATE_LENGTH])
    return replace(memory, status=status, valid_until=until, because=because, updated=format_time(now))


def plan_deprecation(memory: Memory, because: str, now: datetime) -> FixPlan:
    """It holds no longer. It stays in its file, for `--as-of`."""
    after = end_memory(memory, Status.DEPRECATED, because, now)
    return FixPlan(name=DEPRECATE, about="it holds no longer", changes=(MemoryRewrite(before=memory, after=after),))


def plan_confirmation(memory: Memory, now: datetime) -> FixPlan:
    """It was looked at, and still holds."""
    after = replace(memory, updated=format_time(now))
    return FixPlan(
        name=RENEW, about="it was looked at and still holds", changes=(MemoryRewrite(before=memory, after=after),)
    )


def plan_merge(kept: Memory, others: Sequence[Memory], now: datetime) -> FixPlan:
    """One takes all that the others say and rest on; the others are superseded by it."""
    after = kept
    for other in others:
        after = merge_memories(after, other, format_time(now))
    named = dict.fromkeys((*after.supersedes, *(other.id for other in others)))
    after = replace(after, supersedes=tuple(each for each in named if each != kept.id))
    gone = [
        MemoryRewrite(before=other, after=end_memory(other, Status.SUPERSEDED, f"merged into {kept.id}", now))
        for other in others
    ]
    changes: tuple[Change, ...] = (MemoryRewrite(before=kept, after=after), *gone)
    return FixPlan(
        name=MERGE, about=f"{kept.id} takes what the others say, with their evidence and tags", changes=changes
    )
