"""What one laptop purged comes back to nobody: over a server, to another laptop, between servers of one team."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.databases import database, new_space, postgres
from tests.journeys.test_remote import Laptop, Serving, serving

from holdfast.app import open_memory
from holdfast.core.event import Event
from holdfast.exchange.postgres.database import PostgresDatabase
from holdfast.exchange.removal.server_removal import to_purge_words
from holdfast.exchange.sync.project_mirror import Mirror
from holdfast.forget.removal_query import build_subject_query
from holdfast.review.remember import MemoryDraft, remember
from holdfast.workspace import App

pytest.importorskip("fastapi", reason="the server is an extra")
JANE = b"jane"


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def holding(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in found if JANE in path.read_bytes().lower()]


def plant(laptop: Laptop) -> str:
    laptop.remember("Two cores for the build")
    return laptop.remember("Tabs, since Jane Doe asked for them")


def purged(laptop: Laptop) -> dict[str, Any]:
    done = laptop("forget", "--subject", "Jane Doe", "--purge", "--yes", "--json")
    assert done.status == 0, done.err
    return dict(done.json)


def test_what_a_laptop_purged_is_gone_at_the_server_and_at_another_laptop(tmp_path: Path, port: int) -> None:
    team = Laptop(tmp_path, "server")
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    with serving(team.home, team.folder, port) as server:
        ada.join(server)
        bob.join(server)
        plant(ada)
        ada.sync()
        bob.sync()
        assert all(map(holding, (team.folder, ada.folder, bob.folder)))

        told = purged(ada)
        [there] = told["servers"]

        assert there["files"] > 0
        assert there["found"] == []
        assert holding(ada.folder) == holding(team.folder) == []
        assert "purged by others, and so gone from here too: 1 memory file." in bob("sync").err
        ada.sync()
        assert [holding(each.folder) for each in (ada, team, bob)] == [[], [], []]
        assert bob.titles() == ada.titles() == {"Two cores for the build"}


def test_a_laptop_that_forgot_what_both_had_sends_nothing_again_and_is_asked(tmp_path: Path, port: int) -> None:
    team = Laptop(tmp_path, "server")
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    with serving(team.home, team.folder, port) as server:
        ada.join(server)
        bob.join(server)
        plant(ada)
        ada.sync()
        bob.sync()
        purged(ada)
        for path in (bob.folder / ".holdfast/state/sync").glob("*.json"):
            path.unlink()

        # A sum alone takes nothing away that nobody knows to be the server's.
        [refused] = bob.sync()["refused"]
        assert "--yes takes it away here too" in refused["why"]
        assert holding(team.folder) == []
        assert bob("sync", "--yes").status == 0
        assert holding(bob.folder) == holding(team.folder) == []


def test_a_text_that_somebody_changed_stays_with_them_and_goes_nowhere(tmp_path: Path, port: int) -> None:
    team = Laptop(tmp_path, "server")
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    with serving(team.home, team.folder, port) as server:
        ada.join(server)
        bob.join(server)
        name = plant(ada)
        ada.sync()
        bob.sync()
        bob("edit", name, "--title", "Tabs, as Bob says")

        purged(ada)
        came = bob.sync()
        ada.sync()

        assert [each["what"] for each in came["refused"]]
        assert "Tabs, as Bob says" in bob.titles()
        assert holding(ada.folder) == holding(team.folder) == []
        assert ada.titles() == {"Two cores for the build"}


def test_a_server_that_was_away_is_named_and_catches_up(tmp_path: Path, port: int) -> None:
    team, ada = Laptop(tmp_path, "server"), Laptop(tmp_path, "ada")
    with serving(team.home, team.folder, port) as server:
        ada.join(server)
        plant(ada)
        ada.sync()

    away = ada("forget", "--subject", "Jane Doe", "--purge", "--yes")
    assert away.status == 6
    assert "server team" in away.err
    assert holding(ada.folder) == []

    with serving(team.home, team.folder, port):
        ada.sync()
        assert [path for path in holding(team.folder) if "/memory/" in path] == []
        assert ada.titles() == {"Two cores for the build"}
        # Nothing is left here; the server is asked all the same.
        ada("forget", "--subject", "Jane Doe", "--purge", "--yes")
        assert holding(team.folder) == []


def test_a_token_that_may_only_read_purges_nothing(tmp_path: Path, port: int) -> None:
    team, ada = Laptop(tmp_path, "server"), Laptop(tmp_path, "ada")
    plant(team)
    with serving(team.home, team.folder, port) as server:
        reading = team("serve", "token", "add", "ada", "--right", "read", "--json").json["token"]
        ada.join(Serving(url=server.url, token=reading))
        ada.sync()

        done = ada("forget", "--subject", "Jane Doe", "--purge", "--yes")

        assert done.status == 6
        assert "refuses" in done.err
        assert holding(ada.folder) == []
        assert holding(team.folder)
        ada.sync()
        assert holding(ada.folder) == []


@pytest.fixture(scope="module")
def team_database() -> Iterator[PostgresDatabase]:
    with postgres() as url, database(url) as found:
        yield found


class Server:
    """A server's mirror of a project, opened anew for every verb."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror, self.path = mirror, Path(mirror.registered.path)

    @property
    def app(self) -> App:
        return open_memory(str(self.path))

    def sync(self) -> None:
        self.mirror.sync(self.app)


def test_servers_of_one_team_follow_what_one_of_them_purged(tmp_path: Path, team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    one, two = (Server(Mirror(space, str(tmp_path / name))) for name in ("one", "two"))
    remember(one.app, MemoryDraft(type="learning", text="Jane Doe reviews on Fridays"))
    remember(two.app, MemoryDraft(type="learning", text="Two cores for the build"))
    for server in (one, two):
        said = {"prompt": "what does Jane Doe say of it"}
        server.app.journal.append([Event(client="codex", session="s1", name="prompt", data=said)])
    for _ in range(2):
        one.sync()
        two.sync()
    assert all(map(holding, (one.path, two.path)))

    left = one.mirror.purge(to_purge_words(build_subject_query("Jane Doe")), "she asked")
    for _ in range(2):
        one.sync()
        two.sync()

    assert left.found == {}
    assert [holding(each.path) for each in (one, two)] == [[], []]
    for server in (one, two):
        os.unlink(server.path / ".holdfast/state/sync/sent")
        server.sync()
    assert one.mirror.purge(to_purge_words(build_subject_query("Jane Doe")), "").found == {}
    assert [holding(each.path) for each in (one, two)] == [[], []]
