"""Vectors of several indexes at once: one time for all of them, and every call comes further."""

from collections.abc import Iterator, Sequence
from itertools import count

import pytest
from tests.index_values import entry, put
from tests.unit.recall.engine_values import Table

from holdfast.core.passage_store import MEMORY
from holdfast.embed.app_embedders import OpenedEmbedders, describe_answering, refresh_few_vectors, refresh_vectors
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.workspace import App


@pytest.fixture
def stores() -> Iterator[list[SqliteIndex]]:
    found = [SqliteIndex.open(":memory:") for _ in range(3)]
    for number, store in enumerate(found):
        put(store, *(entry(f"DEC-{number}{each}", title="pool") for each in range(number + 1)))
    yield found
    for store in found:
        store.close()


def test_all_get_theirs_while_there_is_time(stores: list[SqliteIndex]) -> None:
    table = Table("pool")

    assert refresh_vectors(App(""), stores, MEMORY, OpenedEmbedders(static=table), 60) == 0
    assert [store.vectors_held(MEMORY) for store in stores] == [{table.name: 1}, {table.name: 2}, {table.name: 3}]


def test_without_time_one_batch_is_made_and_the_rest_is_counted(
    stores: list[SqliteIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, ticks = OpenedEmbedders(static=Table("pool")), count()
    monkeypatch.setattr("holdfast.embed.app_embedders.time.monotonic", lambda: float(next(ticks)))

    left = [refresh_vectors(App(""), stores, MEMORY, table, 0.0) for _ in range(4)]

    assert left == [5, 3, 0, 0]


def test_batches_grow_only_while_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    store, sizes = SqliteIndex.open(":memory:"), list[int]()
    put(store, *(entry(f"DEC-{number:04}", title="pool") for number in range(60)))
    asked = store.without_vector

    def look(place: str, model: str, limit: int) -> Sequence[tuple[int, str]]:
        sizes.append(limit)
        return asked(place, model, limit)

    monkeypatch.setattr(store, "without_vector", look)

    assert refresh_vectors(App(""), [store], MEMORY, OpenedEmbedders(static=Table("pool")), 60) == 0
    quick, sizes[:] = list(sizes), []
    monkeypatch.setattr("holdfast.embed.app_embedders.BATCH_SECONDS", 0)
    put(store, *(entry(f"LRN-{number:04}", title="pool") for number in range(24)))
    assert refresh_vectors(App(""), [store], MEMORY, OpenedEmbedders(static=Table("pool")), 60) == 0

    assert quick == [8, 16, 32, 64]
    assert sizes == [8, 8, 8]


def test_for_a_write_only_the_newest_get_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteIndex.open(":memory:")
    put(store, *(entry(f"DEC-{number:04}", title="pool") for number in range(9)))
    monkeypatch.setattr("holdfast.embed.app_embedders.QUICK_SECONDS", 0)

    assert refresh_few_vectors(App(""), [store], MEMORY, OpenedEmbedders(encoder=Table("pool"))) == 7


@pytest.mark.parametrize(
    ("asked", "held", "answer"),
    [
        ("none", {}, "words alone (embedder none)"),
        ("auto", {}, "nothing read yet: the first search or session does"),
        ("auto", {"static:a": 10}, "the static table (10 of 10 memories read)"),
        (
            "auto",
            {"static:a": 10, "granite:b": 4},
            "the static table, until granite has read them all (4 of 10 so far)",
        ),
        ("auto", {"static:a": 10, "granite:b": 9}, "granite (9 of 10 memories read)"),
        ("openai:bge", {"openai:bge": 10}, "openai:bge"),
    ],
)
def test_it_says_what_answers(asked: str, held: dict[str, int], answer: str) -> None:
    app = App("")
    app.__dict__["settings"] = {"embedder": asked}

    assert describe_answering(app, held, 10) == answer
