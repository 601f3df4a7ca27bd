"""Three servers over one database serve one team: what is accepted at one is told at the others within a moment."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import run_in
from tests.journeys.test_run import FIX, FUNCTIONS, Agent, once, plan_of
from tests.minds import Say, minding
from tests.waiting import LONG, wait_for

pytest.importorskip("fastapi", reason="the server is an extra")


class Server:
    """One server process of the team."""

    def __init__(self, home: Path, url: str, **env: str) -> None:
        home.mkdir()
        self.home, self._url, self._env = home, url, env

    @contextmanager
    def running(self) -> Iterator["Server"]:
        command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", "0", "--json", "--team", "acme"]
        environment = {**os.environ, "HOLDFAST_HOME": str(self.home), "HOLDFAST_DATABASE_URL": self._url, **self._env}
        with subprocess.Popen(command, cwd=self.home, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                first = json.loads(process.stdout.readline())
                self.origin, self.token = first["url"], first["token"]
                yield self
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(LONG)

    def give_token(self) -> str:
        """A token that its keeper gives: what it accepts is proven, also while a client runs on this machine."""
        words = ("serve", "token", "add", "phone", "--right", "review", "--json")
        return str(run_in(self.home, *words, env={"HOLDFAST_HOME": str(self.home)}).json["token"])

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        request = urllib.request.Request(self.origin + path, method=method)
        request.add_header("Authorization", f"Bearer {token or self.token}")
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
    pushed = run_in(checkout, "sync", "database", "push", "--candidates", "--json", env=named)
    assert pushed.json["project"] == "shop"

    with ExitStack() as stack:
        servers = [stack.enter_context(Server(tmp_path / f"server-{n}", url).running()) for n in range(3)]
        rows = [server.ask("GET", "/api/workspaces") for server in servers]
        assert {(row["id"], row["name"]) for found in rows for row in found} == {(rows[0][0]["id"], "shop")}
        place = f"/api/workspace/{rows[0][0]['id']}"
        goal = {"goal": "which toolkit for the screens"}
        for server in servers:
            assert "(unconfirmed)" in server.ask("POST", f"{place}/pack", goal)["prompt"]

        accepted = servers[0].ask("POST", f"{place}/candidates/{waits}/accept", {}, servers[0].give_token())["accepted"]

        def told(server: Server) -> bool:
            return accepted[0]["memory"]["id"] in server.ask("POST", f"{place}/pack", goal)["prompt"]

        for server in servers[1:]:
            wait_for(partial(told, server), "what another server accepted", pause=0.05)
        assert all(server.ask("GET", f"{place}/candidates") == [] for server in servers)

        pulled = run_in(checkout, "sync", "database", "--candidates", "--json", env=named).json
        assert len(pulled["pulled"]) == 2
        assert accepted[0]["memory"]["id"] in run_in(checkout, "list", env=named).out


def test_a_run_at_one_server_is_watched_and_paid_for_at_the_other(tmp_path: Path, url: str) -> None:
    checkout = tmp_path / "shop"
    checkout.mkdir()
    named = {"HOLDFAST_HOME": str(tmp_path / "home"), "HOLDFAST_DATABASE_URL": url, "HOLDFAST_DATABASE_TEAM": "acme"}
    run_in(checkout, "init", "--yes", "--client", "none", env=named)
    assert run_in(checkout, "sync", "database", "push", env=named).status == 0
    done = once(FIX, then="The sign was wrong in app.py. It is done.")
    mind = Agent(lambda _: Say(text=plan_of("Fix add in app.py", criteria=["add adds"])), done, [])

    with minding(mind) as model, ExitStack() as stack:
        env = {**model.environment("anthropic"), "HOLDFAST_RUN_GATES": "none"}
        one, two = (stack.enter_context(Server(tmp_path / name, url, **env).running()) for name in ("one", "two"))
        [row] = one.ask("GET", "/api/workspaces")
        place = f"/api/workspace/{row['id']}"
        assert two.ask("GET", f"{place}/runs") == []
        [folder] = one.home.glob("mirrors/*/shop")
        (folder / "app.py").write_text(FUNCTIONS)

        run = one.ask("POST", f"{place}/run", {"goal": "fix add in app.py", "trust": "workspace"})["runId"]
        wait_for(lambda: one.ask("GET", f"{place}/runs/{run}")["run"]["status"] == "complete", "the end of the run")
        wait_for(lambda: [each["status"] for each in two.ask("GET", f"{place}/runs")] == ["complete"], "it elsewhere")

        assert two.ask("GET", f"{place}/runs/{run}/events") == one.ask("GET", f"{place}/runs/{run}/events")
        detail = two.ask("GET", f"{place}/runs/{run}")
        assert (detail["canResume"], detail["canUndo"], detail["tasks"][0]["state"]) == (False, False, "done")
        paid = one.ask("GET", f"{place}/cost")["total"]
        assert paid["requests"] > 0
        wait_for(lambda: two.ask("GET", f"{place}/cost")["total"] == paid, "its cost elsewhere")
        with pytest.raises(urllib.error.HTTPError):
            two.ask("POST", f"{place}/run", {"goal": "", "resume": run})

        pulled = run_in(checkout, "sync", "database", "pull", "--json", env=named).json
        assert pulled["records"]["pulled"] > 2
        assert run in run_in(checkout, "runs", env=named).out
        assert run_in(checkout, "report", "cost", "--json", env=named).json["total"]["requests"] == paid["requests"]
