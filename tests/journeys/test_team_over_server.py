"""A team without git: over its database, and over a server in front of it; each laptop with a home of its own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.databases import database, postgres
from tests.journeys.conftest import Ran, run_in
from tests.waiting import LONG, wait_for

pytest.importorskip("fastapi", reason="the server is an extra")

GOAL = "which toolkit for the screens"
LINE = "Which toolkit for the screens? Textual (Ada, for the team)"


class Laptop:
    """A person's machine: a home and a checkout of its own."""

    def __init__(self, folder: Path, name: str, project: str = "shop") -> None:
        self.name = name
        self.folder, self.home = folder / name / project, folder / name / "home"
        self.folder.mkdir(parents=True)
        self.home.mkdir(exist_ok=True)
        self("init", "--yes", "--client", "none")

    def __call__(self, *words: str, stdin: str = "", **env: str) -> Ran:
        return run_in(self.folder, *words, env={"HOLDFAST_HOME": str(self.home), **env}, stdin=stdin)

    def decide(self, choice: str = "Textual") -> str:
        words = ("--question", "Which toolkit for the screens?", "--choice", choice, "--json")
        return str(self("remember", "decision", f"Use {choice} for the screens", *words).json["id"])

    def promote(self, name: str) -> str:
        """Propose it to the team, and accept that as a person does; the team's id of it."""
        candidate = self("team", "promote", name, "--json").json["promoted"][0]["candidate"]
        return str(self("accept", candidate, "--json").json["accepted"][0]["memory"])

    def sync(self) -> Ran:
        return self("team", "sync", "--json")

    def pack(self) -> str:
        return self("pack", GOAL).out

    def caches(self) -> list[str]:
        return sorted(os.listdir(self.home / "teams")) if (self.home / "teams").is_dir() else []


class Server:
    """One server of the team."""

    def __init__(self, home: Path, url: str, team: str, port: int = 0) -> None:
        home.mkdir()
        self.home, self._url, self._team, self._port = home, url, team, port

    @contextmanager
    def running(self) -> Iterator["Server"]:
        command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", str(self._port), "--json"]
        environment = {**os.environ, "HOLDFAST_HOME": str(self.home)}
        command += ["--new-team"] if self._url else []
        environment |= {"HOLDFAST_DATABASE_URL": self._url, "HOLDFAST_DATABASE_TEAM": self._team} if self._url else {}
        with subprocess.Popen(command, cwd=self.home, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                first = json.loads(process.stdout.readline())
                self.url, self.token = first["url"], first["token"]
                yield self
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(LONG)

    def give_token(self) -> str:
        """A token that its keeper gives: what it accepts is proven, also while a client runs on this machine."""
        words = ("serve", "token", "add", "phone", "--right", "review", "--json")
        return str(run_in(self.home, *words, env={"HOLDFAST_HOME": str(self.home)}).json["token"])

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {token or self.token}")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, json.dumps(body).encode() if body is not None else None, 30) as answer:
            return json.loads(answer.read())

    def call(self, tool: str, workspace: str, given: dict[str, Any]) -> str:
        """Call a tool over MCP; the answer's words."""

        async def speak() -> str:
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}, timeout=LONG) as http:
                transport = streamable_http_client(f"{self.url}/mcp/{workspace}", http_client=http)
                async with Client(transport) as client:
                    answer = await client.call_tool(tool, given)
                    assert not answer.is_error, answer
                    return "".join(getattr(each, "text", "") for each in answer.content)

        return anyio.run(speak)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as found:
        with database(found):
            pass
        yield found


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_what_one_accepts_for_the_team_is_first_in_the_others_pack_over_a_database(tmp_path: Path, url: str) -> None:
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob", "depot")
    begun = ada("team", "init", "db-team", url, "--as", "Ada", "--json")
    assert begun.json["team"]["kind"] == "database"
    new = ada.promote(ada.decide())
    state = ada("team", "status", "--json").json["pending"]
    assert (state["unsent"], state["behind"]) == (1, 0)
    assert ada.sync().json["pushed"]

    joined = bob("team", "join", url, "--name", "db-team", "--as", "Bob", "--json")

    assert joined.json["counts"] == {"decision": 1}
    assert LINE in bob.pack()
    assert new in bob("list", "--json").out
    state = bob("team", "status", "--json").json
    assert state["authors"] == {"Ada": 1}
    assert (state["pending"]["unsent"], state["pending"]["behind"]) == (0, 0)

    left = bob("team", "leave", "--json")

    assert left.json["removed"]
    assert bob.caches() == []
    assert LINE not in bob.pack()
    assert new not in bob("list", "--json").out
    assert ada("team", "leave").status == 0
    assert "Textual" in ada.pack()


