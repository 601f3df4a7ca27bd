"""Times that a question speaks of: `last week`, `in March`, `before 2026-05-01`, `yesterday` → ranges."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache

from holdfast.recall.engine.values import Range

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "a": 1, "an": 1}

_DAY = timedelta(days=1)
_MONTH = rf"(?P<{{0}}>{'|'.join(f'{month[:3]}(?:{month[3:]})?' if month[3:] else month for month in MONTHS)})\.?"
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_COUNT = rf"(?P<{{0}}>\d{{{{1,4}}}}|{'|'.join(NUMBERS)}|a few|a couple of)"
_UNIT = r"(?P<{0}>day|week|month|year)s?"

Found = tuple[datetime, datetime]
Reading = Callable[[re.Match[str], datetime | None], Found | None]


def ranges(text: str, now: datetime | None) -> tuple[Range, ...]:
    """The times in a question. Without `now`, only those that say their year."""
    lowered = text.lower()
    found: list[Range] = []
    taken: list[tuple[int, int]] = []
    for pattern, read in _patterns():
        for match in pattern.finditer(lowered):
            free = all(match.end() <= start or end <= match.start() for start, end in taken)
            span = _read(match, read, now) if free else None
            if span is not None:
                taken.append(match.span())
                found.append(_bounded(match, span))
    return tuple(sorted(found, key=lambda each: (each.start or datetime.min.replace(tzinfo=UTC), each.said)))


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Reading], ...]:
    # Compiled when first asked; what says more comes first.
    before = r"(?:\b(?P<bound>before|until|till|after|since|prior to)\s+)?(?:the\s+)?"
    parts: tuple[tuple[str, Reading], ...] = (
        (r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)\b", _date),
        (r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)\b(?!-)", _month),
        (rf"\b(?P<d>\d\d?)(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH.format('m')}(?:,?\s+{_YEAR.format('y')})?\b", _date),
        (rf"\b{_MONTH.format('m')}\s+(?P<d>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+{_YEAR.format('y')}\b)?", _date),
        (rf"\b{_MONTH.format('m')},?\s+(?:of\s+)?{_YEAR.format('y')}\b", _month),
        (rf"\b(?:in|during|last|since|before|after|until|of)\s+{_MONTH.format('m')}(?!\w)", _month),
        (rf"\b(?:in|during|since|before|after|until|of)\s+{_YEAR.format('y')}\b", _year),
        (rf"\b{_COUNT.format('n')}\s+{_UNIT.format('u')}\s+ago\b", _ago),
        (rf"\b(?:last|past|previous)\s+{_COUNT.format('n')}\s+{_UNIT.format('u')}\b", _past),
        (r"\b(?P<which>last|this|previous|past)\s+(?P<u>week|month|year)\b", _whole),
        (rf"\b(?:last|on|this past)\s+(?P<w>{'|'.join(DAYS)})\b", _weekday),
        (r"\b(?P<t>today|yesterday|(?:the\s+)?day before yesterday)\b", _near),
    )
    return tuple((re.compile(before + pattern), read) for pattern, read in parts)


def _read(match: re.Match[str], read: Reading, now: datetime | None) -> Found | None:
    try:
        return read(match, now)
    except (OverflowError, ValueError):  # the 31st of February, the year 0
        return None


def _bounded(match: re.Match[str], span: Found) -> Range:
    """`before` and `until` leave the start open, `after` and `since` the end."""
    said = " ".join(match.group().split())
    bound = match["bound"] or said.split()[0]
    if bound in ("before", "prior", "prior to"):
        return Range(start=None, end=span[0], said=said)
    if bound in ("until", "till"):
        return Range(start=None, end=span[1], said=said)
    if bound == "after":
        return Range(start=span[1], end=None, said=said)
    return Range(start=span[0], end=None if bound == "since" else span[1], said=said)


def _date(match: re.Match[str], now: datetime | None) -> Found | None:
    """A day; without a year, the last such day."""
    month, day = _number_of(match["m"]), int(match["d"])
    if match["y"]:
        start = datetime(int(match["y"]), month, day, tzinfo=UTC)
    elif now is None:
        return None
    else:
        start = datetime(now.year, month, day, tzinfo=UTC)
        start = start if start <= now else start.replace(year=now.year - 1)
    return start, start + _DAY


def _month(match: re.Match[str], now: datetime | None) -> Found | None:
    """A month; without a year, the last such month."""
    month = _number_of(match["m"])
    year = int(match["y"]) if "y" in match.re.groupindex and match["y"] else 0
    if not year:
        if now is None:
            return None
        year = now.year if month <= now.month else now.year - 1
    return _month_of(year, month)


def _year(match: re.Match[str], now: datetime | None) -> Found | None:  # noqa: ARG001  # all readings are alike
    year = int(match["y"])
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _ago(match: re.Match[str], now: datetime | None) -> Found | None:
    """So long ago, with as much leeway as the unit is vague."""
    if now is None:
        return None
    days = _days_of(match["u"])
    when = _midnight(now) - _count(match["n"]) * days * _DAY
    leeway = (0 if days == 1 else days // 2) * _DAY
    return when - leeway, when + leeway + _DAY


def _past(match: re.Match[str], now: datetime | None) -> Found | None:
    if now is None:
        return None
    return _midnight(now) - _count(match["n"]) * _days_of(match["u"]) * _DAY, _midnight(now) + _DAY


def _whole(match: re.Match[str], now: datetime | None) -> Found | None:
    """The calendar's week, month or year, this one or the last; `past` is counted back from now."""
    if now is None:
        return None
    today, unit, this = _midnight(now), match["u"], match["which"] == "this"
    if match["which"] == "past":
        return today - _days_of(unit) * _DAY, today + _DAY
    if unit == "week":
        monday = today - today.weekday() * _DAY
        return (monday, monday + 7 * _DAY) if this else (monday - 7 * _DAY, monday)
    if unit == "month":
        last = today.replace(day=1) - _DAY
        return _month_of(today.year, today.month) if this else _month_of(last.year, last.month)
    year = today.year if this else today.year - 1
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _weekday(match: re.Match[str], now: datetime | None) -> Found | None:
    if now is None:
        return None
    back = (now.weekday() - DAYS.index(match["w"])) % 7 or 7
    start = _midnight(now) - back * _DAY
    return start, start + _DAY


def _near(match: re.Match[str], now: datetime | None) -> Found | None:
    if now is None:
        return None
    back = 0 if match["t"] == "today" else 1 if match["t"] == "yesterday" else 2
    start = _midnight(now) - back * _DAY
    return start, start + _DAY


def _month_of(year: int, month: int) -> Found:
    start = datetime(year, month, 1, tzinfo=UTC)
    return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _midnight(now: datetime) -> datetime:
    return datetime(now.year, now.month, now.day, tzinfo=UTC)


def _number_of(month: str) -> int:
    if month.isdigit():
        return int(month)
    return next(place for place, name in enumerate(MONTHS, 1) if name.startswith(month[:3]))


def _days_of(unit: str) -> int:
    return {"day": 1, "week": 7, "month": 30, "year": 365}[unit]


def _count(said: str) -> int:
    if said.isdigit():
        return int(said)
    return {"a few": 3, "a couple of": 2}.get(said) or NUMBERS[said]
