"""Real clients with our MCP server: the model asks for a search, and what is found reaches it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine
from tests.journeys.clients.stub.asking import AskingModel
from tests.journeys.clients.stub.model import texts_in

pytest.importorskip("mcp", reason="the MCP server is an extra")

SERVER = ["-m", "holdfast.cli.main", "mcp"]
FOR_CLAUDE = (
    "--mcp-config",
    json.dumps({"mcpServers": {"holdfast": {"command": sys.executable, "args": SERVER}}}),
    "--strict-mcp-config",
)
FOR_CODEX = (
    "-c",
    f"mcp_servers.holdfast.command={json.dumps(sys.executable)}",
    "-c",
    f"mcp_servers.holdfast.args={json.dumps(SERVER)}",
    # Otherwise its first request goes out without the tools of a server that is not up yet.
    "-c",
    "mcp_servers.holdfast.required=true",
)
RESULTS = ("tool_result", "function_call_output")
ASKS = "What do we know about storage?"


@pytest.fixture
def model() -> Iterator[AskingModel]:
    running = AskingModel("holdfast", "search", {"query": "storage"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def machine(tmp_path: Path, model: AskingModel) -> Machine:
    made = Machine(tmp_path, model)
    made.set_up("none")
    kept = made.holdfast("remember", "decision", "Zanzibar for storage", "--because", "a reason nobody searched for")
    assert kept.status == 0, kept.err
    return made


def results(machine: Machine) -> str:
    """What the tools gave the model."""
    last = machine.model.asked[-1]
    given = [part for message in last.get("messages", []) for part in message["content"] if isinstance(part, dict)]
    items = [*given, *last.get("input", [])]
    return "\n".join(text for item in items if item["type"] in RESULTS for text in texts_in(item))


def check_reached(machine: Machine) -> None:
    told = results(machine)
    assert "Zanzibar for storage" in told, (told, [len(json.dumps(body)) for body in machine.model.asked])
    assert "Project memory from Holdfast: data" in told
    assert "a reason nobody searched for" not in told
    # Claude Code names the tools of servers first and shows their schemas when they are asked for; Codex shows all.
    offered = json.dumps(machine.model.asked)
    for name in ("search", "timeline", "record_decision", "record_failure", "briefing"):
        assert f"mcp__holdfast__{name}" in offered or f'"name": "{name}"' in offered


def test_claude_code_finds_memory_by_mcp(machine: Machine) -> None:
    session = start.claude_code(machine)

    done = session(ASKS, "mcp__holdfast__search", *FOR_CLAUDE)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    check_reached(machine)


def test_codex_finds_memory_by_mcp(machine: Machine) -> None:
    session = start.codex(machine)

    done = session(ASKS, *FOR_CODEX)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    check_reached(machine)


def test_an_agent_in_a_client_proposes_and_accepts_nothing(machine: Machine, model: AskingModel) -> None:
    session = start.claude_code(machine)
    model.tool, model.given = "remember", {"type": "learning", "text": "The pool runs dry"}

    done = session(ASKS, "mcp__holdfast__remember", *FOR_CLAUDE)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    [candidate] = machine.holdfast("list", "--candidates", "--json").json["candidates"]
    assert (candidate["title"], candidate["said_by"]) == ("The pool runs dry", "agent")
    assert f"holdfast accept {candidate['id']}" in results(machine)
    assert [each["title"] for each in machine.holdfast("list", "--json").json["memories"]] == ["Zanzibar for storage"]


@pytest.mark.parametrize("client", ["claude_code", "codex"])
def test_where_nobody_sits_at_the_keyboard_nothing_is_accepted(
    machine: Machine, model: AskingModel, client: str
) -> None:
    session = getattr(start, client)(machine)
    candidate = machine.holdfast("propose", "learning", "The pool runs dry", "--json").json["id"]
    model.tool, model.given = "review", {"decide": candidate}

    done = session(ASKS, *(("mcp__holdfast__review", *FOR_CLAUDE) if client == "claude_code" else FOR_CODEX))

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert candidate in results(machine)
    assert [each["title"] for each in machine.holdfast("list", "--json").json["memories"]] == ["Zanzibar for storage"]
    assert [each["id"] for each in machine.holdfast("list", "--candidates", "--json").json["candidates"]] == [candidate]
