"""What PostgreSQL alone promises: rows by space, steps forward, news that nobody misses."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from tests.databases import database, new_space, postgres
from tests.index_values import entry, put
from tests.waiting import LONG

from holdfast.core.event import Event
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.passage_store import MEMORY
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.core.vault_store import IdTaken
from holdfast.exchange.postgres import database as room
from holdfast.exchange.postgres.change_feed import feed_mark, files_moved_since, newest_number
from holdfast.exchange.postgres.database import (
    BadSpaceName,
    DatabaseSpace,
    NewerDatabase,
    NoSuchSpace,
    NotMigrated,
    PostgresDatabase,
    load_migrations,
)
from holdfast.exchange.postgres.database_people import close_project
from holdfast.exchange.postgres.listen_feed import Listener
from holdfast.exchange.postgres.postgres_errors import DatabaseUnreachable, NotADatabaseUrl
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.postgres.space_index import open_team_index
from holdfast.vault.memory_text import MarkdownTexts

DECISION = Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Use Textual", body="Because it is fast.")


@pytest.fixture
def empty_database(team_database: PostgresDatabase) -> Iterator[str]:
    """A database of its own in the same server, without our tables."""
    with psycopg.connect(team_database.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE apart")
    yield team_database.url.replace("/postgres?", "/apart?")
    with psycopg.connect(team_database.url, autocommit=True) as connection:
        connection.execute("DROP DATABASE apart WITH (FORCE)")


def test_a_space_sees_its_own_rows_alone(team_database: PostgresDatabase) -> None:
    ours, theirs = new_space(team_database), new_space(team_database)
    for space in (ours, theirs):
        PostgresVault(space, MarkdownTexts()).create(replace(DECISION, id=f"DEC-{space.id}"))
        put(PostgresIndex(space), entry(f"DEC-{space.id}"))

    assert [e.memory.id for e in PostgresIndex(ours).select(Select())] == [f"DEC-{ours.id}"]
    with ours.reading() as cursor:
        assert cursor.execute("SELECT DISTINCT space FROM file").fetchall() == [(ours.id,)]
        assert cursor.execute("SELECT count(*) FROM passage WHERE space = %s", (theirs.id,)).fetchone() == (0,)


def test_a_row_cannot_be_written_into_a_space_that_is_not_seen(team_database: PostgresDatabase) -> None:
    ours, theirs = new_space(team_database), new_space(team_database)
    foreign = DatabaseSpace(ours.team, theirs.id, "project", "theirs")

    with pytest.raises(Exception, match="row-level security"):
        PostgresJournal(foreign).append([Event(client="c", name="n")])

    assert list(PostgresJournal(theirs).read()) == []


def test_nobody_sees_anything_before_they_entered(team_database: PostgresDatabase) -> None:
    PostgresVault(new_space(team_database), MarkdownTexts()).create(DECISION)

    with team_database.connection() as connection:
        assert connection.execute("SELECT count(*) FROM file").fetchone() == (0,)


def test_what_is_a_persons_own_no_colleague_sees(team_database: PostgresDatabase) -> None:
    ada, bob = team_database.team("persons", "ada"), team_database.team("persons", "bob")
    PostgresVault(ada.own, MarkdownTexts()).create(DECISION)

    with bob.own.reading() as cursor:
        assert cursor.execute("SELECT count(*) FROM file WHERE space = %s", (ada.own.id,)).fetchone() == (0,)
    with pytest.raises(NoSuchSpace):
        bob.space("person", "ada")


def test_a_closed_project_is_seen_by_its_members(team_database: PostgresDatabase) -> None:
    ada, bob = team_database.team("closing", "ada"), team_database.team("closing", "bob")
    PostgresVault(ada.project("secret"), MarkdownTexts()).create(DECISION)
    assert PostgresVault(bob.project("secret"), MarkdownTexts()).stamps()

    close_project(ada, "secret", ["ada"])

    assert (ada.projects(), bob.projects()) == (["secret"], [])
    with pytest.raises(NoSuchSpace):
        bob.project("secret")


def test_two_teams_may_have_projects_of_one_name(team_database: PostgresDatabase) -> None:
    one, other = team_database.team("one", "ada").project("app"), team_database.team("other", "ada").project("app")
    PostgresVault(one, MarkdownTexts()).create(DECISION)

    assert PostgresVault(other, MarkdownTexts()).stamps() == {}


@pytest.mark.parametrize("name", ["", " x", "a\nb", "x" * 300, "a\0b"])
def test_a_name_that_is_none_is_refused(team_database: PostgresDatabase, name: str) -> None:
    with pytest.raises(BadSpaceName):
        team_database.team("names", name)


def test_two_who_write_one_file_at_once_do_not_lose_either(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    vault = PostgresVault(space, MarkdownTexts())
    first = vault.create(DECISION)
    texts = [replace(DECISION, title=f"By {name}") for name in ("ada", "bob")]
    came: list[str] = []

    def write(memory: Memory) -> None:
        try:
            vault.rewrite(first, memory)
            came.append("won")
        except Exception as error:
            came.append(type(error).__name__)

    writers = [threading.Thread(target=write, args=(text,)) for text in texts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert sorted(came) == ["MemoryMoved", "won"]


def test_a_swap_tells_the_sum_that_is_there_instead(team_database: PostgresDatabase) -> None:
    vault = PostgresVault(new_space(team_database), MarkdownTexts())
    assert vault.swap("notes/a.md", b"one", "") == ""
    sha = (vault.read("notes/a.md") or pytest.fail("it is there")).sha256

    assert vault.swap("notes/a.md", b"two", "0" * 64) == sha
    assert vault.swap("notes/a.md", b"two", sha) == ""
    assert vault.swap("notes/a.md", None, sha) not in ("", sha)
    assert vault.raw("notes/a.md") == b"two"


def test_appends_from_many_at_once_are_in_one_order_without_gaps(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)

    def write(name: str) -> None:
        for number in range(20):
            PostgresJournal(space).append([Event(client=name, name="n", key=f"{name}-{number}")])

    writers = [threading.Thread(target=write, args=(name,)) for name in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    records = list(PostgresJournal(space).read())
    assert len(records) == 60
    assert [record.id for record in records] == sorted(record.id for record in records)
    with space.reading() as cursor:
        told = cursor.execute("SELECT n FROM feed WHERE space = %s ORDER BY n", (space.id,)).fetchall()
    assert [n for (n,) in told] == list(range(1, 61))


def test_news_are_told_with_the_commit_and_read_on_from_a_number(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    vault = PostgresVault(space, MarkdownTexts())
    entry = vault.create(DECISION)
    with space.reading() as cursor:
        before = feed_mark(cursor, space)
    vault.remove(entry)

    with space.reading() as cursor:
        assert files_moved_since(cursor, space, before) == {("memory", entry.path)}
        assert files_moved_since(cursor, space, feed_mark(cursor, space)) == set()


def test_a_listener_is_woken_and_told_when_it_was_away(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    heard: list[tuple[int, int]] = []
    woken, back = threading.Event(), threading.Event()

    def moved(where: int, n: int) -> None:
        heard.append((where, n))
        woken.set()

    listener = Listener(team_database.url, moved, back.set)
    listener.start()
    try:
        assert listener.listening.wait(LONG)
        assert back.wait(LONG)
        PostgresVault(space, MarkdownTexts()).create(DECISION)
        assert woken.wait(LONG)
        assert heard[0][0] == space.id
        back.clear()
        with psycopg.connect(team_database.url, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN holdfast'")
        assert back.wait(LONG)
    finally:
        listener.stop()


@pytest.mark.parametrize(
    "payload", ["", ":", "x", f"1:{'9' * 5000}", f"{'9' * 19}:1", "-1:-1", "1:2:3", "\u0661:\u06f2", "²:³"]
)
def test_a_listener_hears_on_whatever_somebody_sends(team_database: PostgresDatabase, payload: str) -> None:
    heard, back = threading.Event(), threading.Event()

    def fails() -> None:
        if not back.is_set():
            back.set()
            raise ValueError

    listener = Listener(team_database.url, lambda _, n: heard.set() if n == 77 else None, fails)
    listener.start()
    try:
        assert back.wait(LONG)
        with psycopg.connect(team_database.url, autocommit=True) as connection:
            connection.execute("SELECT pg_notify('holdfast', %s)", (payload,))
            while not heard.wait(0.2):
                connection.execute("SELECT pg_notify('holdfast', '1:77')")
    finally:
        listener.stop()


def test_a_connection_that_broke_is_replaced(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    PostgresVault(space, MarkdownTexts()).create(DECISION)
    with psycopg.connect(team_database.url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    assert len(PostgresVault(space, MarkdownTexts()).stamps()) == 1


def test_steps_forward_are_taken_once_and_from_any_version(empty_database: str) -> None:
    steps = [step.name for step in load_migrations()]
    for upto in range(1, len(steps) + 1):
        with psycopg.connect(empty_database, autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS holdfast CASCADE")
        found = PostgresDatabase(empty_database)
        try:
            assert found.migrate(upto) == steps[:upto]
            if upto < len(steps):
                with pytest.raises(NotMigrated):
                    found.open()
            assert found.migrate() == steps[upto:]
            assert found.migrate() == []
            space = found.open().team("t", "ada").project("p")
            assert PostgresVault(space, MarkdownTexts()).create(DECISION)
            put(PostgresIndex(space), entry("DEC-1", title="pool"))
        finally:
            found.close()


def test_a_misnamed_project_of_an_earlier_version_stays_and_is_left_out_of_lists(empty_database: str) -> None:
    found = PostgresDatabase(empty_database)
    try:
        found.migrate(7)
        with psycopg.connect(empty_database) as connection:
            connection.execute("SET search_path TO holdfast")
            connection.execute("INSERT INTO team (name) VALUES ('t')")
            connection.execute("INSERT INTO space (team, kind, name) SELECT id, 'project', E'x\\ny' FROM team")
        found.migrate()
        team = found.open().team("t", "ada")
        team.project("p")

        assert team.projects() == ["p"]
        with found.connection() as connection:
            assert connection.execute("SELECT count(*) FROM space WHERE kind = 'project'").fetchone() == (2,)
    finally:
        found.close()


def test_a_database_of_a_newer_version_is_left_alone(empty_database: str) -> None:
    with database(empty_database) as found, found.connection() as connection:
        connection.execute("RESET ROLE")
        connection.execute("INSERT INTO migration (number, name) VALUES (9999, 'later')")
    later = PostgresDatabase(empty_database)
    try:
        with pytest.raises(NewerDatabase):
            later.open()
    finally:
        later.close()


def test_two_that_migrate_at_once_take_each_step_once(empty_database: str) -> None:
    done: list[str] = []

    def migrate() -> None:
        found = PostgresDatabase(empty_database)
        try:
            done.extend(found.migrate())
        finally:
            found.close()

    both = [threading.Thread(target=migrate) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()

    assert sorted(done) == [step.name for step in load_migrations()]


@pytest.mark.server
def test_a_server_that_is_gone_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "PATIENCE", 1.0)
    with postgres() as url, database(url) as found:
        space = new_space(found)
        gone = found
    with pytest.raises(DatabaseUnreachable):
        PostgresVault(space, MarkdownTexts()).stamps()
    gone.close()


@pytest.mark.parametrize("url", ["", "mysql://x", "postgresql://[", "https://user:secret@host/x"])
def test_an_address_that_is_none_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(NotADatabaseUrl) as caught:
        PostgresDatabase(url)
    assert "secret" not in str(caught.value)
    assert "Error" not in str(caught.value)


def test_an_index_of_an_earlier_version_is_found_in_after_the_step(empty_database: str) -> None:
    found = PostgresDatabase(empty_database)
    try:
        found.migrate(6)
        with psycopg.connect(empty_database) as connection:
            connection.execute("SET search_path TO holdfast, public")
            connection.execute(_OLD_INDEX.encode())
        found.migrate()
        space = found.open().team("t", "ada").project("p")
        index = PostgresIndex(space)

        assert index.shelf(MEMORY).by_words(["pool"], 500) == [2, 1, *range(3, 301)]
        assert index.frequencies(["pool", "redis"]) == ({"pool": 300, "redis": 1}, 300)
        assert index.shelf(MEMORY).named(["pool keeper"], 9) == {"pool keeper": [2, 1]}
        assert index.shelf(MEMORY).naming([2]) == {2: ["pool keeper", "redis"]}
        held = PostgresVault(space, MarkdownTexts())
        with pytest.raises(IdTaken):
            held.create(replace(DECISION, id="DEC-OLD"))
    finally:
        found.close()


def test_an_index_is_in_step_until_a_file_moves(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    vault = PostgresVault(space, MarkdownTexts())
    first = vault.create(DECISION)
    assert PostgresIndex(space).synced_to() == -1

    assert [e.memory.title for e in open_team_index(space).select(Select())] == ["Use Textual"]
    assert PostgresIndex(space).synced_to() == newest_number(space)
    vault.rewrite(first, replace(DECISION, title="Use curses"))

    assert PostgresIndex(space).synced_to() < newest_number(space)
    assert [e.memory.title for e in open_team_index(space).select(Select())] == ["Use curses"]
    PostgresIndex(space).empty()
    assert PostgresIndex(space).synced_to() == -1


def test_who_changed_the_index_meanwhile_may_have_read_older_files(team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    ours, theirs = PostgresIndex(space), PostgresIndex(space)
    ours.synced_to()
    put(ours, entry("DEC-1"))
    put(theirs, entry("DEC-1", title="older"))

    ours.put_synced_to(7)

    assert ours.synced_to() == -1
    ours.put_synced_to(7)
    assert theirs.synced_to() == 7


_OLD_INDEX = """
    INSERT INTO team (name) VALUES ('t');
    INSERT INTO person (team, name) SELECT id, 'ada' FROM team;
    INSERT INTO space (team, kind, name) SELECT id, 'project', 'p' FROM team;
    INSERT INTO file (space, place, path, data, sha256, ids, changed)
        SELECT id, 'memory', 'a.md', '', '', '{DEC-OLD}', 1 FROM space;
    INSERT INTO term (space, place, term, count) SELECT id, 'memory', unnest(ARRAY['pool', 'redis']), 0 FROM space;
    INSERT INTO total SELECT id, 'memory', 300, 700, 300 FROM space;
    INSERT INTO passage
        SELECT space.id, n, 'DEC-' || n, 'workspace', n || '.md', 1, '', 'decision', 'accepted', false, '', 0, 't', '',
               '', '', 'pool', 'pool', 0, 1, 2, ARRAY(SELECT id FROM term ORDER BY term LIMIT 1 + (n = 2)::integer),
               ARRAY[1 + 4 * (n = 2)::integer, 1], ARRAY['pool keeper', 'redis'], '{}'
        FROM space, generate_series(1, 300) AS n;
    UPDATE passage SET weights = weights[1:array_length(terms, 1)], size = size + (row > 2)::integer;
    INSERT INTO mention SELECT id, 'memory', 'pool keeper', 2 - n, n, n FROM space, generate_series(1, 2) AS n;
"""
