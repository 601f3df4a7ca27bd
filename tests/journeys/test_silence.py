"""Status says of each client whether it is heard, and warns when it should be and is not."""

import json
import os
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from holdfast.clients.client_traces import make_project_slug

HOUR = 3600


@pytest.fixture
def user(bare: Any, folder: Path) -> Path:
    """A user whose clients were set up here an hour ago."""
    home, ours = Path(os.environ["HOME"]), Path(os.environ["HOLDFAST_HOME"])
    for name in (".claude", ".codex", ".gemini"):
        (home / name).mkdir()
    wanted = ("claude-code", "codex", "gemini", "opencode", "aider")
    assert bare("init", "--yes", *(word for name in wanted for word in ("--client", name))).status == 0
    then = time.time() - HOUR
    os.utime(ours / "installed.json", (then, then))
    [row] = (ours / "workspaces").glob("*.json")
    known = json.loads(row.read_text())
    known["initialised"] = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(then))
    row.write_text(json.dumps(known))
    return home


def hear(bare: Any, folder: Path) -> None:
    payload = {
        "session_id": "s1", "transcript_path": "/home/ann/.claude/projects/p/s1.jsonl", "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": "hello",
    }  # fmt: skip
    assert bare("hook", stdin=json.dumps(payload)).status == 0


def clients(bare: Any) -> dict[str, dict[str, Any]]:
    return {client["id"]: client for client in bare("status", "--json").json["clients"]}


def write(file: Path, cwd: Path, later: float = 0) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"type": "session_meta", "payload": {"cwd": str(cwd)}}) + "\n")
    os.utime(file, (time.time() + later, time.time() + later))


def opencode_db(file: Path, directory: Path, at: float) -> None:
    file.parent.mkdir(parents=True)
    db = apsw.Connection(str(file))
    db.execute("PRAGMA journal_mode = wal")
    db.execute("CREATE TABLE session(id, directory, time_updated)")
    db.execute("INSERT INTO session VALUES ('ses_1', ?, ?)", (str(directory), int(at * 1000)))
    db.close()


def test_nothing_heard_at_all_is_silence(bare: Any, user: Path) -> None:
    found = clients(bare)

    assert {name for name, client in found.items() if client["silent"]} == {
        "claude-code",
        "codex",
        "gemini",
        "opencode",
    }
    assert "silent so far" in bare("status").out


def test_a_client_that_is_not_used_here_is_not_silent(bare: Any, user: Path, folder: Path) -> None:
    hear(bare, folder)
    write(user / ".codex/sessions/2026/11/15/rollout-x.jsonl", folder.parent / "another")

    found = clients(bare)

    assert not any(client["silent"] for client in found.values())
    assert "Gemini CLI: set up; not used here recently" in bare("status").out
    assert not [f for f in bare("doctor", "--json").json["findings"] if "Gemini" in f["problem"]]


def test_a_client_that_cannot_be_heard_is_no_silent_one(bare: Any, user: Path) -> None:
    assert not clients(bare)["aider"]["silent"]
    assert "Aider: set up; it has no hooks, so nothing is captured" in bare("status").out


def test_a_client_whose_own_files_show_use_is_silent(bare: Any, user: Path, folder: Path) -> None:
    hear(bare, folder)
    write(user / ".gemini/tmp/mine/chats/session-1.jsonl", folder)
    (user / ".gemini/projects.json").write_text(json.dumps({"projects": {str(folder): "mine"}}))
    write(user / ".codex/sessions/2026/11/15/rollout-x.jsonl", folder / "src")
    opencode_db(user / ".local/share/opencode/opencode.db", folder, time.time() - 60)

    found = clients(bare)

    assert {name for name, client in found.items() if client["silent"]} == {"codex", "gemini", "opencode"}
    assert found["gemini"]["used"]
    assert [each.name for each in (user / ".local/share/opencode").iterdir()] == ["opencode.db"]
    assert "Gemini CLI: set up; SILENT: it was used here at " in bare("status").out
    findings = [f for f in bare("doctor", "--json").json["findings"] if "its hooks do not run" in f["problem"]]
    assert ["hooksConfig.enabled" in f["remedy"] for f in findings if "Gemini" in f["problem"]] == [True]


def test_a_client_that_falls_silent_is_told(bare: Any, user: Path, folder: Path) -> None:
    hear(bare, folder)
    transcript = user / ".claude/projects" / make_project_slug(str(folder)) / "s1.jsonl"
    write(transcript, folder, later=60)
    assert not clients(bare)["claude-code"]["silent"]

    write(transcript, folder, later=HOUR)

    assert clients(bare)["claude-code"]["silent"]


def test_use_before_it_was_set_up_counts_nothing(bare: Any, user: Path, folder: Path) -> None:
    hear(bare, folder)
    write(user / ".codex/sessions/2026/11/15/rollout-x.jsonl", folder, later=-HOUR)
    opencode_db(user / ".local/share/opencode/opencode.db", folder, time.time() - 2 * HOUR)

    assert not any(client["silent"] for client in clients(bare).values())


def test_what_is_no_database_of_opencode_is_left_alone(bare: Any, user: Path, folder: Path) -> None:
    hear(bare, folder)
    file = user / ".local/share/opencode/opencode.db"
    file.parent.mkdir(parents=True)
    for data in (b"", b"SQLite format 3\0" + b"\xff" * 5000):
        file.write_bytes(data)
        assert clients(bare)["opencode"]["used"] == ""
        assert [each.name for each in file.parent.iterdir()] == ["opencode.db"]
        assert file.read_bytes() == data


def test_events_of_vs_code_are_events_of_copilot(bare: Any, user: Path, folder: Path) -> None:
    bare("init", "--yes", "--client", "copilot")
    payload = {
        "sessionId": "v1", "hookEventName": "UserPromptSubmit", "timestamp": "2026-11-15T09:00:00Z",
        "cwd": str(folder), "prompt": "hello",
    }  # fmt: skip
    bare("hook", stdin=json.dumps(payload))

    found = clients(bare)["copilot"]

    assert found["last_event"]
    assert (found["events_today"], found["silent"]) == (1, False)


def test_the_hooks_own_trouble_is_counted_and_shown(bare: Any, user: Path) -> None:
    assert bare("status", "--json").json["hook_failures"] == {"today": 0, "last": None}
    log = Path(os.environ["HOLDFAST_HOME"]) / "logs/hook.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("2020-01-01T00:00:00Z an old one\n" * 5000)
    bare("hook", stdin="[1]")
    bare("hook", stdin="no json")

    found = bare("status", "--json").json["hook_failures"]

    assert found["today"] == 2
    assert found["last"].endswith("a payload that is no JSON object")
    assert "hook        had trouble 2 times today: " in bare("status").out


def test_trouble_is_counted_for_the_client_it_came_with(bare: Any, user: Path, folder: Path) -> None:
    journal = folder / ".holdfast/journal"
    journal.write_text("not a folder")
    hear(bare, folder)
    journal.unlink()

    found = clients(bare)

    assert (found["claude-code"]["failures_today"], found["codex"]["failures_today"]) == (1, 0)
    assert "its hook failed 1 time today" in bare("status").out
