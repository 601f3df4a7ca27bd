"""Which words of a question are a time, and which time."""

from datetime import UTC, datetime

import pytest
from tests.unit.recall.engine_values import titled

from holdfast.core.shelf import Shelf
from holdfast.recall.engine.engine_values import TimeRange
from holdfast.recall.engine.prepare_question import prepare_question
from holdfast.recall.engine.recipes import WORDS
from holdfast.recall.engine.time_words import find_anchors, find_ranges

# A Sunday.
NOW = datetime(2026, 11, 15, 14, 30, tzinfo=UTC)


def dates(found: TimeRange) -> tuple[str | None, str | None]:
    start, end = (each.date().isoformat() if each else None for each in (found.start, found.end))
    return start, end


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("what broke today?", "2026-11-15", "2026-11-16"),
        ("what broke this morning?", "2026-11-15", "2026-11-16"),
        ("what broke yesterday?", "2026-11-14", "2026-11-15"),
        ("what broke the day before yesterday?", "2026-11-13", "2026-11-14"),
        ("what broke since yesterday?", "2026-11-14", None),
        ("what broke last week?", "2026-11-02", "2026-11-09"),
        ("what broke this week?", "2026-11-09", "2026-11-16"),
        ("what broke this month?", "2026-11-01", "2026-12-01"),
        ("what broke last month?", "2026-10-01", "2026-11-01"),
        ("what broke last year?", "2025-01-01", "2026-01-01"),
        ("what broke in March?", "2026-03-01", "2026-04-01"),
        ("what broke in may?", "2026-05-01", "2026-06-01"),
        ("what broke in December?", "2025-12-01", "2026-01-01"),
        ("what broke in Sept?", "2026-09-01", "2026-10-01"),
        ("what broke in early March?", "2026-03-01", "2026-03-11"),
        ("what broke in late March 2025?", "2025-03-21", "2025-04-01"),
        ("what broke at the end of June?", "2026-06-21", "2026-07-01"),
        ("what broke on 8 May 2023?", "2023-05-08", "2023-05-09"),
        ("what broke on May 8th, 2023?", "2023-05-08", "2023-05-09"),
        ("what broke on may 8?", "2026-05-08", "2026-05-09"),
        ("what broke on the 8th of May?", "2026-05-08", "2026-05-09"),
        ("what broke on 2026/05/08?", "2026-05-08", "2026-05-09"),
        ("what broke before 2026-05-01?", None, "2026-05-01"),
        ("what broke prior to 2026-05-01?", None, "2026-05-01"),
        ("what broke until 2026-05-01?", None, "2026-05-02"),
        ("what broke since 2026-05?", "2026-05-01", None),
        ("what broke in 2025-03?", "2025-03-01", "2025-04-01"),
        ("what broke after March 2025?", "2025-04-01", None),
        ("what broke in 2024?", "2024-01-01", "2025-01-01"),
        ("what broke in early 2024?", "2024-01-01", "2024-05-02"),
        ("what broke since 2024?", "2024-01-01", None),
        ("what broke two days ago?", "2026-11-13", "2026-11-14"),
        ("what broke a week ago?", "2026-11-05", "2026-11-12"),
        ("what broke 3 hours ago?", "2026-11-15", "2026-11-15"),
        ("what broke in the past 3 days?", "2026-11-12", "2026-11-16"),
        ("what broke in the last 24 hours?", "2026-11-14", "2026-11-15"),
        ("what broke in the last two weeks?", "2026-11-01", "2026-11-16"),
        ("what broke last Monday?", "2026-11-09", "2026-11-10"),
        ("what broke since Monday?", "2026-11-09", None),
        ("what broke before Friday?", None, "2026-11-13"),
        ("what broke last weekend?", "2026-11-14", "2026-11-16"),
        ("what broke last night?", "2026-11-14", "2026-11-15"),
        ("what broke in Q3?", "2026-07-01", "2026-10-01"),
        ("Q3 failures", "2026-07-01", "2026-10-01"),
        ("what broke in Q4 2025?", "2025-10-01", "2026-01-01"),
        ("what broke in 2025-Q1?", "2025-01-01", "2025-04-01"),
        ("what broke in the third quarter of 2025?", "2025-07-01", "2025-10-01"),
        ("what broke last summer?", "2026-06-01", "2026-09-01"),
        ("what broke in the summer of 2024?", "2024-06-01", "2024-09-01"),
        ("what broke between May and July?", "2026-05-01", "2026-08-01"),
        ("what broke between May and July 2025?", "2025-05-01", "2025-08-01"),
        ("what broke between November and February?", "2025-11-01", "2026-03-01"),
        ("what broke from 2026-05-01 to 2026-05-03?", "2026-05-01", "2026-05-04"),
        ("what broke between 2026-05-01 and yesterday?", "2026-05-01", "2026-11-15"),
        ("what broke between Monday and Wednesday?", "2026-11-09", "2026-11-12"),
        ("was ging gestern kaputt?", "2026-11-14", "2026-11-15"),
        ("was ging vorgestern kaputt?", "2026-11-13", "2026-11-14"),
        ("was ging letzte Woche kaputt?", "2026-11-02", "2026-11-09"),
        ("was ging im März kaputt?", "2026-03-01", "2026-04-01"),
        ("was ging vor drei Tagen kaputt?", "2026-11-12", "2026-11-13"),
        ("was ging vor 2 Wochen kaputt?", "2026-10-29", "2026-11-05"),
        ("was ging seit Montag kaputt?", "2026-11-09", None),
        ("was ging vor dem 01.05.2026 kaputt?", None, "2026-05-01"),
        ("was ging zwischen Mai und Juli kaputt?", "2026-05-01", "2026-08-01"),
        ("was ging seit Anfang März kaputt?", "2026-03-01", None),
        ("was ging am 3. Mai 2025 kaputt?", "2025-05-03", "2025-05-04"),
    ],
)
def test_a_time_in_a_question_is_a_range(question: str, start: str | None, end: str | None) -> None:
    (found,) = find_ranges(question, NOW)

    assert dates(found) == (start, end)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "may I ask?",
        "it may fail",
        "step 2 may fail",
        "the 3 may be wrong",
        "may 3 people join?",
        "march on",
        "march through the code",
        "march 4 steps ahead",
        "in a second",
        "the second one",
        "give me a second, then 30 seconds",
        "the 3 of us",
        "1 of 3 may fail",
        "version 2024.1",
        "in 2024.1 it was renamed",
        "since 2.0",
        "python 3.11 and 3.12",
        "port 2024 is taken",
        "listens on port 8080",
        "after 2000 requests",
        "after 2048 bytes",
        "a limit of 2000 rows",
        "10.0.2023.1 is no address",
        "week numbers",
        "the last commit",
        "the last 3 commits",
        "next week",
        "day by day",
        "the Monday library",
        "q3 is a variable",
        "spring boot and fall back",
        "from source to binary",
        "between the two",
        "from 2 to 3",
        "ab 3 items",
        "on the 99999999 days ago",
        "error 2031",
    ],
)
def test_other_words_are_no_time(question: str) -> None:
    assert find_ranges(question, NOW) == ()
    assert find_anchors(question, NOW) == ()


