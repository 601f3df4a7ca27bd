"""A task of a run handed to a real client: it is told what we tell it, and what it changes can be undone."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Session
from tests.journeys.clients.npm import installed
from tests.journeys.clients.stub import model as stub
from tests.journeys.test_run import plan_of
from tests.minds import Heard, Say, minding

from holdfast.act.execute.client_executor import HandedTasks
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.execute.undo_run import undo_run
from holdfast.core.run import Task, TaskResult, Trust

RUN = "run-2026-11-15-120000-abc"
PROMPT = 'Memory: Redis was rejected [DEC-1].\nTask: write the file made.txt, "with quotes" and $(no) shell.'
CLIENTS: dict[str, tuple[Callable[[Machine], Session], tuple[str, str, str]]] = {
    "claude": (start.claude_code, ("@anthropic-ai/claude-code", "2.1.325", "claude")),
    "codex": (start.codex, ("@openai/codex", "0.166.0", "codex")),
    "opencode": (start.opencode, ("opencode-ai", "1.18.33", "opencode")),
}


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_client_does_a_task_and_its_changes_are_on_record(
    machine: Machine, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, package = CLIENTS[kind]
    begin(machine)
    machine.env["PATH"] = os.pathsep.join([str(installed(*package).parent), machine.env["PATH"]])
    machine.set_up()
    monkeypatch.setattr(stub, "COMMAND", "echo by-the-client > made.txt; rm README.md")
    before = _files(machine.folder)

    result = asyncio.run(_handed(machine, kind, Trust.FULL))

    assert result.success, result.error
    assert result.summary.strip() == stub.ANSWER
    assert result.files == ("README.md", "made.txt")
    assert (machine.folder / "made.txt").read_text() == "by-the-client\n"
    told = "\n".join(machine.model.texts())
    assert "Redis was rejected [DEC-1]" in told
    assert '"with quotes" and $(no) shell' in told
    assert machine.events() == []
    undo_run(str(machine.folder), RUN)
    assert _files(machine.folder) == before


@pytest.mark.parametrize("kind", ["claude", "opencode"])
def test_a_client_that_may_only_look_changes_nothing(
    machine: Machine, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, package = CLIENTS[kind]
    begin(machine)
    machine.env["PATH"] = os.pathsep.join([str(installed(*package).parent), machine.env["PATH"]])
    machine.set_up()
    monkeypatch.setattr(stub, "COMMAND", "echo by-the-client > made.txt")

    result = asyncio.run(_handed(machine, kind, Trust.READ_ONLY))

    assert not (machine.folder / "made.txt").exists()
    assert result.files == ()


async def _handed(machine: Machine, kind: str, trust: Trust) -> TaskResult:
    folder = machine.folder / ".holdfast/runs" / RUN
    hands = ToolExecutor(str(machine.folder), str(folder), trust)
    try:
        handed = HandedTasks(kind, hands, machine.env)
        return await handed.carry_out(Task(id="t1", description="Write made.txt"), PROMPT, 80)
    finally:
        await hands.close()


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not {".git", ".holdfast"} & set(path.relative_to(folder).parts)
    }


def test_a_run_plans_here_and_has_its_tasks_done_by_a_client(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, package = CLIENTS["claude"]
    begin(machine)
    machine.env["PATH"] = os.pathsep.join([str(installed(*package).parent), machine.env["PATH"]])
    machine.set_up()
    monkeypatch.setattr(stub, "COMMAND", "echo by-the-client > made.txt")
    machine.holdfast("remember", "failure", "Redis for caching ran out of memory")
    task = {"id": "T1", "description": "Cache in the process, not in Redis", "produces": ["made.txt"]}

    def plan(heard: Heard) -> Say:
        if "tasks" in heard.shape:
            return Say(text=plan_of("Cache in the process", [task]))
        return Say(text='{"learnings": []}')

    with minding(plan) as server:
        words = ("run", "add caching with Redis or so", "--executor", "claude", "--trust", "full", "--json")
        done = holdfast(machine, server.environment("openai"), *words, "--set", "run.gates=none")

    events = [json.loads(line) for line in done.stdout.splitlines()]
    finished = next(event["data"] for event in events if event["type"] == "task_complete")
    assert done.returncode == 0, done.stderr
    assert finished["success"]
    assert finished["files"] == ["made.txt"]
    assert "Redis for caching ran out of memory" in "\n".join(machine.model.texts())


def holdfast(machine: Machine, env: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    marks = {name for name in machine.env if name.startswith(("CLAUDECODE", "AI_AGENT"))}
    own = {name: value for name, value in {**machine.env, **env}.items() if name not in marks}
    return subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", *words], cwd=machine.folder, env=own, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
