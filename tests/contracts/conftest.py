"""A space in a real PostgreSQL for every contract."""

from collections.abc import Iterator

import pytest
from tests.databases import database, new_space, postgres
from tests.logins import World, kept

from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase


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