def test_without_a_clock_only_full_dates_are_understood() -> None:
    assert find_ranges("yesterday, last week, in March, 3 days ago, last Monday, past 2 days, 8 May, Q3", None) == ()
    assert len(find_ranges("on 2026-05-01", None)) == 1


def test_two_times_are_two_ranges() -> None:
    assert [found.phrase for found in find_ranges("2026-05-01 or yesterday", NOW)] == ["2026-05-01", "yesterday"]


def test_a_day_that_never_was_is_none() -> None:
    assert find_ranges("on 2026-02-31", NOW) == ()


@pytest.mark.parametrize(
    ("question", "bound", "told"),
    [
        ("what did we use before the migration?", "before", "the migration"),
        ("which pool after we moved to Postgres", "after", "we moved to Postgres"),
        ("what broke since the release of 2.0?", "since", "the release of 2.0"),
        ("what was said around the time of the outage?", "around the time of", "the outage"),
        ("before the database migration what was used?", "before", "the database migration"),
        ("what broke during the outage, and why?", "during", "the outage"),
        ("after switching to uv what changed", "after", "switching to uv"),
        ("was galt vor der Umstellung?", "vor", "der Umstellung"),
        ("was galt nach dem Umzug auf Postgres?", "nach", "dem Umzug auf Postgres"),
    ],
)
def test_what_happened_may_stand_for_a_time(question: str, bound: str, told: str) -> None:
    (found,) = find_anchors(question, NOW)

    assert (found.bound, found.event_words) == (bound, told)


@pytest.mark.parametrize(
    "question",
    [
        "run the tests before you commit",
        "what must I do before committing",
        "look before you leap",
        "after all",
        "since it is slow",
        "sleep until the lock is free",
        "before 2026-05-01",
        "turn around the corner",
        "the order of before and after hooks",
    ],
)
def test_other_clauses_stand_for_no_time(question: str) -> None:
    assert find_anchors(question, NOW) == ()


def made(*said: tuple[str, str, str]) -> Shelf:
    return titled(*((title, words) for title, words, _ in said), ts=[ts for *_, ts in said])


MOVED = ("Move to Postgres", "MySQL is replaced", "2026-03-01T10:00:00Z")
POOL = ("Pool of 20 connections", "in Postgres", "2026-06-01")
OUTAGE = ("Outage of the queue", "the broker crashed", "2026-08-20T08:00:00Z")


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("which database before we moved to Postgres?", None, "2026-03-01"),
        ("which database before the migration to Postgres?", None, "2026-03-01"),
        ("which database after the switch to Postgres?", "2026-03-01", None),
        ("what was slow around the time of the outage?", "2026-08-13", "2026-08-27"),
        ("what was slow during the outage?", "2026-08-19", "2026-08-21"),
    ],
)
def test_what_happened_is_dated_by_the_passage_that_tells_it(question: str, start: str | None, end: str | None) -> None:
    shelf = made(POOL, MOVED, OUTAGE)

    (found,) = prepare_question(question, shelf, shelf.totals(), WORDS, now=NOW).ranges

    assert dates(found) == (start, end)
    assert found.anchor in {2, 3}
    assert "2026-0" in found.why


@pytest.mark.parametrize("question", ["before the migration to Redis", "before we moved to Kafka", "after the launch"])
def test_what_no_passage_tells_has_no_date(question: str) -> None:
    shelf = made(POOL, MOVED, OUTAGE)

    assert prepare_question(question, shelf, shelf.totals(), WORDS, now=NOW).ranges == ()


def test_a_passage_without_a_date_tells_no_time() -> None:
    shelf = made(("Move to Postgres", "", ""))

    assert prepare_question("before we moved to Postgres", shelf, shelf.totals(), WORDS, now=NOW).ranges == ()
