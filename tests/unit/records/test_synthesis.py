"""A period put together."""

from datetime import date
from typing import Any

import pytest

from holdfast.records.file_activity import ActivityHistory, FailedCall, ToolFileWrite
from holdfast.report.period_synthesis import (
    LearningRecord,
    Period,
    cluster_failures,
    month_of,
    period_before,
    render_page,
    synthesize,
    to_json,
    week_of,
    weeks_beginning_in,
)

WEEK = week_of(date(2026, 11, 15))


def rating(day: str, value: int, comment: str = "") -> dict[str, Any]:
    return {"ts": f"{day}T10:00:00Z", "rating": value, "comment": comment, "session": "s1"}


def failed(text: str, day: int = 15, session: str = "s1") -> FailedCall:
    return FailedCall(text=text, at=f"2026-11-{day:02d}T10:00:00Z", session=session, command="pytest")


def test_periods_are_weeks_from_monday_and_calendar_months() -> None:
    assert (WEEK.since, WEEK.until, WEEK.title) == ("2026-11-09", "2026-11-16", "Week 2026-11-09 to 2026-11-15")
    assert (month_of(date(2026, 12, 31)).since, month_of(date(2026, 12, 31)).until) == ("2026-12-01", "2027-01-01")
    assert period_before(month_of(date(2026, 3, 30))) == month_of(date(2026, 2, 1))
    assert period_before(WEEK) == week_of(date(2026, 11, 8))
    assert [week.since for week in weeks_beginning_in(month_of(date(2026, 11, 1)))] == [
        "2026-11-02",
        "2026-11-09",
        "2026-11-16",
        "2026-11-23",
        "2026-11-30",
    ]


@pytest.mark.parametrize(
    ("now", "then", "trend"),
    [
        ([8, 9, 9], [5, 6, 6], "up"),
        ([4, 4, 4], [8, 8, 8], "down"),
        ([7, 7, 7], [7, 7, 8], "level"),
        ([9], [1], "unknown"),
    ],
)
def test_the_trend_is_against_the_period_before(now: list[int], then: list[int], trend: str) -> None:
    ratings = [rating("2026-11-10", value) for value in now] + [rating("2026-11-03", value) for value in then]

    found = synthesize(WEEK, ActivityHistory(), ratings, []).rated

    assert (found.trend, found.count, found.before_count) == (trend, len(now), len(then))


def test_failures_that_say_the_same_are_one_cluster_whatever_their_numbers_and_places() -> None:
    found = cluster_failures(
        [
            failed("TimeoutError: QueuePool limit of size 5 reached in /a/b/pool.py:12", 10),
            failed("TimeoutError: QueuePool limit of size 9 reached in /x/pool.py:99", 11, "s2"),
            failed("SyntaxError: invalid token", 12),
        ]
    )

    assert [(each.count, each.sessions, each.last[:10]) for each in found] == [(2, 2, "2026-11-11")]
    assert "size 9" in found[0].example


def test_the_order_of_failures_does_not_matter() -> None:
    several = [failed(f"TimeoutError: pool {n} ran dry", n % 28 + 1) for n in range(30)]
    several += [failed(f"KeyError: missing header {n}", n % 28 + 1) for n in range(20)]

    assert cluster_failures(several) == cluster_failures(reversed(several))
    assert [each.count for each in cluster_failures(several)] == [30, 20]


def test_a_bad_rating_with_words_is_a_failure_too() -> None:
    ratings = [rating("2026-11-10", 2, "you ignored the timeout"), rating("2026-11-11", 1, "ignored the timeout again")]

    found = synthesize(WEEK, ActivityHistory(), ratings, [])

    assert [each.count for each in found.failures] == [2]
    assert found.rated.low == 2


def test_learnings_are_sorted_and_files_counted() -> None:
    changes = tuple(
        ToolFileWrite(path=path, at="2026-11-10T10:00:00Z", session=session, client="c")
        for path, session in (("b.py", "s1"), ("a.py", "s1"), ("a.py", "s2"))
    )
    learnings = [
        LearningRecord(text="pip needs a proxy", at="2026-11-10T10:00:00Z", path="x", category="system"),
        LearningRecord(text="ask first", at="2026-11-11T10:00:00Z", path="y", category="algorithm"),
        LearningRecord(text="old", at="2026-10-11T10:00:00Z", path="z", category="algorithm"),
    ]

    found = synthesize(WEEK, ActivityHistory(sessions=("s1", "s2"), prompts=3, changes=changes), [], learnings)

    form = to_json(found)
    assert [each["text"] for each in form["learnings"]["system"]] == ["pip needs a proxy"]
    assert [each["text"] for each in form["learnings"]["algorithm"]] == ["ask first"]
    assert form["files"] == [
        {"path": "a.py", "changes": 2, "sessions": 2},
        {"path": "b.py", "changes": 1, "sessions": 1},
    ]


def test_the_page_has_a_section_for_each_period_that_has_something_newest_first() -> None:
    weeks = weeks_beginning_in(month_of(date(2026, 11, 1)))
    ratings = [rating("2026-11-03", 8), rating("2026-11-10", 4, "<script>alert(1)</script> ignored ``` it")]
    found = [synthesize(week, ActivityHistory(), ratings, []) for week in weeks]

    text = render_page(found, "Weekly patterns, 2026-11")

    assert text == render_page(found, "Weekly patterns, 2026-11")
    assert text.index("## Week 2026-11-09") < text.index("## Week 2026-11-02")
    assert "2026-11-16" not in text
    assert "<script>" not in text


def test_nothing_recorded_is_empty() -> None:
    assert synthesize(Period(kind="all", since="0001-01-01", until="9999-12-31"), ActivityHistory(), [], []).empty
