"""Laptops and a server: everything is captured at home first, and comes together when the server answers."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import Ran, run_in
from tests.waiting import LONG

from holdfast.act.run_files import Runs, make_run_name
from holdfast.core.event import Event
from holdfast.core.value import Value
from holdfast.journal.file_journal import FileJournal

pytest.importorskip("fastapi", reason="the server is an extra")


class Serving(Value):
    """A server that runs."""

    url: str
    token: str


class Laptop:
    """A person's machine: a home and a checkout of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.home = folder / name / "app", folder / name / "home"
        self.folder.mkdir(parents=True)
        self.home.mkdir()
        self("init", "--yes", "--client", "none")

    def __call__(self, *words: str, stdin: str = "") -> Ran:
        return run_in(self.folder, *words, env={"HOLDFAST_HOME": str(self.home)}, stdin=stdin)

    def remember(self, text: str) -> str:
        return str(self("remember", "decision", text, "--json").json["id"])

    def join(self, server: Serving) -> Ran:
        return self("sync", "add", "team", server.url, "--json", stdin=f"{server.token}\n")

    def sync(self) -> Any:
        return self("sync", "--json").json["remotes"][0]

    def note(self, name: str, data: dict[str, Any]) -> None:
        """Have the journal hold an event, as capture would leave it."""
        FileJournal(str(self.folder / ".holdfast/journal")).append([
            Event(client="codex", session="s-large", name=name, data=data)
        ])  # fmt: skip

    def carried_out(self, goal: str) -> str:
        """A run of the agent that ended; its name."""
        run = Runs(str(self.folder / ".holdfast")).run(make_run_name())
        run.begin(goal, {"model": "scripted:x"})
        run.end("failed")
        return run.name

    def titles(self) -> set[str]:
        return {each["title"] for each in self("list", "--json").json["memories"]}


@contextmanager
def serving(home: Path, folder: Path, port: int) -> Iterator[Serving]:
    command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", str(port), "--json"]
    environment = {**os.environ, "HOLDFAST_HOME": str(home)}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Serving(**json.loads(process.stdout.readline()))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(LONG)


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_day_without_the_server_loses_nothing_and_doubles_nothing(tmp_path: Path, port: int) -> None:
    team = Laptop(tmp_path, "server")
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    with serving(team.home, team.folder, port) as server:
        assert ada.join(server).status == bob.join(server).status == 0
        first = ada.remember("Use Textual for the TUI")
        assert ada.sync()["pushed"]
        assert bob.sync()["pulled"]

    # The server is gone; both go on.
    ada.remember("Widgets have tests of their own")
    bob("edit", first, "--title", "Use Textual, as Bob says")
    ada("edit", first, "--title", "Use Textual, as Ada says")
    away = ada("sync", "--json")
    assert away.status == 1
    assert "does not answer" in away.json["remotes"][0]["failed"]
    assert "nothing is lost" in away.json["remotes"][0]["hint"]

    with serving(team.home, team.folder, port):
        sent = ada.sync()
        came = bob.sync()
        ada.sync()

        assert len(sent["pushed"]) == 2
        [clash] = came["clashes"]
        assert clash["candidates"]
        assert ada.titles() == bob.titles() == {"Use Textual, as Ada says", "Widgets have tests of their own"}
        [waits] = bob("list", "--candidates", "--json").json["candidates"]
        assert waits["title"] == "Use Textual, as Bob says"
        again = ada.sync()
        assert (again["pulled"], again["pushed"], again["events"]) == ([], [], 0)

    told = [json.loads(line) for line in _journal(team)]
    keys = [row["key"] for row in told if row.get("kind") == "event" and row["key"].startswith("remote:")]
    assert keys
    assert len(keys) == len(set(keys))


def test_a_token_that_is_none_and_one_that_may_only_read(tmp_path: Path, port: int) -> None:
    team, ada = Laptop(tmp_path, "server"), Laptop(tmp_path, "ada")
    with serving(team.home, team.folder, port) as server:
        refused = ada.join(Serving(url=server.url, token="wrong"))
        assert refused.status != 0
        assert "refuses" in refused.err
        reading = team("serve", "token", "add", "ada", "--right", "read", "--json").json["token"]
        assert ada.join(Serving(url=server.url, token=reading)).status == 0
        ada.remember("Use Textual for the TUI")
        assert "refuses" in str(ada.sync()["failed"])
    assert ada.titles() == {"Use Textual for the TUI"}


