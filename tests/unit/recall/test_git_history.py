"""What git has of a memory: followed by its id, in real repositories, and nothing of theirs runs."""

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.recall.citations.locate_code import locate_citations
from holdfast.vault.git_versions import Repository

MEMORY = ".holdfast/memory"
FIRST = f"{MEMORY}/decisions/DEC-000001-first.md"
BY_HAND = f"{MEMORY}/decisions.md"


class Repo:
    """A repository whose commits have the dates that a test gives."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, day: str = "2026-01-01") -> str:
        when = f"{day}T12:00:00Z"
        env = {
            **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when,
        }  # fmt: skip
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.invalid")
        done = subprocess.run(["git", *who, *words], cwd=self.root, env=env, capture_output=True, check=True)
        return done.stdout.decode()

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def commit(self, day: str, subject: str = "a change") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject, day=day)

    def sign(self, name: str) -> None:
        """Give a commit a signature of which only the form is right: to check it, git would start a program."""
        head, _, message = self.git("cat-file", "commit", name).partition("\n\n")
        signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
        (self.root / "signed").write_text(f"{head}\n{signature}\n\n{message}")
        self.git("update-ref", "HEAD", self.git("hash-object", "-t", "commit", "-w", "signed").strip())

    def told(self, memory_id: str = "DEC-000001", path: str = FIRST) -> list[tuple[str, str]]:
        found = Repository(str(self.root)).versions(memory_id, path, MEMORY)
        return [(v.committed[:10], v.memory.title if v.memory else "-") for v in found.found]


def entry(title: str, memory_id: str = "DEC-000001", body: str = "Words.") -> str:
    return f"---\nid: {memory_id}\ntype: decision\ntitle: {title}\n---\n\n{body}\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


def test_each_version_is_there_newest_first(repo: Repo) -> None:
    for month, title in enumerate(("One", "Two", "Three"), 1):
        repo.write(FIRST, entry(title))
        repo.commit(f"2026-0{month}-01")

    assert repo.told() == [("2026-03-01", "Three"), ("2026-02-01", "Two"), ("2026-01-01", "One")]


def test_a_commit_that_leaves_the_entry_alone_is_no_version(repo: Repo) -> None:
    repo.write(BY_HAND, entry("One") + entry("Other", "DEC-000002"))
    repo.commit("2026-01-01")
    repo.write(BY_HAND, entry("One") + entry("Other, changed", "DEC-000002"))
    repo.commit("2026-02-01")

    assert repo.told(path=BY_HAND) == [("2026-01-01", "One")]
    assert len(repo.told("DEC-000002", BY_HAND)) == 2


def test_an_entry_is_followed_by_its_id_through_renames_and_other_files(repo: Repo) -> None:
    repo.write(BY_HAND, entry("In one file") + entry("Other", "DEC-000002"))
    repo.commit("2026-01-01")
    repo.write(BY_HAND, entry("Other", "DEC-000002"))
    repo.write(FIRST, entry("In its own file", body="Wholly other words, so that nothing is alike.\n" * 9))
    repo.commit("2026-02-01")
    repo.git("mv", FIRST, f"{MEMORY}/anything.md")
    repo.commit("2026-03-01")

    assert repo.told(path=f"{MEMORY}/anything.md") == [
        ("2026-03-01", "In its own file"), ("2026-02-01", "In its own file"), ("2026-01-01", "In one file"),
    ]  # fmt: skip


def test_a_file_renamed_and_not_committed_is_found_by_the_id(repo: Repo) -> None:
    repo.write(BY_HAND, entry("One"))
    repo.commit("2026-01-01")
    (repo.root / BY_HAND).rename(repo.root / MEMORY / "other.md")

    assert repo.told(path=f"{MEMORY}/other.md") == [("2026-01-01", "One")]


def test_what_was_removed_and_came_back_is_told(repo: Repo) -> None:
    repo.write(FIRST, entry("One"))
    repo.commit("2026-01-01")
    (repo.root / FIRST).unlink()
    repo.commit("2026-02-01")
    repo.write(FIRST, entry("Back"))
    repo.commit("2026-03-01")

    assert repo.told() == [("2026-03-01", "Back"), ("2026-02-01", "-"), ("2026-01-01", "One")]


def test_what_a_merge_made_of_two_branches_is_a_version(repo: Repo) -> None:
    repo.write(FIRST, entry("One"))
    repo.commit("2026-01-01")
    repo.git("checkout", "-q", "-b", "side")
    repo.write(FIRST, entry("Side"))
    repo.commit("2026-02-01")
    repo.git("checkout", "-q", "main")
    repo.write(FIRST, entry("Main"))
    repo.commit("2026-02-02")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "-q", "side")
    repo.write(FIRST, entry("Both"))
    repo.commit("2026-03-01", "merged")

    assert repo.told()[0] == ("2026-03-01", "Both")
    assert {title for _, title in repo.told()} == {"Both", "Main", "Side", "One"}


def test_carriage_returns_are_no_change(repo: Repo) -> None:
    repo.write(FIRST, entry("One"))
    repo.commit("2026-01-01")
    repo.write(FIRST, entry("One").replace("\n", "\r\n"))
    repo.commit("2026-02-01")

    assert repo.told() == [("2026-01-01", "One")]


def test_a_workspace_below_the_top_of_its_repository_has_its_history(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "top")
    repo.write(f"part/{FIRST}", entry("One"))
    repo.commit("2026-01-01")

    found = Repository(str(repo.root / "part")).versions("DEC-000001", FIRST, MEMORY)

    assert [(v.path, v.author) for v in found.found] == [(FIRST, "Ann")]


def test_a_shallow_clone_says_that_it_is_one(repo: Repo, tmp_path: Path) -> None:
    for month, title in enumerate(("One", "Two"), 1):
        repo.write(FIRST, entry(title))
        repo.commit(f"2026-0{month}-01")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(clone))

    found = Repository(str(clone)).versions("DEC-000001", FIRST, MEMORY)

    assert [v.memory.title for v in found.found if v.memory] == ["Two"]
    assert "shallow" in found.why


def test_where_git_has_nothing_it_says_why(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    empty = Repo(tmp_path / "empty")

    assert "no git repository" in Repository(str(plain)).versions("DEC-1", "", MEMORY).why
    assert "nothing is committed" in Repository(str(empty.root)).versions("DEC-1", "", MEMORY).why


def test_odd_names_and_words_are_read_as_they_are(repo: Repo) -> None:
    path = f'{MEMORY}/décisions/a\tb "c".md'
    repo.write(path, entry("Grüße"))
    repo.git("add", "-A")
    repo.git("-c", "user.name=:x\x1fy", "commit", "-q", "-m", ":100644 a b c M\x1f\x1e", day="2026-01-01")

    found = Repository(str(repo.root)).versions("DEC-000001", path, MEMORY).found

    assert [(v.path, v.memory.title if v.memory else "") for v in found] == [(path, "Grüße")]


def test_a_renamed_file_is_told_over_several_commits(repo: Repo) -> None:
    repo.write("src/a.py", "".join(f"line {n}\n" for n in range(30)))
    repo.commit("2026-01-01")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.commit("2026-02-01")
    repo.git("mv", "src/b.py", "c.py")
    repo.commit("2026-03-01")
    git = Repository(str(repo.root))

    assert git.renamed("src/a.py") == "c.py"
    assert git.renamed("src/none.py") == ""
    assert git.renamed(":(glob)**") == ""
    assert git.renamed("-x") == ""


def test_nothing_that_a_repository_sets_is_run(repo: Repo, tmp_path: Path) -> None:
    """Signature checks, monitors, drivers, pagers, filters, hooks and transports of a foreign repository."""
    marker, script = tmp_path / "ran", tmp_path / "run.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\ncat\n')
    script.chmod(0o755)
    code = "".join(f"value {n} of the file\n" for n in range(20))
    repo.write("src/a.py", code)
    repo.write(FIRST, entry("One"))
    repo.commit("2026-01-01")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.write(FIRST, entry("Two"))
    repo.commit("2026-02-01")
    repo.write(".gitattributes", "* diff=evil filter=evil merge=evil\n")
    hooks = repo.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "pager.log", "gpg.program", "gpg.ssh.program", "diff.external",
        "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "core.sshCommand", "core.editor", "core.askPass", "credential.helper", "core.alternateRefsCommand",
    ):  # fmt: skip
        repo.git("config", key, str(script))
    for key, value in (
        ("log.showSignature", "true"), ("core.hooksPath", str(hooks)), ("color.ui", "always"),
        ("extensions.partialClone", "evil"), ("remote.evil.url", f"ext::{script} %S"), ("remote.evil.promisor", "true"),
        ("protocol.ext.allow", "always"), ("core.untrackedCache", "true"), ("log.diffMerges", "on"),
    ):  # fmt: skip
        repo.git("config", key, value)
    blob = repo.git("rev-parse", "HEAD~1:src/a.py").strip()
    repo.sign("HEAD")
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    marker.unlink(missing_ok=True)
    git = Repository(str(repo.root))

    told = repo.told()
    git.renamed("src/a.py")
    git.files(100)
    git.blobs([blob, "0" * 40, "f" * 40])
    locate_citations(str(repo.root), [])

    assert told == [("2026-02-01", "Two"), ("2026-01-01", "One")]
    assert not marker.exists(), marker.read_text()
