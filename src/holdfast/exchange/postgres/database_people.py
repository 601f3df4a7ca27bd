"""Who is in a team, whose a login is, and who sees a project: changed by a login that is nobody's own."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg import sql

from holdfast.core.errors import NotFound, Refused
from holdfast.core.value import Value
from holdfast.exchange.postgres.database import LONGEST_NAME, PATIENCE, ROLE, SCHEMA, Connection, TeamSpaces, check_name
from holdfast.exchange.postgres.postgres_errors import NoRightThere, translate_errors

# What a login may be or do that nothing of ours would hold it from: the question, the reason, and the way out.
_LOOSE = (
    (
        """
        SELECT 1 FROM pg_roles WHERE pg_has_role(%(login)s, oid, 'MEMBER') AND (
            rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication
            OR rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
        """,
        "it, or a role that it is in, passes row-level security by or gives rights",
        "take one that is made by CREATE ROLE … LOGIN PASSWORD … and nothing else.",
    ),
    (
        """
        SELECT 1 FROM pg_class WHERE relnamespace = %(schema)s::regnamespace
        AND pg_has_role(%(login)s, relowner, 'MEMBER')
        """,
        "it owns the tables, or is in the role that does",
        "take a login that is not the keeper's.",
    ),
    (
        """
        SELECT 1 FROM pg_namespace WHERE has_schema_privilege(%(login)s, oid, 'CREATE') AND (
            nspname = %(schema)s OR oid = (SELECT extnamespace FROM pg_extension WHERE extname = 'vector'))
        """,
        "it makes functions where servers look for theirs",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC, or wherever pgvector lies; and from the login itself.",
    ),
)
_SET_ASIDE = """
    UPDATE space SET name = left(%(name)s, %(most)s) || %(left)s || clock_timestamp()
    WHERE team = %(team)s AND kind = 'person' AND name = %(name)s
"""
# Between the name of somebody who left and when that was.
LEFT = " left "


class PersonalLoginRefused(Refused):
    """A person's own login does not say who sees what."""

    def __init__(self) -> None:
        super().__init__(
            "This login is a person's own, and changes nobody's rights.", "ask the keeper of the database for it."
        )


class NoSuchPerson(NotFound):
    """Nobody of that name."""

    def __init__(self, team: str, name: str) -> None:
        super().__init__(f"There is no {name!r} in the team {team!r}.", "`holdfast team database person` lists them.")


class NoSuchTeamProject(NotFound):
    """No project of that name."""

    def __init__(self, team: str, name: str) -> None:
        super().__init__(f"The team {team!r} has no project {name!r}.", "`holdfast team database project` lists them.")


class NoSuchLogin(NotFound):
    """A role that the database does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The database has no login {name!r}.", "make it first, with a password: CREATE ROLE … LOGIN PASSWORD …"
        )


class LoginNotConfined(Refused):
    """A login that row-level security would not hold."""

    def __init__(self, name: str, why: str, mend: str) -> None:
        super().__init__(f"The login {name!r} cannot be one person's alone: {why}.", mend)


class TeamPerson(Value):
    """Somebody of a team, and the logins that are theirs alone."""

    name: str
    logins: tuple[str, ...] = ()


class TeamProject(Value):
    """A project; `members` see it where it is closed."""

    name: str
    closed: bool
    members: tuple[str, ...] = ()


def list_people(team: TeamSpaces) -> list[TeamPerson]:
    """Everybody of a team."""
    asked = """
        SELECT person.name, array_remove(array_agg(login.name ORDER BY login.name), NULL)
        FROM person LEFT JOIN login ON login.person = person.id
        WHERE team = %s GROUP BY person.name ORDER BY person.name
    """
    with team.database.connection() as connection:
        found = connection.execute(asked, (team.id,)).fetchall()
        return [TeamPerson(name=str(name), logins=tuple(map(str, logins))) for name, logins in found]


def add_person(team: TeamSpaces, name: str, login: str = "") -> None:
    """Take somebody into a team; with a login, that one sees what this person sees and no more."""
    _check_keeper(team)
    if login:
        _check_login(team, login)
    # Their own space is made with them: a login of theirs could not make it.
    team.database.team(team.name, check_name(name))
    if login:
        _bind_login(team, name, login)


def remove_person(team: TeamSpaces, name: str) -> None:
    """Take somebody out: their logins see nothing any more, and closed projects are closed to them.

    Their own space is set aside: who comes later and has the same name does not see it.
    """
    _check_keeper(team)
    with _owner(team) as connection:
        logins = connection.execute(
            "SELECT login.name FROM login JOIN person ON person.id = person WHERE team = %s AND person.name = %s",
            (team.id, name),
        ).fetchall()
        gone = connection.execute("DELETE FROM person WHERE team = %s AND name = %s", (team.id, name))
        if not gone.rowcount:
            raise NoSuchPerson(team.name, name)
        connection.execute(_SET_ASIDE, {"team": team.id, "name": name, "left": LEFT, "most": LONGEST_NAME - 50})
        held = "SELECT 1 FROM login WHERE name = %s AND person IS NOT NULL"
        free = [str(login) for (login,) in logins if connection.execute(held, (login,)).fetchone() is None]
        for login in free:
            _revoke_login(connection, login)
    _end_connections(team, free)


def list_projects(team: TeamSpaces) -> list[TeamProject]:
    """The projects of a team, as far as this login sees them."""
    asked = """
        SELECT space.name, space.closed, array_remove(array_agg(person.name ORDER BY person.name), NULL)
        FROM space LEFT JOIN member ON member.space = space.id LEFT JOIN person ON person.id = member.person
        WHERE space.team = %s AND space.kind = 'project' GROUP BY space.id ORDER BY space.name
    """
    with team.database.connection() as connection:
        found = connection.execute(asked, (team.id,)).fetchall()
        return [TeamProject(name=str(n), closed=bool(c), members=tuple(map(str, m))) for n, c, m in found]


def close_project(team: TeamSpaces, project: str, names: list[str]) -> None:
    """Let only these people see a project from now on."""
    _check_keeper(team)
    with team.database.connection() as connection:
        space = _set_closed(connection, team, project, closed=True)
        for name in names:
            let = "INSERT INTO member SELECT %s, id FROM person WHERE team = %s AND name = %s"
            if not connection.execute(let, (space, team.id, name)).rowcount:
                raise NoSuchPerson(team.name, name)


def open_project(team: TeamSpaces, project: str) -> None:
    """Let the whole team see a project."""
    _check_keeper(team)
    with team.database.connection() as connection:
        _set_closed(connection, team, project, closed=False)


def _set_closed(connection: Connection, team: TeamSpaces, project: str, *, closed: bool) -> int:
    changed = "UPDATE space SET closed = %s WHERE team = %s AND kind = 'project' AND name = %s RETURNING id"
    found = connection.execute(changed, (closed, team.id, project)).fetchone()
    if found is None:
        raise NoSuchTeamProject(team.name, project)
    connection.execute("DELETE FROM member WHERE space = %s", (found[0],))
    return int(found[0])


def _check_keeper(team: TeamSpaces) -> None:
    with team.database.connection() as connection:
        bound = connection.execute("SELECT bound()").fetchone()
    if bound is not None and bound[0] is not None:
        raise PersonalLoginRefused


def _check_login(team: TeamSpaces, login: str) -> None:
    with _owner(team) as connection:
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (login,)).fetchone() is None:
            raise NoSuchLogin(login)
        for asked, why, mend in _LOOSE:
            if connection.execute(asked.encode(), {"login": login, "schema": SCHEMA}).fetchone():
                raise LoginNotConfined(login, why, mend)


def _bind_login(team: TeamSpaces, name: str, login: str) -> None:
    with _owner(team) as connection:
        # Bound before it is let in: never for a moment everybody's.
        made = "INSERT INTO login SELECT %s, id FROM person WHERE team = %s AND name = %s ON CONFLICT DO NOTHING"
        connection.execute(made, (login, team.id, name))
        connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(ROLE), sql.Identifier(login)))


def _end_connections(team: TeamSpaces, logins: list[str]) -> None:
    """Let nobody go on who was connected already, and may hold a lock; where the database lets us."""
    with suppress(NoRightThere), _owner(team) as connection:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ANY (%s)"
        connection.execute(ended, (logins,))


def _revoke_login(connection: Connection, login: str) -> None:
    connection.execute(sql.SQL("REVOKE {} FROM {}").format(sql.Identifier(ROLE), sql.Identifier(login)))


@contextmanager
def _owner(team: TeamSpaces) -> Iterator[Connection]:
    """A connection as the login itself, in one transaction: only the owner of the tables binds logins."""
    with translate_errors(), psycopg.connect(team.database.url, connect_timeout=int(PATIENCE)) as connection:
        connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(SCHEMA)))
        yield connection
