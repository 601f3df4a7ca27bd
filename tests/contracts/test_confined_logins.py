"""A person's login at a SQL prompt: whatever it makes, claims or writes, it reaches no further than its person.

The catalogue is walked as it is: a function that looks where others may write fails here, also one of tomorrow.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import psycopg
import pytest
from psycopg import sql
from tests.logins import OWN, PROJECT, TEAMS, World

from holdfast.core.event import Event
from holdfast.core.passage_store import MEMORY, Vector
from holdfast.exchange.postgres import database_people
from holdfast.exchange.postgres.database import Connection, PostgresDatabase
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.postgres.purge_tables import drop_people, find_people
from holdfast.vault.memory_text import MarkdownTexts

PATH = "search_path=pg_catalog, holdfast, pg_temp"
SHADOWS = ("login", "person", "team", "space", "member")


@contextmanager
def let(world: World, right: str, on: str, login: str = "login_bob") -> Iterator[None]:
    """A right that a careless keeper gave."""
    given = sql.SQL("GRANT {0} ON {1} TO {2}"), sql.SQL("REVOKE {0} ON {1} FROM {2}")
    grant, revoke = (each.format(sql.SQL(right), sql.SQL(on), sql.Identifier(login)) for each in given)
    with psycopg.connect(world.url("postgres"), autocommit=True) as root:
        root.execute(grant)
        try:
            yield
        finally:
            root.execute(revoke)


def claim_all(world: World, connection: Connection) -> None:
    everything = {space.id for space in world.spaces.values()}
    connection.execute("SELECT set_config('holdfast.spaces', %s, false)", (str(everything),))


def seen_by_bob(world: World, connection: Connection) -> None:
    """Bob sees what is Bob's, and runs as nobody else."""
    claim_all(world, connection)
    allowed = {world.spaces["bob", kind].id for kind in (OWN, PROJECT, TEAMS)}
    [(number,)] = connection.execute("SELECT id FROM holdfast.person WHERE name = 'bob'").fetchall()
    assert connection.execute("SELECT holdfast.bound()").fetchone() == ([number],)
    assert {int(space) for (space,) in connection.execute("SELECT space FROM holdfast.file")} <= allowed
    taken = connection.execute("UPDATE holdfast.file SET author = 'bob' WHERE space <> ALL (%s)", ([*allowed],))
    assert taken.rowcount == 0
    assert connection.execute("DELETE FROM holdfast.team").rowcount == 0


def test_every_function_of_ours_looks_where_nobody_else_makes_anything(world: World) -> None:
    with psycopg.connect(world.url("postgres")) as root:
        asked = """
            SELECT proname, coalesce(array_to_string(proconfig, ';'), ''), prosecdef FROM pg_proc
            WHERE pronamespace = 'holdfast'::regnamespace
        """
        found = {str(name): (str(path), bool(definer)) for name, path, definer in root.execute(asked)}
        elsewhere = """
            SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace <> 'holdfast'::regnamespace
            AND proowner = 'keeper'::regrole
        """
        assert root.execute(elsewhere).fetchall() == []
    assert {"bound", "allowed", "spaces_of", "index_vectors", "forget_terms", "seen", "enter"} <= set(found)
    assert {name: path for name, (path, _) in found.items() if path != PATH} == {}


def test_nobody_but_the_owner_makes_anything_beside_our_tables(world: World) -> None:
    attempts = (
        "CREATE TEMP TABLE login (name text, person bigint)",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TABLE holdfast.mine (n int)",
        "CREATE SCHEMA mine",
    )
    for attempt in attempts:
        with world.raw("login_bob") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(attempt.encode())


@pytest.mark.parametrize("shadow", SHADOWS)
def test_a_temporary_table_is_not_taken_for_one_of_ours(world: World, shadow: str) -> None:
    with let(world, "TEMPORARY", "DATABASE kept"), world.raw("login_bob") as connection:
        name = sql.Identifier(shadow)
        connection.execute(sql.SQL("CREATE TEMP TABLE {} (id bigint, name text, person bigint)").format(name))
        connection.execute(sql.SQL("GRANT SELECT ON pg_temp.{} TO PUBLIC").format(name))

        seen_by_bob(world, connection)


def test_a_temporary_view_runs_nothing_as_the_owner(world: World) -> None:
    with let(world, "TEMPORARY", "DATABASE kept"), world.raw("login_bob") as connection:
        connection.execute("""
            CREATE FUNCTION pg_temp.f() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
                IF current_user = 'keeper' THEN RAISE 'runs as the owner'; END IF;
                RETURN 1;
            END $$
        """)
        connection.execute("CREATE TEMP VIEW login AS SELECT 'login_bob'::text AS name, pg_temp.f() AS person")
        connection.execute("GRANT SELECT ON pg_temp.login TO PUBLIC")

        seen_by_bob(world, connection)


