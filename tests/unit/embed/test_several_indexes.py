"""Vectors of several indexes at once: one time for all of them, and every call comes further."""

from collections.abc import Iterator
from itertools import count

import pytest
from tests.index_values import entry, put
from tests.unit.recall.engine_values import Table

from holdfast.core.passage_store import MEMORY
from holdfast.embed.app_embedders import OpenedEmbedders, refresh_vectors
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
