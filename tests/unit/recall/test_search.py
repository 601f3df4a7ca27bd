from datetime import UTC, datetime
from typing import Any

import pytest
from tests.index_values import entry, put

from holdfast.core.memory import MemoryType, Scope, Status
from holdfast.core.search import Question, Select
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.select import search
from holdfast.recall.validity import UnreadableTime

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)


@pytest.fixture
def store() -> SqliteIndex:
    return SqliteIndex.open(":memory:")


def ids(store: SqliteIndex, text: str = "pool", **asked: Any) -> list[str]:
    found = search(Question(text=text, now=NOW, **asked), store)
    return [hit.entry.memory.id for hit in found.hits]


def test_hits_come_best_first_up_to_the_limit(store: SqliteIndex) -> None:
    put(store, entry("DEC-1", body="pool and much else to say"), entry("DEC-2", title="pool"), entry("DEC-3"))

    assert ids(store) == ["DEC-2", "DEC-1"]
    assert ids(store, limit=1) == ["DEC-2"]
    assert ids(store, limit=0) == []


def test_an_identifier_is_found_by_any_spelling(store: SqliteIndex) -> None:
    put(store, entry("DEC-1", body="call getUserById in src/users/repo.py"), entry("DEC-2", body="nothing of it"))

    for text in ("get_user_by_id", "get user by id", "users/repo", "GetUserByID"):
        assert ids(store, text) == ["DEC-1"], text


def test_function_words_find_nothing_beside_others(store: SqliteIndex) -> None:
    put(store, entry("DEC-1", title="How we do it"))

    assert ids(store, "how do we deploy") == []
    assert ids(store, "how do we") == ["DEC-1"]


def test_only_accepted_memories_that_hold_now_are_found(store: SqliteIndex) -> None:
    put(
        store,
        entry("DEC-1", title="pool"),
        entry("DEC-2", title="pool", valid_until="2026-01-01"),
        entry("DEC-3", title="pool", valid_from="2027-01-01"),
        entry("DEC-4", title="pool", supersedes=("DEC-5",), valid_from="2026-02-01"),
        entry("DEC-5", title="pool"),
        *(entry(f"DEC-{s}", title="pool", status=s) for s in Status if s is not Status.ACCEPTED),
    )

    assert ids(store) == ["DEC-1", "DEC-4"]


def test_as_of_finds_what_held_then(store: SqliteIndex) -> None:
    put(
        store,
        entry("DEC-1", title="pool", supersedes=("DEC-2",), valid_from="2026-02-01"),
        entry("DEC-2", title="pool"),
        entry("DEC-3", title="pool", status=Status.DEPRECATED, valid_until="2026-03-01"),
    )

    assert ids(store, as_of="2026-01-15") == ["DEC-2", "DEC-3"]
    assert ids(store, as_of="2026-02-15") == ["DEC-1", "DEC-3"]
    assert ids(store, as_of="2026-04-01") == ["DEC-1"]


def test_statuses_asked_for_are_found_whether_they_hold_or_not(store: SqliteIndex) -> None:
    put(
        store,
        entry("DEC-1", title="pool", valid_until="2026-01-01"),
        entry("DEC-2", title="pool", status=Status.CANDIDATE),
    )

    assert ids(store, select=Select(statuses=(Status.ACCEPTED, Status.CANDIDATE))) == ["DEC-1", "DEC-2"]
    assert ids(store, select=Select(statuses=(Status.ACCEPTED,)), as_of="2026-06-01") == []


def test_type_and_scope_narrow(store: SqliteIndex) -> None:
    put(store, entry("INV-1", type=MemoryType.INVARIANT, title="pool"), entry("DEC-1", scope=Scope.USER, title="pool"))

    assert ids(store, select=Select(types=(MemoryType.INVARIANT,))) == ["INV-1"]
    assert ids(store, select=Select(scopes=(Scope.USER,))) == ["DEC-1"]


def test_tags_path_and_age_narrow(store: SqliteIndex) -> None:
    put(
        store,
        entry("DEC-1", title="pool", tags=("DB", "perf"), paths=("src/db/**",), updated="2026-05-01"),
        entry("DEC-2", title="pool", tags=("db",), paths=("docs/**",), updated="2026-01-01"),
        entry("DEC-3", title="pool"),
    )

    assert set(ids(store, tags=("db",))) == {"DEC-1", "DEC-2"}
    assert ids(store, tags=("db", "Perf")) == ["DEC-1"]
    assert ids(store, path="src/db/pool.py") == ["DEC-3", "DEC-1"]
    assert ids(store, since="2026-03-01") == ["DEC-1"]


def test_narrowing_goes_on_until_there_are_enough_hits(store: SqliteIndex) -> None:
    put(store, *(entry(f"DEC-{n:03}", title="pool", tags=("rare",) * (n % 50 == 0)) for n in range(200)))

    assert ids(store, tags=("rare",), limit=3) == ["DEC-000", "DEC-050", "DEC-100"]


def test_the_answer_says_what_was_searched(store: SqliteIndex) -> None:
    put(store, entry("DEC-1", title="The pool"), entry("DEC-2", title="other"))

    found = search(Question(text="the pool deployment", now=NOW), store)

    assert found.searched == {
        "memories": 2,
        "terms": ("pool",),
        "dropped": ("the",),
        "unknown": ("deploy",),
        "lanes": ("words",),
    }


def test_a_hit_says_which_lane_found_it_and_why(store: SqliteIndex) -> None:
    put(store, entry("DEC-1", title="pool", tags=("x",)), entry("DEC-2", title="pool pool"))

    hit = search(Question(text="pool", tags=("x",), now=NOW), store).hits[0]

    assert [(lane.lane, lane.rank, lane.why) for lane in hit.lanes] == [("words", 2, "title: pool")]
    assert hit.score == hit.lanes[0].score


@pytest.mark.parametrize("asked", [{"as_of": "never"}, {"since": "long ago"}])
def test_a_time_that_is_none_is_refused(store: SqliteIndex, asked: dict[str, str]) -> None:
    with pytest.raises(UnreadableTime):
        ids(store, **asked)
