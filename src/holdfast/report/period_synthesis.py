"""A period put together: ratings and their trend, failures that recur, learnings, files. Pure: no disk, no clock."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from holdfast.core.value import Value, as_dict
from holdfast.records.content_words import content_words
from holdfast.records.file_activity import ActivityHistory, FailedCall
from holdfast.records.learning_topic import ALGORITHM, SYSTEM
from holdfast.records.work_unit import one_line

WEEK, MONTH, ALL = "week", "month", "all"
LOW = 3
STEP = 0.5
LEAST_FOR_TREND = 3
ALIKE = 0.5
RECURS = 2
MOST_SHOWN = 10
MOST_FAILURES = 2000
UP, DOWN, LEVEL, UNKNOWN = "up", "down", "level", "unknown"
_NOISE = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|\d+|(?:[\w.~-]*/)+")


class Period(Value):
    """A stretch of days: from the first, up to and without the last."""

    kind: str
    since: str
    until: str

    @property
    def title(self) -> str:
        """How people call it."""
        if self.kind == ALL:
            return "All time"
        if self.kind == MONTH:
            return f"Month {self.since[:7]}"
        last = date.fromisoformat(self.until) - timedelta(days=1)
        return f"Week {self.since} to {last.isoformat()}"


class PeriodRatings(Value):
    """Ratings of a period, beside those of the one before."""

    count: int = 0
    mean: float | None = None
    low: int = 0
    before: float | None = None
    before_count: int = 0
    trend: str = UNKNOWN
    by_day: tuple[tuple[str, int, float], ...] = ()


class FailureCluster(Value):
    """Failures that say the same."""

    text: str
    count: int
    sessions: int
    last: str
    example: str


class LearningRecord(Value):
    """A learning as a record."""

    text: str
    at: str
    path: str
    category: str


class FileChangeCount(Value):
    """A file and how much it changed."""

    path: str
    changes: int
    sessions: int


class PeriodSynthesis(Value):
    """A period put together."""

    period: Period
    sessions: int = 0
    prompts: int = 0
    rated: PeriodRatings
    failures: tuple[FailureCluster, ...] = ()
    failed: int = 0
    learnings: tuple[LearningRecord, ...] = ()
    files: tuple[FileChangeCount, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing was recorded."""
        return not (self.sessions or self.rated.count or self.learnings)


def week_of(day: date) -> Period:
    """The week around a day, Monday to Sunday."""
    monday = day - timedelta(days=day.weekday())
    return Period(kind=WEEK, since=monday.isoformat(), until=(monday + timedelta(days=7)).isoformat())


def month_of(day: date) -> Period:
    """The month around a day."""
    first = day.replace(day=1)
    return Period(kind=MONTH, since=first.isoformat(), until=(first + timedelta(days=32)).replace(day=1).isoformat())


def period_before(period: Period) -> Period | None:
    """The period before one; everything has none."""
    if period.kind == ALL:
        return None
    last = date.fromisoformat(period.since) - timedelta(days=1)
    return week_of(last) if period.kind == WEEK else month_of(last)


def weeks_beginning_in(month: Period) -> list[Period]:
    """The weeks whose Monday lies in a month, oldest first."""
    first = date.fromisoformat(month.since)
    mondays = (first + timedelta(days=days) for days in range(31))
    return [week_of(day) for day in mondays if day.weekday() == 0 and day.isoformat() < month.until]


def synthesize(
    period: Period, history: ActivityHistory, ratings: Sequence[Mapping[str, Any]], learnings: Sequence[LearningRecord]
) -> PeriodSynthesis:
    """What a period holds. `history` is of that period; ratings and learnings are all there are."""
    inside = [line for line in ratings if _is_within(period, str(line.get("ts", "")))]
    earlier = period_before(period)
    former = [line for line in ratings if earlier and _is_within(earlier, str(line.get("ts", "")))]
    failures = [*history.failures, *_rated_failures(inside)]
    return PeriodSynthesis(
        period=period,
        sessions=len(history.sessions),
        prompts=history.prompts,
        rated=_summarize_ratings(inside, former),
        failures=cluster_failures(failures),
        failed=len(history.failures),
        learnings=tuple(sorted((each for each in learnings if _is_within(period, each.at)), key=_newest_first)),
        files=_touched_files(history),
    )


def cluster_failures(failures: Iterable[FailedCall]) -> tuple[FailureCluster, ...]:
    """Failures that recur, the most frequent first. Each goes to the first cluster that says the same."""
    ordered = sorted(failures, key=lambda each: (each.at, each.session, each.text))[-MOST_FAILURES:]
    groups: list[tuple[frozenset[str], list[FailedCall]]] = []
    for failed in ordered:
        words = content_words(_NOISE.sub(" ", failed.text)) or frozenset({failed.text})
        group = next((found for known, found in groups if _are_alike(words, known)), None)
        if group is None:
            groups.append((words, [failed]))
        else:
            group.append(failed)
    found = [_cluster(group) for _, group in groups if len(group) >= RECURS]
    return tuple(sorted(found, key=lambda each: (-each.count, _reversed_key(each.last), each.text)))[:MOST_SHOWN]