def test_a_contradiction_between_team_and_project_is_shown_and_not_guessed(tmp_path: Path, url: str) -> None:
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob")
    ada("team", "init", "torn", url, "--as", "Ada")
    ada.promote(ada.decide())
    ada.sync()
    bob.decide("curses")

    joined = bob("team", "join", url, "--name", "torn", "--as", "Bob")

    assert "conflict:" in joined.out
    assert bob("team", "status").status == 1
    assert LINE in bob.pack()


def test_two_who_change_one_team_memory_lose_neither(tmp_path: Path, url: str) -> None:
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob", "depot")
    ada("team", "init", "both", url, "--as", "Ada")
    new = ada.promote(ada.decide())
    ada.sync()
    bob("team", "join", url, "--name", "both", "--as", "Bob")
    ada("edit", new, "--title", "As Ada says")
    bob("edit", new, "--title", "As Bob says")
    ada.sync()

    came = bob.sync()

    assert came.status == 1
    [clash] = came.json["clashes"]
    assert clash["author"] == "Ada"
    [waits] = bob("list", "--candidates", "--json").json["candidates"]
    assert waits["title"] == "As Bob says"
    shown = bob("show", waits["id"]).out
    assert "promote_to: team" in shown
    titles = [each["title"] for each in bob("list", "--json").json["memories"]]
    assert "As Ada says" in titles


def test_nothing_unsent_is_thrown_away_by_leaving(tmp_path: Path, url: str) -> None:
    ada = Laptop(tmp_path, "ada")
    ada("team", "init", "unsent", url, "--as", "Ada")
    ada.promote(ada.decide())

    refused = ada("team", "leave")

    assert refused.status == 4
    assert "team sync" in refused.err
    assert LINE in ada.pack()
    assert ada("team", "leave", "--drop-unsent").status == 0
    assert ada.caches() == []


def test_a_folder_that_another_workspace_uses_stays(tmp_path: Path, url: str) -> None:
    one, two = Laptop(tmp_path, "ada"), Laptop(tmp_path, "ada", "depot")
    one("team", "init", "shared", url, "--as", "Ada")
    one.promote(one.decide())
    one.sync()
    two("team", "join", url, "--name", "shared", "--as", "Ada")

    assert not one("team", "leave", "--json").json["removed"]
    assert LINE in two.pack()
    assert two("team", "leave", "--json").json["removed"]
    assert two.caches() == []


def test_laptops_of_a_team_meet_at_its_server_and_go_on_without_it(tmp_path: Path, url: str, port: int) -> None:
    ada, bob = Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob", "depot")
    server = Server(tmp_path / "server", url, "meeting", port)
    with server.running():
        for each in (ada, bob):
            joined = each("team", "join", server.url, "--as", each.name.title(), "--json", stdin=f"{server.token}\n")
            assert joined.status == 0, joined.err
            assert (joined.json["team"]["name"], joined.json["team"]["kind"]) == ("meeting", "server")
            assert server.token not in joined.out + each("team", "status", "--json").out
        # A second project of Ada's: the token is known.
        other = Laptop(tmp_path, "ada", "other")
        assert other("team", "join", server.url).status == 0
        new = ada.promote(ada.decide())
        assert ada.sync().json["pushed"]
        assert LINE in other.pack()
        assert not other("team", "leave", "--json").json["removed"]
        assert bob.sync().json["pulled"]
        assert LINE in bob.pack()

    # The server is gone; both go on, and nothing fails that need not.
    bob("edit", new, "--title", "Textual it stays")
    away = bob.sync()
    assert away.status == 6
    assert "nothing is lost" in away.err
    assert LINE in bob.pack()
    state = bob("team", "status", "--json").json["pending"]
    assert (state["unsent"], state["behind"]) == (1, None)
    quiet = bob("distil", "--quiet")
    assert quiet.status == 0

    # It comes back with nothing but its database.
    shutil.rmtree(server.home / "mirrors")
    with server.running():
        assert bob("distil", "--quiet").status == 0
        assert ada("distil", "--quiet").status == 0
        assert "Textual it stays" in ada("list", "--json").out
        assert ada("team", "leave", "--json").json["removed"]
        assert LINE not in ada.pack()


