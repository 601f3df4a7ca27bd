"""What git brought is somebody else's until it is allowed, however git brought it; what a person writes is theirs."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.app import build_app
from holdfast.core.search import EVERYTHING
from holdfast.trust.allow import allow, read_visibility_status, register
from holdfast.trust.visibility import filter_visible_to_agents

OURS = ".holdfast/memory/ours.md"
THEIRS = ".holdfast/memory/theirs.md"
Git = Callable[..., str]


def memory(name: str, words: str) -> str:
    return f"---\nid: LRN-{name}\ntype: learning\n---\n{words}\n"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")

    def run(folder: Path, *words: str, may_fail: bool = False) -> str:
        done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True)
        assert may_fail or done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def upstream(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "upstream"
    (folder / ".holdfast/memory").mkdir(parents=True)
    (folder / OURS).write_text(memory("AAAAAA", "Ours"))
    (folder / "README").write_text("one\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def clone(tmp_path: Path, upstream: Path, git: Git) -> Path:
    git(tmp_path, "clone", "-q", str(upstream), "clone")
    register(build_app(str(tmp_path / "clone")), allowed=False)
    allow(build_app(str(tmp_path / "clone")))
    assert new(tmp_path / "clone") == []
    return tmp_path / "clone"


def new(folder: Path) -> list[str]:
    return list(read_visibility_status(build_app(str(folder))).new)


def told(folder: Path) -> set[str]:
    app = build_app(str(folder))
    return {entry.memory.id for entry in filter_visible_to_agents(app, app.index.select(EVERYTHING))}


def push(folder: Path, git: Git, **files: str) -> None:
    for name, text in files.items():
        path = folder / {"theirs": THEIRS, "attributes": ".holdfast/memory/.gitattributes"}.get(name, name)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "more")


def test_what_is_pulled_is_held(upstream: Path, clone: Path, git: Git) -> None:
    push(upstream, git, theirs=memory("BBBBBB", "Theirs"))
    git(clone, "pull", "-q")

    assert (new(clone), told(clone)) == ([THEIRS], {"LRN-AAAAAA"})


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ("*.md ident", "Theirs $Id$"),
        ("*.md text eol=crlf", "Theirs"),
        ("*.md working-tree-encoding=UTF-7", "Theirs + more"),
    ],
    ids=["ident", "line ends", "encoding"],
)
@pytest.mark.parametrize("then", ["", "touched", "attributes gone"])
def test_what_git_wrote_out_otherwise_is_held(
    upstream: Path, clone: Path, git: Git, attributes: str, words: str, then: str
) -> None:
    push(upstream, git, attributes=f"{attributes}\n", theirs=memory("BBBBBB", words))
    git(clone, "pull", "-q")
    assert (clone / THEIRS).read_bytes() != (upstream / THEIRS).read_bytes()
    if then == "touched":
        os.utime(clone / THEIRS)
    if then == "attributes gone":
        (upstream / ".holdfast/memory/.gitattributes").unlink()
        push(upstream, git)
        git(clone, "pull", "-q")

    assert (new(clone), told(clone)) == ([THEIRS], {"LRN-AAAAAA"})


def test_a_filter_of_the_users_own_makes_it_no_memory_of_theirs(upstream: Path, clone: Path, git: Git) -> None:
    ran = clone / "ran"
    git(clone, "config", "filter.x.smudge", "sed s/Theirs/Obey/")
    git(clone, "config", "filter.x.clean", f"tee {ran}")
    push(upstream, git, attributes="*.md filter=x\n", theirs=memory("BBBBBB", "Theirs"))
    git(clone, "pull", "-q")
    os.utime(clone / THEIRS)
    ran.unlink(missing_ok=True)

    assert (new(clone), told(clone)) == ([THEIRS], {"LRN-AAAAAA"})
    assert not ran.exists()


def test_a_merge_that_stopped_is_held_then_and_when_it_is_committed(upstream: Path, clone: Path, git: Git) -> None:
    push(upstream, git, theirs=memory("BBBBBB", "Theirs"), README="theirs\n")
    push(clone, git, README="ours\n")
    git(clone, "pull", "-q", "--no-rebase", may_fail=True)
    assert (clone / ".git/MERGE_HEAD").exists()
    assert (new(clone), told(clone)) == ([THEIRS], {"LRN-AAAAAA"})

    (clone / "README").write_text("both\n")
    git(clone, "commit", "-qam", "merged")

    assert (new(clone), told(clone)) == ([THEIRS], {"LRN-AAAAAA"})


def test_a_memory_in_conflict_is_held(upstream: Path, clone: Path, git: Git) -> None:
    push(upstream, git, **{OURS: memory("AAAAAA", "Theirs now")})
    push(clone, git, **{OURS: memory("AAAAAA", "Ours now")})
    allow(build_app(str(clone)))
    git(clone, "pull", "-q", "--no-rebase", may_fail=True)
    assert "<<<<<<<" in (clone / OURS).read_text()

    assert new(clone) == [OURS]
    assert told(clone) == set()


def test_what_another_branch_or_a_stash_holds_is_held(upstream: Path, clone: Path, git: Git) -> None:
    git(upstream, "checkout", "-qb", "other")
    push(upstream, git, theirs=memory("BBBBBB", "Theirs"))
    git(clone, "fetch", "-q")
    git(clone, "restore", "--source=origin/other", "--worktree", THEIRS)

    assert new(clone) == [THEIRS]


def test_what_a_person_writes_by_hand_is_theirs(clone: Path) -> None:
    (clone / OURS).write_text(memory("AAAAAA", "Changed by hand"))
    (clone / THEIRS).write_text(memory("BBBBBB", "Written by hand"))

    assert new(clone) == []
    assert told(clone) == {"LRN-AAAAAA", "LRN-BBBBBB"}


def test_where_git_refuses_what_is_new_is_held(clone: Path) -> None:
    (clone / ".git/config").write_text("[core]\n\trepositoryformatversion = 99\n")
    (clone / THEIRS).write_text(memory("BBBBBB", "By whom?"))

    assert new(clone) == [THEIRS]