def test_a_function_of_public_that_fits_better_is_not_taken_for_postgresqls(world: World) -> None:
    with let(world, "CREATE", "SCHEMA public"):
        with world.raw("login_bob") as connection:
            connection.execute("""
                CREATE FUNCTION public.unnest(bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$ BEGIN
                    IF current_user = 'keeper' THEN RAISE 'runs as the owner'; END IF;
                    RETURN QUERY SELECT id FROM holdfast.space;
                END $$
            """)
            seen_by_bob(world, connection)
            connection.rollback()
        with pytest.raises(database_people.LoginNotConfined, match="makes functions"):
            database_people.add_person(world.keeper.team("acme", "keeper"), "bob", "login_bob")


@pytest.mark.parametrize(
    "loose",
    [
        "SUPERUSER",
        "BYPASSRLS",
        "CREATEROLE",
        "REPLICATION",
        "IN ROLE keeper",
        "IN ROLE postgres",
        "IN ROLE pg_execute_server_program",
    ],
)
def test_a_login_that_nothing_holds_is_bound_to_nobody(world: World, loose: str) -> None:
    with psycopg.connect(world.url("postgres"), autocommit=True) as root:
        root.execute(f"CREATE ROLE login_loose LOGIN {loose}".encode())
        try:
            with pytest.raises(database_people.LoginNotConfined):
                database_people.add_person(world.keeper.team("acme", "keeper"), "loose", "login_loose")
            assert root.execute("SELECT 1 FROM holdfast.login WHERE name = 'login_loose'").fetchone() is None
            assert root.execute("SELECT 1 FROM holdfast.person WHERE name = 'loose'").fetchone() is None
        finally:
            root.execute("DROP ROLE login_loose")


def test_whose_the_other_logins_are_is_not_told(world: World) -> None:
    with world.raw("login_bob") as connection:
        assert connection.execute("SELECT name FROM login").fetchall() == [("login_bob",)]
        for team, person in (("acme", "ada"), ("evil", "eve"), ("acme", "nobody")):
            assert connection.execute("SELECT spaces_of(%s, %s)", (team, person)).fetchone() == ([],)
    keeper = world.keeper.team("acme", "keeper")
    assert {each.name: each.logins for each in database_people.list_people(keeper)}["ada"] == ("login_ada",)


def test_rows_that_the_database_numbers_are_numbered_by_nobody_else(world: World) -> None:
    with world.raw("login_bob") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("""
            INSERT INTO space (id, team, kind, name) OVERRIDING SYSTEM VALUE
            SELECT 1000000, id, 'project', 'taken' FROM team
        """)
    with world.logged_in("login_bob") as found:
        assert found.team("acme", "bob").project("of his own").id


@pytest.mark.parametrize("name", ["x\ny", "", " x", "x" * 201, "x\u202ey", "\x1b[31m", "\u200b"])
def test_a_name_that_is_none_is_no_projects_either(world: World, name: str) -> None:
    with world.raw("login_bob") as connection, pytest.raises(psycopg.errors.CheckViolation):
        connection.execute("INSERT INTO space (team, kind, name) SELECT id, 'project', %s FROM team", (name,))


@pytest.mark.parametrize(
    "attempt",
    [
        "INSERT INTO file VALUES (%s, 'memory', 'x.md', repeat('x', 67108865)::bytea, '', '{}', 1)",
        "INSERT INTO journal VALUES (%s, 9999, 'X', 'event', '', NULL, false, 0, repeat('x', 67108865))",
        "INSERT INTO record VALUES (%s, 'run', 'x', '', repeat('x', 67108865))",
    ],
)
def test_a_row_that_fills_the_memory_of_who_reads_it_is_not_written(world: World, attempt: str) -> None:
    space = world.spaces["bob", PROJECT]
    with world.raw("login_bob") as connection:
        connection.execute("SELECT enter('acme', 'bob')")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(attempt.encode(), (space.id,))


def test_vectors_of_another_length_keep_nobodys_out(world: World) -> None:
    bob, eve = world.spaces["bob", PROJECT], world.spaces["eve", PROJECT]
    with world.raw("login_bob") as connection:
        connection.execute("SELECT enter('acme', 'bob')")
        connection.execute("SELECT index_vectors('m', 3)")
        connection.execute("INSERT INTO vector VALUES (%s, 'memory', 1, 'm', '{}', '[1,2,3]')", (bob.id,))
        connection.commit()
    with world.keeper.connection() as connection:
        assert hnsw(connection) == []
        connection.execute("SELECT index_vectors('m', 2)")
        [made] = hnsw(connection)
        connection.execute("SELECT index_vectors('m', 2)")
        assert hnsw(connection) == [made]
    index = PostgresIndex(eve)
    index.put_vectors(MEMORY, "m", [Vector(row=1, data=bytes([1, 2]), tokens=())])
    assert list(index.shelf(MEMORY).by_vector("m", np.array([1.0, 2.0], np.float32), 5)) == [1]


def hnsw(connection: Connection) -> list[str]:
    asked = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'holdfast' AND indexname LIKE 'vector_hnsw_%'"
    return [str(text) for (text,) in connection.execute(asked)]


