"""Two branches, one repository: decisions that contradict each other, and two edits of one memory."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.journeys.conftest import Run

Git = Callable[..., str]
QUESTION = "Which cache do we use?"
BEFORE = "2026-02-01"


@pytest.fixture
def repository(holdfast: Run, folder: Path, git: Git) -> Path:
    """A workspace with one memory, committed on main."""
    git("init", "-q")
    assert holdfast("remember", "learning", "Python 3.11 is the oldest we run on").status == 0
    git("add", "-A")
    git("commit", "-qm", "base")
    return folder


def decide(holdfast: Run, git: Git, branch: str, title: str, choice: str, *more: str) -> str:
    """A decision taken on a branch, which is made where there is none."""
    git("checkout", "-q", *(() if branch == "main" else ("-b",)), branch)
    done = holdfast(
        "remember", "decision", title, "--question", QUESTION, "--choice", choice, *more, "--json",
    )  # fmt: skip
    git("add", "-A")
    git("commit", "-qm", title)
    return str(done.json["id"])


@pytest.fixture
def taken(repository: Path, holdfast: Run, git: Git) -> tuple[str, str]:
    """Two decisions on one question: the one of the branch `cache`, and the one of main, which is checked out."""
    theirs = decide(holdfast, git, "cache", "Use Redis for the cache", "Redis", "--valid-from", "2026-01-15")
    ours = decide(
        holdfast, git, "main", "Cache in memory", "a dictionary", "--rejected", "Redis: too much to run",
        "--valid-from", "2026-03-01",
    )  # fmt: skip
    return theirs, ours


def test_a_check_against_the_other_branch_finds_what_contradicts(holdfast: Run, taken: tuple[str, str]) -> None:
    theirs, ours = taken

    told, form = holdfast("check", "--branch", "cache"), holdfast("check", "--branch", "cache", "--json")
    sarif = holdfast("check", "--branch", "cache", "--sarif")

    assert told.status == form.status == sarif.status == 1
    assert f"error {theirs} (on cache) contradicts {ours} 'Cache in memory'" in told.out
    assert f"after the merge, holdfast resolve {theirs} {ours} --supersede" in told.out
    [found] = form.json["findings"]
    assert (found["memory"], found["other"]["id"], found["other"]["branch"]) == (theirs, ours, "cache")
    assert (found["text"], found["other"]["text"]) == ("Use Redis for the cache", "Redis: too much to run")
    assert found["rule"] == "branch-contradicts"
    assert [each["ruleId"] for each in sarif.json["runs"][0]["results"]] == [theirs]


def test_after_the_merge_it_is_told_resolved_and_the_loser_stays_readable(
    holdfast: Run, git: Git, taken: tuple[str, str]
) -> None:
    theirs, ours = taken
    assert holdfast("check").status == 0
    git("merge", "-q", "cache", "-m", "merge")

    status, checked = holdfast("status"), holdfast("check")

    assert "conflicts   2 memories contradict each other: `holdfast check --memories`" in status.out
    assert holdfast("status", "--badge").out == "1 conflict\n"
    assert checked.status == 1
    assert f"contradicts {theirs}" in checked.out or f"contradicts {ours}" in checked.out
    assert holdfast("doctor", "--json").out.count("contradict each other") == 1

    assert holdfast("resolve", ours, theirs, "--supersede").status == 0

    assert "contradict" not in holdfast("status").out
    assert holdfast("status", "--badge").out == ""
    assert holdfast("check").status == 0
    now = {each["id"] for each in holdfast("list", "--type", "decision", "--json").json["memories"]}
    then = {each["id"] for each in holdfast("list", "--type", "decision", "--as-of", BEFORE, "--json").json["memories"]}
    assert now == {ours}
    assert then == {theirs}
    assert theirs in holdfast("search", "Redis", "--as-of", BEFORE).out
    assert "Use Redis for the cache" in holdfast("show", theirs).out


def test_a_pair_that_somebody_kept_is_not_told_again(holdfast: Run, git: Git, taken: tuple[str, str]) -> None:
    theirs, ours = taken
    git("merge", "-q", "cache", "-m", "merge")
    assert holdfast("check").status == 1

    assert holdfast("resolve", ours, theirs, "--keep-both", "--because", "one is for the importer").status == 0

    assert holdfast("check").status == 0
    assert "contradict" not in holdfast("status").out


def test_a_purge_reaches_what_was_kept_of_a_pair(holdfast: Run, git: Git, taken: tuple[str, str], folder: Path) -> None:
    git("merge", "-q", "cache", "-m", "merge")
    holdfast("check")
    holdfast("config", "editor", "redis-editor")
    assert any(b"Redis" in path.read_bytes() for path in (folder / ".holdfast/state/conflicts").iterdir())

    done = holdfast("forget", "--text", "Redis", "--purge", "--yes", "--json")

    assert done.status == 0, done.err
    left = [path for path in (folder / ".holdfast").rglob("*") if path.is_file() and "index.db" not in path.name]
    assert [path for path in left if b"redis" in path.read_bytes().lower()] == []


def test_a_decision_that_supersedes_the_old_one_on_its_branch_is_no_conflict(
    repository: Path, holdfast: Run, git: Git
) -> None:
    old = decide(holdfast, git, "main", "Use Redis for the cache", "Redis")
    decide(holdfast, git, "newer", "Cache in memory", "a dictionary", "--supersedes", old)
    git("checkout", "-q", "main")

    done = holdfast("check", "--branch", "newer")

    assert (done.status, done.out) == (0, "No memories contradict each other (1 memory looked at).\n")


def test_a_contradiction_is_found_although_the_branch_also_touched_the_other_memory(
    repository: Path, holdfast: Run, git: Git
) -> None:
    git("branch", "cache")
    rejecting = ("--rejected", "Redis: too much to run", "--valid-from", BEFORE)
    ours = decide(holdfast, git, "main", "Cache in memory", "a dictionary", *rejecting)
    git("checkout", "-q", "cache")
    kept = holdfast("remember", "decision", "Use Redis for the cache", "--question", QUESTION, "--json")
    theirs = str(kept.json["id"])
    git("add", "-A")
    git("commit", "-qm", "redis")
    git("merge", "-q", "main", "-m", "what main decided meanwhile")
    assert holdfast("edit", ours, "--tag", "perf").status == 0
    git("commit", "-qam", "perf")
    git("checkout", "-q", "main")

    done = holdfast("check", "--branch", "cache", "--json")

    assert done.status == 1
    [found] = done.json["findings"]
    assert {found["memory"], found["other"]["id"]} == {theirs, ours}


def test_what_the_branch_took_away_contradicts_nothing(repository: Path, holdfast: Run, git: Git) -> None:
    ours = decide(holdfast, git, "main", "Cache in memory", "a dictionary", "--rejected", "Redis: too much to run")
    git("checkout", "-qb", "cache")
    assert holdfast("forget", ours, "--yes").status == 0
    assert holdfast("remember", "decision", "Use Redis for the cache", "--question", QUESTION).status == 0
    git("add", "-A")
    git("commit", "-qm", "redis")
    git("checkout", "-q", "main")

    assert holdfast("check", "--branch", "cache").status == 0


def test_memories_that_neither_branch_changed_are_not_looked_at(
    holdfast: Run, taken: tuple[str, str], git: Git
) -> None:
    git("merge", "-q", "cache", "-m", "merge")
    git("checkout", "-qb", "later")
    (Path(git("rev-parse", "--show-toplevel").strip()) / "x.txt").write_text("x")
    git("add", "-A")
    git("commit", "-qm", "x")
    git("checkout", "-q", "main")

    assert holdfast("check", "--branch", "later").status == 0
    assert holdfast("check").status == 1


def test_branches_without_a_common_commit_are_compared_all_the_same(
    holdfast: Run, taken: tuple[str, str], git: Git
) -> None:
    git("checkout", "-q", "cache")
    git("checkout", "-q", "--orphan", "alone")
    git("commit", "-qm", "alone")
    git("checkout", "-q", "main")

    done = holdfast("check", "--branch", "alone")

    assert done.status == 1
    assert "no commit in common" in done.err


def test_what_the_other_branch_holds_broken_is_said(
    holdfast: Run, taken: tuple[str, str], git: Git, folder: Path
) -> None:
    git("checkout", "-q", "cache")
    for name, data in (
        ("a.md", b"---\nid: DEC-1\ntype: nonsense\n---\n"),
        ("b.md", b"\xff\xfe"),
        ("c.md", b"x" * 3_000_000),
    ):
        (folder / ".holdfast/memory" / name).write_bytes(data)
    (folder / ".holdfast/memory/d.md").symlink_to("/etc/hosts")
    git("add", "-A")
    git("commit", "-qm", "broken")
    git("checkout", "-q", "main")

    done = holdfast("check", "--branch", "cache", "--json")

    assert done.status == 1
    assert [each["path"] for each in done.json["unread"]] == [f".holdfast/memory/{name}.md" for name in "abc"]


def test_a_foreign_repository_runs_nothing_when_a_branch_is_read(
    holdfast: Run, taken: tuple[str, str], git: Git, folder: Path
) -> None:
    mark = folder / "ran"
    for key in ("core.fsmonitor", "diff.external", "core.sshCommand", "filter.evil.smudge", "core.pager"):
        git("config", key, f"touch {mark}")
    (folder / ".gitattributes").write_text("*.md filter=evil diff=evil\n")
    git("config", "diff.evil.textconv", f"touch {mark}; cat")
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        hook = folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)

    assert holdfast("check", "--branch", "cache").status == 1

    assert not mark.exists()


def test_with_the_driver_two_edits_of_one_memory_become_one(
    holdfast: Run, taken: tuple[str, str], git: Git, folder: Path
) -> None:
    _, ours = taken
    assert holdfast("init", "--merge-driver").status == 0
    git("add", "-A")
    git("commit", "-qm", "driver")
    git("checkout", "-qb", "tags")
    assert holdfast("edit", ours, "--tag", "cache", "--tag", "speed").status == 0
    git("commit", "-qam", "tags")
    git("checkout", "-q", "main")
    assert holdfast("edit", ours, "--choice", "functools.cache", "--tag", "python").status == 0
    git("commit", "-qam", "choice")

    git("merge", "-q", "tags", "-m", "merge")

    [found] = holdfast("show", ours, "--json").json["memories"]
    assert found["choice"] == "functools.cache"
    assert set(found["tags"]) == {"cache", "speed", "python"}
    assert holdfast("status", "--json").json["problems"] == []


def test_with_the_driver_one_key_changed_twice_is_left_to_the_person_and_the_rest_loads(
    holdfast: Run, taken: tuple[str, str], git: Git, folder: Path
) -> None:
    _, ours = taken
    holdfast("init", "--merge-driver")
    git("add", "-A")
    git("commit", "-qm", "driver")
    git("checkout", "-qb", "other")
    holdfast("edit", ours, "--choice", "a file")
    git("commit", "-qam", "file")
    git("checkout", "-q", "main")
    holdfast("edit", ours, "--choice", "functools.cache", "--tag", "python")
    git("commit", "-qam", "choice")

    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "other", "-m", "merge")

    [path] = (folder / ".holdfast/memory/decisions").glob(f"{ours}-*.md")
    text = path.read_text()
    assert "<<<<<<< ours\nchoice: functools.cache\n=======\nchoice: a file\n>>>>>>> theirs\n" in text
    assert text.count("<<<<<<<") == 1
    status, search = holdfast("status"), holdfast("search", "oldest Python")
    assert "two branches changed this, and git could not merge it" in status.out
    assert "keep one side" in holdfast("doctor").out
    assert search.status == 0
    assert "1 memory file cannot be read" in search.err

    path.write_text(text.replace("<<<<<<< ours\n", "").replace("=======\nchoice: a file\n>>>>>>> theirs\n", ""))
    git("add", "-A")
    git("commit", "-qm", "merged")

    assert holdfast("show", ours, "--json").json["memories"][0]["choice"] == "functools.cache"
