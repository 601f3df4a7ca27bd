"""A vault of files, as people leave them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.core.errors import BadRequest
from holdfast.core.memory import Entry, Memory, MemoryType, Scope, Status
from holdfast.core.value import replace
from holdfast.system.safe_write import MAX_FILE
from holdfast.vault.candidate_files import FileCandidates
from holdfast.vault.file_vault import FileVault, IdTaken, MemoryFileMissing, MemoryMoved

DECISION = Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Use Textual", body="Fast.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def vault(root: Path) -> FileVault:
    return FileVault(str(root), Scope.USER)


def entries(vault: FileVault, path: str) -> tuple[Entry, ...]:
    file = vault.read(path)
    assert file is not None
    return file.entries


def test_a_new_memory_has_a_telling_name(vault: FileVault, root: Path) -> None:
    entry = vault.create(DECISION)

    assert entry.path == "decisions/DEC-7K2MQ4-use-textual.md"
    assert (root / entry.path).read_text().startswith("---\nid: DEC-7K2MQ4\n")


def test_a_conflict_says_what_was_there_and_what_is(vault: FileVault, root: Path) -> None:
    entry = vault.create(DECISION)
    with (root / entry.path).open("a") as file:
        file.write("by hand\n")
    now = entries(vault, entry.path)[0].sha256

    with pytest.raises(MemoryMoved) as caught:
        vault.rewrite(entry, replace(DECISION, title="Ours"))

    assert str(caught.value) == (
        f"Memory 'DEC-7K2MQ4' changed on disk since it was read (sha256 {entry.sha256[:2]}… then, {now[:2]}… now)."
    )
    assert caught.value.hint == "run `holdfast show DEC-7K2MQ4` and redo the change."
    assert (root / entry.path).read_text().endswith("by hand\n")


def test_a_renamed_file_is_gone_from_where_it_was(vault: FileVault, root: Path) -> None:
    entry = vault.create(DECISION)
    (root / entry.path).rename(root / "elsewhere.md")

    with pytest.raises(MemoryFileMissing, match="decisions/DEC-7K2MQ4-use-textual"):
        vault.rewrite(entry, replace(DECISION, title="Ours"))

    assert entries(vault, "elsewhere.md")[0].memory == DECISION


def test_an_id_is_taken_even_if_its_file_was_renamed_or_broken(vault: FileVault, root: Path) -> None:
    entry = vault.create(DECISION)
    (root / entry.path).rename(root / "dec-7k2mq4-moved.md")

    with pytest.raises(IdTaken, match=r"dec-7k2mq4-moved\.md"):
        vault.create(DECISION)
    (root / "dec-7k2mq4-moved.md").write_text("<<<<<<< HEAD")
    with pytest.raises(IdTaken):
        vault.create(DECISION)


def test_one_of_several_entries_is_rewritten_and_removed(vault: FileVault, root: Path) -> None:
    root.mkdir()
    first, second = "---\nid: DEC-1\n---\nOne\n\n", "---\nid: DEC-2\n---\nTwo\n"
    (root / "all.md").write_text(f"# All\n\n{first}{second}")

    entry = entries(vault, "all.md")[1]
    changed = vault.rewrite(entry, replace(entry.memory, status=Status.DEPRECATED))
    text = (root / "all.md").read_text()
    removed = vault.remove(changed)

    assert text == f"# All\n\n{first}" + second.replace("DEC-2\n", "DEC-2\nstatus: deprecated\n")
    assert removed == second.replace("DEC-2\n", "DEC-2\nstatus: deprecated\n")
    assert (root / "all.md").read_text() == f"# All\n\n{first}"


def test_a_page_around_the_last_entry_is_kept(vault: FileVault, root: Path) -> None:
    root.mkdir()
    (root / "all.md").write_text("# All\n\n---\nid: DEC-1\n---\n")

    vault.remove(entries(vault, "all.md")[0])

    assert (root / "all.md").read_text() == "# All\n\n"


def test_a_file_that_cannot_be_read_is_a_problem_of_its_own(vault: FileVault, root: Path) -> None:
    root.mkdir()
    (root / "large.md").touch()
    os.truncate(root / "large.md", MAX_FILE + 1)

    file = vault.read("large.md")

    assert file is not None
    assert [problem.path for problem in file.problems] == ["large.md"]


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "", "a\0b"])
def test_a_path_out_of_the_vault_is_refused(vault: FileVault, path: str) -> None:
    with pytest.raises(BadRequest):
        vault.read(path)


def test_a_read_only_look_leaves_no_trace(vault: FileVault, root: Path) -> None:
    assert vault.stamps() == {}
    assert vault.read("a.md") is None
    assert list(vault.problems()) == []

    assert not root.exists()


def test_candidates_are_the_users_alone(tmp_path: Path) -> None:
    candidates = FileCandidates(str(tmp_path / "candidates"))
    entry = candidates.add(replace(DECISION, id="CAND-7K2MQ4"))

    candidates.rewrite(entry, replace(DECISION, id="CAND-7K2MQ4", because="no"))

    assert entry.path == "CAND-7K2MQ4.md"
    assert os.stat(tmp_path / "candidates").st_mode & 0o777 == 0o700
    assert os.stat(tmp_path / "candidates" / entry.path).st_mode & 0o777 == 0o600


def test_a_candidate_is_found_under_another_name_beside_a_broken_one(tmp_path: Path) -> None:
    candidates = FileCandidates(str(tmp_path))
    entry = candidates.add(replace(DECISION, id="CAND-7K2MQ4"))
    (tmp_path / entry.path).rename(tmp_path / "renamed.md")
    (tmp_path / "broken.md").write_text("---\nid: CAND-1\n---\n")

    found = candidates.find("CAND-7K2MQ4")

    assert found is not None
    assert found.path == "renamed.md"


def test_comparing_stamps_does_not_load_yaml(tmp_path: Path) -> None:
    code = (
        "import sys; from holdfast.vault.file_vault import FileVault; from holdfast.core.memory import Scope;"
        f"FileVault({str(tmp_path)!r}, Scope.USER).stamps(); print('yaml' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
