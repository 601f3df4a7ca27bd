"""The database: a pool of connections, migrations, and spaces whose rows alone a transaction sees."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.resources import files
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit
from zlib import crc32

import psycopg
from psycopg import IsolationLevel, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool

from holdfast.core.errors import BadRequest, Damaged, NotFound, Refused, Unavailable
from holdfast.core.value import Value
from holdfast.exchange.postgres.postgres_errors import DatabaseBusy, NotADatabaseUrl, translate_errors

SCHEMA = "holdfast"
ROLE = "holdfast_app"
CHANNEL = "holdfast"
PROJECT, PERSON, TEAM = "project", "person", "team"
LONGEST_NAME = 200
MIGRATING = 0x401DFA57
TRIES = 3
OWNERS = ("migration", "login")
PATIENCE = 10.0
# How widely HNSW looks around: with its own 40, a sixth of 100,000 random vectors do not find themselves.
EF_SEARCH = 100

Row = tuple[Any, ...]
Cursor = psycopg.Cursor[Row]
Connection = psycopg.Connection[Row]
Given = TypeVar("Given")


class NewerDatabase(Damaged):
    """A database that a newer version migrated."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The database is of version {found}, and this Holdfast knows {known}.", "update Holdfast on this machine."
        )


class NotMigrated(Unavailable):
    """A database without our tables, or with older ones."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The database is of version {found}, not {known}.",
            "run `holdfast team database migrate` once, as its owner.",
        )


class PgvectorMissing(Unavailable):
    """A server without pgvector."""

    def __init__(self) -> None:
        super().__init__(
            "This PostgreSQL has no extension `vector`.", "install pgvector 0.8 or newer, then migrate again."
        )


class NoSuchSpace(NotFound):
    """A space that is not there, or is not seen."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"There is no {kind} {name!r} here.", "`holdfast team status` lists what you see.")


class NotTheirLogin(Refused):
    """A person's login, used for somebody else."""

    def __init__(self, bound: Sequence[tuple[str, str]], team: str, person: str) -> None:
        whose = ", ".join(f"{name!r} of {of!r}" for of, name in bound)
        super().__init__(
            f"This login is {whose}, not {person!r} of {team!r}.", "leave out --as, or take the login of that person."
        )


