"""A space in a real PostgreSQL for every contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import database, new_space, postgres
from tests.logins import World, kept

from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase

# A fixture's name, or a parameter: who has one of them needs a server that is installed for the tests.
SERVERS = {"team_database", "postgres", "database", "s3", "s3_server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and Path(__file__).parent in item.path.parents:
            values = item.callspec.params.values() if hasattr(item, "callspec") else ()
            if not SERVERS.isdisjoint([*item.fixturenames, *(each for each in values if isinstance(each, str))]):
                item.add_marker("server")


@pytest.fixture(scope="session")
def team_database() -> Iterator[PostgresDatabase]:
    with postgres() as url, database(url) as found:
        yield found


@pytest.fixture
def space(team_database: PostgresDatabase) -> DatabaseSpace:
    return new_space(team_database)


@pytest.fixture(scope="module")
def world(team_database: PostgresDatabase) -> Iterator[World]:
    with kept(team_database.url) as found:
        yield found
