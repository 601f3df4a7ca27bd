"""A team's server serves the team's memory: nothing that its keeper wrote for themselves, whatever the token."""

import json
import re
import urllib.error
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.databases import database, postgres
from tests.journeys.conftest import run_in
from tests.journeys.test_team_servers import Server
from tests.waiting import LONG

pytest.importorskip("fastapi", reason="the server is an extra")

from holdfast.llm.cost_ledger import CostEntry, CostLedger
from holdfast.server.http.security.callers import Right
from holdfast.server.http.security.server_tokens import TokenStore

OWN = "zebrafish"


class Team:
    """A team's server, the place of its one project, and tokens for it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        [row] = server.ask("GET", "/api/workspaces")
        self.id = row["id"]
        self.place = f"/api/workspace/{self.id}"
        tokens = TokenStore(str(server.home))
        self.owner, self.reads = server.token, tokens.add("reads", ())
        self.reviews = tokens.add("reviews", (Right.REVIEW,))

    def ask(self, token: str, method: str, path: str, body: Any = None) -> tuple[int, str]:
        self.server.token = token
        try:
            return 200, json.dumps(self.server.ask(method, path, body), ensure_ascii=False)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    root = tmp_path_factory.mktemp("walls")
    checkout = root / "shop"
    checkout.mkdir()
    with postgres() as url:
        with database(url):
            pass
        named = {"HOLDFAST_HOME": str(root / "home"), "HOLDFAST_DATABASE_URL": url, "HOLDFAST_DATABASE_TEAM": "acme"}
        run_in(checkout, "init", "--yes", "--client", "none", env=named)
        run_in(checkout, "remember", "learning", "The shop closes at six", env=named)
        assert run_in(checkout, "sync", "database", "push", env=named).status == 0
        server = Server(root / "server", url)
        keep_own_things(server.home, root / "keepers")
        with server.running():
            yield Team(server)


def keep_own_things(home: Path, folder: Path) -> None:
    """What the keeper of a server has for themselves, each with the same word in it."""
    folder.mkdir()
    own = {"HOLDFAST_HOME": str(home)}
    for words in (
        ["remember", "--scope", "user", "learning", f"My doctor is Dr {OWN}"],
        ["remember", "--scope", "user", "decision", f"I shop at the {OWN} and nowhere else"],
        ["config", "model_url", f"https://{OWN}.example/v1"],
    ):
        assert run_in(folder, *words, env=own).status == 0, words
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "hook.log").write_text(f"2026-11-15T09:00:00Z {OWN} failed\n")
    spent = CostEntry(id="", ts="", outcome="answered", model=f"{OWN}-large", session=OWN, cost=1.0)
    CostLedger(str(home / "costs"), lambda: datetime.now(UTC)).note(spent)
    assert len(list((home / "memory").rglob("*.md"))) == 2


def test_no_answer_of_a_team_server_holds_a_word_of_its_keepers_own(team: Team) -> None:
    status, contract = team.ask(team.owner, "GET", "/api/openapi.json")
    assert status == 200
    asked = [
        path.replace("{wid}", team.id)
        for path, methods in json.loads(contract)["paths"].items()
        if "get" in methods and path.startswith("/api")
    ]
    shop = json.loads(team.ask(team.reads, "GET", f"{team.place}/memory/entries")[1])
    assert [row["title"] for row in shop] == ["The shop closes at six"]

    for token in (team.reads, team.owner):
        for path in asked:
            status, text = team.ask(token, "GET", re.sub(r"\{[^}]*\}", "nothing", path))
            assert status < 500, (path, text)
            assert OWN not in text, (path, text)
        for path in ("memory/entries?scope=user", "memory/entries?q=doctor", "graph", "candidates", "changes?since="):
            assert OWN not in team.ask(token, "GET", f"{team.place}/{path}")[1], path
        for path, body in (
            ("search", {"query": "doctor shop"}),
            ("search", {"query": "doctor", "place": "all"}),
            ("pack", {"goal": "which doctor, and where do I shop?"}),
        ):
            status, text = team.ask(token, "POST", f"{team.place}/{path}", body)
            assert status == 200
            assert OWN not in text, (path, text)
    assert (
        "closes at six" in team.ask(team.reads, "POST", f"{team.place}/pack", {"goal": "when does the shop close"})[1]
    )


def test_agents_at_a_team_server_hear_nothing_of_its_keeper(team: Team) -> None:
    for name, arguments in (
        ("search", {"query": "which doctor, and where do I shop"}),
        ("pack", {"goal": "which doctor, and where do I shop"}),
    ):
        text = called(team, name, arguments)
        assert OWN not in text, text
        assert "isError" not in text or json.loads(text)["result"]["isError"] is False
    assert "closes at six" in called(team, "search", {"query": "shop closes"})


def called(team: Team, name: str, arguments: dict[str, Any]) -> str:
    import httpx2

    headers = {"Authorization": f"Bearer {team.reads}", "Accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    with httpx2.Client(timeout=LONG) as client:
        answer = client.post(f"{team.server.origin}/mcp/{team.id}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_nobody_writes_what_is_the_keepers_own(team: Team) -> None:
    before = files_of(team.server.home)
    draft = {"type": "learning", "text": "Planted", "title": "Planted", "scope": "user"}

    for token in (team.reviews, team.owner):
        for more in ({}, {"candidate": True}):
            status, text = team.ask(token, "POST", f"{team.place}/memory", {**draft, **more})
            assert (status, "own machine" in text) == (404, True), text
        waits = json.loads(
            team.ask(token, "POST", f"{team.place}/memory", {**draft, "scope": "workspace", "candidate": True})[1]
        )
        accept = f"{team.place}/candidates/{waits['id']}/accept"
        assert team.ask(token, "POST", accept, {"scope": "user"})[0] == 404
        purge = {"text": OWN, "because": "none of mine"}
        assert team.ask(token, "POST", f"{team.place}/forget", purge)[0] == 200

    assert files_of(team.server.home) == before


def files_of(home: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(home)): file.read_bytes()
        for top in ("memory", "candidates", "config.toml")
        for file in ([home / top] if (home / top).is_file() else (home / top).rglob("*"))
        if file.is_file()
    }


def test_a_team_server_takes_no_folder_of_its_machine(team: Team, tmp_path: Path) -> None:
    status, text = team.ask(team.owner, "POST", "/api/workspaces", {"path": str(tmp_path), "init": True})

    assert (status, "sync database push" in text) == (403, True)
    assert list(tmp_path.iterdir()) == []
