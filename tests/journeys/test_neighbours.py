"""Doctor says who else speaks to the agents here, and what it costs; and leaves their files alone."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.clients.client_traces import make_project_slug


@pytest.fixture
def user(folder: Path) -> Path:
    """A user with Claude Code, its memory of this project, and claude-mem."""
    home = Path(os.environ["HOME"])
    (home / ".claude").mkdir()
    settings = {"enabledPlugins": {"claude-mem@thedotmack": True}}
    (home / ".claude/settings.json").write_text(json.dumps(settings))
    (home / ".claude/CLAUDE.md").write_text("x" * 400)
    memory = home / ".claude/projects" / make_project_slug(str(folder)) / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- [Pool](pool.md) - the pool\n")
    (home / ".claude-mem").mkdir()
    (home / ".claude-mem/claude-mem.db").write_bytes(b"SQLite format 3\0")
    return home


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def start(bare: Any, folder: Path, event: str = "SessionStart", **more: str) -> None:
    payload = {
        "session_id": "s1", "transcript_path": "/home/ann/.claude/projects/p/s1.jsonl", "cwd": str(folder),
        "hook_event_name": event, "permission_mode": "default", **more,
    }  # fmt: skip
    assert bare("hook", stdin=json.dumps(payload)).status == 0


def test_doctor_tells_who_speaks_when_and_what_it_costs(bare: Any, user: Path, folder: Path) -> None:
    bare("init", "--yes", "--client", "claude-code")
    bare("remember", "invariant", "Never log tokens anywhere")
    (folder / "CLAUDE.md").write_text("Be brief. Never log tokens  anywhere!\n")
    start(bare, folder, source="startup")
    before = _files(user), (folder / "CLAUDE.md").read_bytes()

    done = bare("doctor")
    told = bare("doctor", "--json").json

    voices = {
        (voice["who"], voice["when"]): voice
        for voice in told["voices"]
        if voice["where"] != str(user / ".claude/CLAUDE.md")
    }
    assert voices["own memory", "session start"]["tokens"] == 8
    assert voices["claude-mem", "session start"]["tokens"] is None
    ours = voices["Holdfast", "session start"]
    assert ours["clients"] == ["claude-code"]
    assert ours["tokens"] == ours["most"] > 20
    assert told["at_start"]["claude-code"] == 100 + 10 + 8 + ours["tokens"]
    assert "What is put before your agents" in done.out
    assert "claude-mem and Holdfast both speak at a session's start. That is fine" in done.out
    assert "1 memory stands in" in done.out
    assert not [finding for finding in told["findings"] if "claude-mem" in finding["problem"]]
    assert (_files(user), (folder / "CLAUDE.md").read_bytes()) == before


def test_what_claude_mem_said_is_measured(bare: Any, user: Path, folder: Path) -> None:
    bare("init", "--yes", "--client", "claude-code")
    context = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x" * 2000}}
    said = {
        "type": "hook_success",
        "hookEvent": "SessionStart",
        "command": "node claude-mem/x",
        "stdout": json.dumps(context),
    }
    transcript = user / ".claude/projects" / make_project_slug(str(folder)) / "s.jsonl"
    transcript.write_text(json.dumps({"attachment": said, "cwd": str(folder)}) + "\n")

    [voice] = [v for v in bare("doctor", "--json").json["voices"] if v["who"] == "claude-mem"]

    assert (voice["tokens"], voice["most"]) == (500, 500)
    assert voice["where"] == str(user / ".claude-mem/claude-mem.db")


def test_two_files_that_say_the_same_are_named(bare: Any, user: Path, folder: Path) -> None:
    bare("init", "--yes", "--client", "none")
    for name in ("CLAUDE.md", "CLAUDE.local.md"):
        (folder / name).write_text("Use tabs. " * 40)

    assert "say the same to Claude Code: about 100 tokens twice" in bare("doctor").out


def test_odd_files_stop_no_doctor(bare: Any, user: Path, folder: Path) -> None:
    bare("init", "--yes", "--client", "none")
    (user / ".claude/settings.json").write_bytes(b"\xff{")
    (folder / "CLAUDE.md").symlink_to("CLAUDE.md")
    os.mkfifo(folder / "AGENTS.md")
    (folder / "CLAUDE.local.md").write_text("\x1b[2J\u202e evil")

    done = bare("doctor")

    assert done.status in {0, 1}, done.err
    assert "it cannot be read" in done.out
    assert "\x1b" not in done.out


def test_outside_a_workspace_there_is_nothing_to_measure(bare: Any, user: Path) -> None:
    done = bare("doctor", "--json")

    assert done.status in {0, 1}, done.err
    assert [voice["tokens"] for voice in done.json["voices"] if voice["who"] == "instructions"] == [100]


def test_a_broken_policy_is_a_finding(bare: Any) -> None:
    bare("init", "--yes", "--client", "none")
    (Path(os.environ["HOLDFAST_HOME"]) / "guard.toml").write_text("[[rule]\n")

    found = bare("doctor", "--json").json["findings"]

    assert [(f["check"], "guard.toml" in f["problem"]) for f in found] == [("guard", True)]


# Doctor's last result


def test_the_last_result_is_kept_for_status(bare: Any, folder: Path) -> None:
    bare("init", "--yes", "--client", "none")
    assert bare("doctor").status == 0
    assert "doctor " not in bare("status").out
    (folder / ".holdfast/.gitignore").unlink()

    bare("doctor")
    kept = folder / ".holdfast/state/integrity/doctor.json"
    found = json.loads(kept.read_text())

    assert kept.stat().st_mode & 0o777 == 0o600
    assert [(f["check"], f["mended"]) for f in found["findings"]] == [("gitignore", False)]
    assert set(found["findings"][0]) == {"check", "problem", "remedy", "mended"}
    assert "doctor      found 1 problem at " in bare("status").out
    assert bare("status", "--json").json["doctor"]["left"] == 1
    bare("doctor", "--fix")
    assert [f["mended"] for f in json.loads(kept.read_text())["findings"]] == [True]
    assert "doctor " not in bare("status").out


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"ts": 7}', '{"ts": "no time", "findings": []}', "[" * 100_000, '{"ts": "2026-11-15", "findings": 7}'],
)
def test_a_result_that_cannot_be_read_is_none(bare: Any, folder: Path, text: str) -> None:
    bare("init", "--yes", "--client", "none")
    kept = folder / ".holdfast/state/integrity/doctor.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(text)

    assert bare("status", "--json").json["doctor"] is None
    assert bare("doctor").status == 0
    kept.unlink()
    assert bare("status").status == 0


def test_a_link_in_a_repository_is_not_written_through(bare: Any, folder: Path, tmp_path: Path) -> None:
    bare("init", "--yes", "--client", "none")
    (tmp_path / "elsewhere").mkdir()
    (folder / ".holdfast/state/integrity").symlink_to(tmp_path / "elsewhere")

    done = bare("doctor")

    assert "is not kept" in done.err
    assert list((tmp_path / "elsewhere").iterdir()) == []
