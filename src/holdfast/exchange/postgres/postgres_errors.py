"""PostgreSQL's failures by our names."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from holdfast.core.errors import BadRequest, Damaged, Refused, Unavailable
from holdfast.exchange.peer import PeerRefused

# What a second try may well get through: two writers in each other's way, or a connection that broke.
PASSING = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure, psycopg.errors.LockNotAvailable)


class DatabaseUnreachable(Unavailable):
    """The database does not answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database does not answer: {reason}.", "see that it runs and that HOLDFAST_DATABASE_URL is right."
        )


class DatabaseSlow(Unavailable):
    """A statement took longer than it may."""

    def __init__(self) -> None:
        super().__init__("The database took too long.", "try again; if it stays so, look at its load.")


class DatabaseBusy(Unavailable):
    """Others write the same, again and again."""

    def __init__(self) -> None:
        super().__init__("Others are writing the same in the database.", "try again in a moment.")


class DatabaseFull(Unavailable):
    """No room in the database."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database has no room: {reason}.", "make room on its disk; nothing was written.")


class DatabaseReadOnly(Unavailable):
    """A replica, or a database that somebody closed to writers."""

    def __init__(self) -> None:
        super().__init__("The database only reads, and takes nothing new.", "name the one that is written to.")


class NoRightThere(Refused):
    """The database does not let this role."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database refuses: {reason}.", "give the role its rights: docs/guide/team-server.md.")


class NotADatabaseUrl(BadRequest):
    """A text that names no database."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"This names no PostgreSQL database: {reason}.", "write it like postgresql://user@host:5432/holdfast."
        )


class PostgresDamaged(Damaged):
    """The database holds what we did not write, or what we wrote is missing."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database is not as we left it: {reason}.",
            "see what `holdfast team database status` says; if it stays so, restore the database from a backup.",
        )


class RowRefused(PeerRefused):
    """A row that no table takes: too large, or with a name that is none."""

    def __init__(self) -> None:
        super().__init__(
            "The database takes no row like that: it is too large, or its name is none.", "make it smaller."
        )


@contextmanager
def translate_errors() -> Iterator[None]:
    """The driver's errors by our names; passwords are never in them."""
    try:
        yield
    except PASSING as error:
        raise DatabaseBusy from error
    except psycopg.errors.QueryCanceled as error:
        raise DatabaseSlow from error
    except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory) as error:
        raise DatabaseFull(_first_line(error)) from error
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise DatabaseReadOnly from error
    except psycopg.errors.CheckViolation as error:
        raise RowRefused from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise NoRightThere(_first_line(error)) from error
    except (psycopg.OperationalError, PoolTimeout, PoolClosed, psycopg.errors.AdminShutdown) as error:
        raise DatabaseUnreachable(_first_line(error)) from error
    except psycopg.Error as error:
        raise PostgresDamaged(_first_line(error)) from error


def _first_line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0].rstrip(".") if said else type(error).__name__
