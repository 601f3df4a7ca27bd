"""What a plan does to a memory: end it, look at it again, merge it into another."""

from collections.abc import Sequence
from datetime import datetime

from holdfast.core.memory import Memory, Status
from holdfast.core.times import moment
from holdfast.core.value import replace
from holdfast.curator.curator_finding import Change, Rewrite, Way
from holdfast.review.merge_memories import merged

DATE_LENGTH = len("2026-11-15")
RENEW, DEPRECATE, MERGE, SUPERSEDE = "renew", "deprecate", "merge", "supersede"


def stamp(now: datetime) -> str:
    """A time as `updated` carries it."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def ended(memory: Memory, status: Status, because: str, now: datetime) -> Memory:
    """A memory that holds no longer: from today on, or from when it had ended already."""
    today = stamp(now)[:DATE_LENGTH]
    known = moment(memory.valid_until)
    until = memory.valid_until if known is not None and known <= now else max(today, memory.valid_from[:DATE_LENGTH])
    return replace(memory, status=status, valid_until=until, because=because, updated=stamp(now))


def deprecate(memory: Memory, because: str, now: datetime) -> Way:
    """It holds no longer. It stays in its file, for `--as-of`."""
    after = ended(memory, Status.DEPRECATED, because, now)
    return Way(name=DEPRECATE, about="it holds no longer", changes=(Rewrite(before=memory, after=after),))


def renew(memory: Memory, now: datetime) -> Way:
    """It was looked at, and still holds."""
    after = replace(memory, updated=stamp(now))
    return Way(name=RENEW, about="it was looked at and still holds", changes=(Rewrite(before=memory, after=after),))


def merge(kept: Memory, others: Sequence[Memory], now: datetime) -> Way:
    """One takes all that the others say and rest on; the others are superseded by it."""
    after = kept
    for other in others:
        after = merged(after, other, stamp(now))
    named = dict.fromkeys((*after.supersedes, *(other.id for other in others)))
    after = replace(after, supersedes=tuple(each for each in named if each != kept.id))
    gone = [
        Rewrite(before=other, after=ended(other, Status.SUPERSEDED, f"merged into {kept.id}", now)) for other in others
    ]
    changes: tuple[Change, ...] = (Rewrite(before=kept, after=after), *gone)
    return Way(name=MERGE, about=f"{kept.id} takes what the others say, with their evidence and tags", changes=changes)
