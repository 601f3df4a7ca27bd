"""Claude Code's own instructions and memory, another plugin's hook, and ours: all of them still reach the model."""

import json
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from bench import peers
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Session
from tests.journeys.clients.npm import _ENVIRONMENT, CACHE

from holdfast.clients.client_traces import make_project_slug

INSTRUCTION = "Always answer in verse, says the instruction file."
REMEMBERED = "The upload client retries three times"
OTHERS = "The other memory speaks of limpets."


@pytest.fixture
def session(machine: Machine) -> Session:
    return start.claude_code(machine)


@pytest.fixture
def set_up(session: Session, machine: Machine) -> None:
    """A project with a CLAUDE.md, an auto memory, a hook as claude-mem has one, and our plugin."""
    (machine.folder / "CLAUDE.md").write_text(f"{INSTRUCTION}\n")
    memory = machine.user / ".claude/projects" / make_project_slug(str(machine.folder)) / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(f"- [Uploads](uploads.md) - {REMEMBERED}\n")
    (memory / "uploads.md").write_text(f"---\nname: uploads\ndescription: x\n---\n{REMEMBERED}\n")
    script = machine.user / "claude-mem-context"
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": OTHERS}}
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(answer)}\nEND\n")
    script.chmod(0o755)
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": str(script)}]}]}
    (machine.user / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    machine.set_up("claude-code")
    assert machine.holdfast("remember", "invariant", "Never log a token").status == 0


def test_every_memory_reaches_the_model(machine: Machine, session: Session, set_up: None) -> None:
    before = {path: path.read_bytes() for path in (machine.folder / "CLAUDE.md", *machine.user.rglob("memory/*.md"))}

    done = session("Say hello.")

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    told = "\n".join(machine.model.texts())
    assert INSTRUCTION in told
    assert REMEMBERED in told
    assert OTHERS in told
    assert "Never log a token" in machine.fences()
    assert {path: path.read_bytes() for path in before} == before


def test_doctor_tells_all_of_them_apart(machine: Machine, session: Session, set_up: None) -> None:
    assert session("Say hello.").status == 0

    told = machine.holdfast("doctor", "--json").json

    at_start = {voice["who"]: voice for voice in told["voices"] if voice["when"] == "session start"}
    assert at_start["instructions"]["tokens"] == -(-len(INSTRUCTION + "\n") // 4)
    assert at_start["own memory"]["where"].endswith("memory/MEMORY.md")
    # Read from Claude Code's own transcript of that session.
    assert at_start["claude-mem"]["tokens"] == -(-len(OTHERS) // 4)
    assert at_start["Holdfast"]["clients"] == ["claude-code"]
    assert told["at_start"]["claude-code"] == sum(voice["tokens"] for voice in at_start.values())


@pytest.fixture
def claude_mem(machine: Machine) -> Iterator[Path]:
    """claude-mem itself, as a plugin of Claude Code; the worker it leaves is ended."""
    try:
        plugin, bun = peers.installed(CACHE, _ENVIRONMENT)
    except peers.CannotRun as error:
        pytest.skip(f"claude-mem cannot be run: {error}")
    market = machine.root / "market"
    shutil.copytree(plugin, market / "plugin", symlinks=True, ignore=shutil.ignore_patterns("@oven"))
    (market / ".claude-plugin").mkdir()
    listed = {"name": "thedotmack", "owner": {"name": "x"}, "plugins": [{"name": "claude-mem", "source": "./plugin"}]}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps(listed))
    settings = {
        "extraKnownMarketplaces": {"thedotmack": {"source": {"source": "directory", "path": str(market)}}},
        "enabledPlugins": {"claude-mem@thedotmack": True},
    }
    (machine.user / ".claude").mkdir()
    (machine.user / ".claude/settings.json").write_text(json.dumps(settings))
    machine.env |= {
        "PATH": f"{bun.parent}:{machine.env['PATH']}",
        "CLAUDE_MEM_WORKER_PORT": _free_port(),
        "CLAUDE_MEM_CHROMA_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    yield machine.user / ".claude-mem"
    with suppress(OSError):
        worker = json.loads((machine.user / ".claude-mem/worker.pid").read_text())
        os.kill(worker["pid"], signal.SIGKILL)


def _free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def test_claude_mem_keeps_working_beside_us(machine: Machine, session: Session, claude_mem: Path) -> None:
    machine.set_up("claude-code")
    assert machine.holdfast("remember", "invariant", "Never log a token").status == 0
    # The first session starts its worker; it speaks from the second on.
    assert session("Say hello.").status == 0
    machine.model.asked.clear()

    done = session("Say hello again.")

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert "claude-mem" in "\n".join(machine.model.texts())
    assert "Never log a token" in machine.fences()
    assert (claude_mem / "claude-mem.db").exists()
    [voice] = [each for each in machine.holdfast("doctor", "--json").json["voices"] if each["who"] == "claude-mem"]
    assert voice["where"] == str(claude_mem / "claude-mem.db")
    assert voice["tokens"] > 20