def test_a_remote_gets_another_token_in_place(tmp_path: Path, port: int) -> None:
    team, ada = Laptop(tmp_path, "server"), Laptop(tmp_path, "ada")
    with serving(team.home, team.folder, port) as server:
        reading = team("serve", "token", "add", "ada", "--right", "read", "--json").json["token"]
        assert ada("sync", "add", "team", server.url, "--candidates", stdin=f"{reading}\n").status == 0
        before = ada("sync", "list", "--json").json["remotes"]
        ada.remember("Use Textual for the TUI")
        assert "refuses" in str(ada.sync()["failed"])
        again = ada("sync", "add", "team", server.url, stdin=f"{server.token}\n")
        wrong = ada("sync", "set", "team", stdin="wrong\n")
        nobody = ada("sync", "set", "nobody", stdin=f"{server.token}\n")
        other = ada("sync", "set", "team", "--workspace", "x", stdin=f"{server.token}\n")
        assert "refuses" in str(ada.sync()["failed"])

        done = ada("sync", "set", "team", stdin=f"{server.token}\n")

        assert done.status == 0, done.err
        assert ada.sync()["pushed"]
        assert server.token not in done.out + done.err
        kept = ada("sync", "list", "--json").json["remotes"]
        assert [(each["url"], each["workspace"], each["candidates"]) for each in kept] == [
            (each["url"], each["workspace"], each["candidates"]) for each in before
        ]
    assert again.status == 4
    assert "sync set team" in again.err
    assert (wrong.status, nobody.status, other.status) == (2, 3, 2)
    away = ada("sync", "set", "team", stdin=f"{server.token}\n")
    assert away.status == 6
    assert "as it was" in away.err


def test_an_event_of_five_megabytes_comes_and_one_that_is_refused_stops_nothing(tmp_path: Path, port: int) -> None:
    team, ada = Laptop(tmp_path, "server"), Laptop(tmp_path, "ada")
    large = {"tool": "Bash", "output": "it says so. " * 440_000}
    ada.note("after_tool", large)
    ada.note("n" * 300, {"output": "no server takes such a name"})
    ada.note("prompt", {"prompt": "the one after it"})
    with serving(team.home, team.folder, port) as server:
        assert ada.join(server).status == 0
        sent = ada.sync()
        [refused] = sent["refused"]
        assert "name" in refused["why"]
        assert sent["events"] >= 2
        assert "not taken" in ada("sync", "list").out
        again = ada.sync()
        assert (again["events"], again["refused"]) == (0, [])

    told = [row["data"] for row in map(json.loads, _journal(team)) if row.get("session") == "s-large"]
    assert told == [large, {"prompt": "the one after it"}]


def test_runs_and_cost_of_one_laptop_are_seen_at_the_server_and_at_the_other(tmp_path: Path, port: int) -> None:
    team = Laptop(tmp_path, "server")
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    run = ada.carried_out("Add a retry")
    with serving(team.home, team.folder, port) as server:
        assert ada.join(server).status == bob.join(server).status == 0
        assert ada.sync()["records"] == {"pulled": 0, "pushed": 2}
        assert bob.sync()["records"] == {"pulled": 2, "pushed": 0}
        for each in (team, bob):
            [shown] = each("runs", "--json").json["runs"]
            assert (shown["run"], shown["status"]) == (run, "failed")
        refused = bob("run", "--resume", run)
        assert "another machine" in refused.err
        assert refused.status == 4
        assert bob("runs", "undo", "last").status == 3
        assert ada.sync()["records"] == {"pulled": 0, "pushed": 0}


def test_a_token_goes_to_nobody_without_tls(tmp_path: Path) -> None:
    ada = Laptop(tmp_path, "ada")

    done = ada("sync", "add", "team", "http://memory.example.com", stdin="secret\n")

    assert done.status == 2
    assert "without TLS" in done.err
    assert "secret" not in done.err + done.out


def _journal(laptop: Laptop) -> list[str]:
    files = sorted(Path(laptop.folder, ".holdfast/journal").glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text().splitlines()]
    return [line[line.index("{") :] for line in lines if "{" in line]
