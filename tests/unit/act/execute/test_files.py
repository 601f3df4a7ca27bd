"""Reading and changing files: what is kept, what is refused, and what a model is told."""

import os
import socket
import stat
from pathlib import Path

import pytest
from tests.unit.act.execute.hands import call, done, executor, one, tree

from holdfast.act.execute import workspace_files

OUTSIDE = ("../secret", "src/../../secret", "/etc/passwd", "src/..", "a\0b", "", "x" * 5000, "\ud800")
RESERVED = (".git/config", ".holdfast/memory/x.md", "src/.git/hooks/x", ".GIT/config", "./.holdfast/config.toml")


def test_lines_are_read_with_their_numbers_and_the_rest_is_named(root: Path) -> None:
    result = one(executor(root), "read", path="src/app.py", offset=4, limit=1)

    assert result.text == "4\tdef main():\n(1 more lines; go on with offset 5)"
    assert not result.failed


def test_an_absolute_path_inside_is_the_same_file(root: Path) -> None:
    assert one(executor(root), "read", path=str(root.resolve() / "README.md")).text == "1\t# A project"


def test_a_workspace_behind_a_link_and_with_odd_letters_is_the_same(root: Path) -> None:
    odd = root.parent / "my pröject"
    odd.mkdir()
    (odd / "x").write_text("x\n")
    (root.parent / "way").symlink_to(odd)
    way = root.parent / "way"

    by_link, real, run = done(
        executor(way), call("read", path=str(way / "x")), call("read", path=str(odd / "x")), call("run", command="ls")
    )

    assert (by_link.text, real.text) == ("1\tx", "1\tx")
    assert run.text.endswith("x")


def test_escape_codes_in_a_file_are_shown(root: Path) -> None:
    (root / "x").write_bytes(b"a\x1b[31mred\r\n\x07")

    assert one(executor(root), "read", path="x").text == "1\ta\\x1b[31mred\n2\t\\x07"


@pytest.mark.parametrize("tool", ["read", "write", "edit", "list", "grep"])
@pytest.mark.parametrize("path", OUTSIDE + RESERVED)
def test_no_path_leads_out_or_into_what_is_not_ours(root: Path, tool: str, path: str) -> None:
    more = {"write": {"content": "x"}, "edit": {"old_string": "a", "new_string": "b"}, "grep": {"pattern": "x"}}
    (root.parent / "secret").write_text("a")
    before = tree(root.parent)

    result = one(executor(root), tool, path=path, **more.get(tool, {}))

    assert result.failed
    assert result.text
    assert tree(root.parent) == before


@pytest.mark.parametrize("name", ["link", "folder/secret", "inner"])
def test_links_are_not_followed_not_even_inside(root: Path, name: str) -> None:
    secret = root.parent / "secret"
    secret.write_text("a")
    (root / "link").symlink_to(secret)
    (root / "folder").symlink_to(root.parent)
    (root / "inner").symlink_to("README.md")

    results = done(
        executor(root),
        call("read", path=name),
        call("write", path=name, content="mine"),
        call("edit", path=name, old_string="a", new_string="b"),
        call("patch", patch=f"*** Begin Patch\n*** Delete File: {name}\n*** End Patch"),
    )

    assert all(result.failed and "link" in result.text for result in results)
    assert secret.read_text() == "a"
    assert (root / "README.md").read_text() == "# A project\n"


def test_special_files_are_refused_and_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(root)
        try:
            made.bind("socket")
        finally:
            os.chdir(here)

        results = done(
            executor(root),
            *(call("read", path=name) for name in ("pipe", "socket", "src")),
            *(call("write", path=name, content="x") for name in ("pipe", "socket", "src")),
        )

    assert all(result.failed and "not a file" in result.text for result in results)


def test_large_and_binary_files_are_refused(root: Path) -> None:
    (root / "large").write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    (root / "binary").write_bytes(b"a\0b")

    large, binary, edited, written = done(
        executor(root),
        call("read", path="large"),
        call("read", path="binary"),
        call("edit", path="binary", old_string="a", new_string="b"),
        call("write", path="new", content="x" * (8 * 1024 * 1024 + 1)),
    )

    assert "at most 8388608" in large.text
    assert "is not text" in binary.text
    assert edited.failed
    assert written.failed
    assert (root / "binary").read_bytes() == b"a\0b"


