"""What the manifests of a workspace name, and what cannot be read of them."""

import subprocess
from pathlib import Path

from holdfast.check.workspace_packages import list_included, read_workspace_packages
from holdfast.core.memory import Problem
from holdfast.curator.gather_input import _gone_packages


def commit(folder: Path) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.invalid")
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_names_of_every_manifest_at_the_top(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("Redis-Py\n-r deps.txt\n")
    (tmp_path / "deps.txt").write_text("httpx\n")
    (tmp_path / "composer.json").write_text('{"require": {"Vendor/Pkg": "1"}}')
    (tmp_path / "environment.yml").write_text("dependencies: [numpy]\n")

    found = read_workspace_packages(str(tmp_path))

    assert found.names == {"redispy", "httpx", "vendorpkg", "numpy"}
    assert found.unread == ()


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"dependencies":\n')
    (tmp_path / "Cargo.toml").write_bytes(b"\xff")
    (tmp_path / "requirements.txt").write_text("-r /etc/passwd\n-r gone.txt\n")

    found = read_workspace_packages(str(tmp_path))

    assert {problem.path for problem in found.unread} == {"package.json", "Cargo.toml", "requirements.txt", "gone.txt"}


def test_a_file_that_takes_in_itself_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("-r requirements.txt\n-r deps.txt\nrich\n")
    (tmp_path / "deps.txt").write_text("-r deps.txt\n-r requirements.txt\nhttpx\n")

    assert read_workspace_packages(str(tmp_path)).names == {"rich", "httpx"}


def test_what_is_taken_in_counts_from_the_file_that_does(tmp_path: Path) -> None:
    unread: list[Problem] = []

    assert list_included("a/requirements.txt", "-r ../b.txt\n-r c/d.txt\n", unread) == ["b.txt", "a/c/d.txt"]
    assert unread == []
    assert list_included("notes.txt", "-r b.txt\n", unread) == []


def test_a_package_is_gone_only_where_every_manifest_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("redis\nrich\n")
    (tmp_path / "package.json").write_text("{}")
    commit(tmp_path)
    (tmp_path / "requirements.txt").write_text("rich\n")
    assert _gone_packages(str(tmp_path)) == {"redis"}

    (tmp_path / "package.json").write_text("{")

    assert _gone_packages(str(tmp_path)) == frozenset()
