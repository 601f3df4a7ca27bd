from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from tests.index_values import entry

from holdfast.core.memory import Entry, Status
from holdfast.core.search import Supersession
from holdfast.recall.validity import UnreadableTime, holds_at, parse_as_of, parse_asked_time, supersession_times

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)


def superseded(since: str, old: str = "DEC-000001") -> list[Supersession]:
    return [Supersession(old=old, new="DEC-2", since=since)]


def valid_at(found: Entry, when: datetime, links: Sequence[Supersession]) -> bool:
    return holds_at(found.memory, when, supersession_times(links))


def test_an_accepted_memory_without_dates_always_holds() -> None:
    assert valid_at(entry(), MARCH, [])


@pytest.mark.parametrize("begins", ["2026-03-01", "2026-03-01T00:00:00Z", "2026-03-01T02:00:00+02:00"])
def test_a_memory_holds_from_its_first_moment_on(begins: str) -> None:
    assert valid_at(entry(valid_from=begins), MARCH, [])


def test_a_memory_does_not_hold_before_it_begins() -> None:
    assert not valid_at(entry(valid_from="2026-03-02"), MARCH, [])


def test_a_memory_does_not_hold_at_the_moment_it_ends() -> None:
    assert not valid_at(entry(valid_until="2026-03-01"), MARCH, [])
    assert valid_at(entry(valid_until="2026-03-01T00:00:01Z"), MARCH, [])


def test_what_supersedes_a_memory_ends_it() -> None:
    assert valid_at(entry(), MARCH, superseded("2026-04-01"))
    assert not valid_at(entry(), JUNE, superseded("2026-04-01"))
    assert not valid_at(entry(valid_until="2027-01-01"), JUNE, superseded("2026-04-01"))


def test_the_earliest_of_several_ends_counts() -> None:
    links = [*superseded("2027-01-01"), *superseded("2026-04-01"), *superseded("2026-09-01")]

    assert not valid_at(entry(), JUNE, links)


def test_superseded_at_no_known_time_is_superseded_always() -> None:
    assert not valid_at(entry(), MARCH, superseded(""))


def test_other_memories_ends_do_not_matter() -> None:
    assert valid_at(entry(), JUNE, superseded("2026-01-01", old="DEC-9"))


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.DEPRECATED])
def test_a_retired_memory_held_until_its_end(status: Status) -> None:
    retired = entry(status=status, valid_from="2026-01-01", valid_until="2026-04-01")

    assert valid_at(retired, MARCH, [])
    assert not valid_at(retired, JUNE, [])


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.DEPRECATED, Status.CANDIDATE, Status.REJECTED])
def test_a_memory_that_is_not_accepted_and_has_no_end_does_not_hold(status: Status) -> None:
    assert not valid_at(entry(status=status), MARCH, [])


@pytest.mark.parametrize("status", [Status.CANDIDATE, Status.REJECTED])
def test_a_proposal_never_holds(status: Status) -> None:
    assert not valid_at(entry(status=status, valid_until="2099-01-01"), MARCH, [])


def test_a_date_asked_for_is_the_end_of_that_day() -> None:
    assert parse_as_of("2026-03-01", JUNE) == datetime(2026, 3, 1, 23, 59, 59, 999999, tzinfo=UTC)
    assert parse_as_of("2026-03-01T00:00:00Z", JUNE) == MARCH
    assert parse_as_of("", JUNE) == JUNE


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(UnreadableTime, match="'yesterday' is no time"):
        parse_asked_time("yesterday")


@pytest.mark.parametrize("day", ["2026-03-01", "20260301", "2026-W09-7"])
def test_a_day_asked_for_is_looked_back_to_from_its_end(day: str) -> None:
    assert parse_as_of(day, JUNE).isoformat() == "2026-03-01T23:59:59.999999+00:00"