def test_who_may_only_read_has_what_others_have_and_keeps_their_own(tmp_path: Path, url: str, port: int) -> None:
    ada, eve = Laptop(tmp_path, "ada"), Laptop(tmp_path, "eve", "depot")
    server = Server(tmp_path / "server", url, "reading", port)
    with server.running():
        env = {"HOLDFAST_HOME": str(server.home)}
        reading = run_in(server.home, "serve", "token", "add", "eve", "--right", "read", "--json", env=env).json[
            "token"
        ]
        assert ada("team", "join", server.url, "--as", "Ada", stdin=f"{server.token}\n").status == 0
        assert eve("team", "join", server.url, "--as", "Eve", stdin=f"{reading}\n").status == 0
        mine = eve.promote(eve("remember", "learning", "Alpha comes before all", "--json").json["id"])
        ada.promote(ada.decide())
        ada.sync()

        refused = eve.sync()

        assert refused.status == 2
        assert "refuses" in refused.err
        assert LINE in eve.pack()
        assert mine in eve("list", "--json").out
        assert eve("team", "status", "--json").json["pending"]["unsent"] == 1
        assert mine not in ada("list", "--json").out
        assert "--right review" in refused.err

        better = tmp_path / "better"
        better.write_text(
            run_in(server.home, "serve", "token", "add", "e2", "--right", "review", "--json", env=env).json["token"]
        )
        again = eve("team", "join", server.url, "--token-file", str(better))

        assert again.status == 0
        assert ada.sync().status == 0
        assert mine in ada("list", "--json").out


def test_a_workspace_of_a_plain_server_can_be_a_teams_memory(tmp_path: Path, port: int) -> None:
    keeper, ada, bob = Laptop(tmp_path, "keeper", "acme"), Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob", "depot")
    server = Server(tmp_path / "unused", "", "", port)
    server.home = keeper.home
    with server.running():
        workspace = server.ask("GET", "/api/workspaces")[0]["id"]
        none = ada("team", "join", server.url, stdin=f"{server.token}\n")
        assert none.status == 3
        assert "--workspace" in none.err
        token = tmp_path / "token"
        token.write_text(server.token)
        for each in (ada, bob):
            given = ("--workspace", workspace, "--name", "acme", "--token-file", str(token), "--as", each.name.title())
            assert each("team", "join", server.url, *given).status == 0
        ada.promote(ada.decide())
        ada.sync()
        assert bob.sync().json["pulled"]
        assert LINE in bob.pack()
        assert "Textual" in keeper.pack()


def test_what_is_purged_from_a_teams_memory_goes_from_every_laptop_and_nothing_else_does(
    tmp_path: Path, port: int
) -> None:
    keeper, ada, bob = Laptop(tmp_path, "keeper", "acme"), Laptop(tmp_path, "ada"), Laptop(tmp_path, "bob", "depot")
    server = Server(tmp_path / "unused", "", "", port)
    server.home = keeper.home
    with server.running():
        workspace = server.ask("GET", "/api/workspaces")[0]["id"]
        token = tmp_path / "token"
        token.write_text(server.token)
        for each in (ada, bob):
            given = ("--workspace", workspace, "--name", "acme", "--token-file", str(token), "--as", each.name.title())
            assert each("team", "join", server.url, *given).status == 0
        new = ada.promote(ada("remember", "learning", "Tabs, since Jane Doe asked for them", "--json").json["id"])
        ada.sync()
        assert bob.sync().json["pulled"]
        own = bob("remember", "learning", "Jane Doe keeps the depot", "--json").json["id"]

        done = ada("forget", "--subject", "Jane Doe", "--purge", "--yes", "--json")
        assert done.status == 0, done.err
        assert [each["found"] for each in done.json["servers"]] == [[]]
        told = bob.sync()

        assert [each["what"] for each in told.json["taken"]] == [new]
        assert server.url in told.json["taken"][0]["why"]
        assert f"By marks of {server.url}" in told.err
        for place in (ada.folder, ada.home, keeper.folder, bob.home):
            assert not [
                path for path in place.rglob("*") if path.is_file() and b"Tabs, since Jane" in path.read_bytes()
            ]
        # What Bob wrote on his own is his.
        assert own in bob("list", "--json").out
        assert bob("undo", "--dry-run", "--json").json["undone"] is None


