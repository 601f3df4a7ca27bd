"""Times that a question speaks of → ranges: `last week`, `in March`, `before 2026-05-01`, `seit gestern`.

Also what it names instead of a time (`before the migration`): which words must be found to know when that was. English
and German.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

from holdfast.core.value import Value
from holdfast.recall.engine.engine_values import TimeRange

_ENGLISH = "january february march april may june july august september october november december"
_GERMAN = "januar februar märz april mai juni juli august september oktober november dezember"
_ENGLISH_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_GERMAN_DAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag"
_ENGLISH_COUNTS = "one two three four five six seven eight nine ten"
_GERMAN_COUNTS = "eins zwei drei vier fünf sechs sieben acht neun zehn"
_SHORT = {"sept": 9, "mrz": 3, "mär": 3, "jänner": 1, "okt": 10, "dez": 12}
MONTHS = {
    **{name[:3]: number for number, name in enumerate(_ENGLISH.split(), 1)},
    **{name: number for number, name in enumerate(_ENGLISH.split(), 1)},
    **{name: number for number, name in enumerate(_GERMAN.split(), 1)},
    **_SHORT,
}
DAYS = {
    **{name: day for day, name in enumerate(_ENGLISH_DAYS.split())},
    **{name: day for day, name in enumerate(_GERMAN_DAYS.split())},
}
NUMBERS = {
    **{word: number for number, word in enumerate(_ENGLISH_COUNTS.split(), 1)},
    **{word: number for number, word in enumerate(_GERMAN_COUNTS.split(), 1)},
    **dict.fromkeys(("a", "an", "ein", "einem", "einer", "einen"), 1),
    **dict.fromkeys(("a couple of", "a couple"), 2),
    **dict.fromkeys(("a few", "several", "ein paar", "einigen"), 3),
}
# In minutes.
UNITS = {
    **dict.fromkeys(("minute", "minuten"), 1),
    **dict.fromkeys(("hour", "stunde", "stunden"), 60),
    **dict.fromkeys(("day", "tag", "tage", "tagen"), 1440),
    **dict.fromkeys(("week", "woche", "wochen"), 10_080),
    **dict.fromkeys(("month", "monat", "monate", "monaten"), 43_200),
    **dict.fromkeys(("year", "jahr", "jahre", "jahren"), 525_600),
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
SEASONS |= {"frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9}
QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
# Plain English words too: a number beside them is a day only where something else says so.
DOUBTFUL = frozenset({"may", "march", "mar", "mai"})

BEFORE = frozenset({"before", "prior to", "vor"})
UNTIL = frozenset({"until", "till", "bis"})
AFTER = frozenset({"after", "nach"})
SINCE = frozenset({"since", "seit", "ab"})
AROUND = timedelta(days=7)

_WORD = re.compile(r"\w+")
_TIMELY = frozenset((
    *MONTHS, *DAYS, *UNITS, *SEASONS, "q1", "q2", "q3", "q4", "quarter", "quartal", "weekend", "wochenende", "night",
    "morning", "afternoon", "evening", "tonight", "today", "yesterday", "heute", "gestern", "vorgestern",
))  # fmt: skip
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_DAY_MINUTES = 1440
WEEK, MONTH = 7, 30  # days


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    # When first asked for: most questions speak of no time, and a cold search has none to lose.
    return re.compile(pattern, re.IGNORECASE)


def _any_of(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_MONTH = rf"(?P<m>{_any_of(MONTHS)})\b\.?"
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_NO_YEAR = r"(?![\d.:]\d|\s*(?:[kmg]?b|ms|px|bits?|bytes|(?!(?:is|was|as|this|has|does|us)\b)[a-z]+s)\b)"
_COUNT = rf"(?P<n>\d{{1,4}}|{_any_of(NUMBERS)})"
_UNIT = rf"(?P<u>{_any_of(UNITS)})s?"
_DAYS = rf"(?P<w>{_any_of(DAYS)})"
_SEASON = rf"(?P<s>{_any_of(SEASONS)})"
_PARTS = r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of|anfang|mitte|ende)[\s-]+"
_BOUND = (
    r"(?:\b(?P<bound>before|until|till|after|since|prior\s+to|vor|bis|nach|seit|ab)\s+)?"
    r"(?:(?:the|dem|der|den|zum)\s+)?"
)
_WHICH = r"last|this|previous|past|letzte[nrs]?|diese[nrs]?|vorige[nrs]?"
_NEARBY = (
    r"today|yesterday|(?:the\s+)?day\s+before\s+yesterday|last\s+night|this\s+(?:morning|afternoon|evening)|tonight|"
    r"heute|gestern|vorgestern"
)
_LEADS = r"(?:in|during|last|since|before|after|until|till|of|im|seit|vor|nach|bis|letzten|ab)"
_BETWEEN = (
    r"\b(?:between|from|zwischen|vo[nm])\s+(?P<a>[^,;?!\n]{2,30}?)\s+"
    r"(?:and|to|until|till|through|und|bis(?:\s+zum)?)\s+(?P<b>[^,;?!\n]{2,30})"
)
_LEADING = r"(?:\b(?:on|by|from|between|and|to|am|vom|zum|before|after|since|until|vor|nach|seit|bis)|^)\s*$"

Found = tuple[datetime, datetime]
Reading = Callable[["TimeMatch"], Found | None]


class TimeMatch(Value):
    """A match to be read: its groups in lower case, and when now is."""

    match: "re.Match[str]"
    now: datetime | None

    def group(self, name: str) -> str:
        """What a group holds; nothing where there is no such group, or it is empty."""
        return (self.match[name] or "").lower() if name in self.match.re.groupindex else ""


class TimeAnchor(Value):
    """Words that stand for a time: when that was, the collection must tell. `event_words`: the words that name it."""

    bound: str
    event_words: str
    phrase: str


def find_ranges(text: str, now: datetime | None) -> tuple[TimeRange, ...]:
    """The times in a question. Without `now`, only those that say their year."""
    found = [each for each, _, _ in _find_with_places(text, now)]
    return tuple(sorted(found, key=lambda each: (each.start or datetime.min.replace(tzinfo=UTC), each.phrase)))


def find_anchors(text: str, now: datetime | None) -> tuple[TimeAnchor, ...]:
    """What a question names instead of a time: `before the migration`, `after we moved to Postgres`."""
    taken = [(start, end) for _, start, end in _find_with_places(text, now)]
    found = []
    for match in _compile_pattern(_ANCHOR).finditer(text):
        told = _clause(match["told"])
        end = match.start("told") + len(told)
        if _tells_change(told) and all(end <= start or stop <= match.start() for start, stop in taken):
            said = " ".join(text[match.start() : end].split()).lower()
            found.append(TimeAnchor(bound=" ".join(match["bound"].lower().split()), event_words=told, phrase=said))
    return tuple(found)


def anchor_range(anchor: TimeAnchor, date: datetime, row: int, title: str) -> TimeRange:
    """The range that an anchor means, once a passage has told when it was."""
    where = f"{title!r}, {date.date()}" if title else f"what was said on {date.date()}"
    start: datetime | None = date
    end: datetime | None = None
    if anchor.bound in BEFORE | UNTIL:
        start, end = None, date
    elif anchor.bound not in AFTER | SINCE:
        leeway = _DAY if anchor.bound in {"during", "während"} else AROUND
        start, end = date - leeway, date + leeway
    return TimeRange(start=start, end=end, phrase=anchor.phrase, why=f"by {where}", anchor=row)


# Times that say themselves


def _find_with_places(text: str, now: datetime | None) -> list[tuple[TimeRange, int, int]]:
    """The ranges with where they stand, what says more first."""
    if not _may_speak_of_time(text):
        return []
    found = list(_find_between(text, now))
    for pattern, read in _patterns():
        for match in pattern.finditer(text):
            free = all(match.end() <= start or end <= match.start() for _, start, end in found)
            span = _read_match(match, read, now) if free else None
            if span is not None:
                found.append((_open_range(match, span), *match.span()))
    return found


def _may_speak_of_time(text: str) -> bool:
    words = _WORD.findall(text.lower())
    return any(word in _TIMELY or word.removesuffix("s") in UNITS or word[:2] in {"19", "20"} for word in words)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Reading], ...]:
    # Compiled when first asked; what says more comes first.
    th = r"(?:st|nd|rd|th|\.)?"
    parts: tuple[tuple[str, Reading], ...] = (
        (r"\b(?P<y>(?:19|20)\d\d)[-/](?P<m>\d\d)[-/](?P<d>\d\d)\b", _read_date),
        (r"(?<![\d.])(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>(?:19|20)\d\d)\b(?!\.)", _read_date),
        (r"\b(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])\b(?![-\d])", _read_month),
        (rf"(?<![\w.:])(?P<d>\d\d?)(?P<th>{th})(?P<of>\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR}\b)?", _read_date),
        (rf"\b{_MONTH}\s+(?P<d>\d\d?)(?P<th>{th})(?![\w.:]*\w)(?:,?\s+{_YEAR}\b)?", _read_date),
        (rf"\b(?:{_PARTS})?{_MONTH},?\s+(?:of\s+)?{_YEAR}\b", _read_month),
        (rf"\bq(?P<q>[1-4])[\s/-]*(?:of\s+)?{_YEAR}\b|\b(?P<y2>(?:19|20)\d\d)[\s/-]*q(?P<q2>[1-4])\b", _read_quarter),
        (
            rf"\b(?:(?P<o>first|second|third|fourth|last)\s+quarter\s+of|(?P<q>[1-4])\.\s+quartal)\s+{_YEAR}\b",
            _read_quarter,
        ),
        (rf"(?:\b{_LEADS}\s+)?(?<![\w-])q(?P<q>[1-4])\b(?![-.:(=])", _read_quarter),
        (rf"\b(?:last|letzten|letzter)\s+{_SEASON}\b|\b(?P<s2>{_any_of(SEASONS)})\s+(?:of\s+)?{_YEAR}\b", _read_season),
        (rf"\b{_PARTS}{_MONTH}", _read_month),
        (rf"\b{_LEADS}\s+{_MONTH}(?!\w)", _read_month),
        (rf"\b(?:{_LEADS}\s+)?{_PARTS}{_YEAR}\b{_NO_YEAR}", _read_year),
        (rf"\b(?:{_LEADS}|year|jahr)\s+(?:the\s+year\s+|jahr\s+)?{_YEAR}\b{_NO_YEAR}", _read_year),
        (
            rf"\b{_COUNT}\s+{_UNIT}\s+ago\b|\bvor\s+(?P<n2>\d{{1,4}}|{_any_of(NUMBERS)})\s+(?P<u2>{_any_of(UNITS)})\b",
            _read_ago,
        ),
        (rf"\b(?:last|past|previous|letzten|vergangenen)\s+{_COUNT}\s+{_UNIT}\b", _read_past),
        (rf"\b(?P<which>{_WHICH})\s+(?P<u>week|month|year|woche|monat|jahr)\b", _read_calendar_unit),
        (r"\b(?:last|this|over\s+the|on\s+the|letztes|am)\s+(?:past\s+)?(?P<e>weekend|wochenende)\b", _read_weekend),
        (rf"\b(?:{_LEADS}|on|this\s+past|am)\s+{_DAYS}\b", _read_weekday),
        (rf"\b(?P<t>{_NEARBY})\b", _read_near_day),
    )
    return tuple((_compile_pattern(_BOUND + pattern), read) for pattern, read in parts)


def _read_match(match: re.Match[str], read: Reading, now: datetime | None) -> Found | None:
    try:
        return read(TimeMatch(match=match, now=now))
    except (OverflowError, ValueError):  # the 31st of February, the year 0
        return None


def _open_range(match: re.Match[str], span: Found) -> TimeRange:
    """`before` and `until` leave the start open, `after` and `since` the end."""
    said = " ".join(match.group().lower().split())
    bound = " ".join((match["bound"] or said.split()[0]).lower().split())
    if bound == "vor" and ("n2" in match.re.groupindex and match["n2"]):
        bound = ""  # `vor drei Tagen` is three days ago
    if bound in BEFORE or bound == "prior":
        return TimeRange(start=None, end=span[0], phrase=said)
    if bound in UNTIL:
        return TimeRange(start=None, end=span[1], phrase=said)
    if bound in AFTER:
        return TimeRange(start=span[1], end=None, phrase=said)
    return TimeRange(start=span[0], end=None if bound in SINCE else span[1], phrase=said)


def _find_between(text: str, now: datetime | None) -> Iterator[tuple[TimeRange, int, int]]:
    """`between May and July`, `from 2026-05-01 to yesterday`: from where the one begins to where the other ends."""
    for match in _compile_pattern(_BETWEEN).finditer(text):
        last = _read_point(match["b"], now)
        first = _read_point(match["a"], now, year=_find_year(match["b"]))
        if first is None or last is None or first[1] < len(match["a"]):
            continue
        start, end = first[0][0], last[0][1]
        if start >= end and not _find_year(match["a"]):
            start = start.replace(year=start.year - 1)
        stop = match.start("b") + last[1]
        if start < end:
            said = " ".join(text[match.start() : stop].lower().split())
            yield TimeRange(start=start, end=end, phrase=said), match.start(), stop


def _read_point(piece: str, now: datetime | None, year: str = "") -> tuple[Found, int] | None:
    """The time at the beginning of a piece of text, and how much of the piece it takes; a year may be lent to it."""
    lent = f" {year}" if year and not _find_year(piece) else ""
    for lead in ("", "in ", "on "):
        whole = f"{lead}{piece}{lent}"
        for pattern, read in _patterns():
            match = pattern.match(whole)
            span = _read_match(match, read, now) if match else None
            if match is not None and span is not None:
                return span, max(0, match.end() - len(lead) - len(lent) if lent else match.end() - len(lead))
    return _read_point(piece, now) if lent else None


def _find_year(piece: str) -> str:
    found = re.search(r"\b(?:19|20)\d\d\b", piece)
    return found[0] if found else ""


def _read_date(read: TimeMatch) -> Found | None:
    """A day; without a year, the last such day."""
    month, day, now = _number_of(read.group("m")), int(read.group("d")), read.now
    if read.group("y"):
        start = datetime(int(read.group("y")), month, day, tzinfo=UTC)
    elif now is None or _is_doubtful(read):
        return None
    else:
        start = datetime(now.year, month, day, tzinfo=UTC)
        start = start if start <= now else start.replace(year=now.year - 1)
    return start, start + _DAY


def _is_doubtful(read: TimeMatch) -> bool:
    """`2 may fail` and `may 3 people` are no days: something must say that a day is meant."""
    match, word = read.match, read.match["m"]
    if word.lower() not in DOUBTFUL or read.group("th") not in {"", "."} or read.group("of") or read.group("bound"):
        return False
    before = match.string[: match.start()]
    return not (_compile_pattern(_LEADING).search(before) and before.strip()) and not (
        word[0].isupper() and before.strip()
    )


def _read_month(read: TimeMatch) -> Found | None:
    """A month, or a part of it; without a year, the last such month."""
    month, year = _number_of(read.group("m")), int(read.group("y") or 0)
    if not year:
        if read.now is None:
            return None
        year = read.now.year if month <= read.now.month else read.now.year - 1
    return _third_of(_months(year, month, 1), read.group("part"))


def _read_year(read: TimeMatch) -> Found | None:
    year = int(read.group("y"))
    if read.now is not None and year > read.now.year + 1:
        return None
    return _third_of(_months(year, 1, 12), read.group("part"))


def _read_quarter(read: TimeMatch) -> Found | None:
    """A quarter; without a year, the last that has begun. A lower-case `q3` alone is some name."""
    ordinal = QUARTERS.get(read.group("o"), 0)
    quarter = ordinal or int(read.group("q") or read.group("q2"))
    year = int(read.group("y") or read.group("y2") or 0)
    if not year:
        if read.now is None or ("q" in read.match.group() and read.match.group() == read.match.group().strip()[-2:]):
            return None
        year = read.now.year if (quarter - 1) * 3 < read.now.month else read.now.year - 1
    return _months(year, quarter * 3 - 2, 3)


def _read_season(read: TimeMatch) -> Found | None:
    """A season of a year; the last that is over or has begun."""
    first = SEASONS[read.group("s") or read.group("s2")]
    if read.group("y"):
        return _months(int(read.group("y")), first, 3)
    if read.now is None:
        return None
    year = read.now.year if first + 3 <= read.now.month else read.now.year - 1
    return _months(year, first, 3)


def _read_ago(read: TimeMatch) -> Found | None:
    """So long ago, with as much leeway as the unit is vague."""
    if read.now is None:
        return None
    unit = _minutes_of(read.group("u") or read.group("u2"))
    count = _parse_count(read.group("n") or read.group("n2"))
    if unit < _DAY_MINUTES:
        when = read.now - count * unit * _MINUTE
        return when - unit * _MINUTE, when + unit * _MINUTE
    days = unit // _DAY_MINUTES
    when = _midnight(read.now) - count * days * _DAY
    leeway = (0 if days == 1 else days // 2) * _DAY
    return when - leeway, when + leeway + _DAY


def _read_past(read: TimeMatch) -> Found | None:
    if read.now is None:
        return None
    unit, count = _minutes_of(read.group("u")), _parse_count(read.group("n"))
    if unit < _DAY_MINUTES:
        return read.now - count * unit * _MINUTE, read.now + _MINUTE
    return _midnight(read.now) - count * unit * _MINUTE, _midnight(read.now) + _DAY


def _read_calendar_unit(read: TimeMatch) -> Found | None:
    """The calendar's week, month or year, this one or the last; `past` is counted back from now."""
    if read.now is None:
        return None
    today, which, unit = _midnight(read.now), read.group("which"), _minutes_of(read.group("u")) // _DAY_MINUTES
    this = which.startswith(("this", "diese"))
    if which == "past":
        return today - unit * _DAY, today + _DAY
    if unit == WEEK:
        monday = today - today.weekday() * _DAY
        return (monday, monday + 7 * _DAY) if this else (monday - 7 * _DAY, monday)
    if unit == MONTH:
        last = today.replace(day=1) - _DAY
        return _months(today.year, today.month, 1) if this else _months(last.year, last.month, 1)
    return _months(today.year if this else today.year - 1, 1, 12)


