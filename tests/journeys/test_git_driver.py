"""`holdfast init --merge-driver`: the merge driver set up where it is asked for, and taken out without a trace."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.journeys.conftest import Run, run_in

Git = Callable[..., str]
MEMORY = "---\nid: DEC-000001\ntype: decision\ntitle: Use Textual\nchoice: Textual\nowner: ann\n---\n\nFast.\n"


@pytest.fixture
def repository(holdfast: Run, folder: Path, git: Git) -> Path:
    git("init", "-q")
    (folder / ".holdfast/memory/d.md").write_text(MEMORY)
    return folder


def edited_twice(git: Git, at: Path) -> None:
    """Two branches that each change another key of one memory; the first is checked out."""
    file = at / ".holdfast/memory/d.md"
    git("add", "-A", at=at)
    git("commit", "-qm", "base", at=at)
    git("checkout", "-qb", "theirs", at=at)
    file.write_text(MEMORY.replace("owner: ann", "owner: bob"))
    git("commit", "-qam", "theirs", at=at)
    git("checkout", "-qb", "ours", "HEAD~1", at=at)
    file.write_text(MEMORY.replace("choice: Textual", "choice: urwid"))
    git("commit", "-qam", "ours", at=at)


def merged(at: Path) -> str:
    return (at / ".holdfast/memory/d.md").read_text()


BOTH = MEMORY.replace("owner: ann", "owner: bob").replace("choice: Textual", "choice: urwid")


@pytest.mark.parametrize(
    "before", [None, b"", b"*.png binary\n", b"*.png binary", b"*.png binary\r\n*.md text\r\n", b"\xff\xfe odd\n"]
)
def test_installing_and_uninstalling_leaves_every_byte_as_it_was(
    repository: Path, holdfast: Run, before: bytes | None
) -> None:
    attributes, config = repository / ".gitattributes", repository / ".git/config"
    if before is not None:
        attributes.write_bytes(before)
    settings = config.read_bytes()

    first, again = holdfast("init", "--merge-driver", "--json"), holdfast("init", "--merge-driver", "--json")

    assert first.json["changed"] == ["merge.holdfast.name", "merge.holdfast.driver", ".gitattributes"]
    assert (again.json["changed"], again.json["asked"], again.json["runs"]) == ([], True, True)
    assert attributes.read_bytes().startswith(before or b"")
    assert holdfast("uninstall", "--merge-driver").status == 0
    assert (attributes.read_bytes() if attributes.exists() else None) == before
    assert config.read_bytes() == settings
    assert holdfast("uninstall", "--merge-driver", "--json").json["changed"] == []


def test_nothing_is_written_before_it_is_asked_for(repository: Path, holdfast: Run) -> None:
    settings = (repository / ".git/config").read_bytes()

    assert holdfast("init", "--yes", "--client", "none").status == 0
    assert holdfast("init", "--merge-driver", "--status").status == 0
    assert holdfast("doctor", "--fix").status in {0, 1}

    assert not (repository / ".gitattributes").exists()
    assert (repository / ".git/config").read_bytes() == settings


def test_lines_that_came_after_the_block_stay(repository: Path, holdfast: Run) -> None:
    attributes = repository / ".gitattributes"
    attributes.write_bytes(b"*.png binary")
    holdfast("init", "--merge-driver")
    attributes.write_bytes(attributes.read_bytes() + b"*.jpg binary\n")

    holdfast("uninstall", "--merge-driver")

    assert attributes.read_bytes() == b"*.png binary\n*.jpg binary\n"


def test_other_settings_of_the_same_driver_stay(repository: Path, holdfast: Run, git: Git) -> None:
    git("config", "merge.holdfast.recursive", "binary")
    holdfast("init", "--merge-driver")

    holdfast("uninstall", "--merge-driver")

    assert git("config", "--get-regexp", "merge.holdfast").split() == ["merge.holdfast.recursive", "binary"]


def test_a_clone_without_the_driver_merges_by_lines_and_is_told(
    repository: Path, holdfast: Run, git: Git, tmp_path: Path
) -> None:
    holdfast("init", "--merge-driver")
    edited_twice(git, repository)
    git("clone", "-q", str(repository), str(tmp_path / "clone"))

    told, found = (
        run_in(tmp_path / "clone", "doctor"),
        run_in(tmp_path / "clone", "init", "--merge-driver", "--status", "--json"),
    )
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "origin/theirs", at=tmp_path / "clone")

    assert "asks for our merge driver, and this clone has none" in told.out
    assert (found.status, found.json["asked"], found.json["driver"]) == (1, True, None)


def test_in_a_worktree_and_from_any_path_the_driver_runs(
    repository: Path, holdfast: Run, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holdfast("init", "--merge-driver")
    edited_twice(git, repository)
    worktree = tmp_path / "a work tree"
    git("worktree", "add", "-q", "-b", "third", str(worktree), "ours")
    (worktree / "holdfast").mkdir()
    (worktree / "holdfast/__init__.py").write_text("raise SystemExit('a foreign package ran')")
    monkeypatch.setenv("PATH", os.defpath)

    git("merge", "-q", "theirs", "-m", "merge", at=worktree)

    assert merged(worktree) == BOTH
    (worktree / "holdfast/__init__.py").unlink()
    (worktree / "holdfast").rmdir()
    assert holdfast("init", "--merge-driver", "--status", "--json", at=worktree).json["runs"] is True


def test_in_a_submodule_and_below_the_top_of_a_repository(
    holdfast: Run, folder: Path, git: Git, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    (whole / "-part").mkdir(parents=True)
    git("init", "-q", at=whole)
    git("init", "-q")
    (folder / ".holdfast/memory/d.md").write_text(MEMORY)
    git("add", "-A")
    git("commit", "-qm", "base")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(folder), "sub", at=whole)
    part = whole / "-part"
    assert run_in(part, "init", str(part), "--yes", "--client", "none").status == 0
    (part / ".holdfast/memory/d.md").write_text(MEMORY)

    for place in (whole / "sub", part):
        assert run_in(place, "init", "--merge-driver").status == 0
        if place == part:
            git("add", "-A", at=whole)
        edited_twice(git, place)
        git("merge", "-q", "theirs", "-m", "merge", at=place)
        assert merged(place) == BOTH


def test_where_the_python_is_gone_git_merges_by_itself(repository: Path, holdfast: Run, git: Git) -> None:
    holdfast("init", "--merge-driver")
    command = git("config", "merge.holdfast.driver").strip()
    git("config", "merge.holdfast.driver", command.replace(sys.executable, "/gone/python"))
    edited_twice(git, repository)

    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "theirs", "-m", "merge")

    assert "<<<<<<<" in merged(repository)
    assert "whose Python is gone" in holdfast("init", "--merge-driver", "--status").out
    assert "whose Python is gone" in holdfast("doctor").out


def test_what_stands_in_the_way_is_named_and_left(repository: Path, holdfast: Run, git: Git, tmp_path: Path) -> None:
    attributes = repository / ".gitattributes"
    target = tmp_path / "elsewhere"
    target.write_text("x\n")
    attributes.symlink_to(target)
    linked = holdfast("init", "--merge-driver")
    attributes.unlink()
    attributes.mkdir()
    folder = holdfast("init", "--merge-driver")
    attributes.rmdir()
    attributes.write_text("# holdfast: begin\nx\n")
    cut = holdfast("init", "--merge-driver")
    attributes.unlink()
    (repository / ".git/config.lock").touch()
    locked = holdfast("init", "--merge-driver")

    assert (linked.status, folder.status, cut.status, locked.status) == (2, 2, 5, 6)
    assert "is a link" in linked.err
    assert "is no file" in folder.err
    assert "has no end" in cut.err
    assert "could not lock config file" in locked.err
    assert target.read_text() == "x\n"
    assert git("config", "--list").count("holdfast") == 0
    assert not attributes.exists()


def test_without_git_or_a_repository_it_says_so(holdfast: Run, tmp_path: Path) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()

    outside, without = holdfast("init", "--merge-driver"), holdfast("init", "--merge-driver", env={"PATH": str(empty)})

    assert (outside.status, without.status) == (2, 6)
    assert "in no git repository" in outside.err
    assert "Git is not installed" in without.err


def test_an_agent_may_not_set_it_up(repository: Path, holdfast: Run) -> None:
    assert holdfast("init", "--merge-driver", env={"CLAUDECODE": "1"}).status == 2
    assert not (repository / ".gitattributes").exists()


def test_by_hand_the_result_is_in_the_second_file(bare: Run, folder: Path) -> None:
    sides = {"base": MEMORY, "ours": MEMORY.replace("ann", "eve"), "theirs": MEMORY.replace("Fast", "Quick")}
    for name, text in sides.items():
        (folder / name).write_text(text)

    clean = bare("hook", "merge-driver", "base", "ours", "theirs")
    (folder / "theirs").write_text(MEMORY.replace("ann", "bob"))
    marked = bare("hook", "merge-driver", "base", "ours", "theirs", "9")

    assert (clean.status, marked.status) == (0, 1)
    text = (folder / "ours").read_text()
    assert "<<<<<<<<< ours\nowner: eve\n=========\nowner: bob\n>>>>>>>>> theirs\n" in text
    assert "Quick." in text


def test_what_is_no_memory_is_merged_by_lines_and_what_is_no_text_stays(bare: Run, folder: Path) -> None:
    for name, text in (("base", "a\nb\nc\nd\n"), ("ours", "a\nB\nc\nd\n"), ("theirs", "a\nb\nc\nD\n")):
        (folder / name).write_text(text)
    lines = bare("hook", "--json", "merge-driver", "--", "base", "ours", "theirs", "7", "-x/overview.md")
    for name in ("base", "ours", "theirs"):
        (folder / f"{name}.bin").write_bytes(b"\0\xff" + name.encode())
    binary = bare("hook", "merge-driver", "base.bin", "ours.bin", "theirs.bin")

    assert (lines.status, lines.json) == (0, {"clean": True, "as_memory": False})
    assert (folder / "ours").read_text() == "a\nB\nc\nD\n"
    assert binary.status == 6
    assert "cannot be merged" in binary.err
    assert (folder / "ours.bin").read_bytes() == b"\0\xffours"


@pytest.mark.parametrize(
    "words",
    [
        ["hook", "merge-driver"],
        ["hook", "merge-driver", "a", "b"],
        ["hook", "merge-driver", "a", "b", "c"],
        ["init", "--merge-driver", "x"],
        ["uninstall", "--merge-driver", "x"],
    ],
)
def test_words_that_do_not_fit_are_refused(bare: Run, words: list[str]) -> None:
    assert bare(*words).status == 2
