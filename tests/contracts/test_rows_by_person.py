"""Row-level security with real roles: who sees which rows, whatever a connection claims.

The database belongs to a role that is no superuser, people have logins of their own, and the tables are walked as
they are: one without a policy fails here.
"""

import psycopg
import pytest
from psycopg import sql
from tests.logins import LOGINS, OWN, PROJECT, SECRET, TEAMS, World, fill, spaces_seen, tables

from holdfast.core.event import Event
from holdfast.exchange.postgres import database_people
from holdfast.exchange.postgres.database import DatabaseSpace, NoSuchSpace, NotTheirLogin, TeamSpaces
from holdfast.exchange.postgres.postgres_errors import NoRightThere
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.vault.memory_text import MarkdownTexts


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
            PostgresVault(TeamSpaces(found, "acme", "bob").shared, MarkdownTexts()).stamps()


def test_a_login_writes_where_it_sees_and_nowhere_else(world: World) -> None:
    with world.logged_in("login_bob") as found:
        bob = found.team("acme", "bob")
        assert PostgresVault(bob.project("app"), MarkdownTexts()).swap("notes/a.md", b"one", "") == ""
        for owner, kind in (("ada", OWN), ("ada", SECRET), ("eve", PROJECT), ("eve", TEAMS)):
            there = world.spaces[owner, kind]
            foreign = DatabaseSpace(bob, there.id, there.kind, there.name)
            with pytest.raises(NoRightThere, match="row-level security"):
                PostgresVault(foreign, MarkdownTexts()).swap("notes/b.md", b"mine", "")
            with pytest.raises(NoRightThere, match="row-level security"):
                PostgresJournal(foreign).append([Event(client="c", name="n")])
            assert b"mine" not in (PostgresVault(there, MarkdownTexts()).raw("notes/b.md") or b"")
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
        "SET session_replication_role = replica",
        "TRUNCATE file",
        "CREATE INDEX ON file (author)",
        "CREATE POLICY mine ON file USING (true)",
        "CREATE RULE mine AS ON SELECT TO feed DO INSTEAD SELECT 1",
        "CREATE TRIGGER mine AFTER INSERT ON file FOR EACH ROW EXECUTE FUNCTION hold_ids()",
        "ALTER FUNCTION bound() RESET search_path",
        "ALTER ROLE holdfast_app LOGIN",
        "GRANT holdfast_app TO login_eve",
        "CREATE EXTENSION pg_trgm",
        "CREATE PUBLICATION mine FOR TABLE file",
        "ALTER DATABASE kept SET search_path = mine",
        "COPY file TO PROGRAM 'cat'",
        "COPY file TO '/tmp/file'",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT setval(pg_get_serial_sequence('space', 'id'), 1)",
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
        with pytest.raises(database_people.PersonalLoginRefused):
            database_people.open_project(bob, SECRET)
        database_people.open_project(keeper, SECRET)
        assert SECRET in bob.projects()
    database_people.close_project(keeper, SECRET, ["ada"])
    state = {each.name: (each.closed, each.members) for each in database_people.list_projects(keeper)}
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
            database_people.add_person(keeper, "gone", "login_gone")
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
    database_people.add_person(keeper, "eve", "login_eve")
    fill(keeper.shared)
    with world.logged_in("login_eve") as found:
        assert PostgresVault(found.team("leaving", "eve").shared, MarkdownTexts()).stamps()
        assert found.teams() == ["evil", "leaving"]

        database_people.remove_person(keeper, "eve")

        assert found.teams() == ["evil"]
        with pytest.raises(NotTheirLogin):
            found.team("leaving", "eve")
    with pytest.raises(database_people.NoSuchPerson):
        database_people.remove_person(keeper, "eve")
    with pytest.raises(database_people.NoSuchLogin):
        database_people.add_person(keeper, "ada", "no_such_role")
    with pytest.raises(database_people.NoSuchTeamProject):
        database_people.close_project(keeper, "nothing", [])
