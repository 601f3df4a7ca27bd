"""The index's collections as the lanes of recall need them."""

import gc
import random
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.index_values import entry, put

from holdfast.core.memory import Scope
from holdfast.core.passage_store import Vector
from holdfast.core.search import Change, Spoken
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf

MODEL = "m@1"


@pytest.fixture
def store() -> Iterator[SqliteIndex]:
    index = SqliteIndex.open(":memory:")
    yield index
    index.close()


def spoken(number: int, text: str, group: str = "s1", names: tuple[str, ...] = ()) -> Spoken:
    return Spoken(
        kind="turn",
        id=f"E{number}",
        part=0,
        group=group,
        ts=f"2026-11-15T09:00:{number:02d}.000Z",
        client="codex",
        said_by="user",
        text=text,
        terms=tuple(text.lower().replace("?", "").split()),
        names=names,
    )


@pytest.fixture
def said(store: SqliteIndex) -> SqliteShelf:
    turns = (
        spoken(1, "the pool ran dry", names=("pgbouncer",)),
        spoken(2, "why so?"),
        spoken(3, "one session per request", names=("pgbouncer", "orm")),
        spoken(4, "the pool again", group="s2", names=("pgbouncer",)),
    )
    store.apply(Change(spoken=turns))
    return SqliteShelf(store.connection, "said")


def test_what_was_said_is_told_with_its_group_and_who_asks(said: SqliteShelf) -> None:
    texts = said.texts([1, 2, 9])

    assert list(texts) == [1, 2]
    assert (texts[1].words, texts[1].length, texts[1].asks, texts[2].asks) == (
        ("the", "pool", "ran", "dry"),
        4,
        0.0,
        1.0,
    )
    assert texts[1].group == texts[2].group != said.texts([4])[4].group
    assert (said.totals().passages, said.totals().groups, said.totals().terms) == (4, 2, 13)


def test_rows_are_found_by_words_and_their_neighbours_by_group(said: SqliteShelf) -> None:
    assert sorted(said.by_words(["pool"], 10)) == [1, 4]
    assert said.by_words(["pool"], 1) == said.by_words(["pool"], 10)[:1]
    assert said.by_words([], 10) == ()
    assert said.frequencies(["pool", "lake"]) == {"pool": 2, "lake": 0}
    assert said.around([2, 4], 2, 1) == {2: (1, 2, 3), 4: (4,)}


def test_names_lead_to_rows_and_back(said: SqliteShelf) -> None:
    assert said.naming([1, 3]) == {1: ["pgbouncer"], 3: ["pgbouncer", "orm"]}
    assert {name: [*rows] for name, rows in said.named(["pgbouncer", "nobody"], 2).items()} == {"pgbouncer": [1, 3]}
    assert said.name_counts(["pgbouncer", "orm", "nobody"]) == {"pgbouncer": 2, "orm": 1}


def neighbours(store: SqliteIndex, row: int, before: int, after: int) -> tuple[int, ...]:
    """By the definition: the places of the group around a row."""
    asked = "SELECT row FROM spoken WHERE number = (SELECT number FROM spoken WHERE row = ?) ORDER BY row"
    group = [found for (found,) in store.connection.execute(asked, (row,))]
    place = group.index(row)
    return tuple(group[max(0, place - before) : place + after + 1])


