"""A space in a real PostgreSQL for every contract."""

from collections.abc import Iterator

import pytest
from tests.databases import database, new_space, postgres
from tests.logins import World, kept

from holdfast.exchange.postgres.database import Database, Space


@pytest.fixture(scope="session")
def team_database() -> Iterator[Database]:
    with postgres() as url, database(url) as found:
        yield found


@pytest.fixture
def space(team_database: Database) -> Space:
    return new_space(team_database)


@pytest.fixture(scope="module")
def world(team_database: Database) -> Iterator[World]:
    with kept(team_database.url) as found:
        yield found
