"""What every shelf promises, whatever it is kept in: the same passages, the same answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pytest
from tests.index_values import entry, put

from holdfast.core.memory import SaidBy, Scope
from holdfast.core.passage_store import MEMORY, Vector
from holdfast.core.search import Change, Passage, Source, SourceChange, Spoken, Terms
from holdfast.core.shelf import Shelf, pack_numbers
from holdfast.exchange.postgres.database import DatabaseSpace
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.index.sqlite import held_vectors as holding
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf

MODEL = "m@1"
SAID = (
    ("s1", "user", "the pool ran dry. why?", ("pgbouncer",)),
    ("s1", "agent", "pool pool pool of sessions", ()),
    ("s1", "user", "one session per request", ("pgbouncer", "orm")),
    ("s2", "user", "tea is ready", ("orm",)),
    ("s2", "user", "the pool again", ("pgbouncer",)),
)
VECTORS = ((127, 0, 0), (0, 127, 0), (90, 90, 0), (0, 0, 127), (0, 127, 0))
TOKENS = ((1, 2, 2), (2, 3), (4,), (1,), (2,))

AS_SAID = ("sqlite", "sqlite in steps", "sqlite after others left", "sqlite by codes")
AS_MEMORIES = ("sqlite memories", "postgres")

Make = Callable[[int], Shelf]


def cut(said: str) -> tuple[str, ...]:
    return tuple(said.lower().replace("?", "").replace(".", "").split())


def turns(count: int) -> tuple[Spoken, ...]:
    return tuple(
        Spoken(
            kind="turn",
            id=f"E{row}",
            part=0,
            group=group,
            ts="2026-11-15T09:00:00.000Z",
            client="codex",
            said_by=said_by,
            text=said,
            terms=cut(said),
            names=names,
        )
        for row, (group, said_by, said, names) in enumerate(SAID[:count], 1)
    )


def vectors(rows: Sequence[int]) -> list[Vector]:
    return [Vector(row=row, data=np.array(VECTORS[row - 1], np.int8).tobytes(), tokens=TOKENS[row - 1]) for row in rows]


@pytest.fixture
def store() -> Iterator[SqliteIndex]:
    index = SqliteIndex.open(":memory:")
    yield index
    index.close()


def as_memories(count: int) -> tuple[SourceChange, ...]:
    """The same words, as memories."""
    return tuple(memory_of(f"DEC-{row}", *each[1:]) for row, each in enumerate(SAID[:count], 1))


def memory_of(name: str, said_by: str, said: str, names: tuple[str, ...]) -> SourceChange:
    held = entry(name, body=said, said_by=SaidBy(said_by))
    source = Source(scope=held.scope, path=held.path, stamp="1", sha256=held.sha256)
    return SourceChange(source=source, passages=(Passage(entry=held, terms=Terms(body=cut(said)), names=names),))


def put_memories(index: SqliteIndex | PostgresIndex, count: int) -> Shelf:
    """The words as memories with their vectors; one more comes, is searched, and goes again."""
    index.apply(Change(sources=as_memories(count)))
    index.put_vectors(MEMORY, MODEL, vectors(range(1, count + 1)))
    more = memory_of("DEC-X", "user", "pool tea gone", ("pgbouncer", "gone"))
    index.apply(Change(sources=(more,)))
    index.put_vectors(MEMORY, MODEL, [Vector(row=count + 1, data=bytes([127, 0, 0]), tokens=(1, 9))])
    assert list(index.shelf(MEMORY).by_vector(MODEL, np.array([1, 0, 0], np.float32), 9))
    index.apply(Change(dropped=((Scope.WORKSPACE, more.source.path),)))
    return index.shelf(MEMORY)


def put_said(store: SqliteIndex, count: int, how: str) -> Shelf:
    if how == "sqlite in steps":
        for row, turn in enumerate(turns(count), 1):
            store.apply(Change(spoken=(turn,)))
            store.put_vectors("said", MODEL, vectors([row]))
            assert store.shelf("said").vectors(MODEL, [row]) is not None
    else:
        store.apply(Change(spoken=turns(count)))
        store.put_vectors("said", MODEL, vectors(range(1, count + 1)))
    if how == "sqlite after others left":
        leave(store, count)
    return store.shelf("said")


def maker(request: pytest.FixtureRequest, store: SqliteIndex, monkeypatch: pytest.MonkeyPatch) -> Make:
    if request.param in AS_MEMORIES:
        index = PostgresIndex(request.getfixturevalue("space")) if request.param == "postgres" else store
        return partial(put_memories, index)
    if request.param == "sqlite by codes":
        monkeypatch.setattr(holding, "EXACT_MOST", 0)
    return partial(put_said, store, how=request.param)


make = pytest.fixture(maker, params=[*AS_SAID, *AS_MEMORIES], name="make")
make_said = pytest.fixture(maker, params=AS_SAID, name="make_said")
make_memories = pytest.fixture(maker, params=AS_MEMORIES, name="make_memories")


def leave(store: SqliteIndex, count: int) -> None:
    """More passages come, are searched, and go again."""
    more = Spoken(
        kind="turn",
        id="X",
        part=0,
        group="s3",
        ts="",
        client="codex",
        said_by="user",
        text="pool tea",
        terms=("pool", "tea", "gone"),
        names=("pgbouncer", "gone"),
    )
    store.apply(Change(spoken=(more,)))
    store.put_vectors("said", MODEL, [Vector(row=count + 1, data=bytes([127, 0, 0]), tokens=(1, 9))])
    assert list(store.shelf("said").by_vector(MODEL, np.array([1, 0, 0], np.float32), 9))
    store.apply(Change(forgotten=("X",)))


def test_totals(make_said: Make) -> None:
    totals = make_said(5).totals()

    assert (totals.passages, totals.terms, totals.groups) == (5, 20, 2)


def test_a_term_is_counted_in_the_passages_that_hold_it(make: Make) -> None:
    shelf = make(5)

    assert shelf.frequencies(["pool", "tea", "gone", "lake"]) == {"pool": 3, "tea": 1, "gone": 0, "lake": 0}
    assert shelf.holding([1, 2, 3, 99], ["pool", "session", "lake"]) == {
        1: {"pool": 1},
        2: {"pool": 3},
        3: {"session": 1},
    }
    assert shelf.holding([], ["pool"]) == shelf.holding([1], []) == {}


def test_words_find_rows_best_first(make: Make) -> None:
    shelf = make(5)

    assert next(iter(shelf.by_words(["pool"], 9))) == 2
    assert sorted(shelf.by_words(["pool", "tea"], 9)) == [1, 2, 4, 5]
    assert list(shelf.by_words(["tea"], 9)) == [4]
    assert list(shelf.by_words(["pool"], 0)) == list(shelf.by_words([], 9)) == list(shelf.by_words(["lake"], 9)) == []


def test_vectors_find_rows_nearest_first_and_equal_ones_by_row(make: Make) -> None:
    shelf = make(5)

    assert list(shelf.by_vector(MODEL, np.array([0, 1, 0], np.float32), 3)) == [2, 5, 3]
    assert list(shelf.by_vector(MODEL, np.array([1, 0, 0], np.float32), 1)) == [1]
    assert list(shelf.by_vector("other@1", np.array([1, 0, 0], np.float32), 3)) == []


def test_vectors_are_read_by_row(make: Make) -> None:
    shelf = make(5)
    found = shelf.vectors(MODEL, [4, 3])

    assert found is not None
    assert found == pytest.approx(np.array([[0, 0, 1], [0.7071, 0.7071, 0]]), abs=1e-4)
    assert shelf.vectors("other@1", [1]) is None


def test_the_mean_is_that_of_all(make: Make) -> None:
    mean = make(5).mean_vector(MODEL)

    assert mean is not None
    assert mean == pytest.approx(np.array([1.7071, 2.7071, 1]) / 5, abs=1e-4)


def test_tokens_are_counted_once_a_passage(make: Make) -> None:
    assert list(make(5).token_counts([1, 2, 9, 2])) == [2, 3, 0, 3]


def test_neighbours_are_those_of_the_group(make_said: Make) -> None:
    found = make_said(5).around([1, 3, 4, 99], 2, 1)

    assert {row: tuple(near) for row, near in found.items()} == {1: (1, 2), 3: (1, 2, 3), 4: (4, 5)}


def test_names_lead_to_rows_and_back(make_said: Make) -> None:
    shelf = make_said(5)

    assert {row: list(names) for row, names in shelf.naming([1, 2, 3, 99]).items()} == {
        1: ["pgbouncer"],
        3: ["pgbouncer", "orm"],
    }
    assert as_lists(shelf.named(["pgbouncer", "orm", "gone"], 2)) == {"pgbouncer": [1, 3], "orm": [3, 4]}
    assert shelf.name_counts(["pgbouncer", "orm", "gone"]) == {"pgbouncer": 2, "orm": 2}


def test_texts_tell_what_lanes_ask(make: Make) -> None:
    shelf = make(5)
    texts = shelf.texts([1, 2, 99])

    assert list(texts) == [1, 2]
    first = texts[1]
    assert (first.row, first.said_by, first.asks, first.length, first.size) == (1, "user", 0.5, 5, 5)
    assert (first.terms, first.words) == (("the", "pool", "ran", "dry", "why"),) * 2


def test_texts_of_one_session_are_one_group(make_said: Make) -> None:
    texts = make_said(5).texts([1, 2, 4])

    assert texts[1].group == texts[2].group != texts[4].group


def test_every_memory_is_a_group_of_its_own(make_memories: Make) -> None:
    shelf = make_memories(5)
    totals, texts = shelf.totals(), shelf.texts([1, 2])

    assert (totals.passages, totals.terms, totals.groups) == (5, 20, 5)
    assert texts[1].group != texts[2].group
    assert {row: tuple(near) for row, near in shelf.around([1, 3], 2, 1).items()} == {1: (1,), 3: (3,)}
    assert {row: list(names) for row, names in shelf.naming([1, 2, 3, 99]).items()} == {
        1: ["pgbouncer"],
        3: ["pgbouncer", "orm"],
    }
    assert as_lists(shelf.named(["pgbouncer", "orm", "gone"], 2)) == {"pgbouncer": [1, 3], "orm": [3, 4]}
    assert shelf.name_counts(["pgbouncer", "orm", "gone"]) == {"pgbouncer": 3, "orm": 2}


def test_a_vector_of_a_memory_that_went_meanwhile_is_not_kept(space: DatabaseSpace) -> None:
    index = PostgresIndex(space)
    index.apply(Change(sources=as_memories(2)))
    index.apply(Change(dropped=((Scope.WORKSPACE, "memory/DEC-1.md"),)))

    index.put_vectors(MEMORY, MODEL, vectors([1, 2]))

    assert list(index.shelf(MEMORY).by_vector(MODEL, np.array([1, 0, 0], np.float32), 9)) == [2]
    assert index.count_without_vector(MEMORY, MODEL) == 0


def test_vectors_of_another_length_are_passed_over_and_go_with_their_memory(space: DatabaseSpace) -> None:
    index = PostgresIndex(space)
    index.apply(Change(sources=as_memories(3)))
    index.put_vectors(MEMORY, MODEL, vectors([1, 2]))
    with space.writing("index") as cursor:
        cursor.execute("INSERT INTO vector VALUES (%s, 'memory', 3, %s, '{}', '[1,2]')", (space.id, MODEL))

    found = index.shelf(MEMORY).vectors(MODEL, [1, 3])
    assert found is not None
    assert found.tolist() == [[1, 0, 0], [0, 0, 0]]
    index.apply(Change(dropped=tuple((Scope.WORKSPACE, f"memory/DEC-{row}.md") for row in (1, 3))))

    assert list(index.shelf(MEMORY).by_vector(MODEL, np.array([1, 0, 0], np.float32), 9)) == [2]
    mean = index.shelf(MEMORY).mean_vector(MODEL)
    assert mean is not None
    assert mean.tolist() == [0, 1, 0]


def test_words_go_by_their_numbers(make: Make) -> None:
    texts = make(5).texts([1, 4])

    assert texts[4].spelled == pack_numbers(["tea", "is", "ready"]) == pack_numbers(texts[4].words)
    assert len(texts[1].spelled) == 4 * len(texts[1].words)


def test_an_empty_shelf_finds_nothing(make: Make) -> None:
    shelf = make(0)

    assert shelf.totals().passages == 0
    assert list(shelf.by_words(["pool"], 9)) == []
    assert shelf.name_counts(["orm"]) == {}
    assert list(shelf.token_counts([1])) == [0]


TITLED = {
    "DEC-000001": ("Pools", "as Redis Cluster does"),
    "DEC-000002": ("Redis Cluster (cache)", "Six nodes."),
    "DEC-000003": ("Nodes", "Redis Cluster again."),
}


def memories(store: SqliteIndex) -> Shelf:
    put(store, *(entry(name, title=title, body=body) for name, (title, body) in TITLED.items()))
    return SqliteShelf(store.connection, "memory")


def test_a_passage_that_is_called_so_comes_first(store: SqliteIndex) -> None:
    found = memories(store)

    assert as_lists(found.named(["redis cluster", "pools"], 2)) == {"redis cluster": [2, 1], "pools": [1]}
    assert as_lists(found.named(["redis cluster"], 100)) == {"redis cluster": [2, 1, 3]}
    assert found.name_counts(["redis cluster", "pools", "nodes"]) == {"redis cluster": 3, "pools": 1, "nodes": 1}


def test_a_title_that_goes_leaves_the_name_to_the_others(store: SqliteIndex) -> None:
    memories(store)
    store.apply(Change(dropped=((Scope.WORKSPACE, "memory/DEC-000002.md"),)))
    shelf = SqliteShelf(store.connection, "memory")

    assert as_lists(shelf.named(["redis cluster"], 9)) == {"redis cluster": [1, 3]}
    assert shelf.totals().passages == 2


def test_codes_find_nearly_what_an_exact_search_finds(store: SqliteIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "EXACT_MOST", 256)
    monkeypatch.setattr(holding, "LOOKED_AT_LEAST", 200)
    chance = np.random.default_rng(3)
    whole = np.clip(chance.normal(0, 40, (3_000, 64)), -127, 127).astype(np.int8)
    store.put_vectors("said", MODEL, [Vector(row=row, data=each.tobytes()) for row, each in enumerate(whole, 1)])
    kept = holding.load_vectors(store.connection, "said", MODEL)
    asked = [(each / np.linalg.norm(each.astype(np.float32))).astype(np.float32) for each in whole[::100]]

    shares = [len({*kept.nearest(each, 10)} & {*kept.nearest(each, 10, exact=True)}) / 10 for each in asked]

    assert np.mean(shares) > 0.9
    assert [kept.nearest(each, 1) for each in asked] == [[row] for row in range(1, 3_001, 100)]


def as_lists(found: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    return {name: list(rows) for name, rows in found.items()}
