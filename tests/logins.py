"""A team's database that belongs to a role without special rights, and people with logins of their own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql
from tests.index_values import entry, put

from holdfast.core.event import Event
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.value import replace
from holdfast.exchange.postgres import database_people
from holdfast.exchange.postgres.database import Connection, DatabaseSpace, PostgresDatabase, TeamSpaces
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.vault.memory_text import MarkdownTexts

DECISION = Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Use Textual", body="Because it is fast.")
LOGINS = ("login_ada", "login_bob", "login_eve")
OWN, PROJECT, TEAMS, SECRET = "own", "project", "teams", "secret"


class World:
    """Two teams in one database: Ada and Bob are acme, Eve is the others. Every space of both holds rows."""

    def __init__(self, keeper: PostgresDatabase, url: Callable[[str], str]) -> None:
        self.keeper, self.url = keeper, url
        for team, person, login in (("acme", "ada", LOGINS[0]), ("acme", "bob", LOGINS[1]), ("evil", "eve", LOGINS[2])):
            database_people.add_person(keeper.team(team, "keeper"), person, login)
        self.spaces = {
            (name, kind): fill(space)
            for name, team in (("ada", "acme"), ("bob", "acme"), ("eve", "evil"))
            for kind, space in spaces(keeper.team(team, name)).items()
        }
        database_people.close_project(keeper.team("acme", "keeper"), SECRET, ["ada"])

    @contextmanager
    def logged_in(self, login: str) -> Iterator[PostgresDatabase]:
        found = PostgresDatabase(self.url(login), most=1)
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


def spaces(team: TeamSpaces) -> dict[str, DatabaseSpace]:
    found = {OWN: team.own, PROJECT: team.project("app"), TEAMS: team.shared}
    return {**found, SECRET: team.project(SECRET)}


def fill(space: DatabaseSpace) -> DatabaseSpace:
    vault = PostgresVault(space, MarkdownTexts())
    if not vault.stamps():
        vault.create(replace(DECISION, id=f"DEC-{space.id}"))
        put(PostgresIndex(space), entry(f"DEC-{space.id}", title="pool"))
        PostgresJournal(space).append([Event(client="c", name="n", key="k")])
    return space


@contextmanager
def kept(root_url: str) -> Iterator[World]:
    """The world, made in a server of its own kind and gone afterwards."""
    with psycopg.connect(root_url, autocommit=True) as root:
        root.execute("CREATE ROLE keeper LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS")
        root.execute("GRANT holdfast_app TO keeper WITH ADMIN OPTION")
        for login in LOGINS:
            root.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(login)))
        root.execute("CREATE DATABASE kept OWNER keeper")

    def url(login: str) -> str:
        return root_url.replace("/postgres?", "/kept?").replace("postgres:@", f"{login}@")

    with psycopg.connect(url("postgres"), autocommit=True) as root:
        root.execute("CREATE EXTENSION vector")
    keeper = PostgresDatabase(url("keeper"))
    try:
        keeper.migrate()
        yield World(keeper.open(), url)
    finally:
        keeper.close()
        with psycopg.connect(root_url, autocommit=True) as root:
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
