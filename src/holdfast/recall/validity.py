"""Whether a memory held at a moment: its own dates, and what superseded it since."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Memory, Status
from holdfast.core.search import Supersession
from holdfast.core.times import parse_moment

RETIRED = (Status.SUPERSEDED, Status.DEPRECATED)
ONCE_ACCEPTED = (Status.ACCEPTED, *RETIRED)
ALWAYS = datetime.min.replace(tzinfo=UTC)


class UnreadableTime(BadRequest):
    """A time that cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no time.", "give a date like 2026-11-15 or a time like 2026-11-15T09:22:14Z.")


def parse_asked_time(text: str) -> datetime:
    """A moment that somebody asks for. Raises NotATime."""
    found = parse_moment(text)
    if found is None:
        raise UnreadableTime(text)
    return found


def parse_as_of(text: str, now: datetime) -> datetime:
    """The moment to look back to: a date means the end of that day, nothing means now. Raises NotATime."""
    if not text:
        return now
    found = parse_asked_time(text)
    return found + timedelta(days=1, microseconds=-1) if _is_date(text) else found


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def supersession_times(supersessions: Iterable[Supersession]) -> Mapping[str, datetime]:
    """Since when each memory has been superseded; one that was replaced at no known time, since always."""
    found: dict[str, datetime] = {}
    for link in supersessions:
        since = parse_moment(link.since) or ALWAYS
        found[link.old] = min(since, found.get(link.old, since))
    return found


def holds_at(memory: Memory, when: datetime, ended: Mapping[str, datetime]) -> bool:
    """Whether a memory held at a moment: from `valid_from` on, and before its end.

    A superseded or deprecated memory holds for as long as something tells when it ended.
    """
    return not why_not_held(memory, when, ended, {})


def why_not_held(memory: Memory, when: datetime, ended: Mapping[str, datetime], newer: Mapping[str, str]) -> str:
    """Why a memory did not hold at a moment; an empty text if it did. `newer`: which memory replaced which."""
    if memory.status not in ONCE_ACCEPTED:
        return f"status {memory.status}"
    begins = parse_moment(memory.valid_from)
    end = _end_time(memory, ended)
    if begins is not None and when < begins:
        return f"holds from {memory.valid_from} on"
    if end is None:
        return "" if memory.status is Status.ACCEPTED else f"status {memory.status}"
    if when < end:
        return ""
    replaced = ended.get(memory.id) == end
    return f"superseded by {newer.get(memory.id, 'another')}" if replaced else f"expired {memory.valid_until}"


def _end_time(memory: Memory, ended: Mapping[str, datetime]) -> datetime | None:
    known = [end for end in (parse_moment(memory.valid_until), ended.get(memory.id)) if end is not None]
    return min(known, default=None)
