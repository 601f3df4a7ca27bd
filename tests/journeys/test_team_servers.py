"""Three servers over one database serve one team: what is accepted at one is told at the others within a moment."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import run_in

pytest.importorskip("fastapi", reason="the server is an extra")


class Server:
    """One server process of the team."""

    def __init__(self, home: Path, url: str) -> None:
        home.mkdir()
        self.home, self._url = home, url

    @contextmanager
    def running(self) -> Iterator["Server"]:
        command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", "0", "--json", "--team", "acme"]
        environment = {**os.environ, "HOLDFAST_HOME": str(self.home), "HOLDFAST_DATABASE_URL": self._url}
        with subprocess.Popen(command, cwd=self.home, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                first = json.loads(process.stdout.readline())
                self.origin, self.token = first["url"], first["token"]
                yield self
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(30)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(self.origin + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        data = None
        if body is not None:
            request.add_header("Content-Type", "application/json")
            data = json.dumps(body).encode()
        with urllib.request.urlopen(request, data, 30) as answer:
            return json.loads(answer.read())


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with postgres() as found:
        with database(found):
            pass
        yield found


def test_three_servers_are_one_team(tmp_path: Path, url: str) -> None:
    checkout = tmp_path / "shop"
    checkout.mkdir()
    named = {"HOLDFAST_HOME": str(tmp_path / "home"), "HOLDFAST_DATABASE_URL": url, "HOLDFAST_DATABASE_TEAM": "acme"}
    run_in(checkout, "init", "--yes", "--client", "none", env=named)
    waits = run_in(
        checkout, "propose", "decision", "Use Textual for the screens", "--question", "Which toolkit for the screens?",
        "--choice", "Textual", "--json", env=named,
    ).json["id"]  # fmt: skip
    pushed = run_in(checkout, "vault", "push", "--candidates", "--json", env=named)
    assert pushed.json["project"] == "shop"

    with ExitStack() as stack:
        servers = [stack.enter_context(Server(tmp_path / f"server-{n}", url).running()) for n in range(3)]
        rows = [server.ask("GET", "/api/workspaces") for server in servers]
        assert {(row["id"], row["name"]) for found in rows for row in found} == {(rows[0][0]["id"], "shop")}
        place = f"/api/workspace/{rows[0][0]['id']}"
        goal = {"goal": "which toolkit for the screens"}
        for server in servers:
            assert "(unconfirmed)" in server.ask("POST", f"{place}/pack", goal)["prompt"]

        accepted = servers[0].ask("POST", f"{place}/candidates/{waits}/accept", {})["accepted"]

        begun = time.monotonic()
        for server in servers[1:]:
            prompt = server.ask("POST", f"{place}/pack", goal)["prompt"]
            while accepted[0]["memory"]["id"] not in prompt and time.monotonic() - begun < 20:
                prompt = server.ask("POST", f"{place}/pack", goal)["prompt"]
            assert accepted[0]["memory"]["id"] in prompt
        assert all(server.ask("GET", f"{place}/candidates") == [] for server in servers)

        pulled = run_in(checkout, "vault", "sync", "--candidates", "--json", env=named).json
        assert len(pulled["pulled"]) == 2
        assert accepted[0]["memory"]["id"] in run_in(checkout, "list", env=named).out
