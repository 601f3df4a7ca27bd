"""Memory is shared by git: branches that add memories merge without a conflict."""

import subprocess
from pathlib import Path

import pytest

from holdfast.core.ids import random_part
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.vault.file_vault import FileVault


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "repository"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    (path / ".gitignore").write_text(".lock\n")
    commit(path)
    return path


def git(path: Path, *words: str) -> str:
    identity = ("-c", "user.name=Jo", "-c", "user.email=jo@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *identity, *words], cwd=path, check=True, capture_output=True, text=True).stdout


def commit(path: Path) -> None:
    git(path, "add", "--all")
    git(path, "commit", "-q", "-m", "work")


def add_ten(vault: FileVault, hand: str) -> None:
    for number in range(10):
        kind = list(MemoryType)[number % 6]
        vault.create(Memory(id=f"X-{random_part()}", type=kind, title="The same title", body=f"{hand} {number}"))


def test_two_branches_that_each_add_ten_memories_merge_without_conflict(repository: Path) -> None:
    vault = FileVault(str(repository / ".holdfast" / "memory"), Scope.WORKSPACE)
    for branch in ("left", "right"):
        git(repository, "checkout", "-q", "-b", branch, "main")
        add_ten(vault, branch)
        commit(repository)

    git(repository, "merge", "-q", "--no-edit", "left")

    files = [file for path in vault.stamps() if (file := vault.read(path))]
    entries = [entry for file in files for entry in file.entries]
    assert git(repository, "status", "--porcelain") == ""
    assert [problem for file in files for problem in file.problems] == []
    assert len({entry.memory.id for entry in entries}) == 20
    assert {entry.memory.body for entry in entries} == {f"{hand} {n}" for hand in ("left", "right") for n in range(10)}
