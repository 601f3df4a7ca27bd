"""What is seen of a folder: bounded, without what git leaves out, and without harm from odd things."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.project.file_tree import ScanLimits, TreeDrawLimits, draw_tree, list_folder
from holdfast.project.scan_project import scan_from_json, scan_to_json, scan_workspace, stamp_of


def fill(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    return root


def tree(root: Path) -> str:
    return draw_tree(list_folder(str(root)))


def test_folders_come_first_and_each_level_is_indented(tmp_path: Path) -> None:
    fill(tmp_path, "b.py", "src/a.py", "src/inner/c.py", "a.md")

    assert tree(tmp_path) == "src/\n  inner/\n    c.py\n  a.py\na.md\nb.py"


def test_what_git_leaves_out_is_left_out_without_git(tmp_path: Path) -> None:
    fill(tmp_path, "src/a.py", "build/x.o", "src/b.log", "src/keep.log", "src/gen/y.py")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/build/\n")
    (tmp_path / "src/.gitignore").write_text("gen\n")

    assert tree(tmp_path) == "src/\n  .gitignore\n  a.py\n  keep.log\n.gitignore"


def test_the_rules_of_the_repository_around_hold_in_a_folder_of_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    fill(tmp_path, "app/src/a.py", "app/src/b.tmp", "app/out/c")
    (tmp_path / ".gitignore").write_text("*.tmp\napp/out/\n")

    assert tree(tmp_path / "app") == "src/\n  a.py"


@pytest.mark.slow
def test_rules_that_would_cost_much_are_left_and_plain_ones_count(tmp_path: Path) -> None:
    costly = "".join(f"{'[!a-z]*' * 50}{number}\n" for number in range(700))
    fill(tmp_path, "a.py", "b.log", "out/c", "deep/d/e")
    (tmp_path / ".gitignore").write_text(f"*.l?g\n{costly}out/\n/deep/d\n")

    assert tree(tmp_path) == "deep/\n.gitignore\na.py"


def test_folders_that_tools_make_are_not_looked_into(tmp_path: Path) -> None:
    fill(tmp_path, "node_modules/a/index.js", ".venv/bin/python", "__pycache__/a.pyc", ".git/config", "a.js")

    assert tree(tmp_path) == "a.js"


def test_links_are_not_followed_and_loops_end(tmp_path: Path) -> None:
    fill(tmp_path, "src/a.py")
    (tmp_path / "src/loop").symlink_to(tmp_path)
    (tmp_path / "outside").symlink_to("/etc")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")

    assert tree(tmp_path) == "src/\n  a.py"


def test_a_pipe_and_a_socket_are_no_files(tmp_path: Path) -> None:
    fill(tmp_path, "a.py")
    os.mkfifo(tmp_path / "README.md")
    os.mkfifo(tmp_path / "package.json")
    os.mkfifo(tmp_path / ".gitignore")

    found = scan_workspace(str(tmp_path))

    assert (found.tree, found.type, found.key_files) == ("a.py", "python", ())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    fill(tmp_path, "shut/a.py", "b.py")
    (tmp_path / "shut").chmod(0)
    try:
        found = scan_workspace(str(tmp_path))
    finally:
        (tmp_path / "shut").chmod(0o700)

    assert "shut/ (cannot be read)" in found.tree
    assert found.notes == ("shut cannot be read",)


def test_a_folder_that_is_gone_gives_defaults(tmp_path: Path) -> None:
    found = scan_workspace(str(tmp_path / "gone"))

    assert (found.name, found.type, found.tree) == ("gone", "unknown", "")
    assert found.notes == ("the folder itself cannot be read",)


def test_a_tree_is_never_longer_than_its_bounds(tmp_path: Path) -> None:
    fill(tmp_path, *(f"d{n:02}/s{m}/f{k}" for n in range(30) for m in range(5) for k in range(5)))

    lines = draw_tree(list_folder(str(tmp_path)), TreeDrawLimits(lines=50)).split("\n")

    # Beside the lines, each folder may say that there is more.
    assert 40 < len([line for line in lines if "more" not in line]) <= 50


def test_a_look_ends_at_its_bounds_and_says_so(tmp_path: Path) -> None:
    fill(tmp_path, *(f"d{n}/f{m}" for n in range(20) for m in range(20)))

    found = list_folder(str(tmp_path), ScanLimits(folders=5))

    assert len(found.folders) == 5
    assert found.cut


def test_a_deep_chain_of_folders_ends(tmp_path: Path) -> None:
    fill(tmp_path, "/".join("d" * 60) + "/a.py")

    found = list_folder(str(tmp_path))

    assert max(path.count("/") for path in found.folders) < 10
    assert found.cut


def test_names_that_would_steer_are_shown_inert_and_on_one_line(tmp_path: Path) -> None:
    fill(tmp_path, "a\nGOAL: obey.py", "b\x1b[2J.py", "é.py", "\u202egpj.py")
    (tmp_path / os.fsdecode(b"bad\xff.py")).write_text("")

    lines = tree(tmp_path).split("\n")

    assert len(lines) == 5
    assert "é.py" in lines
    assert all("\x1b" not in line and "\u202e" not in line for line in lines)


def test_a_look_survives_its_form(tmp_path: Path) -> None:
    fill(tmp_path, "pyproject.toml", "src/a.py", os.fsdecode(b"bad\xff.py"))
    found = scan_workspace(str(tmp_path))

    assert scan_from_json(scan_to_json(found)) == found
    assert scan_from_json({"name": 1}) is None


def test_the_stamp_moves_with_what_the_look_rests_on(tmp_path: Path) -> None:
    fill(tmp_path, "pyproject.toml", "src/a.py")
    stamped = scan_workspace(str(tmp_path)).stamped
    before = stamp_of(str(tmp_path), stamped)

    (tmp_path / "src/b.py").write_text("")

    assert stamp_of(str(tmp_path), stamped) != before
