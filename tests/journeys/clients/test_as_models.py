"""The user's own client as the model that distils: asked in print mode, and not captured."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Session
from tests.journeys.clients.npm import installed
from tests.journeys.clients.stub.model import ANSWER

CLIENTS = {
    "claude": ("claude-code", start.claude_code, ("@anthropic-ai/claude-code", "2.1.325", "claude")),
    "codex": ("codex", start.codex, ("@openai/codex", "0.166.0", "codex")),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_answers_as_a_model_and_nothing_of_it_is_kept(machine: Machine, name: str) -> None:
    client, begin, package = CLIENTS[name]
    make: Callable[[Machine], Session] = begin
    make(machine)
    machine.env["PATH"] = os.pathsep.join([str(installed(*package).parent), machine.env["PATH"]])
    machine.set_up(client)
    started = machine.root / "started"
    _add_server(machine, started)

    done = machine.holdfast("config", "model", "test", "--json", "--set", f"model=client:{name}")

    assert done.status == 0, done.err
    assert done.json["text"].strip() == ANSWER
    assert done.json["input"] > 0
    assert machine.events() == []
    assert machine.fences() == ""
    asked = "\n".join(machine.model.texts())
    assert "Say only: ready" in asked
    assert "hello-from-tool" not in asked
    assert not started.exists()
    sessions = [*machine.user.glob(".claude/projects/*/*.jsonl"), *machine.user.glob(".codex/sessions/**/*.jsonl")]
    assert sessions == []


def _add_server(machine: Machine, started: Path) -> None:
    """An MCP server of the user's own: words out of a transcript must not get at it."""
    server = {"command": "touch", "args": [str(started)]}
    (machine.user / ".claude.json").write_text(json.dumps({"mcpServers": {"probe": server}}))
    settings = machine.user / ".codex/config.toml"
    if settings.exists():
        lines = f'\n[mcp_servers.probe]\ncommand = "touch"\nargs = [{json.dumps(str(started))}]\n'
        settings.write_text(settings.read_text() + lines)
