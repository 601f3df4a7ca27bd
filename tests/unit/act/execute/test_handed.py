"""A task handed to a client: what it is asked with, what comes back, and what goes wrong."""

import asyncio
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.act.execute.hands import executor, tree
from tests.waiting import SOON

from holdfast.act.execute.client_executor import HandedTasks, NoClient
from holdfast.act.execute.run_trust import ApprovalAnswer, ApprovalRequest, Texts
from holdfast.act.execute.undo_run import undo_run
from holdfast.core.finding import Finding, Severity
from holdfast.core.run import Task, TaskResult, Trust

TASK = Task(id="t1", description="Make it")
GOOD = """\
import json, os, sys
seen = {"argv": sys.argv[1:], "cwd": os.getcwd(), "stdin": sys.stdin.read(), "env": dict(os.environ)}
open(os.environ["SEEN"], "w").write(json.dumps(seen))
open("made.py", "w").write("import requests\\n")
print("noise", file=sys.stderr)
print(json.dumps({"type": "result", "is_error": False, "result": "Made it."}))
"""
CODEX = """\
import json
open("made.py", "w").write("x\\n")
print(json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": "Made it."}}))
"""
OPENCODE = """\
import json, os
open(os.environ["SEEN"], "w").write(os.environ["OPENCODE_PERMISSION"])
print(json.dumps({"type": "text", "part": {"text": "Made it."}}))
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    programs = tmp_path / "programs"
    programs.mkdir()
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "SEEN": str(tmp_path / "seen"), "CLAUDECODE": "1",
        "ANTHROPIC_API_KEY": "kept", "PROGRAMS": str(programs),
    }  # fmt: skip


def put(environment: dict[str, str], name: str, source: str) -> None:
    program = Path(environment["PROGRAMS"]) / name
    program.write_text(f"#!/usr/bin/env python3\n{source}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def handed(
    root: Path, environment: dict[str, str], kind: str = "claude", seconds: float = 20, **given: object
) -> TaskResult:
    async def work() -> TaskResult:
        hands = executor(root, **given)  # type: ignore[arg-type]  # what a test gives
        try:
            return await HandedTasks(kind, hands, environment, "opus").carry_out(
                TASK, "The memory.\nThe task.", seconds
            )
        finally:
            await hands.close()

    return asyncio.run(work())


def test_claude_gets_the_prompt_and_the_workspace(root: Path, environment: dict[str, str]) -> None:
    put(environment, "claude", GOOD)
    before = tree(root)

    result = handed(root, environment)

    seen = json.loads(Path(environment["SEEN"]).read_text())
    assert (result.success, result.summary, result.files) == (True, "Made it.", ("made.py",))
    assert seen["stdin"] == "The memory.\nThe task."
    assert seen["cwd"] == str(root)
    assert seen["env"]["HOLDFAST_CAPTURE"] == "off"
    assert seen["env"]["ANTHROPIC_API_KEY"] == "kept"
    assert "CLAUDECODE" not in seen["env"]
    assert {"-p", "--permission-mode", "acceptEdits", "opus"} <= set(seen["argv"])
    undo_run(str(root), "run-2026-11-15-120000-abc")
    assert tree(root) == before


@pytest.mark.parametrize(
    ("trust", "kind", "wanted"),
    [
        (Trust.READ_ONLY, "claude", "plan"),
        (Trust.WORKSPACE, "codex", "workspace-write"),
        (Trust.READ_ONLY, "codex", "read-only"),
        (Trust.FULL, "codex", "danger-full-access"),
    ],
)
def test_trust_is_passed_on(root: Path, environment: dict[str, str], trust: Trust, kind: str, wanted: str) -> None:
    put(environment, kind, 'import os, sys\nopen(os.environ["SEEN"], "w").write(" ".join(sys.argv))\n')

    handed(root, environment, kind, trust=trust)

    assert wanted in Path(environment["SEEN"]).read_text().split()


def test_codex_and_opencode_say_what_they_did(root: Path, environment: dict[str, str]) -> None:
    put(environment, "codex", CODEX)
    put(environment, "opencode", OPENCODE)

    codex, opencode = (handed(root, environment, kind) for kind in ("codex", "opencode"))

    assert (codex.summary, codex.files) == ("Made it.", ("made.py",))
    assert opencode.summary == "Made it."
    assert json.loads(Path(environment["SEEN"]).read_text())["external_directory"] == "deny"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import sys; print('Please log in', file=sys.stderr); sys.exit(1)", "Please log in"),
        ("pass", "printed nothing"),
        ('print(\'{"type":"result","is_error":true,"result":"no credit"}\')', "no credit"),
        ("import time; time.sleep(60)", "took longer than 1 s"),
        (GOOD + "sys.exit(3)\n", "status 3"),
    ],
)
def test_what_goes_wrong_is_in_the_result(root: Path, environment: dict[str, str], source: str, told: str) -> None:
    put(environment, "claude", source)

    result = handed(root, environment, seconds=1 if "sleep" in source else SOON)

    assert not result.success
    assert told in result.error


def test_a_client_that_breaks_what_memory_enforces_has_failed(root: Path, environment: dict[str, str]) -> None:
    put(environment, "claude", GOOD)

    def check(files: Texts, _command: str, before: object) -> Sequence[Finding]:
        assert before == {"made.py": None}
        assert files == {"made.py": "import requests\n"}
        return [Finding(memory="INV-1", severity=Severity.ERROR, rule="forbid_import", reason="forbids 'requests'")]

    result = handed(root, environment, check=check)

    assert not result.success
    assert "INV-1 forbids 'requests'" in result.error
    assert result.files == ("made.py",)


def test_a_person_may_say_no(root: Path, environment: dict[str, str]) -> None:
    put(environment, "claude", GOOD)

    async def no(_: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(answer="no", reason="not now")

    result = handed(root, environment, trust=Trust.ASK, approve=no)

    assert "not now" in result.error
    assert not os.path.exists(environment["SEEN"])


@pytest.mark.parametrize("kind", ["claude", "vim", "../x"])
def test_a_client_that_is_not_there_is_said(root: Path, kind: str) -> None:
    with pytest.raises(NoClient, match="to hand tasks to"):
        handed(root, {"PATH": "/nowhere"}, kind)
