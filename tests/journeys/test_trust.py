"""Verify, rebuild, compact, forget, doctor: trusting what is stored."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.waiting import LONG


def _segment(folder: Path) -> Path:
    return max((folder / ".holdfast/journal").glob("*.jsonl"))


def test_verify_says_exactly_what_is_damaged(holdfast: Any, folder: Path) -> None:
    for number in range(3):
        holdfast("remember", "learning", f"Fact {number}")
    assert holdfast("doctor", "--verify", "--json").json["ok"]
    segment = _segment(folder)
    lines = segment.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"memory.added", b"memory.doubt")
    segment.write_bytes(b"".join(lines))

    checked = holdfast("doctor", "--verify", "--json")

    assert checked.status == 5
    problem = checked.json["problems"][0]
    assert problem["path"].endswith(segment.name)
    assert problem["line"] == 3
    assert "checksum" in problem["reason"]


def test_a_torn_tail_is_reported_cut_and_kept(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "learning", "Before the crash")
    with _segment(folder).open("ab") as file:
        file.write(b'HF1 4000 deadbeef {"v":1,"id":"01')

    assert holdfast("doctor", "--verify").status == 5
    assert holdfast("doctor", "--json").status == 1
    holdfast("doctor", "--fix")

    checked = holdfast("doctor", "--verify", "--json").json
    assert checked["ok"]
    assert len(checked["torn"]) == 1
    assert b"deadbeef" in (folder / ".holdfast/journal/torn" / Path(checked["torn"][0]).name).read_bytes()


def test_an_index_of_another_version_is_built_anew_with_a_notice(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "learning", "Outlives every version")
    holdfast("search", "outlives")
    db = apsw.Connection(str(folder / ".holdfast/index.db"))
    db.execute("PRAGMA user_version = 0")
    db.close()

    found = holdfast("search", "outlives")

    assert found.status == 0
    assert "rebuilt" in found.err
    assert holdfast("search", "outlives").err == ""


def test_an_index_that_was_copied_is_built_anew_and_not_called_damaged(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "learning", "Outlives every copy")
    holdfast("search", "outlives")
    index = folder / ".holdfast/index.db"
    shutil.copy2(index, f"{index}.copy")
    os.replace(f"{index}.copy", index)

    found = holdfast("search", "outlives")

    assert found.status == 0
    assert "The index was rebuilt from your files: it was copied here" in found.err
    assert "damaged" not in found.err


@pytest.mark.parametrize("damage", ["random", "empty", "text", "gone"])
def test_a_damaged_index_comes_back_by_itself_with_the_same_answers(holdfast: Any, folder: Path, damage: str) -> None:
    for number in range(20):
        holdfast("remember", "learning", f"Fact number {number} about caching")
    before = holdfast("search", "caching", "--json").json["hits"]
    index = folder / ".holdfast/index.db"
    for name in ("index.db-wal", "index.db-shm"):
        (folder / ".holdfast" / name).unlink(missing_ok=True)
    data = bytearray(index.read_bytes())
    if damage == "random":
        data[200:9000] = os.urandom(8800)
    index.write_bytes({"random": bytes(data), "empty": b"", "text": b"hello" * 500, "gone": b""}[damage])
    if damage == "gone":
        index.unlink()

    after = holdfast("search", "caching", "--json")

    assert after.json["hits"] == before
    if damage in {"random", "text"}:
        assert "rebuilt" in after.err


def test_rebuild_gives_the_same_answers(holdfast: Any) -> None:
    for number in range(10):
        holdfast("remember", "decision", f"Choice {number} for the pool", "--tag", "db")
    before = holdfast("search", "pool", "--json").out

    assert holdfast("doctor", "--rebuild", "--json").json == {"files": 10, "entries": 10}

    assert holdfast("search", "pool", "--json").out == before


def test_forgetting_takes_a_memory_out_of_sight(holdfast: Any, folder: Path) -> None:
    kept = holdfast("remember", "learning", "The wifi password is tulip", "--json").json

    assert holdfast("forget", kept["id"], "--because", "not ours").status == 0

    assert holdfast("search", "tulip").status == 1
    assert not (folder / kept["path"]).exists()
    assert holdfast("show", kept["id"]).status == 3
    assert holdfast("doctor", "--verify").status == 0


def test_a_purge_leaves_no_byte_and_proves_it(holdfast: Any, folder: Path, git: Any) -> None:
    git("init", "-q")
    kept = holdfast("remember", "learning", "Jane likes xyzzy-tulips", "--json").json
    holdfast("propose", "learning", "ask Jane about xyzzy-tulips")
    holdfast("log", "called about xyzzy-tulips")
    holdfast("remember", "learning", "Another fact stays")
    git("add", ".")
    git("commit", "-qm", "oops")
    holdfast("forget", kept["id"])

    asked = holdfast("forget", "--text", "xyzzy-tulips", "--purge")
    done = holdfast("forget", "--text", "xyzzy-tulips", "--purge", "--yes", "--json")

    assert asked.status == 2
    assert done.status == 0
    assert done.json["proof"]["found"] == []
    assert done.json["proof"]["files"] > 3
    assert "git history" in done.json["unreachable"][0]
    everything = subprocess.run(["grep", "-rl", "xyzzy", str(folder / ".holdfast")], capture_output=True, timeout=LONG)
    assert everything.stdout == b""
    assert holdfast("search", "another").status == 0
    assert holdfast("doctor", "--verify").status == 0


def test_a_purge_by_id_takes_the_journals_copy_too(holdfast: Any, folder: Path) -> None:
    kept = holdfast("remember", "learning", "The launch code is quetzalcoatl-and-friends", "--json").json["id"]
    holdfast("forget", kept)
    assert b"quetzalcoatl" in _segment(folder).read_bytes()

    assert holdfast("forget", kept, "--purge", "--yes").status == 0

    everything = subprocess.run(
        ["grep", "-rl", "quetzal", str(folder / ".holdfast")], capture_output=True, timeout=LONG
    )
    assert everything.stdout == b""


def test_a_subject_is_forgotten_as_a_whole_word(holdfast: Any) -> None:
    holdfast("remember", "learning", "JANE asked for dark mode")
    holdfast("remember", "learning", "Janesville has an office")

    done = holdfast("forget", "--subject", "jane", "--yes", "--json").json

    assert len(done["forgotten"]) == 1
    assert holdfast("search", "janesville").status == 0


def test_a_read_only_workspace_is_searchable_and_refuses_writes(holdfast: Any, folder: Path, home: Path) -> None:
    holdfast("remember", "learning", "Readable for ever")
    (folder / ".holdfast/index.db").unlink()
    mounted = subprocess.run(["mount", "--bind", "-o", "ro", str(folder), str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting is not permitted here")
    subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
    try:
        found = holdfast("search", "readable")
        refused = holdfast("remember", "learning", "More")
        shown = holdfast("status", "--json")
        rebuilt = holdfast("doctor", "--rebuild")
    finally:
        subprocess.run(["umount", str(folder)], check=True)

    assert found.status == 0
    assert "Readable for ever" in found.out
    assert refused.status == 6
    assert "read-only" in refused.err.lower()
    assert shown.status == 0
    assert "is kept in" in rebuilt.err
    assert (home / "cache").is_dir()


def _fill(path: Path) -> None:
    with path.open("wb") as file, contextlib.suppress(OSError):
        while True:
            os.write(file.fileno(), b"x" * 4096)


def test_a_full_disk_is_said_and_loses_nothing(holdfast: Any, folder: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        holdfast("init", "--yes", at=small)
        kept = holdfast("remember", "learning", "Before the disk was full", "--json", at=small).json["id"]
        _fill(small / "ballast")
        refused = holdfast("remember", "learning", "x" * 20000, at=small)
        still = holdfast("show", kept, at=small)
        (small / "ballast").unlink()
        after = holdfast("doctor", "--verify", at=small)
    finally:
        subprocess.run(["umount", str(small)], check=True)

    assert refused.status == 6
    assert "space" in refused.err.lower()
    assert still.status == 0
    assert after.status == 0


def test_two_commands_at_once_both_keep_their_memory(holdfast: Any, folder: Path) -> None:
    import sys

    command = [sys.executable, "-m", "holdfast.cli.main", "remember", "learning"]
    running = [
        subprocess.Popen([*command, f"Fact {number} of ten"], cwd=folder, stdout=subprocess.DEVNULL)
        for number in range(10)
    ]

    assert [process.wait(LONG) for process in running] == [0] * 10

    assert len(holdfast("list", "--json").json["memories"]) == 10
    assert holdfast("doctor", "--verify").status == 0


def test_deleting_everything_derived_loses_nothing(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "learning", "Stays")
    before = holdfast("status", "--json").json
    for name in ("state", "context"):
        shutil.rmtree(folder / ".holdfast" / name, ignore_errors=True)
    for path in (folder / ".holdfast").glob("index.db*"):
        path.unlink()

    assert holdfast("status", "--json").json == before
    assert holdfast("doctor", "--fix").status == 0


@pytest.mark.parametrize("how", ["middle", "last", "all", "segment", "folder"])
def test_verify_misses_whatever_was_taken_out_of_the_journal(holdfast: Any, folder: Path, how: str) -> None:
    for number in range(4):
        holdfast("remember", "learning", f"Fact {number}")
    holdfast("list")
    segment = _segment(folder)
    lines = segment.read_bytes().splitlines(keepends=True)
    if how in {"middle", "last", "all"}:
        segment.write_bytes(b"".join({"middle": lines[:2] + lines[3:], "last": lines[:-1], "all": []}[how]))
    elif how == "segment":
        segment.unlink()
    else:
        shutil.rmtree(segment.parent)

    checked = holdfast("doctor", "--verify", "--json")

    assert checked.status == 5
    assert "records are missing" in checked.json["problems"][0]["reason"]


def test_a_damaged_journal_is_not_compacted(holdfast: Any, folder: Path) -> None:
    for number in range(3):
        holdfast("remember", "learning", f"Fact {number}")
    segment = _segment(folder)
    segment.write_bytes(segment.read_bytes().replace(b"memory.added", b"memory.doubt", 1))

    assert holdfast("doctor", "--compact").status == 5


def test_a_journal_that_cannot_be_written_does_not_undo_a_memory(holdfast: Any, folder: Path) -> None:
    shutil.rmtree(folder / ".holdfast/journal", ignore_errors=True)
    (folder / ".holdfast/journal").write_text("in the way")

    done = holdfast("remember", "learning", "Kept once")

    assert done.status == 0
    assert "could not note it" in done.err


def test_forgetting_twice_says_so_and_keeps_the_tombstone(holdfast: Any, folder: Path) -> None:
    kept = holdfast("remember", "learning", "Gone soon", "--json").json["id"]
    holdfast("forget", kept, "--because", "wrong project")

    again = holdfast("forget", kept)

    assert again.status == 3
    assert "was forgotten on" in again.err
    assert b"wrong project" in _segment(folder).read_bytes()


def test_forgetting_one_of_two_with_one_id_is_refused(holdfast: Any, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f".holdfast/memory/{name}.md").write_text(f"---\nid: DEC-001\ntype: decision\n---\nThe {name}\n")

    assert holdfast("forget", "DEC-001").status == 4
    assert len(list((folder / ".holdfast/memory").glob("*.md"))) == 2


def test_a_purge_reaches_names_and_lets_look_alikes_live(holdfast: Any, folder: Path) -> None:
    renamed = holdfast("remember", "learning", "Jane Doe lives here", "--json").json["id"]
    holdfast("edit", renamed, "--title", "Somebody lives here", "--body", "Somebody lives here")
    holdfast("remember", "learning", "Jane Doet is another, and so is HUNTER2")
    holdfast("remember", "learning", "ask jane   doe")

    by_subject = holdfast("forget", "--subject", "Jane Doe", "--purge", "--yes", "--json")
    by_text = holdfast("forget", "--text", "hunter3", "--purge", "--yes")

    assert by_subject.status == 0, by_subject.err
    assert len(by_subject.json["forgotten"]) == 1
    assert by_text.status == 1
    assert holdfast("show", renamed).status == 0
    names = "".join(path.name for path in (folder / ".holdfast/memory").rglob("*.md"))
    assert "jane-doe-" not in names
    assert "jane-doet" in names
