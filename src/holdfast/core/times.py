"""Times as text: ISO 8601, a date or a time with its zone."""

from datetime import UTC, datetime

from holdfast.core.errors import BadRequest


def parse_moment(text: str) -> datetime | None:
    """A date (its beginning) or time as a moment; without a zone it is UTC. None when it is neither."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None


def canonical_time(text: str) -> str:
    """The same moment in the journal's own form, so that text sorts like time. What is no time stays as it is."""
    found = parse_moment(text)
    if found is None:
        return text
    return found.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


class BadTime(BadRequest):
    """A time that cannot be read."""

    def __init__(self, option: str, value: str) -> None:
        super().__init__(f"{option} takes a date like 2026-11-15 or a time like 2026-11-15T09:30, not {value!r}.")