class BadSpaceName(BadRequest):
    """A name that a team, a project or a person cannot have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} cannot be a name.", f"write 1 to {LONGEST_NAME} characters, without control ones.")


class Migration(Value):
    """One step forward."""

    number: int
    name: str
    text: str


def load_migrations() -> list[Migration]:
    """Every step, in order."""
    folder = files("holdfast.exchange.postgres") / "migrations"
    found = sorted(each.name for each in folder.iterdir() if each.name.endswith(".sql"))
    return [
        Migration(number=int(name[:4]), name=name.removesuffix(".sql"), text=(folder / name).read_text("utf-8"))
        for name in found
    ]


class PostgresDatabase:
    """Connections to one PostgreSQL. Statements end after a time; a broken connection is replaced."""

    def __init__(self, url: str, *, most: int = 8, seconds: int = 30) -> None:
        self.url = url
        self._seconds = seconds
        # What goes wrong is raised; a pool that nobody configured would write it to standard error as well.
        if not (said := logging.getLogger("psycopg.pool")).handlers:
            said.addHandler(logging.NullHandler())
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            check_url(url), min_size=0, max_size=most, open=False, configure=self._configure, timeout=PATIENCE,
            check=ConnectionPool.check_connection, kwargs={"connect_timeout": int(PATIENCE)}, name="holdfast",
        )  # fmt: skip

    def look(self) -> tuple[int, int]:
        """How far the database is migrated, and how far this version could bring it."""
        # Tried once before the pool tries again and again: an address that is wrong is told at once, with its reason.
        with translate_errors(), psycopg.connect(self.url, connect_timeout=int(PATIENCE)):
            self._pool.open()
        return self.version(), load_migrations()[-1].number

    def open(self) -> Self:
        """Ready, with the tables that this version knows. Raises NotMigrated, NewerDatabase, DatabaseAway."""
        found, known = self.look()
        if found > known:
            raise NewerDatabase(found, known)
        if found < known:
            raise NotMigrated(found, known)
        return self

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def version(self) -> int:
        """How far the database is migrated; 0 without our tables."""
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.migration",))
            if _fetch_value(cursor) is None:
                return 0
            cursor.execute("SELECT coalesce(max(number), 0) FROM migration")
            return int(_fetch_value(cursor))

    def migrate(self, upto: int = 0) -> list[str]:
        """Bring the tables forward, each step in a transaction of its own; the steps taken. One at a time."""
        self._pool.open()
        done = []
        with translate_errors(), psycopg.connect(self.url, connect_timeout=int(PATIENCE)) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (MIGRATING,))
            try:
                _prepare(connection)
                done = [step.name for step in load_migrations() if _apply_migration(connection, step, upto)]
            finally:
                connection.rollback()
                connection.execute("SELECT pg_advisory_unlock(%s)", (MIGRATING,))
        # Connections made before there was a schema look elsewhere.
        self._pool.check()
        self._pool.drain()
        return done

    @contextmanager
    def connection(self, *, reading: bool = False) -> Iterator[Connection]:
        """A connection for one transaction; one that only reads sees one state throughout."""
        with translate_errors(), self._pool.connection() as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ if reading else None
            connection.read_only = reading or None
            yield connection

    def teams(self) -> list[str]:
        """The teams that this login may work in."""
        with self.connection() as connection:
            return [str(name) for (name,) in connection.execute("SELECT name FROM team ORDER BY name")]

    def team(self, team: str, person: str, *, looking: bool = False) -> "TeamSpaces":
        """A team, as one of its people sees it; made where it is new, unless it is only looked at.

        Raises NotTheirLogin.
        """
        bound = self.bound_to()
        if bound and (check_name(team), check_name(person)) not in bound:
            raise NotTheirLogin(bound, team, person)
        return TeamSpaces(self, check_name(team), check_name(person), looking=looking)

    def bound_to(self) -> list[tuple[str, str]]:
        """The teams and names of the people whose login this is; none where it speaks for everybody."""
        asked = """
            SELECT team.name, person.name FROM person JOIN team ON team.id = person.team
            WHERE person.id = ANY (bound()) ORDER BY team.name
        """
        with self.connection() as connection:
            return [(str(team), str(person)) for team, person in connection.execute(asked)]

    def _configure(self, connection: Connection) -> None:
        connection.execute("SELECT set_config('statement_timeout', %s, false)", (f"{self._seconds}s",))
        connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{int(PATIENCE)}s",))
        connection.execute("SELECT set_config('idle_in_transaction_session_timeout', '60s', false)")
        connection.execute("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', false)")
        connection.execute("SELECT set_config('hnsw.ef_search', %s, false)", (str(EF_SEARCH),))
        connection.execute(_search_path(connection))
        asked = "SELECT 1 FROM pg_roles WHERE rolname = %s AND pg_has_role(oid, 'MEMBER')"
        if connection.execute(asked, (ROLE,)).fetchone():
            # Row-level security binds this role, even where the login's own could pass it by.
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
        connection.commit()


class TeamSpaces:
    """A team's spaces, as a person sees them. `looking`: nothing is made, neither person nor space."""

    def __init__(self, database: PostgresDatabase, team: str, person: str, *, looking: bool = False) -> None:
        self.database = database
        self.name = team
        self.person = person
        self._looking = looking
        with database.connection() as connection:
            self.id = self._made(connection, "team", {"name": team})
            self._made(connection, "person", {"team": self.id, "name": person})
        if not looking:
            # A person's own login could not make them later.
            _ = self.own, self.shared

    @cached_property
    def own(self) -> "DatabaseSpace":
        """The person's own space."""
        return self.space(PERSON, self.person)

    @cached_property
    def shared(self) -> "DatabaseSpace":
        """The space of the whole team."""
        return self.space(TEAM, self.name)

    def project(self, name: str) -> "DatabaseSpace":
        """A project's space; made where it is new."""
        return self.space(PROJECT, name)

    def projects(self) -> list[str]:
        """The projects that the person sees."""
        with self.database.connection() as connection:
            seen = "SELECT name FROM space WHERE kind = 'project' AND id = ANY (spaces_of(%s, %s)) ORDER BY name"
            found = [str(name) for (name,) in connection.execute(seen, (self.name, self.person))]
        # Anybody of the team may have named one, at a prompt.
        return [name for name in found if _is_name(name)]

    def space(self, kind: str, name: str) -> "DatabaseSpace":
        """A space by its kind and name; made where it is new. Raises NoSuchSpace where the person may not see it."""
        check_name(name)
        with self.database.connection() as connection:
            self._made(connection, "space", {"team": self.id, "kind": kind, "name": name})
            asked = """
                SELECT id FROM space WHERE team = %s AND kind = %s AND name = %s AND id = ANY (spaces_of(%s, %s))
            """
            found = connection.execute(asked, (self.id, kind, name, self.name, self.person)).fetchone()
        if found is None:
            raise NoSuchSpace(kind, name)
        return DatabaseSpace(self, int(found[0]), kind, name)

    def _made(self, connection: Connection, table: str, row: Mapping[str, object]) -> int:
        """The id of a row; made where it is new. A person's login makes projects alone, and is refused the rest."""
        names = sql.SQL(", ").join(map(sql.Identifier, row))
        same = sql.SQL(" AND ").join(sql.SQL("{} = %s").format(sql.Identifier(name)) for name in row)
        asked = sql.SQL("SELECT id FROM {} WHERE {}").format(sql.Identifier(table), same)
        given = list(row.values())
        found = connection.execute(asked, given).fetchone()
        if found is None and not self._looking:
            made = sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING")
            holes = sql.SQL(", ").join([sql.Placeholder()] * len(row))
            connection.execute(made.format(sql.Identifier(table), names, holes), given)
            found = connection.execute(asked, given).fetchone()
        return int(found[0]) if found else 0


