"""Terms in blocks: whatever comes and goes, PostgreSQL ranks as SQLite does and keeps nothing of what went."""

import random
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.databases import new_space
from tests.index_values import entry, of_file

from holdfast.core.memory import Scope
from holdfast.core.passage_store import MEMORY
from holdfast.core.search import Change, SourceChange, WordQuery
from holdfast.exchange.postgres.bulk_rows import format_array
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postings import TAIL
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf

WORDS = ["pool", "redis", "cache", "kafka", "timeout", "retry", "schema", "naïve", "東京"]
# Enough passages that a frequent term fills blocks of its own.
MANY = 3 * TAIL // 8


@pytest.fixture
def lite() -> Iterator[SqliteIndex]:
    index = SqliteIndex.open(":memory:")
    yield index
    index.close()


def memories(chance: random.Random, count: int, first: int = 0) -> list[SourceChange]:
    """Some memories; one word of each is of all of them."""
    return [
        of_file(
            entry(f"DEC-{n:06}", title=chance.choice(WORDS), body=" ".join(["common", *chance.choices(WORDS, k=6)]))
        )
        for n in range(first, first + count)
    ]


def ranking(index: PostgresIndex | SqliteIndex, *terms: str) -> list[tuple[str, float]]:
    found = index.by_words(WordQuery(terms=terms))
    return [(each.entry.memory.id, round(each.score, 6)) for each in found]


def rows(space: DatabaseSpace, table: str) -> int:
    with space.reading() as cursor:
        found = cursor.execute(f"SELECT count(*) FROM {table} WHERE space = %s".encode(), (space.id,)).fetchone()
    return int((found or (0,))[0])


def test_what_comes_and_goes_in_any_order_is_ranked_as_in_sqlite(space: DatabaseSpace, lite: SqliteIndex) -> None:
    chance = random.Random(5)
    team = PostgresIndex(space)
    changes = [Change(sources=tuple(memories(chance, MANY)))]
    for _ in range(6):
        again = memories(chance, 40, chance.randrange(MANY - 40))
        gone = [(Scope.WORKSPACE, f"memory/DEC-{n:06}.md") for n in chance.sample(range(MANY), 25)]
        changes += [Change(sources=tuple(again)), Change(sources=(), dropped=tuple(gone))]

    for change in changes:
        team.apply(change)
        lite.apply(change)

        for terms in (("common",), ("pool", "redis"), ("naïve", "東京", "common"), ("nothing",)):
            assert ranking(team, *terms) == ranking(lite, *terms)
        assert team.frequencies(WORDS) == lite.frequencies(WORDS)
    assert rows(space, "posting") > 0


def test_names_are_counted_and_found_as_in_sqlite(space: DatabaseSpace, lite: SqliteIndex) -> None:
    names = ["poolkeeper", "src users py", "users py"]
    sources = [
        of_file(entry(f"DEC-{n:06}", title="PoolKeeper" if n % 7 == 0 else "x", body="PoolKeeper in src/users.py"))
        for n in range(MANY)
    ]
    team = PostgresIndex(space)
    for index in (team, lite):
        index.apply(Change(sources=tuple(sources)))
        index.apply(Change(sources=tuple(sources[10:20])))
    shelves = team.shelf(MEMORY), SqliteShelf(lite.connection, MEMORY)

    assert shelves[0].name_counts(names) == shelves[1].name_counts(names)
    assert shelves[0].name_counts(["poolkeeper"]) == {"poolkeeper": MANY}
    for limit in (1, 50, MANY):
        ours, theirs = (shelf.named(names, limit) for shelf in shelves)
        assert {name: list(found) for name, found in ours.items()} == {n: list(found) for n, found in theirs.items()}


def test_when_everything_went_no_term_is_left(space: DatabaseSpace) -> None:
    index = PostgresIndex(space)
    sources = memories(random.Random(7), MANY)
    index.apply(Change(sources=tuple(sources)))
    assert rows(space, "term") > 0

    places = tuple((Scope.WORKSPACE, each.source.path) for each in sources)
    index.apply(Change(sources=(), dropped=places))

    assert (rows(space, "term"), rows(space, "posting"), rows(space, "passage")) == (0, 0, 0)


def test_the_terms_of_a_space_go_with_it_and_others_stay(team_database: PostgresDatabase) -> None:
    ours, theirs = new_space(team_database), new_space(team_database)
    for space in (ours, theirs):
        PostgresIndex(space).apply(Change(sources=tuple(memories(random.Random(8), MANY))))

    with team_database.connection() as connection:
        connection.execute("DELETE FROM space WHERE id = %s", (ours.id,))

    with psycopg.connect(team_database.url) as connection:
        for table in ("term", "posting"):
            asked = f"SELECT DISTINCT space FROM holdfast.{table} WHERE space = ANY (%s)"
            assert connection.execute(asked.encode(), ([ours.id, theirs.id],)).fetchall() == [(theirs.id,)]


def test_a_long_text_with_one_word_ten_thousand_times_is_held(space: DatabaseSpace, lite: SqliteIndex) -> None:
    change = Change(sources=(of_file(entry("DEC-1", body="pool " * 100_000)), of_file(entry("DEC-2", body="pool"))))
    for index in (PostgresIndex(space), lite):
        index.apply(change)

    assert [name for name, _ in ranking(PostgresIndex(space), "pool")] == [name for name, _ in ranking(lite, "pool")]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
@settings(max_examples=examples(200), deadline=None)
def test_an_array_of_texts_is_written_as_postgresql_reads_it(texts: list[str]) -> None:
    assert _read(format_array("text", texts)) == [text.replace("\0", "\ufffd") for text in texts]


def test_hostile_texts_come_through_an_array(team_database: PostgresDatabase) -> None:
    texts = [
        "",
        "NULL",
        "null",
        '"',
        "\\",
        '\\"',
        "{a,b}",
        "a,b",
        "\0",
        "x\0y",
        "'; DROP TABLE term; --",
        "東京",
        " ",
        "\n",
    ]

    with team_database.connection() as connection:
        found = connection.execute("SELECT %s::text[]", (format_array("text", texts),)).fetchone()

    assert found == ([text.replace("\0", "\ufffd") for text in texts],)


def _read(literal: str) -> list[str]:
    """An array as PostgreSQL's manual says that it is read: quoted elements, with backslashes before what is meant."""
    found, current, inside, at = list[str](), "", False, 1
    while at < len(literal) - 1:
        char = literal[at]
        if inside and char == "\\":
            at += 1
            current += literal[at]
        elif char == '"':
            inside = not inside
            if not inside:
                found.append(current)
                current = ""
        elif inside:
            current += char
        at += 1
    return found
