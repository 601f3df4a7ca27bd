"""What we leave out is what git leaves out."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.waiting import LONG

from holdfast.project.git_ignore import rules_above, rules_in

NAMES = ["a", "b", "ab", "a.c", "b.c", ".a", "A", "a b", "é", "x]", "a-b", "!a", "#a", "a\\"]
PIECES = [
    "a", "b", "c", ".", "*", "**", "***", "?", "/", "/", "**/", "/**", "/**/", "[ab]", "[!a]", "[^a]", "[a-c]", "[]x]",
    "[a/b]", "[[:alpha:]]", "[[:upper:]]", "[[:nope:]]", "[a", "[\\]x]",
    "[a-]", "[--a]", "\\*", "\\a", "\\ ", " ", "é", "#", "!",
    "-", "\\", "\\/",
]  # fmt: skip

folders = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
lines = st.tuples(st.sampled_from(["", "", "!", "/", "**/", "*"]), st.lists(st.sampled_from(PIECES), max_size=5)).map(
    lambda found: found[0] + "".join(found[1])
)
texts = st.lists(st.one_of(lines, folders, folders.map(lambda path: f"{path}/")), min_size=1, max_size=6).flatmap(
    lambda found: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(found))
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    for top in NAMES:
        for inner in ("a", "b", "ab", "a.c", "é"):
            (root / top / inner).mkdir(parents=True)
            for last in ("a", "a.c"):
                (root / top / inner / last).write_text("")
        (root / top / "file.c").write_text("")
    for name in ("c", "c.c", "b]"):
        (root / name).write_text("")
    return root


def git(root: Path, *words: str, given: bytes = b"") -> bytes:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(["git", *words], cwd=root, env=env, input=given, capture_output=True, timeout=LONG).stdout


@example(top="", nested="", exclude="a**/a", at="a")
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=texts, nested=texts, exclude=texts, at=st.sampled_from(["a", "b", "a/b"]))
def test_what_is_left_out_is_what_git_leaves_out(
    repository: Path, top: str, nested: str, exclude: str, at: str
) -> None:
    written = {".gitignore": top, f"{at}/.gitignore": nested, ".git/info/exclude": exclude}
    for path, text in written.items():
        (repository / path).write_text(text, newline="")
    try:
        theirs, ours = by_git(repository), by_us(repository)
    finally:
        for path in written:
            (repository / path).unlink()

    assert sorted(ours) == sorted(theirs)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=texts, nested=texts)
def test_a_folder_of_a_repository_obeys_the_rules_above_it(repository: Path, top: str, nested: str) -> None:
    (repository / ".gitignore").write_text(top, newline="")
    (repository / "a/.gitignore").write_text(nested, newline="")
    try:
        theirs, ours = by_git(repository), by_us(repository / "a/b")
    finally:
        (repository / ".gitignore").unlink()
        (repository / "a/.gitignore").unlink()
    if {"a", "a/b"} & theirs:
        return

    assert sorted(f"a/b/{path}" for path in ours) == sorted(path for path in theirs if path.startswith("a/b/"))


def by_git(root: Path) -> set[str]:
    """All that git leaves out, the topmost of each only."""
    every = {path.relative_to(root) for path in root.rglob("*") if ".git" not in path.parts}
    asked = b"\0".join(os.fsencode(path) for path in sorted(every))
    told = git(root, "check-ignore", "-z", "--stdin", "--no-index", given=asked).split(b"\0")
    return topmost({os.fsdecode(path) for path in told if path})


def topmost(paths: set[str]) -> set[str]:
    return {path for path in paths if not any(path.startswith(f"{other}/") for other in paths)}


def by_us(root: Path) -> set[str]:
    found: set[str] = set()
    waiting = [("", rules_above(str(root)))]
    while waiting:
        folder, ignored = waiting.pop()
        here = ignored.below(folder, rules_in(str(root), folder))
        for entry in os.scandir(root / folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name == ".git":
                continue
            if here(path, folder=entry.is_dir(follow_symlinks=False)):
                found.add(path)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append((path, here))
    return found