class DatabaseSpace:
    """The rows of a project, a person or a team. Every transaction sees those of the person's spaces alone."""

    def __init__(self, team: TeamSpaces, number: int, kind: str, name: str) -> None:
        self.team = team
        self.id = number
        self.kind = kind
        self.name = name

    @contextmanager
    def reading(self) -> Iterator[Cursor]:
        """A transaction that sees one state."""
        with self.team.database.connection(reading=True) as connection, connection.cursor() as cursor:
            # The transaction begins and the space is entered in one round trip.
            with connection.pipeline():
                cursor.execute("SELECT enter(%s, %s)", (self.team.name, self.team.person))
            yield cursor

    @contextmanager
    def writing(self, what: str) -> Iterator[Cursor]:
        """A transaction that is alone at `what` of this space until it ends: numbers come in the order of commits."""
        with self.team.database.connection() as connection, connection.cursor() as cursor:
            place = self.id & 0x7FFFFFFF, _to_signed(crc32(what.encode()))
            alone = "SELECT enter(%s, %s), pg_advisory_xact_lock(%s, %s)"
            cursor.execute(alone, (self.team.name, self.team.person, *place))
            yield cursor

    def written(self, what: str, verb: Callable[[Cursor], Given]) -> Given:
        """The same for a verb that may be tried again where others got in its way."""
        for left in range(TRIES - 1, -1, -1):
            try:
                with self.writing(what) as cursor:
                    return verb(cursor)
            except DatabaseBusy:
                if not left:
                    raise
        raise DatabaseBusy

    def number(self, cursor: Cursor, name: str, by: int = 1) -> int:
        """The next number of a counter, or the last of so many."""
        counted = """
            INSERT INTO counter (space, name, value) VALUES (%s, %s, %s)
            ON CONFLICT (space, name) DO UPDATE SET value = counter.value + excluded.value RETURNING value
        """
        return int(_fetch_value(cursor.execute(counted, (self.id, name, by))))


