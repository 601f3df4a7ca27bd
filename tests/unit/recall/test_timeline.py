from tests.index_values import entry

from holdfast.core.event import Cursor
from holdfast.core.search import Change, EventRow
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.recall.timeline import EventItem, Item, build_timeline


def store_with_events(*days: int) -> SqliteIndex:
    store = SqliteIndex.open(":memory:")
    rows = (
        EventRow(
            id=f"E{day}", ts=f"2026-11-{day:02}T12:00:00.000Z", client="", session="", name="", text="", place=Cursor()
        )
        for day in days
    )
    store.apply(Change(events=tuple(rows)))
    return store


def names(items: list[Item]) -> list[str]:
    return [item.event.id if isinstance(item, EventItem) else item.entry.memory.id for item in items]


ENTRIES = [
    entry("DEC-5", updated="2026-11-05"),
    entry("DEC-3", valid_from="2026-11-03T13:00:00+02:00"),
    entry("DEC-0"),
]


def test_memories_and_events_are_told_oldest_first() -> None:
    items = build_timeline(store_with_events(2, 3, 4), "2026-11-04", 10, 10, ENTRIES)

    assert names(list(items)) == ["E2", "DEC-3", "E3", "E4", "DEC-5"]


def test_so_many_are_told_on_each_side_of_the_point() -> None:
    store = store_with_events(2, 3, 4)

    assert names(list(build_timeline(store, "2026-11-04", 1, 1, ENTRIES))) == ["E3", "E4"]
    assert names(list(build_timeline(store, "2026-11-04", 2, 0, ENTRIES))) == ["DEC-3", "E3"]
    assert names(list(build_timeline(store, "9999", 1, 5, ENTRIES))) == ["DEC-5"]


def test_the_point_itself_comes_after() -> None:
    assert names(list(build_timeline(store_with_events(4), "2026-11-05", 0, 1, ENTRIES))) == ["DEC-5"]


def test_a_prompt_through_two_clients_is_one_item_and_stays_two_in_the_store() -> None:
    store = SqliteIndex.open(":memory:")
    rows = [
        EventRow(
            id=f"E{number}", ts=f"2026-11-15T09:00:0{number}.000Z", client=client, session=client, name=name,
            text="Fix the pool", place=Cursor(),
        )
        for number, (client, name) in enumerate(
            [("codex", "answer"), ("cursor", "prompt"), ("claude-code", "prompt"), ("cursor", "answer")]
        )
    ]  # fmt: skip
    store.apply(Change(events=tuple(rows)))

    items = build_timeline(store, "9999", 3, 1, [])

    assert names(list(items)) == ["E0", "E1", "E3"]
    [prompt] = [item for item in items if isinstance(item, EventItem) and item.also]
    assert [(row.id, row.client) for row in prompt.also] == [("E2", "claude-code")]
    assert len(store.events("9999", 10, 0)) == 4
