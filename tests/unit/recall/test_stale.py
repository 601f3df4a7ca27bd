"""Stale: the code that a memory cites is not what it was."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest
from tests.index_values import entry

from holdfast.core.memory import Citation, Entry, Scope
from holdfast.core.value import replace
from holdfast.recall.citations.citation import LineSpan, make_citation
from holdfast.recall.citations.stale_citations import describe_drift
from holdfast.recall.pack import build_pack

CODE = b"a = 1\nb = 2\nc = 3\n"


def _cites(lines: str, content: bytes, path: str = "src/a.py", scope: Scope = Scope.WORKSPACE) -> Entry:
    cites = (Citation(path=path, lines=lines, sha256=sha256(content).hexdigest()),)
    return entry("DEC-1", title="Cited", cites=cites, scope=scope)


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    path = tmp_path / "src/a.py"
    path.write_bytes(CODE)
    return path


@pytest.mark.parametrize(("lines", "content"), [("", CODE), ("2", b"b = 2\n"), ("2-3", b"b = 2\nc = 3\n")])
def test_what_stands_as_it_stood_is_not_stale(tmp_path: Path, code: Path, lines: str, content: bytes) -> None:
    cited = _cites(lines, content)

    assert not describe_drift(str(tmp_path), cited)
    code.write_bytes(CODE.replace(b"\n", b"\r\n"))
    assert not describe_drift(str(tmp_path), cited), "git turned the line ends over"
    code.write_bytes(CODE.replace(b"2", b"4"))
    assert describe_drift(str(tmp_path), cited)
    code.unlink()
    assert describe_drift(str(tmp_path), cited)


def test_lines_that_only_moved_are_not_stale(tmp_path: Path, code: Path) -> None:
    code.write_bytes(b"# new\n\n" + CODE)

    assert not describe_drift(str(tmp_path), _cites("1-2", b"a = 1\nb = 2\n"))


def test_a_line_elsewhere_that_changed_makes_nothing_stale(tmp_path: Path, code: Path) -> None:
    code.write_bytes(CODE.replace(b"3", b"5"))

    assert not describe_drift(str(tmp_path), _cites("1-2", b"a = 1\nb = 2\n"))
    assert describe_drift(str(tmp_path), _cites("", CODE))


def test_lines_that_the_file_has_no_more_are_stale(tmp_path: Path, code: Path) -> None:
    code.write_bytes(b"a = 1\n")

    assert describe_drift(str(tmp_path), _cites("2-3", b"b = 2\nc = 3\n"))


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "src/../../outside.py", "link.py", "a\0b", "\ud800"])
def test_nothing_outside_the_workspace_is_looked_at(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside.py").write_bytes(b"x")
    (root / "link.py").symlink_to(tmp_path / "outside.py")

    assert not describe_drift(str(root), _cites("", CODE, path=path))


def test_what_cannot_be_read_is_not_called_stale(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()

    assert not describe_drift(str(tmp_path), _cites("", CODE, path="pipe"))
    assert not describe_drift(str(tmp_path), _cites("", CODE, path="folder"))


@pytest.mark.parametrize("lines", ["x", "0", "5-2", "-1", "1-", "99999999999999999999"])
def test_odd_lines_harm_nothing(tmp_path: Path, code: Path, lines: str) -> None:
    describe_drift(str(tmp_path), _cites(lines, CODE))


def test_memory_of_the_user_is_of_no_workspace(tmp_path: Path) -> None:
    assert not describe_drift(str(tmp_path), _cites("", CODE, scope=Scope.USER))
    assert not describe_drift("", _cites("", CODE))


def test_the_mark_stands_in_the_line_and_only_what_is_chosen_is_looked_at() -> None:
    looked: list[str] = []

    def stale(each: Entry) -> str:
        looked.append(each.memory.id)
        return "cited code is gone"

    found = [(entry(f"DEC-{n}", title=f"Choice {n} of words"), "") for n in range(9)]
    pack = build_pack(found, 1000, stale=stale)

    assert pack.facts[0].stale
    assert pack.facts[0].drift == "cited code is gone"
    assert "- Choice 0 of words (cited code is gone) [DEC-0]" in pack.to_prompt()
    assert len(looked) == len(pack.facts) == 5


def test_gone_and_changed_are_told_apart(tmp_path: Path, code: Path) -> None:
    cited = _cites("2", b"b = 2\n")

    code.write_bytes(b"a = 1\nc = 3\n")
    assert describe_drift(str(tmp_path), cited) == "code changed since", "without marks nobody knows more"
    marked = replace(
        cited, memory=replace(cited.memory, cites=(make_citation("src/a.py", CODE, LineSpan(begin=1, count=1)),))
    )
    code.write_bytes(b"alpha = 1\nc = 3\n")
    assert describe_drift(str(tmp_path), marked) == "cited code is gone"
    code.unlink()
    assert describe_drift(str(tmp_path), cited) == "cited code is gone"


def test_code_that_somebody_found_in_another_file_is_as_it_was(tmp_path: Path, code: Path) -> None:
    cited = _cites("", CODE)
    code.rename(tmp_path / "src/b.py")
    state = tmp_path / ".holdfast/state"
    state.mkdir(parents=True)
    (state / "followed.json").write_text(json.dumps({f"{sha256(CODE).hexdigest()}:src/a.py": "src/b.py"}))

    assert not describe_drift(str(tmp_path), cited)
    (tmp_path / "src/b.py").write_bytes(CODE + b"more\n")
    assert describe_drift(str(tmp_path), cited) == "code changed since"
    (tmp_path / "src/b.py").unlink()
    assert describe_drift(str(tmp_path), cited) == "cited code is gone"


@pytest.mark.parametrize("went", ["../outside.py", "/etc/passwd", "src", "none.py", "a\0b"])
def test_a_note_that_leads_elsewhere_hides_nothing(tmp_path: Path, code: Path, went: str) -> None:
    state = tmp_path / ".holdfast/state"
    state.mkdir(parents=True)
    (state / "followed.json").write_text(json.dumps({f"{sha256(CODE).hexdigest()}:src/a.py": went}))
    code.unlink()

    assert describe_drift(str(tmp_path), _cites("", CODE)) == "cited code is gone"


@pytest.mark.parametrize("kept", ["", "[", "[]", "null", '{"x": ["../outside"]}', "[" * 100_000])
def test_a_broken_note_of_what_was_followed_harms_nothing(tmp_path: Path, code: Path, kept: str) -> None:
    state = tmp_path / ".holdfast/state"
    state.mkdir(parents=True)
    (state / "followed.json").write_text(kept)
    code.unlink()

    assert describe_drift(str(tmp_path), _cites("", CODE)) == "cited code is gone"