def _read_weekend(read: TimeMatch) -> Found | None:
    """The last Saturday and Sunday; on one of them, these."""
    if read.now is None:
        return None
    today = _midnight(read.now)
    saturday = today - ((today.weekday() - DAYS["saturday"]) % 7) * _DAY
    return saturday, saturday + 2 * _DAY


def _read_weekday(read: TimeMatch) -> Found | None:
    if read.now is None:
        return None
    back = (read.now.weekday() - DAYS[read.group("w")]) % 7 or 7
    start = _midnight(read.now) - back * _DAY
    return start, start + _DAY


def _read_near_day(read: TimeMatch) -> Found | None:
    if read.now is None:
        return None
    said = " ".join(read.group("t").split())
    if said == "last night":
        return _midnight(read.now) - _DAY / 4, _midnight(read.now) + _DAY / 4
    two = said.endswith("before yesterday") or said == "vorgestern"
    back = 2 if two else 1 if said in {"yesterday", "gestern"} else 0
    start = _midnight(read.now) - back * _DAY
    return start, start + _DAY


def _third_of(span: Found, part: str) -> Found:
    """The first, the middle or the last third of a span."""
    third = (span[1] - span[0]) / 3
    word = part.split(maxsplit=1)[0] if part else ""
    if word in {"early", "beginning", "start", "anfang"}:
        return span[0], span[0] + third
    if word in {"mid", "middle", "mitte"}:
        return span[0] + third, span[1] - third
    return (span[1] - third, span[1]) if word in {"late", "end", "ende"} else span