def test_a_read_only_file_stays_as_it_is(root: Path) -> None:
    (root / "README.md").chmod(0o444)

    result = one(executor(root), "write", path="README.md", content="x")

    assert "read-only (mode 0444)" in result.text
    assert (root / "README.md").read_text() == "# A project\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\n2b\r\nthree\r\n"),
        (b"\xef\xbb\xbfone\ntwo\nthree\n", b"\xef\xbb\xbfone\n2\n2b\nthree\n"),
        ("one\ntwo\nthré\n".encode("latin-1"), "one\n2\n2b\nthré\n".encode("latin-1")),
        (b"\xff\xfe" + "one\ntwo\n".encode("utf-16-le"), b"\xff\xfe" + "one\n2\n2b\n".encode("utf-16-le")),
        (b"one\ntwo\r\nthree", b"one\n2\r\n2b\r\nthree"),
    ],
)
def test_an_edit_keeps_line_ends_mark_encoding_and_mode(root: Path, before: bytes, after: bytes) -> None:
    file = root / "x.txt"
    file.write_bytes(before)
    file.chmod(0o751)

    result = one(executor(root), "edit", path="x.txt", old_string="two\n", new_string="2\n2b\n")

    assert not result.failed, result.text
    assert file.read_bytes() == after
    assert stat.S_IMODE(file.stat().st_mode) == 0o751


def test_a_whole_new_text_takes_the_files_line_ends_and_mark(root: Path) -> None:
    (root / "x.txt").write_bytes(b"\xef\xbb\xbfone\r\n")

    one(executor(root), "write", path="x.txt", content="two\nthree\n")

    assert (root / "x.txt").read_bytes() == b"\xef\xbb\xbftwo\r\nthree\r\n"


def test_what_the_encoding_lacks_is_said(root: Path) -> None:
    (root / "x.txt").write_bytes("é".encode("latin-1"))

    result = one(executor(root), "edit", path="x.txt", old_string="é", new_string="→")

    assert "latin-1, which has no '→'" in result.text
    assert (root / "x.txt").read_bytes() == b"\xe9"


def test_a_piece_that_is_not_there_is_answered_with_the_nearest_lines(root: Path) -> None:
    result = one(executor(root), "edit", path="src/app.py", old_string="def main() -> int:", new_string="x")

    assert "old_string is not in 'src/app.py'" in result.text
    assert "4\tdef main():" in result.text


def test_a_piece_that_is_there_twice_is_counted(root: Path) -> None:
    (root / "x").write_text("a\nb\na\n")

    many, every = done(
        executor(root),
        call("edit", path="x", old_string="a", new_string="c"),
        call("edit", path="x", old_string="a", new_string="c", replace_all=True),
    )

    assert "2 times (lines 1, 3)" in many.text
    assert not every.failed
    assert (root / "x").read_text() == "c\nb\nc\n"


def test_new_folders_are_made_and_a_program_may_be_run(root: Path) -> None:
    result = one(executor(root), "write", path="bin/deep/tool", content="#!/bin/sh\n", executable=True)

    assert result.text == "wrote bin/deep/tool (+1 −0 lines)"
    assert os.access(root / "bin/deep/tool", os.X_OK)


def test_what_changes_nothing_is_said(root: Path) -> None:
    assert "would stay as it is" in one(executor(root), "write", path="README.md", content="# A project\n").text


def test_a_folder_is_listed_without_what_is_others(root: Path) -> None:
    (root / ".git").mkdir()
    (root / "node_modules/x").mkdir(parents=True)

    flat, deep = done(executor(root), call("list"), call("list", path=".", depth=3))

    assert flat.text.splitlines() == ["README.md  12 bytes", "node_modules/", "src/"]
    assert "src/app.py  37 bytes" in deep.text
    assert "node_modules/x" not in deep.text
    assert ".holdfast" not in deep.text


def test_a_search_leaves_out_what_git_ignores(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n/out/\n")
    (root / "out").mkdir()
    for name in ("a.log", "out/b.py", "src/c.py"):
        (root / name).write_text("needle one\n")

    found, globbed, nothing = done(
        executor(root),
        call("grep", pattern=r"NEEDLE\s+\w", ignore_case=True),
        call("grep", pattern="needle", glob="*.md"),
        call("grep", pattern="def main", path="src/app.py"),
    )

    assert found.text == "src/c.py:1: needle one"
    assert globbed.text == "(nothing matches)"
    assert nothing.text == "src/app.py:4: def main():"


@pytest.mark.parametrize("pattern", ["(", "[a", "*"])
def test_a_pattern_that_is_none_is_said(root: Path, pattern: str) -> None:
    result = one(executor(root), "grep", pattern=pattern)

    assert result.failed
    assert "is no regular expression" in result.text


@pytest.mark.slow
def test_a_pattern_without_end_is_given_up(root: Path) -> None:
    (root / "x").write_text("a" * 40 + "b\n")

    result = one(executor(root), "grep", pattern="(a+)+$")

    assert not result.failed or "takes too long" in result.text


def test_what_was_not_searched_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "large").write_text("needle\n" * 200_000)

    large = one(executor(root), "grep", pattern="needle")
    monkeypatch.setattr(workspace_files, "MOST_SEARCHED", 1)
    many = one(executor(root), "grep", pattern="needle")

    assert large.text == "(nothing matches)\n(not searched, too large or unreadable: large)"
    assert "only a part was searched" in many.text