def test_what_is_no_team_is_refused_with_a_reason(tmp_path: Path, url: str, port: int) -> None:
    ada = Laptop(tmp_path, "ada")
    assert ada("team", "init", "refused", url, "--as", "Ada").status == 0
    ada("team", "leave")
    unknown = ada("team", "join", url, "--name", "nobody")
    assert unknown.status == 3
    assert "refused" in unknown.err
    secret = ada("team", "join", "postgresql://me:hush@127.0.0.1:1/x", "--name", "acme")
    assert secret.status == 6
    assert "hush" not in secret.err
    gone = ada("team", "join", f"http://127.0.0.1:{port}", stdin="token\n")
    assert gone.status == 6
    assert "nothing was joined" in gone.err
    added = ada("sync", "add", "team", f"http://127.0.0.1:{port}", stdin="token\n")
    assert "no remote was added" in added.err
    assert "begin with https" in ada("sync", "add", "team", "notaurl").err
    open_wire = ada("team", "join", "http://memory.example.com", stdin="token\n")
    assert open_wire.status == 2
    assert "without TLS" in open_wire.err
    assert ada("team", "status").status == 3
    with Server(tmp_path / "server", url, "refused", port).running() as server:
        wrong = ada("team", "join", server.url, stdin="wrong\n")
        assert wrong.status == 2
        begun = ada("team", "init", "acme", server.url)
        assert begun.status == 2
        assert "team join" in begun.err
    assert ada.caches() == []


def test_a_team_decision_accepted_at_one_server_is_told_at_the_others(tmp_path: Path, url: str) -> None:
    ada = Laptop(tmp_path, "ada")
    named = {"HOLDFAST_DATABASE_URL": url, "HOLDFAST_DATABASE_TEAM": "three"}
    ada("team", "init", "three", "database", "--as", "Ada", **named)
    other = Laptop(tmp_path, "bob", "depot")
    other.decide("curses")
    [waits] = ada("team", "promote", ada.decide(), "--json", **named).json["promoted"]
    assert ada("sync", "database", "push", "--candidates", **named).status == 0
    assert other("sync", "database", "push", **named).status == 0

    with ExitStack() as stack:
        servers = [stack.enter_context(Server(tmp_path / f"server-{n}", url, "three").running()) for n in range(3)]
        places = {row["name"]: f"/api/workspace/{row['id']}" for row in servers[0].ask("GET", "/api/workspaces")}
        assert {"shop", "depot"} <= set(places)
        assert len({json.dumps(server.ask("GET", "/api/team")) for server in servers}) == 1

        def prompt(server: Server, project: str) -> str:
            return str(server.ask("POST", f"{places[project]}/pack", {"goal": GOAL})["prompt"])

        def told(server: Server, project: str) -> bool:
            return LINE in prompt(server, project)

        assert not any(told(server, name) for server in servers for name in ("shop", "depot"))

        servers[0].ask("POST", f"{places['shop']}/candidates/{waits['candidate']}/accept", {}, servers[0].give_token())

        for server in servers:
            for project in ("shop", "depot"):
                wait_for(partial(told, server, project), "what was decided")
        told_by_mcp = servers[2].call("pack", places["depot"].rpartition("/")[2], {"goal": GOAL})
        assert LINE in told_by_mcp
        # What an agent proposes at one server waits at the others.
        new = {"type": "learning", "text": "Screens are drawn by one thread"}
        servers[2].call("remember", places["depot"].rpartition("/")[2], new)
        waiting = f"{places['depot']}/candidates"
        wait_for(lambda: "drawn by one thread" in json.dumps(servers[0].ask("GET", waiting)), "what was proposed")
        # The other project decided otherwise: both are there, and nobody guessed.
        assert "curses" in prompt(servers[1], "depot")
        assert ada.sync().json["pulled"]
        assert LINE in ada.pack()