def _months(year: int, first: int, count: int) -> Found:
    start = datetime(year, first, 1, tzinfo=UTC)
    last = first - 1 + count
    return start, datetime(year + last // 12, last % 12 + 1, 1, tzinfo=UTC)


def _midnight(now: datetime) -> datetime:
    return datetime(now.year, now.month, now.day, tzinfo=UTC)


def _number_of(month: str) -> int:
    return int(month) if month.isdigit() else MONTHS[month]


def _minutes_of(unit: str) -> int:
    return UNITS.get(unit) or UNITS[unit.removesuffix("s")]


def _parse_count(said: str) -> int:
    return int(said) if said.isdigit() else NUMBERS[" ".join(said.split())]


# What is named instead of a time

_ANCHOR = (
    r"\b(?P<bound>before|prior\s+to|until|till|after|since|around(?:\s+the\s+time(?:\s+of)?)?|at\s+the\s+time\s+of|"
    r"during|vor|nach|seit|während|um\s+die\s+zeit)\s+(?P<told>(?:[^,;.?!\n]|\.(?=\w)){3,120})"
)
_CLAUSE_END = (
    r"\s+(?:what|which|who|how|why|where|did|do|does|was|were|is|are|should|would|could|can|and|but|or|then|so|"
    r"before|after|since|until|was|wie|warum|wer|wo|und|aber|oder|haben|hatten)\b.*"
)
_NOUNS = (
    r"adoption|breach|change|conference|crash|cutover|cut-over|deploy|deployment|downtime|fork|freeze|hackathon|"
    r"incident|introduction|launch|merge|migration|move|offsite|outage|redesign|refactor|refactoring|release|removal|"
    r"rename|reorg|restructuring|rewrite|rollback|rollout|split|switch|upgrade|version|"
    r"ausfall|einführung|freigabe|migration|umbau|umstellung|umstieg|umzug|veröffentlichung|wechsel"
)
_VERBS = (
    r"adopted|added|began|broke|built|changed|chose|crashed|cut|decided|deployed|dropped|fixed|forked|introduced|"
    r"launched|left|merged|migrated|moved|ported|put|refactored|released|removed|renamed|replaced|rewrote|rolled|"
    r"shipped|split|started|stopped|switched|took|turned|upgraded|went|wrote|"
    r"eingeführt|ersetzt|gewechselt|migriert|umgestellt|umgestiegen|umgezogen|veröffentlicht|wechselten|migrierten"
)
_CHANGES = "|".join((
    rf"(?:the|our|that|this|last|der|die|das|dem|den|unser\w*)\s+(?:[\w.+-]+\s+){{0,3}}(?:{_NOUNS})\b",
    r"(?:release|version|migration|switch|move|upgrade)\s+(?:of|to|from|\d)",
    rf"(?:we|they|i|you|he|she|it|the\s+\w+|wir|sie|[A-Z][\w.]+)\s+(?:\w+\s+){{0,4}}(?:{_VERBS})\b",
    r"(?:moving|switching|migrating|upgrading|adopting|replacing|dropping|porting)\s+\w+",
))  # fmt: skip
# The terms of what changes: whichever of them a passage says, it tells of a change.
CHANGING = (
    "adopt adoption ausfall began begin break broke build built change choose chose crash cut cutover decide decision "
    "deploy deployment downtime drop einführung ersetzt fix fork gewechselt incident instead introduce introduction "
    "launch leave left merge migrate migration migriert move now outage port postmortem refactor release remove "
    "removal rename replace rewrite rewrote roll rollback rollout ship split start stop switch take took turn "
    "umgestellt umgezogen umstellung umstieg umzug upgrade veröffentlicht version went write wrote"
)


def _clause(told: str) -> str:
    """The words up to where another clause begins."""
    return _compile_pattern(_CLAUSE_END).sub("", told).rstrip()


def _tells_change(told: str) -> bool:
    return _compile_pattern(_CHANGES).match(told) is not None
