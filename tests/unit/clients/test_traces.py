"""Whether a client's own files show that it was used in a workspace."""

import json
import os
from pathlib import Path

import pytest

from holdfast.clients.client_traces import find_last_use, make_project_slug

NOW = 1_800_000_000.0


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "my project"
    folder.mkdir()
    return folder


def used(client: str, folder: Path, workspace: Path, since: float = NOW - 60) -> float:
    return find_last_use(client, {"client": str(folder), "workspace": str(workspace)}, since)


def session(file: Path, cwd: Path | str, at: float = NOW, head: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(head + json.dumps({"type": "session_meta", "payload": {"cwd": str(cwd)}}) + "\n")
    os.utime(file, (at, at))
    return file


def claude_file(folder: Path, at: Path, name: str = "a.jsonl") -> Path:
    return folder / "projects" / make_project_slug(str(at)) / name


def codex_file(folder: Path, day: str = "2026/11/15") -> Path:
    return folder / "sessions" / day / "rollout-2026-11-15T09-00-00-x.jsonl"


def test_a_transcript_of_this_workspace_is_use(tmp_path: Path, workspace: Path) -> None:
    session(claude_file(tmp_path, workspace), workspace, head='{"type":"summary"}\n')

    assert used("claude-code", tmp_path, workspace) == NOW
    assert used("claude-code", tmp_path, workspace, since=NOW) == 0.0


def test_a_session_in_a_folder_below_is_use(tmp_path: Path, workspace: Path) -> None:
    session(claude_file(tmp_path, workspace / "src"), workspace / "src")

    assert used("claude-code", tmp_path, workspace) == NOW


def test_a_folder_whose_name_is_spelled_alike_is_another(tmp_path: Path, workspace: Path) -> None:
    session(claude_file(tmp_path, tmp_path / "my-project"), tmp_path / "my-project")
    session(claude_file(tmp_path, tmp_path / "my project-2"), tmp_path / "my project-2")

    assert used("claude-code", tmp_path, workspace) == 0.0


def test_codex_says_in_the_file_where_it_ran(tmp_path: Path, workspace: Path) -> None:
    session(codex_file(tmp_path, "2026/11/14"), workspace, at=NOW - 10)
    session(codex_file(tmp_path), "/elsewhere")

    assert used("codex", tmp_path, workspace) == NOW - 10


def test_only_the_newest_days_of_codex_are_looked_at(tmp_path: Path, workspace: Path) -> None:
    session(codex_file(tmp_path, "2025/12/31"), workspace)
    for day in ("2026/10/31", "2026/11/01", "2026/11/02"):
        session(codex_file(tmp_path, day), "/elsewhere")

    assert used("codex", tmp_path, workspace) == 0.0


def test_gemini_knows_the_folder_by_a_name(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {str(workspace): "mine"}}))
    session(tmp_path / "tmp/mine/chats/session-1.jsonl", "")

    assert used("gemini", tmp_path, workspace) == NOW


def test_what_others_left_there_is_no_use_and_no_trouble(tmp_path: Path, workspace: Path) -> None:
    file = claude_file(tmp_path, workspace)
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    file.with_name("loop.jsonl").symlink_to("loop.jsonl")
    file.with_name("folder.jsonl").mkdir()
    file.with_name("bytes.jsonl").write_bytes(b'"cwd":"\xff\\ud800"' * 1000)
    file.with_name("cut.jsonl").write_text('"cwd": "\\x"')
    (tmp_path / "sessions").write_text("no folder")
    (tmp_path / "projects.json").write_text('{"projects": {"' + str(workspace) + '": "../../etc"}}')

    for client in ("claude-code", "codex", "gemini"):
        assert used(client, tmp_path, workspace, since=0.0) == 0.0
