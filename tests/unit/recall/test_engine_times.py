from datetime import UTC, datetime

import pytest

from holdfast.recall.engine.times import ranges

NOW = datetime(2026, 11, 15, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("what broke yesterday?", "2026-11-14", "2026-11-15"),
        ("what broke last week?", "2026-11-02", "2026-11-09"),
        ("what broke this month?", "2026-11-01", "2026-12-01"),
        ("what broke in March?", "2026-03-01", "2026-04-01"),
        ("what broke in December?", "2025-12-01", "2026-01-01"),
        ("what broke on 8 May 2023?", "2023-05-08", "2023-05-09"),
        ("what broke on May 8th, 2023?", "2023-05-08", "2023-05-09"),
        ("what broke before 2026-05-01?", None, "2026-05-01"),
        ("what broke since 2026-05?", "2026-05-01", None),
        ("what broke after March 2025?", "2025-04-01", None),
        ("what broke in 2024?", "2024-01-01", "2025-01-01"),
        ("what broke two days ago?", "2026-11-13", "2026-11-14"),
        ("what broke in the past 3 days?", "2026-11-12", "2026-11-16"),
        ("what broke last Monday?", "2026-11-09", "2026-11-10"),
        ("what broke last year?", "2025-01-01", "2026-01-01"),
    ],
)
def test_a_time_in_a_question_is_a_range(question: str, start: str | None, end: str | None) -> None:
    (found,) = ranges(question, NOW)

    assert (found.start and found.start.date().isoformat(), found.end and found.end.date().isoformat()) == (start, end)


@pytest.mark.parametrize("question", ["may I ask?", "march on", "version 2024.1", "on the 99999999 days ago", ""])
def test_other_words_are_no_time(question: str) -> None:
    assert ranges(question, NOW) == ()


def test_without_a_clock_only_full_dates_are_understood() -> None:
    assert ranges("yesterday, last week, in March, 3 days ago, last Monday, past 2 days, 8 May", None) == ()
    assert len(ranges("on 2026-05-01", None)) == 1


def test_two_times_are_two_ranges() -> None:
    assert [found.said for found in ranges("between 2026-05-01 and yesterday", NOW)] == ["2026-05-01", "yesterday"]


def test_a_day_that_never_was_is_none() -> None:
    assert ranges("on 2026-02-31", NOW) == ()