HOSTILE = {
    "nested": '{"v":1,"id":"%s","ts":"","kind":"event","data":{"a":' + "[" * 900 + "]" * 900 + "}}",
    "nested beyond parsing": '{"v":1,"id":"%s","ts":"","kind":"event","data":' + "[" * 200_000 + "]" * 200_000 + "}",
    "no JSON": "%s",
    "no object": '["%s"]',
    "no fields": '{"id":"%s"}',
    "numbers for texts": '{"v":1,"id":"%s","ts":7,"kind":["event"],"data":{}}',
    "not a number": '{"v":1,"id":"%s","ts":"","kind":"event","data":{"a":NaN}}',
    "beyond numbers": '{"v":1,"id":"%s","ts":"","kind":"event","data":{"a":1e999}}',
    "a long number": '{"v":1,"id":"%s","ts":"","kind":"event","data":{"a":' + "9" * 5000 + "}}",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=[*HOSTILE])
def test_a_row_of_the_journal_that_is_no_record_is_passed_over(team_database: PostgresDatabase, body: str) -> None:
    space = team_database.team("hostile", "ada").project(f"p-{abs(hash(body))}")
    journal = PostgresJournal(space)
    journal.append([Event(client="c", name="first")])
    with space.writing("journal") as cursor:
        n = space.number(cursor, "journal")
        text = body % "01ARZ3NDEKTSV4RRFFQ69G5FAV"
        put = "INSERT INTO journal VALUES (%s, %s, %s, 'event', '', NULL, false, %s, %s)"
        cursor.execute(put, (space.id, n, "01ARZ3NDEKTSV4RRFFQ69G5FAV", 0, text))
    journal.append([Event(client="c", name="second")])

    records = list(journal.read())

    assert [record.data["name"] for record in records] == ["first", "second"]
    assert [record.data["name"] for record in journal.read(records[0].after)] == ["second"]
    assert list(journal.read(records[1].after)) == []


def test_a_journal_is_read_in_handfuls_that_fit_in_memory(team_database: PostgresDatabase) -> None:
    space = team_database.team("hostile", "ada").project("heavy")
    journal = PostgresJournal(space)
    for n in range(5):
        journal.append([Event(client="c", name=f"{n}", data={"text": "x" * (3 << 20)})])

    assert [record.data["name"] for record in journal.read()] == ["0", "1", "2", "3", "4"]


def test_who_comes_later_and_has_the_same_name_does_not_see_what_was_anothers_own(world: World) -> None:
    keeper = world.keeper.team("leaving", "keeper")
    with psycopg.connect(world.url("postgres"), autocommit=True) as root:
        root.execute("CREATE ROLE login_old LOGIN")
        root.execute("CREATE ROLE login_new LOGIN")
    try:
        database_people.add_person(keeper, "cyd", "login_old")
        old = world.keeper.team("leaving", "cyd").own
        PostgresVault(old, MarkdownTexts()).swap("notes/a.md", b"private", "")

        database_people.remove_person(keeper, "cyd")
        database_people.add_person(keeper, "cyd", "login_new")

        with world.logged_in("login_new") as found:
            new = found.team("leaving", "cyd")
            assert new.own.id != old.id
            assert PostgresVault(new.own, MarkdownTexts()).stamps() == {}
        with world.raw("login_new") as connection:
            connection.execute("SELECT set_config('holdfast.spaces', %s, false)", (str({old.id}),))
            assert connection.execute("SELECT count(*) FROM file").fetchone() == (0,)
        # It is still there, and goes with the person when the person is forgotten.
        assert held(world, old.id) == 1
        named = find_people(keeper, lambda name: name == "cyd")
        assert len(named) == 2
        drop_people(keeper, named)
        assert held(world, old.id) == 0
    finally:
        with psycopg.connect(world.url("postgres"), autocommit=True) as root:
            for login in ("login_old", "login_new"):
                root.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(login)))
                root.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(login)))


def test_who_is_taken_out_holds_nobody_up_any_more(team_database: PostgresDatabase) -> None:
    keeper = team_database.team("parting", "keeper")
    with psycopg.connect(team_database.url, autocommit=True) as root:
        root.execute("CREATE ROLE login_held LOGIN")
        try:
            database_people.add_person(keeper, "dan", "login_held")
            dan = psycopg.connect(team_database.url.replace("postgres:@", "login_held@"))
            dan.execute("LOCK TABLE holdfast.file IN ACCESS EXCLUSIVE MODE")

            database_people.remove_person(keeper, "dan")

            assert PostgresVault(keeper.project("p"), MarkdownTexts()).stamps() == {}
            with pytest.raises(psycopg.OperationalError):
                dan.execute("SELECT 1")
        finally:
            root.execute("DROP OWNED BY login_held")
            root.execute("DROP ROLE login_held")


def held(world: World, space: int) -> int:
    with psycopg.connect(world.url("postgres")) as root:
        [(count,)] = root.execute("SELECT count(*) FROM holdfast.file WHERE space = %s", (space,)).fetchall()
        return int(count)