@pytest.mark.parametrize("seed", range(12))
def test_neighbours_are_found_whatever_came_between_and_went(store: SqliteIndex, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(40):
        # Mostly one session after another, at times two at once, and some turns go again.
        group = f"s{number // 9 if chance.random() < 0.8 else chance.randrange(5)}"
        store.apply(Change(spoken=(spoken(number, "tea", group),)))
        if chance.random() < 0.2:
            store.apply(Change(forgotten=(f"E{chance.randrange(number + 1)}",)))
    rows = [row for (row,) in store.connection.execute("SELECT row FROM spoken")]

    for before, after in ((2, 1), (1, 2), (0, 0), (3, 0)):
        found = SqliteShelf(store.connection, "said").around([*rows, 999], before, after)
        assert found == {row: neighbours(store, row, before, after) for row in rows}


def test_a_new_shelf_sees_what_another_process_wrote(tmp_path: Path) -> None:
    writer = SqliteIndex.open(str(tmp_path / "index.db"))
    writer.apply(Change(spoken=(spoken(1, "the pool", names=("pgbouncer",)),)))
    reader = SqliteIndex.open(str(tmp_path / "index.db"), readonly=True)
    first = SqliteShelf(reader.connection, "said")
    assert (first.name_counts(["pgbouncer"]), first.naming([1, 2])) == ({"pgbouncer": 1}, {1: ["pgbouncer"]})

    writer.apply(Change(spoken=(spoken(2, "the lake", "s2", ("pgbouncer",)),), forgotten=("E1",)))
    second = SqliteShelf(reader.connection, "said")

    assert [*second.named(["pgbouncer"], 5)["pgbouncer"]] == [2]
    assert second.naming([1, 2]) == {2: ["pgbouncer"]}
    assert [*second.texts([1, 2])] == [2]
    assert second.texts([2])[2].words == ("the", "lake")
    reader.close()
    writer.close()


def test_a_shelf_is_gone_when_nobody_holds_it(said: SqliteShelf, store: SqliteIndex) -> None:
    shelf = SqliteShelf(store.connection, "said")
    texts = shelf.texts([1, 2])
    gone = weakref.ref(shelf)
    gc.disable()
    try:
        del shelf
        assert gone() is None
    finally:
        gc.enable()
    assert texts[1].terms == ("the", "pool", "ran", "dry")


def test_vectors_are_kept_found_and_gone_with_their_passages(store: SqliteIndex) -> None:
    put(store, entry("DEC-000001", title="One"), entry("DEC-000002", title="Two"))
    rows = sorted(row for row, _ in store.without_vector("memory", MODEL, 10))
    assert store.count_without_vector("memory", MODEL) == 2
    vectors = [
        Vector(row=rows[0], data=bytes([127, 0]), tokens=(5, 5, 7)),
        Vector(row=rows[1], data=bytes([0, 127]), tokens=(7,)),
    ]
    store.put_vectors("memory", MODEL, vectors)
    shelf = SqliteShelf(store.connection, "memory")

    assert store.count_without_vector("memory", MODEL) == 0
    assert list(shelf.by_vector(MODEL, np.array([0, 1], np.float32), 1)) == [rows[1]]
    assert shelf.token_counts([5, 7, 9]) == [1, 2, 0]
    assert shelf.vectors("other", rows) is None
    held = shelf.vectors(MODEL, [rows[0], 99])
    assert held is not None
    assert held.tolist() == [[1.0, 0.0], [0.0, 0.0]]

    store.apply(Change(dropped=((Scope.WORKSPACE, "memory/DEC-000001.md"),)))
    after = SqliteShelf(store.connection, "memory")
    assert after.token_counts([5, 7]) == [0, 1]
    assert len(after.by_vector(MODEL, np.array([1, 1], np.float32), 9)) == 1
    assert after.mean_vector("another@2") is None


def test_a_memory_is_a_passage_of_its_own(store: SqliteIndex) -> None:
    put(store, entry("DEC-000001", title="Use Textual", body="Because of PgBouncer.", updated="2026-11-15T09:00:00Z"))
    shelf = SqliteShelf(store.connection, "memory")
    [row] = shelf.by_words(["textual"], 5)

    text = shelf.texts([row])[row]

    assert (text.title, text.group, text.ts) == ("Use Textual", row, "2026-11-15T09:00:00Z")
    assert shelf.around([row], 2, 1) == {row: (row,)}
    assert "pgbouncer" in shelf.naming([row])[row]


COUNTED = (
    "SELECT place, passages, terms, groups FROM total WHERE passages ORDER BY place",
    "SELECT place, term, count FROM term ORDER BY place, term",
    "SELECT place, name, groups, length(first) FROM name ORDER BY place, name",
    "SELECT count(*), sum(later) FROM mention",
    "SELECT count(*), sum(rows) FROM mentioning",
    "SELECT place, token, model, count FROM token WHERE count ORDER BY place, token",
    "SELECT place, model, sum(there) FROM block WHERE there GROUP BY place, model",
    "SELECT count(*) FROM vector",
)


def counted(store: SqliteIndex) -> list[object]:
    return [store.connection.execute(statement).fetchall() for statement in COUNTED]


def embed(store: SqliteIndex) -> None:
    for place in ("memory", "said"):
        found = store.without_vector(place, MODEL, 1_000)
        store.put_vectors(
            place, MODEL, [Vector(row=row, data=b"\x01\x02", tokens=(len(said), 3)) for row, said in found]
        )


@pytest.mark.parametrize("seed", range(12))
def test_counts_after_any_changes_are_those_of_an_index_built_from_nothing(store: SqliteIndex, seed: int) -> None:
    chance = random.Random(seed)
    memories: dict[str, str] = {}
    turns: dict[int, Spoken] = {}
    words = ("Redis", "pool", "PgBouncer", "tea", "Redis pool", "orm")
    for _ in range(40):
        number, said = chance.randrange(8), " ".join(chance.choices(words, k=3))
        match chance.randrange(4):
            case 0:
                memories[f"DEC-{number:06}"] = said
                put(store, entry(f"DEC-{number:06}", title=said, body=said))
            case 1:
                memories.pop(f"DEC-{number:06}", None)
                store.apply(Change(dropped=((Scope.WORKSPACE, f"memory/DEC-{number:06}.md"),)))
            case 2:
                turns[number] = spoken(number, said, f"s{number % 3}", tuple(dict.fromkeys(said.lower().split())))
                store.apply(Change(spoken=(turns[number],)))
            case _:
                turns.pop(number, None)
                store.apply(Change(forgotten=(f"E{number}",)))
        if chance.random() < 0.5:
            embed(store)
    embed(store)

    fresh = SqliteIndex.open(":memory:")
    put(fresh, *(entry(name, title=said, body=said) for name, said in memories.items()))
    fresh.apply(Change(spoken=tuple(turns.values())))
    embed(fresh)

    assert counted(store) == counted(fresh)
    assert store.count_without_vector("memory", MODEL) == store.count_without_vector("said", MODEL) == 0
    fresh.close()