def render_page(found: Sequence[PeriodSynthesis], title: str) -> str:
    """The file: one section for each period, the newest first."""
    shown = [each for each in reversed(found) if not each.empty]
    return f"# {title}\n\n" + "\n".join(_section(each) for each in shown)


def to_json(found: PeriodSynthesis) -> dict[str, Any]:
    """The one JSON form."""
    rated = found.rated
    by_kind = {kind: [each for each in found.learnings if each.category == kind] for kind in (SYSTEM, ALGORITHM)}
    return {
        "period": found.period.kind,
        "since": found.period.since,
        "until": found.period.until,
        "sessions": found.sessions,
        "prompts": found.prompts,
        "ratings": {
            "count": rated.count,
            "mean": rated.mean,
            "low": rated.low,
            "before": rated.before,
            "trend": rated.trend,
            "byDay": [list(day) for day in rated.by_day],
        },
        "failed": found.failed,
        "failures": [as_dict(each) for each in found.failures],
        "learnings": {
            kind: [{"text": each.text, "at": each.at, "path": each.path} for each in several]
            for kind, several in by_kind.items()
        },
        "files": [as_dict(each) for each in found.files],
    }


def _section(found: PeriodSynthesis) -> str:
    rated = found.rated
    lines = [f"## {found.period.title}", "", f"- Sessions: {found.sessions}, prompts: {found.prompts}"]
    if rated.count:
        former = f", before {rated.before} ({rated.before_count})" if rated.before is not None else ""
        lines.append(f"- Ratings: {rated.count}, mean {rated.mean}, low {rated.low}{former}, trend {rated.trend}")
    else:
        lines.append("- Ratings: none")
    lines.append(f"- Failed calls: {found.failed}")
    failures = [
        f"- {each.count}× in {each.sessions}, last {each.last[:10]}: {_escape_line(each.example)}"
        for each in found.failures
    ]
    lines += _part("Recurring failures", failures)
    for kind, heading in ((SYSTEM, "Learnings: system"), (ALGORITHM, "Learnings: algorithm")):
        several = [each for each in found.learnings if each.category == kind]
        lines += _part(heading, [f"- {each.at[:10]} {_escape_line(each.text)} ({each.path})" for each in several])
    lines += _part("Most touched files", [f"- {each.path}: {each.changes} in {each.sessions}" for each in found.files])
    return "\n".join(lines) + "\n"


def _part(heading: str, lines: list[str]) -> list[str]:
    return ["", f"### {heading}", "", *lines] if lines else []


def _escape_line(text: str) -> str:
    """Words on one line that open neither a tag nor a rule in a page."""
    return one_line(text, 200).replace("<", "‹").replace(">", "›").replace("`", "'")


def _summarize_ratings(inside: Sequence[Mapping[str, Any]], former: Sequence[Mapping[str, Any]]) -> PeriodRatings:
    values, old = [int(line["rating"]) for line in inside], [int(line["rating"]) for line in former]
    by_day: dict[str, list[int]] = defaultdict(list)
    for line in inside:
        by_day[str(line["ts"])[:10]].append(int(line["rating"]))
    days = tuple((day, len(each), round(sum(each) / len(each), 2)) for day, each in sorted(by_day.items()))
    return PeriodRatings(
        count=len(values),
        mean=_mean(values),
        low=sum(value <= LOW for value in values),
        before=_mean(old),
        before_count=len(old),
        trend=_trend(values, old),
        by_day=days,
    )


def _trend(values: list[int], old: list[int]) -> str:
    if min(len(values), len(old)) < LEAST_FOR_TREND:
        return UNKNOWN
    moved = sum(values) / len(values) - sum(old) / len(old)
    return UP if moved >= STEP else DOWN if moved <= -STEP else LEVEL


def _rated_failures(ratings: Iterable[Mapping[str, Any]]) -> list[FailedCall]:
    return [
        FailedCall(text=one_line(str(line["comment"]), 300), at=str(line["ts"]), session=str(line.get("session", "")))
        for line in ratings
        if int(line["rating"]) <= LOW and line.get("comment")
    ]


def _touched_files(history: ActivityHistory) -> tuple[FileChangeCount, ...]:
    changes = Counter(change.path for change in history.changes)
    sessions: dict[str, set[str]] = defaultdict(set)
    for change in history.changes:
        sessions[change.path].add(change.session)
    ordered = sorted(changes.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SHOWN]
    return tuple(FileChangeCount(path=path, changes=count, sessions=len(sessions[path])) for path, count in ordered)


def _cluster(group: Sequence[FailedCall]) -> FailureCluster:
    newest = group[-1]
    text = " ".join(_NOISE.sub(" ", newest.text).split())
    sessions = len({each.session for each in group})
    example = f"{newest.command}: {newest.text}" if newest.command else newest.text
    return FailureCluster(
        text=text, count=len(group), sessions=sessions, last=newest.at, example=one_line(example, 200)
    )


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) / len(one | other) >= ALIKE


def _is_within(period: Period, at: str) -> bool:
    return period.since <= at[:10] < period.until


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None


def _newest_first(learning: LearningRecord) -> tuple[str, str]:
    return _reversed_key(learning.at), learning.path


def _reversed_key(text: str) -> str:
    """A key by which later times come first."""
    return "".join(chr(0x10FFFF - ord(character)) for character in text)
