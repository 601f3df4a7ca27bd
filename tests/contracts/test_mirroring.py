"""Two servers of one team: each has the project in a folder of its own, and both are the database's."""

import shutil
from pathlib import Path

import pytest
from tests.databases import new_space

from holdfast.app import open_memory
from holdfast.core.event import Event
from holdfast.core.search import Select
from holdfast.exchange.postgres.change_feed import newest_number
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.exchange.sync.project_mirror import Mirror
from holdfast.index.entries import find_entry
from holdfast.inject.packs import build_goal_pack
from holdfast.review.accept import accept
from holdfast.review.queue import list_waiting
from holdfast.review.remember import MemoryDraft, change_entry, propose, remember
from holdfast.workspace import App


class Server:
    """A server's mirror, opened anew for every verb."""

    def __init__(self, space: DatabaseSpace, home: Path) -> None:
        self.mirror = Mirror(space, str(home))
        self.path = self.mirror.registered.path

    @property
    def app(self) -> App:
        return open_memory(self.path)

    def sync(self) -> None:
        self.mirror.sync(self.app)


@pytest.fixture
def servers(tmp_path: Path, team_database: PostgresDatabase) -> tuple[Server, Server]:
    space = new_space(team_database)
    return Server(space, tmp_path / "one"), Server(space, tmp_path / "two")


def decide(server: Server, choice: str) -> str:
    fields = {"question": "Which toolkit for the screens?", "choice": choice}
    return propose(
        server.app, MemoryDraft(type="decision", text=f"Use {choice} for the screens", fields=fields)
    ).memory.id


def test_what_is_accepted_at_one_is_told_at_the_other(servers: tuple[Server, Server]) -> None:
    one, two = servers
    candidate = decide(one, "Textual")
    one.sync()
    two.sync()
    accept(two.app, [candidate])
    two.sync()
    one.sync()

    assert [item.text for item in build_goal_pack(one.app, "which toolkit for the screens").facts] == [
        "Which toolkit for the screens? Textual"
    ]
    assert list_waiting(one.app) == []


def test_events_are_at_both_once(servers: tuple[Server, Server]) -> None:
    one, two = servers
    one.app.journal.append([Event(client="codex", session="s1", name="prompt", key="a", data={"prompt": "hello"})])
    for _ in range(3):
        one.sync()
        two.sync()

    def told(server: Server) -> list[str]:
        found = server.app.journal.read()
        return [r.data["data"]["prompt"] for r in found if r.kind == "event" and r.data["name"] == "prompt"]

    assert told(one) == told(two) == ["hello"]


def test_a_number_that_never_was_makes_no_server_deaf(servers: tuple[Server, Server]) -> None:
    one, two = servers
    two.sync()
    two.mirror.moved(10**17)
    two.sync()
    assert not two.mirror.is_behind()

    decide(one, "Textual")
    one.sync()
    two.mirror.moved(newest_number(one.mirror.space))

    assert two.mirror.is_behind()
    two.sync()
    assert len(list_waiting(two.app)) == 1


def test_what_an_event_of_the_database_should_not_hold_reaches_no_disk(servers: tuple[Server, Server]) -> None:
    one, two = servers
    secret = "ghp_" + "a1B2" * 9
    sent = Event(client="c", session="s", name="prompt", data={"prompt": f"use {secret}"})
    PostgresJournal(one.mirror.space).append([sent])

    two.sync()

    [told] = [r.data["data"]["prompt"] for r in two.app.journal.read() if r.data.get("name") == "prompt"]
    assert told.startswith("use ")
    assert secret not in told


def test_of_two_changes_at_once_the_later_one_waits(servers: tuple[Server, Server]) -> None:
    one, two = servers
    name = remember(one.app, MemoryDraft(type="learning", text="Tests need a database")).memory.id
    one.sync()
    two.sync()
    for server, words in ((one, "As one says"), (two, "As two says")):
        change_entry(server.app, find_entry(server.app, name), {"title": words})
    one.sync()
    two.sync()
    one.sync()

    assert find_entry(one.app, name).memory.title == find_entry(two.app, name).memory.title == "As one says"
    assert [entry.memory.title for entry in list_waiting(one.app)] == ["As two says"]


def test_a_folder_that_is_lost_comes_back(servers: tuple[Server, Server], tmp_path: Path) -> None:
    one, two = servers
    name = remember(one.app, MemoryDraft(type="learning", text="Tests need a database")).memory.id
    one.sync()
    shutil.rmtree(one.path)
    again = Server(one.mirror.space, tmp_path / "one")

    again.sync()
    two.sync()

    assert find_entry(again.app, name).memory.title == "Tests need a database"
    assert find_entry(two.app, name).memory.title == "Tests need a database"


def test_a_mirror_knows_when_it_is_behind(servers: tuple[Server, Server]) -> None:
    one, two = servers
    assert one.mirror.is_behind()
    one.sync()
    assert not one.mirror.is_behind()
    remember(two.app, MemoryDraft(type="learning", text="Tests need a database"))
    two.sync()

    one.mirror.moved(10_000)

    assert one.mirror.is_behind()


def test_what_is_told_while_a_mirror_is_brought_together_is_not_taken_for_seen(
    servers: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = servers
    one.sync()
    two.sync()
    real = one.mirror._send_events

    def meanwhile(app: App) -> None:
        real(app)
        # After our look at the database, and before we are done.
        remember(two.app, MemoryDraft(type="learning", text="Tests need a database"))
        two.sync()
        one.mirror.moved(newest_number(one.mirror.space))

    with monkeypatch.context() as patched:
        patched.setattr(one.mirror, "_send_events", meanwhile)
        one.sync()

    assert one.mirror.is_behind()
    one.sync()
    assert [each.memory.title for each in one.app.index.select(Select())] == ["Tests need a database"]
    assert not one.mirror.is_behind()
