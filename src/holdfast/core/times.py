"""Times as text: ISO 8601, a date or a time with its zone."""

from datetime import UTC, datetime


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
