"""Row-level security with real roles: who sees which rows, whatever a connection claims.

The database belongs to a role that is no superuser, people have logins of their own, and the tables are walked as
they are: one without a policy fails here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import sql
from tests.index_values import entry, put

from holdfast.backends.postgres import people
from holdfast.backends.postgres.database import Connection, Database, NoSuchSpace, NotTheirLogin, Space, Team
from holdfast.backends.postgres.failures import NoRightThere
from holdfast.backends.postgres.files import PostgresVault
from holdfast.backends.postgres.index import PostgresIndex
from holdfast.backends.postgres.journal import PostgresJournal
from holdfast.domain.event import Event
from holdfast.domain.memory import Memory, MemoryType
from holdfast.domain.value import replace
from holdfast.vault.texts import Markdown

DECISION = Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Use Textual", body="Because it is fast.")
LOGINS = ("login_ada", "login_bob", "login_eve")
OWN, PROJECT, TEAMS, SECRET = "own", "project", "teams", "secret"


class World:
    """Two teams in one database: Ada and Bob are acme, Eve is the others. Every space of both holds rows."""

    def __init__(self, keeper: Database, url: Callable[[str], str]) -> None:
        self.keeper, self.url = keeper, url
        for team, person, login in (("acme", "ada", LOGINS[0]), ("acme", "bob", LOGINS[1]), ("evil", "eve", LOGINS[2])):
            people.add_person(keeper.team(team, "keeper"), person, login)
        self.spaces = {
            (name, kind): fill(space)
            for name, team in (("ada", "acme"), ("bob", "acme"), ("eve", "evil"))
            for kind, space in spaces(keeper.team(team, name)).items()
        }
        people.close_project(keeper.team("acme", "keeper"), SECRET, ["ada"])

    @contextmanager
    def logged_in(self, login: str) -> Iterator[Database]:
        found = Database(self.url(login), most=1)
        try:
            yield found.open()
        finally:
            found.close()

    @contextmanager
    def raw(self, login: str) -> Iterator[Connection]:
        """A connection without our code: what somebody with a password and a SQL prompt has."""
        with psycopg.connect(self.url(login)) as connection:
            connection.execute("SET search_path TO holdfast, public")
            yield connection


def spaces(team: Team) -> dict[str, Space]:
    found = {OWN: team.own, PROJECT: team.project("app"), TEAMS: team.shared}
    return {**found, SECRET: team.project(SECRET)}


def fill(space: Space) -> Space:
    vault = PostgresVault(space, Markdown())
    if not vault.stamps():
        vault.create(replace(DECISION, id=f"DEC-{space.id}"))
        put(PostgresIndex(space), entry(f"DEC-{space.id}", title="pool"))
        PostgresJournal(space).append([Event(client="c", name="n", key="k")])
    return space


@pytest.fixture(scope="module")
def world(team_database: Database) -> Iterator[World]:
    with psycopg.connect(team_database.url, autocommit=True) as root:
        root.execute("CREATE ROLE keeper LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS")
        root.execute("GRANT holdfast_app TO keeper WITH ADMIN OPTION")
        for login in LOGINS:
            root.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(login)))
        root.execute("CREATE DATABASE kept OWNER keeper")

    def url(login: str) -> str:
        return team_database.url.replace("/postgres?", "/kept?").replace("postgres:@", f"{login}@")

    with psycopg.connect(url("postgres"), autocommit=True) as root:
        root.execute("CREATE EXTENSION vector")
    keeper = Database(url("keeper"))
    try:
        keeper.migrate()
        yield World(keeper.open(), url)
    finally:
        keeper.close()
        with psycopg.connect(team_database.url, autocommit=True) as root:
            root.execute("DROP DATABASE kept WITH (FORCE)")
            for login in ("keeper", *LOGINS):
                root.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(login)))
                root.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(login)))


def tables(connection: Connection) -> list[str]:
    """Every table of ours whose rows belong to a space."""
    asked = """
        SELECT table_name FROM information_schema.columns JOIN pg_tables ON tablename = table_name
        WHERE table_schema = 'holdfast' AND schemaname = 'holdfast' AND column_name = 'space' ORDER BY table_name
    """
    return [str(name) for (name,) in connection.execute(asked)]


def spaces_seen(connection: Connection, table: str) -> set[int]:
    asked = sql.SQL("SELECT DISTINCT space FROM {}").format(sql.Identifier(table))
    return {int(number) for (number,) in connection.execute(asked)}


def test_every_table_with_rows_of_a_space_binds_everybody_its_owner_too(world: World) -> None:
    with world.raw("keeper") as connection:
        names = tables(connection)
        found = {
            str(name): (bool(on), bool(forced), int(number))
            for name, on, forced, number in connection.execute(
                """
                SELECT relname, relrowsecurity, relforcerowsecurity,
                    (SELECT count(*) FROM pg_policy WHERE polrelid = pg_class.oid AND polcmd = '*')
                FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace AND relname = ANY (%s)
                """,
                (names,),
            )
        }
        assert {"file", "journal", "feed", "member", "passage", "vector", "record"} <= set(names)
        assert {name: held for name, held in found.items() if held != (True, True, 1)} == {}
        # The owner of the tables, at a prompt, before anything was entered.
        assert {name: spaces_seen(connection, name) for name in names if name != "member"} == {
            name: set() for name in names if name != "member"
        }


@pytest.mark.parametrize("claimed", ["entered", "forged"])
def test_a_persons_login_sees_their_spaces_in_every_table_whatever_it_claims(world: World, claimed: str) -> None:
    held = world.spaces
    allowed = {
        "login_ada": {held["ada", kind].id for kind in (OWN, PROJECT, TEAMS, SECRET)},
        "login_bob": {held["bob", kind].id for kind in (OWN, PROJECT, TEAMS)},
        "login_eve": {held["eve", kind].id for kind in (OWN, PROJECT, TEAMS, SECRET)},
    }
    everything = [space.id for space in held.values()]
    for login, person, team in zip(LOGINS, ("ada", "bob", "eve"), ("acme", "acme", "evil"), strict=True):
        with world.raw(login) as connection:
            if claimed == "entered":
                connection.execute("SELECT enter(%s, %s)", (team, person))
            else:
                connection.execute("SELECT set_config('holdfast.spaces', %s, false)", (str(set(everything)),))
            seen = {name: spaces_seen(connection, name) for name in tables(connection)}
            assert seen["file"] == seen["journal"] == seen["passage"] == allowed[login]
            assert all(found <= allowed[login] for found in seen.values())


def test_a_login_does_not_enter_as_somebody_else(world: World) -> None:
    for team, person in (("acme", "bob"), ("evil", "eve"), ("acme", "nobody")):
        with world.raw("login_ada") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT enter(%s, %s)", (team, person))
    with world.logged_in("login_ada") as found:
        assert found.bound_to() == [("acme", "ada")]
        with pytest.raises(NotTheirLogin):
            found.team("acme", "bob")
        with pytest.raises(NoRightThere):
            PostgresVault(Team(found, "acme", "bob").shared, Markdown()).stamps()


def test_a_login_writes_where_it_sees_and_nowhere_else(world: World) -> None:
    with world.logged_in("login_bob") as found:
        bob = found.team("acme", "bob")
        assert PostgresVault(bob.project("app"), Markdown()).swap("notes/a.md", b"one", "") == ""
        for owner, kind in (("ada", OWN), ("ada", SECRET), ("eve", PROJECT), ("eve", TEAMS)):
            there = world.spaces[owner, kind]
            foreign = Space(bob, there.id, there.kind, there.name)
            with pytest.raises(NoRightThere, match="row-level security"):
                PostgresVault(foreign, Markdown()).swap("notes/b.md", b"mine", "")
            with pytest.raises(NoRightThere, match="row-level security"):
                PostgresJournal(foreign).append([Event(client="c", name="n")])
            assert b"mine" not in (PostgresVault(there, Markdown()).raw("notes/b.md") or b"")
    with world.raw("login_bob") as connection:
        connection.execute("SELECT set_config('holdfast.spaces', %s, false)", (str({world.spaces["ada", OWN].id}),))
        for name in tables(connection):
            gone = connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
            assert gone.rowcount == 0, name


@pytest.mark.parametrize(
    "attempt",
    [
        "INSERT INTO member SELECT space.id, person.id FROM space, person WHERE person.name = 'bob'",
        "INSERT INTO login SELECT 'login_bob', id FROM person WHERE name = 'ada'",
        "DELETE FROM login",
        "INSERT INTO person (team, name) SELECT id, 'mallory' FROM team",
        "INSERT INTO team (name) VALUES ('mine')",
        "INSERT INTO space (team, kind, name) SELECT id, 'person', 'mallory' FROM team",
        "UPDATE migration SET number = 9999",
        "ALTER TABLE file DISABLE ROW LEVEL SECURITY",
        "CREATE OR REPLACE FUNCTION seen() RETURNS bigint[] LANGUAGE sql AS 'SELECT ARRAY[1]::bigint[]'",
        "SET ROLE keeper",
        "SET SESSION AUTHORIZATION keeper",
    ],
)
def test_a_persons_login_gives_itself_no_more(world: World, attempt: str) -> None:
    with world.raw("login_bob") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(attempt.encode())


@pytest.mark.parametrize("attempt", ["UPDATE space SET closed = false", "DELETE FROM space", "DELETE FROM team"])
def test_who_sees_what_is_not_changed_by_a_persons_login(world: World, attempt: str) -> None:
    with world.raw("login_bob") as connection:
        assert connection.execute(attempt.encode()).rowcount == 0


def test_a_closed_project_is_its_members_and_opens_again(world: World) -> None:
    keeper = world.keeper.team("acme", "keeper")
    with world.logged_in("login_bob") as found:
        bob = found.team("acme", "bob")
        assert SECRET not in bob.projects()
        with pytest.raises(NoSuchSpace):
            bob.project(SECRET)
        with pytest.raises(people.PersonsLogin):
            people.open_project(bob, SECRET)
        people.open_project(keeper, SECRET)
        assert SECRET in bob.projects()
    people.close_project(keeper, SECRET, ["ada"])
    state = {each.name: (each.closed, each.members) for each in people.projects(keeper)}
    assert state[SECRET] == (True, ("ada",))


def test_a_connection_that_went_back_to_the_pool_sees_nothing_of_who_had_it(world: World) -> None:
    with world.logged_in("keeper") as found:
        ada = found.team("acme", "ada")
        with ada.own.reading() as cursor:
            first = cursor.connection.info.backend_pid
            assert cursor.execute("SELECT count(*) FROM file").fetchone() != (0,)
        with pytest.raises(ZeroDivisionError), ada.own.reading():
            raise ZeroDivisionError
        with found.connection() as connection:
            assert connection.info.backend_pid == first
            assert connection.execute("SELECT seen()").fetchone() == ([],)
            assert connection.execute("SELECT count(*) FROM file").fetchone() == (0,)
        with found.team("evil", "eve").own.reading() as cursor:
            assert cursor.connection.info.backend_pid == first
            seen = {int(number) for (number,) in cursor.execute("SELECT DISTINCT space FROM file")}
        assert seen == {world.spaces["eve", kind].id for kind in (OWN, PROJECT, TEAMS, SECRET)}


def test_a_login_whose_person_is_gone_speaks_for_nobody(world: World) -> None:
    with psycopg.connect(world.url("postgres"), autocommit=True) as root:
        root.execute("CREATE ROLE login_gone LOGIN")
        try:
            keeper = world.keeper.team("leaving", "keeper")
            people.add_person(keeper, "gone", "login_gone")
            root.execute("DELETE FROM holdfast.person WHERE name = 'gone'")
            with world.raw("login_gone") as connection:
                connection.execute("SELECT set_config('holdfast.spaces', %s, false)", (str({keeper.shared.id}),))
                assert connection.execute("SELECT seen(), bound()").fetchone() == ([], [])
                assert connection.execute("SELECT count(*) FROM team").fetchone() == (0,)
        finally:
            root.execute("DROP OWNED BY login_gone")
            root.execute("DROP ROLE login_gone")


def test_who_is_taken_out_of_a_team_sees_nothing_any_more(world: World) -> None:
    keeper = world.keeper.team("leaving", "keeper")
    people.add_person(keeper, "eve", "login_eve")
    fill(keeper.shared)
    with world.logged_in("login_eve") as found:
        assert PostgresVault(found.team("leaving", "eve").shared, Markdown()).stamps()
        assert found.teams() == ["evil", "leaving"]

        people.remove_person(keeper, "eve")

        assert found.teams() == ["evil"]
        with pytest.raises(NotTheirLogin):
            found.team("leaving", "eve")
    with pytest.raises(people.NoSuchPerson):
        people.remove_person(keeper, "eve")
    with pytest.raises(people.NoSuchLogin):
        people.add_person(keeper, "ada", "no_such_role")
    with pytest.raises(people.NoSuchProject):
        people.close_project(keeper, "nothing", [])
