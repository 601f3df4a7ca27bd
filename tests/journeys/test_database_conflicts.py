"""The gate over a real PostgreSQL: what a sync brings is held against what is here, and what was decided goes back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import database, postgres
from tests.journeys.test_database_sync import Checkout
from tests.waiting import wait_for

FIRST, SECOND = "Use stamina instead of tenacity", "Use tenacity instead of stamina"


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Checkout, Checkout]]:
    with postgres() as url:
        with database(url):
            pass
        yield Checkout(tmp_path, "ada", url), Checkout(tmp_path, "bob", url)


def sync(checkout: Checkout) -> None:
    done = checkout("sync", "database")
    assert done.status == 0, done.err


def pairs(checkout: Checkout) -> list[tuple[str, str]]:
    found = checkout("check", "--memories", "--json").json["conflicts"]
    return [(each["relation"], each["old"]["title"]) for each in found]


def test_what_a_colleague_decided_stands_in_the_way_of_the_opposite(two: tuple[Checkout, Checkout]) -> None:
    ada, bob = two
    old = ada("remember", "decision", FIRST, "--json").json["id"]
    sync(ada)
    sync(bob)
    bob("allow", "--yes")

    held = bob("remember", "decision", SECOND, "--json")
    assert (held.status, held.json["status"]) == (4, "candidate")
    assert [each["id"] for each in held.json["conflicts"]] == [old]
    blocked = bob("accept", held.json["id"])
    assert blocked.status == 4
    assert old in blocked.out

    assert bob("accept", held.json["id"], "--supersede").status == 0
    sync(bob)
    sync(ada)
    assert ada("list", "--by", "subject", "--json").status == 0
    (truth,) = ada("list", "--by", "subject", "--json").json["subjects"]
    assert [each["title"] for each in truth["holds"]] == [SECOND]
    assert [each["title"] for each in truth["before"]] == [FIRST]


def test_opposites_that_meet_in_the_database_are_found_beside_and_told(two: tuple[Checkout, Checkout]) -> None:
    ada, bob = two
    assert ada("remember", "decision", FIRST).status == 0
    assert bob("remember", "decision", SECOND).status == 0
    sync(ada)
    sync(bob)
    bob("allow", "--yes")

    assert len(pairs(bob)) == 1
    wait_for(
        lambda: "two answers hold on stamina, tenacity" in bob("status").out, "what the look beside found", limit=60
    )
