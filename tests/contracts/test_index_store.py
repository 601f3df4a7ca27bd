"""What every index promises, whatever it is kept in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.index_values import entry, of_file, put

from holdfast.core.event import Cursor
from holdfast.core.index_store import IndexStore, LocalIndex
from holdfast.core.memory import Entry, Memory, MemoryType, Problem, Scope, Status
from holdfast.core.search import (
    Change,
    EventRow,
    Page,
    Passage,
    Scored,
    Select,
    Source,
    SourceChange,
    Spoken,
    SpokenHit,
    SpokenQuery,
    Terms,
    WordQuery,
)
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.index.sqlite.sqlite_index import SqliteIndex


@pytest.fixture(params=["sqlite", "sqlite in memory"])
def local(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LocalIndex]:
    index = SqliteIndex.open(str(tmp_path / "index.db") if request.param == "sqlite" else ":memory:")
    yield index
    index.close()


@pytest.fixture(params=["sqlite", "sqlite in memory", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IndexStore]:
    if request.param == "postgres":
        yield PostgresIndex(request.getfixturevalue("space"))
        return
    index = SqliteIndex.open(str(tmp_path / "index.db") if request.param == "sqlite" else ":memory:")
    yield index
    index.close()


def found(store: IndexStore, *terms: str, select: Select | None = None) -> list[Scored]:
    return list(store.by_words(WordQuery(terms=terms, select=select or Select())))


def ids(hits: list[Scored]) -> list[str]:
    return [hit.entry.memory.id for hit in hits]


def event(number: int, ts: str) -> EventRow:
    place = Cursor(segment=1, offset=number * 10)
    return EventRow(id=f"E{number}", ts=ts, client="codex", session="s", name="Stop", text="done", place=place)


def test_a_new_index_holds_nothing(store: IndexStore) -> None:
    assert store.sources() == {}
    assert store.cursor() == Cursor()
    assert store.select(Select()) == []
    assert store.links() == ([], [])
    assert store.frequencies(["pool"]) == ({"pool": 0}, 0)
    assert found(store, "pool") == []


def test_a_new_index_of_a_machine_knows_of_no_event(local: LocalIndex) -> None:
    assert local.events("9999", 10, 10) == []


def test_an_entry_comes_back_as_it_was_put(store: IndexStore) -> None:
    given = entry("DEC-1", title="Größe \ud7ff", body="a\x00b\nc", tags=("x",), extra={"mine": [1, None, "é"]})

    put(store, given)

    assert store.select(Select()) == [given]


def test_a_known_file_is_told_by_scope_and_path(store: IndexStore) -> None:
    put(store, entry("DEC-1"), entry("DEC-1", scope=Scope.USER))

    known = store.sources()

    assert set(known) == {("workspace", "memory/DEC-1.md"), ("user", "memory/DEC-1.md")}
    assert known["user", "memory/DEC-1.md"].scope is Scope.USER


def test_putting_a_file_again_replaces_all_it_held(store: IndexStore) -> None:
    store.apply(Change(sources=(of_file(entry("DEC-1", path="memory/a.md"), entry("DEC-2", path="memory/a.md")),)))

    store.apply(Change(sources=(of_file(entry("DEC-3", path="memory/a.md", title="pool"), stamp="2"),)))

    assert ids(found(store, "pool")) == ["DEC-3"]
    assert [each.memory.id for each in store.select(Select())] == ["DEC-3"]
    assert store.sources()["workspace", "memory/a.md"].stamp == "2"


def test_a_moved_stamp_alone_keeps_the_entries(store: IndexStore) -> None:
    put(store, entry("DEC-1", title="pool"))
    source = Source(scope=Scope.WORKSPACE, path="memory/DEC-1.md", stamp="9", sha256="0" * 64)

    store.apply(Change(sources=(SourceChange(source=source, passages=None),)))

    assert ids(found(store, "pool")) == ["DEC-1"]
    assert store.sources()["workspace", "memory/DEC-1.md"].stamp == "9"


def test_a_dropped_file_takes_all_it_held_along(store: IndexStore) -> None:
    given = entry("DEC-1", title="pool", supersedes=("DEC-0",))
    store.apply(Change(sources=(of_file(given, problems=[Problem(path=given.path, line=3, reason="torn")]),)))

    store.apply(Change(dropped=((Scope.WORKSPACE, given.path),)))

    assert store.sources() == {}
    assert found(store, "pool") == []
    assert store.frequencies(["pool"]) == ({"pool": 0}, 0)
    assert store.links() == ([], [])


def test_a_term_in_the_title_counts_more_than_in_tags_and_there_more_than_in_the_body(store: IndexStore) -> None:
    put(store, entry("DEC-1", body="pool"), entry("DEC-2", tags=("pool",)), entry("DEC-3", title="pool"))
    put(store, *(entry(f"DEC-{number}", body="other words") for number in range(4, 9)))

    assert ids(found(store, "pool")) == ["DEC-3", "DEC-2", "DEC-1"]


def test_greater_scores_are_better_and_come_first(store: IndexStore) -> None:
    put(store, *(entry(f"DEC-{number}", body="pool " * (number % 7) + "word " * number) for number in range(200)))

    scores = [hit.score for hit in found(store, "pool")]

    assert len(scores) == sum(1 for number in range(200) if number % 7)
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_equal_scores_are_ordered_by_id_and_then_by_path(store: IndexStore) -> None:
    put(store, *(entry(f"DEC-{number:03}", body="pool") for number in reversed(range(100))))
    put(store, entry("DEC-050", path="memory/copy.md", body="pool"))

    hits = found(store, "pool")

    assert ids(hits) == sorted(ids(hits))
    assert [hit.entry.path for hit in hits if hit.entry.memory.id == "DEC-050"] == [
        "memory/DEC-050.md",
        "memory/copy.md",
    ]


def test_terms_are_joined_by_or(store: IndexStore) -> None:
    put(store, entry("DEC-1", body="pool"), entry("DEC-2", body="timeout"), entry("DEC-3", body="other"))

    assert set(ids(found(store, "pool", "timeout"))) == {"DEC-1", "DEC-2"}


def test_no_terms_match_nothing(store: IndexStore) -> None:
    put(store, entry("DEC-1", body="pool"))

    assert found(store) == []


@pytest.mark.parametrize("term", ["and", "or", "not", "near", "title", "words", "東", "*", '"', "("])
def test_a_term_is_never_taken_for_an_operator(store: IndexStore, term: str) -> None:
    put(store, entry("DEC-1", title="pool", body="東京"))

    assert ids(found(store, term)) == (["DEC-1"] if term == "東" else [])


def test_hits_are_narrowed_by_type_status_scope_and_id(store: IndexStore) -> None:
    put(store, *(entry(f"DEC-{number:03}", body="pool") for number in range(150)))
    put(store, entry("INV-1", type=MemoryType.INVARIANT, body="pool"))
    put(store, entry("DEC-X", status=Status.CANDIDATE, body="pool"), entry("DEC-Y", scope=Scope.USER, body="pool"))

    def only(select: Select) -> list[str]:
        return ids(found(store, "pool", select=select))

    assert only(Select(types=(MemoryType.INVARIANT,))) == ["INV-1"]
    assert only(Select(statuses=(Status.CANDIDATE,))) == ["DEC-X"]
    assert only(Select(scopes=(Scope.USER,))) == ["DEC-Y"]
    assert only(Select(ids=("DEC-007", "INV-1"))) == ["DEC-007", "INV-1"]
    assert only(Select(ids=("DEC-007",), scopes=(Scope.USER,))) == []


def test_filters_do_not_change_scores(store: IndexStore) -> None:
    put(store, entry("DEC-1", body="pool"), entry("DEC-2", scope=Scope.USER, body="pool wide"), entry("DEC-3"))
    all_scores = {hit.entry.memory.id: hit.score for hit in found(store, "pool")}

    only = found(store, "pool", select=Select(scopes=(Scope.USER,)))

    assert [hit.score for hit in only] == [all_scores["DEC-2"]]


def test_a_search_left_half_way_does_not_hold_up_a_change(store: IndexStore) -> None:
    put(store, *(entry(f"DEC-{number:03}", body="pool") for number in range(100)))
    hits = store.by_words(WordQuery(terms=("pool",)))
    next(hits)

    put(store, entry("DEC-999", body="late"))

    assert ids(found(store, "late")) == ["DEC-999"]


def test_frequencies_count_passages_not_occurrences(store: IndexStore) -> None:
    put(store, entry("DEC-1", title="pool", body="pool pool"), entry("DEC-2", body="pool"), entry("DEC-3", body="x"))

    assert store.frequencies(["pool", "never"]) == ({"pool": 2, "never": 0}, 3)


def test_entries_are_selected_by_id_and_then_path(store: IndexStore) -> None:
    put(store, entry("DEC-2"), entry("DEC-1", path="memory/b.md"), entry("DEC-1", path="memory/a.md"))

    assert [(each.memory.id, each.path) for each in store.select(Select())] == [
        ("DEC-1", "memory/a.md"),
        ("DEC-1", "memory/b.md"),
        ("DEC-2", "memory/DEC-2.md"),
    ]


def test_an_id_is_matched_exactly(store: IndexStore) -> None:
    put(store, entry("DEC-1"), entry("DEC-10"), entry("dec-1"))

    assert [each.memory.id for each in store.select(Select(ids=("DEC-1",)))] == ["DEC-1"]


def test_supersessions_tell_since_when(store: IndexStore) -> None:
    put(store, entry("DEC-2", supersedes=("DEC-1",), valid_from="2026-03-01", updated="2026-04-01"))
    put(store, entry("DEC-3", supersedes=("DEC-2", "DEC-3"), updated="2026-05-01"))

    links, _ = store.links()

    assert [(link.old, link.new, link.since) for link in links] == [
        ("DEC-1", "DEC-2", "2026-03-01"),
        ("DEC-2", "DEC-3", "2026-05-01"),
    ]


@pytest.mark.parametrize(
    ("status", "counts"), [("candidate", 0), ("rejected", 0), ("superseded", 1), ("deprecated", 1)]
)
def test_only_what_was_once_accepted_supersedes(store: IndexStore, status: str, counts: int) -> None:
    put(store, entry("DEC-2", supersedes=("DEC-1",), status=Status(status)))

    assert len(store.links()[0]) == counts


def test_problems_are_told_by_path_and_line(store: IndexStore) -> None:
    given = entry("DEC-1")
    torn = Problem(path=given.path, line=9, reason="torn \ud800", hint="mend it")
    early = Problem(path=given.path, line=2, reason="early")

    store.apply(Change(sources=(of_file(given, problems=[torn, early]),)))

    assert [(each.line, each.hint) for each in store.links()[1]] == [(2, ""), (9, "mend it")]


def test_events_are_told_around_a_time_oldest_first(local: LocalIndex) -> None:
    days = [event(number, f"2026-11-{number:02}T00:00:00.000Z") for number in range(1, 10)]
    local.apply(Change(events=tuple(reversed(days)), cursor=Cursor(segment=2, offset=7)))

    around = local.events("2026-11-05T00:00:00.000Z", 2, 3)

    assert around == days[2:7]
    assert local.events("9999", 1, 5) == days[-1:]
    assert local.events("2026-11-05T00:00:00.000Z", 0, 0) == []
    assert local.cursor() == Cursor(segment=2, offset=7)


def test_an_event_put_twice_is_held_once_and_can_be_forgotten(local: LocalIndex) -> None:
    local.apply(Change(events=(event(1, "2026-11-01"), event(2, "2026-11-02"))))

    local.apply(Change(events=(event(2, "2026-11-03"),), forgotten=("E1", "E9")))

    assert local.events("9999", 10, 0) == [event(2, "2026-11-03")]


def test_a_change_without_a_cursor_keeps_the_place_in_the_journal(store: IndexStore) -> None:
    store.apply(Change(cursor=Cursor(segment=3, offset=4)))

    put(store, entry("DEC-1"))

    assert store.cursor() == Cursor(segment=3, offset=4)


def test_entries_are_chosen_by_where_they_hold_and_how_new_they_are(store: IndexStore) -> None:
    paths = {"LRN-1": (), "LRN-2": ("src/**",), "LRN-3": ()}
    memories = [
        Memory(id=name, type=MemoryType.LEARNING, paths=where, updated=f"2026-01-0{name[-1]}", body='"paths":[]')
        for name, where in paths.items()
    ]
    entries = [Entry(memory=m, scope=Scope.WORKSPACE, path=f"memory/{m.id}.md", line=1, sha256="s") for m in memories]
    changes = tuple(
        SourceChange(
            source=Source(scope=Scope.WORKSPACE, path=entry.path, stamp="1", sha256="s"),
            passages=(Passage(entry=entry, terms=Terms()),),
        )
        for entry in entries
    )
    store.apply(Change(sources=changes))

    def chosen(select: Select) -> list[str]:
        return [entry.memory.id for entry in store.select(select)]

    assert chosen(Select(scoped=True)) == ["LRN-2"]
    assert chosen(Select(scoped=False)) == ["LRN-1", "LRN-3"]
    assert chosen(Select(newest=2)) == ["LRN-2", "LRN-3"]
    assert chosen(Select(scoped=False, newest=1)) == ["LRN-3"]


def spoken(number: int, words: str, *, kind: str = "turn", group: str = "s1", part: int = 0, of: str = "") -> Spoken:
    return Spoken(
        kind=kind,
        id=of or f"E{number}",
        part=part,
        group=group,
        ts=f"2026-11-15T09:00:{number:02d}.000Z",
        client="codex",
        said_by="user",
        text=words,
        terms=tuple(words.split()),
    )


def said(local: LocalIndex, *terms: str, kinds: tuple[str, ...] = ("turn", "log"), limit: int = 50) -> list[SpokenHit]:
    return list(local.by_spoken(SpokenQuery(terms=terms, kinds=kinds, limit=limit)))


def test_what_was_said_is_found_by_its_terms_with_what_stood_around_it(local: LocalIndex) -> None:
    turns = (spoken(1, "use the pool"), spoken(2, "which pool size"), spoken(3, "ten"), spoken(4, "pool", group="s2"))
    local.apply(Change(spoken=turns))

    hits = said(local, "size")

    assert [(hit.spoken.id, hit.before, hit.after) for hit in hits] == [("E2", "use the pool", "ten")]
    assert local.spoken_frequencies(["pool", "size"]) == ({"pool": 3, "size": 1}, 4)
    assert hits[0].spoken == turns[1].__replace__(terms=())


def test_the_best_of_what_was_said_comes_first_and_of_equals_the_newest(local: LocalIndex) -> None:
    local.apply(Change(spoken=(spoken(1, "pool a"), spoken(2, "pool b"), spoken(3, "pool pool"), spoken(4, "c d"))))

    assert [hit.spoken.id for hit in said(local, "pool")] == ["E3", "E2", "E1"]
    assert len(said(local, "pool", limit=2)) == 2
    assert said(local) == []
    assert said(local, "pool", kinds=()) == []


def test_an_event_that_is_forgotten_takes_its_words_along(local: LocalIndex) -> None:
    local.apply(Change(spoken=(spoken(1, "pool one"), spoken(1, "pool two", part=1), spoken(2, "other pool"))))

    local.apply(Change(forgotten=("E1", "E9")))

    assert [hit.spoken.id for hit in said(local, "pool")] == ["E2"]
    assert local.spoken_frequencies(["pool"]) == ({"pool": 1}, 1)


def test_a_page_that_is_written_anew_replaces_all_it_held(local: LocalIndex) -> None:
    path = "log/2026-11-15.md"
    first = spoken(1, "tried pool", kind="log", group=path, of=path)
    local.apply(Change(pages=(Page(path=path, stamp="1", spoken=(first,)),)))
    again = spoken(1, "done lake", kind="log", group=path, of=path)
    local.apply(Change(pages=(Page(path=path, stamp="2", spoken=(again,)),)))

    assert local.pages() == {path: "2"}
    assert (said(local, "pool"), [hit.spoken.text for hit in said(local, "lake")]) == ([], ["done lake"])
    assert said(local, "lake", kinds=("turn",)) == []
    local.apply(Change(deleted_pages=(path,)))
    assert (local.pages(), said(local, "lake")) == ({}, [])
