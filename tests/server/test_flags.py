"""`holdfast serve --set KEY=VALUE`: it holds in every workspace, for requests, runs and agents alike."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.moulds import environment
from tests.server.conftest import PATIENCE, holdfast, new_workspace


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, list[str]]:
    home = tmp_path / "home"
    home.mkdir()
    return home, [new_workspace(tmp_path / name, home) for name in ("one", "two")]


class Asked:
    """A server that was started with settings of its own."""

    def __init__(self, home: Path, *words: str) -> None:
        command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--port", "0", "--json", *words]
        self.process = subprocess.Popen(
            command, cwd=home, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        first = json.loads(self.first)
        request = urllib.request.Request(first["url"] + path, method=method)
        request.add_header("Authorization", f"Bearer {first['token']}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
            request.add_header("Accept", "application/json, text/event-stream")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture
def server(places: tuple[Path, list[str]]) -> Iterator[Asked]:
    made = Asked(
        places[0], "--set", "search.limit=2", "--set", "serve.trust=read_only", "--set", "packs.budget_tokens=60"
    )
    yield made
    made.close()


def test_it_holds_in_every_workspace_and_says_where_it_comes_from(
    server: Asked, places: tuple[Path, list[str]]
) -> None:
    for wid in places[1]:
        rows = {row["key"]: row for row in server.ask("GET", f"/api/workspace/{wid}/settings")}
        changed = server.ask("PUT", f"/api/workspace/{wid}/settings/search.limit", {"value": "9"})

        assert (rows["search.limit"]["value"], rows["search.limit"]["source"]) == (2, "flag")
        assert (changed["value"], changed["source"], changed["files"][0]["value"]) == (2, "flag", 9)


def test_memory_agents_and_runs_heed_it(server: Asked, places: tuple[Path, list[str]]) -> None:
    home, ids = places
    for name in ("one", "two"):
        for number in range(6):
            text = (
                f"Tea number {number} is brewed in the kitchen, slowly, with water that has boiled for {number} minutes"
            )
            done = holdfast(home, home.parent / name, "remember", "learning", text)
            assert done.returncode == 0, done.stderr
    tool = {"name": "pack", "arguments": {"goal": "brew tea in the kitchen"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    for wid in ids:
        pack = server.ask("POST", f"/api/workspace/{wid}/pack", {"goal": "brew tea in the kitchen"})
        answer = json.dumps(server.ask("POST", f"/mcp/{wid}", call))
        with pytest.raises(urllib.error.HTTPError) as refused:
            server.ask("POST", f"/api/workspace/{wid}/run", {"goal": "x", "trust": "ask"})

        assert 1 <= json.dumps(pack).count("Tea number") < 6
        assert 1 <= answer.count("Tea number") < 6
        assert refused.value.code == 403
        assert "trusted with 'read_only' at most" in refused.value.read().decode()


@pytest.mark.parametrize("pair", ["search.limit=many", "no.such=1", "serve.trust=everything"])
def test_one_that_does_not_fit_stops_the_start(places: tuple[Path, list[str]], pair: str) -> None:
    made = Asked(places[0], "--set", pair)
    assert made.process.stdout is not None
    said = made.first + made.process.stdout.read()
    made.process.communicate(timeout=PATIENCE)

    assert made.process.returncode == 2
    assert '"url"' not in made.first
    assert pair.partition("=")[0] in said
