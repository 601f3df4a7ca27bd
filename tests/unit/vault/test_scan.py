"""What stands in a vault."""

import os
import time
from pathlib import Path

import pytest

from holdfast.system.folders import FolderExpected
from holdfast.vault.file_stamps import find_oddities, list_paths, read_stamps, stamps_of

OLD = time.time() - 3600
INTERRUPTED = ".holdfast-tmp-1-abc"


def put(root: Path, path: str, text: str = "x") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_every_markdown_file_is_found_at_any_depth(tmp_path: Path) -> None:
    for path in ("a.md", "decisions/b.md", "x/y/z/c d.md", "folder.md/ä.md", "sub/overview.md"):
        put(tmp_path, path)

    assert set(read_stamps(str(tmp_path))) == {
        "a.md",
        "decisions/b.md",
        "x/y/z/c d.md",
        "folder.md/ä.md",
        "sub/overview.md",
    }
    assert set(list_paths(str(tmp_path))) == set(read_stamps(str(tmp_path)))


def test_some_files_have_the_stamps_that_all_have(tmp_path: Path) -> None:
    asked = ["a.md", "x/y/c d.md", "ä/b.md", "new.md", "gone.md", "gone/a.md", "overview.md", ".git/a.md", ".h.md"]
    asked += [
        "a.txt",
        "link.md",
        "linked/r.md",
        "pipe.md",
        "folder.md",
        "a.md/b.md",
        "/etc/a.md",
        "x//c.md",
        "\udc80.md",
    ]
    for path in ("a.md", "x/y/c d.md", "ä/b.md", "overview.md", ".git/a.md", ".h.md", "a.txt", "real/r.md"):
        os.utime(put(tmp_path, path), (OLD, OLD))
    put(tmp_path, "new.md")
    os.symlink(tmp_path / "a.md", tmp_path / "link.md")
    os.symlink(tmp_path / "real", tmp_path / "linked")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()

    every = read_stamps(str(tmp_path))

    assert stamps_of(str(tmp_path), asked) == {path: every[path] for path in ("a.md", "x/y/c d.md", "ä/b.md", "new.md")}
    assert stamps_of(str(tmp_path / "nowhere"), asked) == {}


def test_what_is_no_memory_file_is_passed_over(tmp_path: Path) -> None:
    for path in ("overview.md", ".hidden.md", ".git/a.md", INTERRUPTED, ".lock", "a.txt", "b.MD"):
        put(tmp_path, path)
    os.symlink(put(tmp_path, "real/a.md"), tmp_path / "link.md")
    os.symlink(tmp_path / "real", tmp_path / "linked")
    os.mkfifo(tmp_path / "pipe.md")

    assert set(read_stamps(str(tmp_path))) == {"real/a.md"}


def test_a_vault_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert read_stamps(str(tmp_path / "none")) == {}
    assert find_oddities(str(tmp_path / "none")) == []


def test_a_vault_that_is_a_file_is_said_so(tmp_path: Path) -> None:
    put(tmp_path, "file")

    with pytest.raises(FolderExpected):
        read_stamps(str(tmp_path / "file"))
    with pytest.raises(FolderExpected):
        find_oddities(str(tmp_path / "file"))


def test_a_file_that_changed_just_now_has_no_stamp_yet(tmp_path: Path) -> None:
    put(tmp_path, "a.md")

    assert read_stamps(str(tmp_path)) == {"a.md": ""}


def test_a_file_from_the_future_or_with_a_backdated_time_has_no_stamp_yet(tmp_path: Path) -> None:
    future, backdated = put(tmp_path, "future.md"), put(tmp_path, "backdated.md")
    os.utime(future, (OLD + 7200, OLD + 7200))
    os.utime(backdated, (OLD, OLD))

    assert read_stamps(str(tmp_path)) == {"future.md": "", "backdated.md": ""}


def test_a_settled_file_has_a_stamp_that_moves_with_it(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md")
    time.sleep(2.1)

    settled = read_stamps(str(tmp_path))["a.md"]
    file.write_text("y")

    assert settled
    assert read_stamps(str(tmp_path))["a.md"] == ""


def test_oddities_are_named_with_their_place(tmp_path: Path) -> None:
    os.symlink("/etc", tmp_path / "linked")
    os.symlink(put(tmp_path, "sub/a.md"), tmp_path / "sub" / "link.md")
    os.mkfifo(tmp_path / "pipe.md")
    os.utime(put(tmp_path, f"sub/{INTERRUPTED}"), (OLD, OLD))
    put(tmp_path, f"sub/{INTERRUPTED}-now")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_text("x")

    found = {problem.path: problem.reason for problem in find_oddities(str(tmp_path))}

    assert found == {
        "linked": "is a link; links are not followed",
        "sub/link.md": "is a link; links are not followed",
        "pipe.md": "is not a regular file",
        "?.md": "its name is not UTF-8",
    }
    assert set(read_stamps(str(tmp_path))) == {"sub/a.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_cannot_be_read_is_an_oddity(tmp_path: Path) -> None:
    put(tmp_path, "closed/a.md")
    (tmp_path / "closed").chmod(0)

    try:
        assert read_stamps(str(tmp_path)) == {}
        assert [problem.path for problem in find_oddities(str(tmp_path))] == ["closed"]
    finally:
        (tmp_path / "closed").chmod(0o700)
