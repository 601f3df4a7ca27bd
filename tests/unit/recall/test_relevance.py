"""The floor: what matters to a goal is told, and to a goal that nothing matters to, nothing."""

from datetime import UTC, datetime

import pytest
from bench.abstain import NOTHING, tried
from tests.index_values import entry, put

from holdfast.core.memory import MemoryType, RejectedOption, Status
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.relevance import find_relevant


def _ids(goal: str, store: SqliteIndex, when: datetime | None = None) -> list[str]:
    return [found.memory.id for found, _ in find_relevant(goal, store, when=when)]


@pytest.fixture
def store() -> SqliteIndex:
    index = SqliteIndex.open(":memory:")
    put(
        index,
        entry(
            "DEC-1", title="Valkey keeps the sessions", question="Which cache?", choice="Valkey",
            rejected=(RejectedOption(option="Redis", reason="licence"),),
        ),
        entry("LRN-1", type=MemoryType.LEARNING, title="Uploads need a checksum", body="The garden fence is old"),
        entry("LRN-2", type=MemoryType.LEARNING, title="Caches of the browser are cleared by hand"),
    )  # fmt: skip
    return index


def test_abstention_and_recall_of_the_set_stay_where_they_were_measured() -> None:
    goals = tried()
    without = [each for each in goals if each.wanted == NOTHING]
    with_memory = [each for each in goals if each.wanted != NOTHING]

    abstained = sum(each.right for each in without) / len(without)
    found = sum(each.right for each in with_memory) / len(with_memory)

    print(f"abstained {abstained:.2f} of {len(without)} goals, found {found:.2f} of {len(with_memory)}")
    assert len(without) >= 40
    assert len(with_memory) >= 40
    assert abstained >= 0.95
    assert found >= 0.95


def test_naming_a_rejected_option_is_enough_however_long_the_goal(store: SqliteIndex) -> None:
    assert _ids("put a Redis in front of the product pages for the spring sale campaign", store) == ["DEC-1"]


def test_words_that_every_goal_has_do_not_count(store: SqliteIndex) -> None:
    put(store, entry("LRN-3", type=MemoryType.LEARNING, title="We need to add new files and make them work"))

    assert _ids("I need to add a new one and make it work", store) == []


def test_words_said_in_passing_are_not_what_a_memory_is_about(store: SqliteIndex) -> None:
    assert _ids("paint the garden fence", store) == []


def test_one_rare_word_is_enough_for_a_short_goal_only(store: SqliteIndex) -> None:
    assert _ids("upload", store) == ["LRN-1"]
    assert _ids("draw an upload icon for the toolbar of the mobile application", store) == []


def test_a_look_back_finds_what_held_then(store: SqliteIndex) -> None:
    put(
        store,
        entry("DEC-2", title="Invoices live in MySQL", valid_until="2026-03-01", status=Status.DEPRECATED),
        entry("DEC-3", title="Invoices live in Postgres", valid_from="2026-03-01"),
    )

    assert _ids("where do invoices live", store) == ["DEC-3"]
    assert _ids("where do invoices live", store, datetime(2026, 2, 1, tzinfo=UTC)) == ["DEC-2"]