def check_name(name: str) -> str:
    """A name that can be one. Raises BadName."""
    if not _is_name(name):
        raise BadSpaceName(name)
    return name


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()


def check_url(url: str) -> str:
    """A database's address. Raises NotADatabaseUrl, which never tells a password."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        raise NotADatabaseUrl("it is no address") from None
    if scheme not in {"postgresql", "postgres"}:
        raise NotADatabaseUrl(f"it begins with {scheme[:20]!r}" if scheme else "it does not begin with postgresql://")
    try:
        conninfo_to_dict(url)
    except (ValueError, psycopg.Error):
        raise NotADatabaseUrl("a part of it cannot be read") from None
    return url


def _prepare(connection: Connection) -> None:
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
    table = sql.SQL("""
        CREATE TABLE IF NOT EXISTS {}.migration (
            number integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())
    """)
    connection.execute(table.format(sql.Identifier(SCHEMA)))
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise PgvectorMissing from error
    connection.commit()


def _apply_migration(connection: Connection, step: Migration, upto: int) -> bool:
    """Take a step, if it is one to take."""
    connection.execute(_search_path(connection))
    done = connection.execute("SELECT 1 FROM migration WHERE number = %s", (step.number,)).fetchone()
    if done or (upto and step.number > upto):
        connection.rollback()
        return False
    connection.execute(step.text.encode())
    connection.execute("INSERT INTO migration (number, name) VALUES (%s, %s)", (step.number, step.name))
    _grant_role(connection)
    connection.commit()
    return True


def _grant_role(connection: Connection) -> None:
    """The role that row-level security binds, with rights on the tables; where it cannot be made, we go without."""
    role, schema = sql.Identifier(ROLE), sql.Identifier(SCHEMA)
    with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
        if not _role_is_there(connection):
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOBYPASSRLS").format(role))
        connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(role))
    # The role may be another database's, made by somebody else: it works on these tables all the same.
    if not _role_is_there(connection):
        return
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, role))
    rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}"
    connection.execute(sql.SQL(rights).format(schema, role))
    _grant_unnumbered(connection)
    for (name,) in connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename = ANY (%s)", (SCHEMA, list(OWNERS))
    ).fetchall():
        kept = "REVOKE INSERT, UPDATE, DELETE ON {}.{} FROM {}"
        connection.execute(sql.SQL(kept).format(schema, sql.Identifier(name), role))


def _grant_unnumbered(connection: Connection) -> None:
    """Rows that the database numbers get no number from who inserts them: it would be taken when its turn comes."""
    role, schema = sql.Identifier(ROLE), sql.Identifier(SCHEMA)
    asked = """
        SELECT relname, array_agg(attname ORDER BY attnum) FILTER (WHERE attidentity = '')
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = %s AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
        GROUP BY relname HAVING bool_or(attidentity <> '')
    """
    for name, columns in connection.execute(asked, (SCHEMA,)).fetchall():
        table, listed = sql.Identifier(name), sql.SQL(", ").join(map(sql.Identifier, columns))
        connection.execute(sql.SQL("REVOKE INSERT ON {}.{} FROM {}").format(schema, table, role))
        connection.execute(sql.SQL("GRANT INSERT ({}) ON {}.{} TO {}").format(listed, schema, table, role))


def _role_is_there(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is not None


def _search_path(connection: Connection) -> sql.Composed:
    """Our schema, and the one that pgvector lies in. Temporary tables come last: unnamed, they would come first."""
    asked = "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = %s"
    found = connection.execute(asked, ("vector",)).fetchone()
    names = [SCHEMA, *([str(found[0])] if found else []), "pg_temp"]
    return sql.SQL("SET search_path TO {}").format(sql.SQL(", ").join(map(sql.Identifier, names)))


def _fetch_value(cursor: Cursor) -> Any:
    found = cursor.fetchone()
    return found[0] if found else None


def _to_signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number
