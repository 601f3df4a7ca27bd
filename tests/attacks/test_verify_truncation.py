"""What was taken away or damaged where nothing after it misses it: the journal's end, all of it, a record (CWE-354)."""

import os
import random
import shutil
from pathlib import Path

import pytest
from tests.journeys.conftest import Ran, run_in
from tests.journeys.hooking import Client
from tests.journeys.moulds import set_up

FLIPS = 60
# What must be among the records that are damaged in turn.
KINDS = (
    "work/",
    "learning/",
    "research/",
    "log/",
    "security/",
    "context/todo.md",
    "context/working-buffer.md",
    "state/buffer.json",
)


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    set_up(path)
    live(path)
    return path


def live(folder: Path) -> None:
    """A session with all that records are made of."""
    client = Client(folder)
    client.start()
    client.says("Add a retry to the upload client. We must never use tabs. Implement it with tests, please.")
    todos = [{"content": "Write the retry", "status": "pending"}, {"content": "Test it", "status": "pending"}]
    client.send("PostToolUse", tool_name="TodoWrite", tool_input={"todos": todos}, tool_response="ok")
    client.runs("rm -rf /")
    edit = {"file_path": str(folder / "a.py"), "old_string": "a", "new_string": "b"}
    client.send("PostToolUse", tool_name="Edit", tool_input=edit, tool_response="ok")
    client.send("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="The client is in a.py.")
    client.send("Stop", last_assistant_message="Done: the retry is in.")
    run_in(folder, "log", "--rate", "3", "It was slow")
    run_in(folder, "todo", "add", "Ask Ada about the limit")
    client.send("Stop", last_assistant_message="Done again.")
    client.send("SessionEnd", reason="exit")


def verify(folder: Path) -> Ran:
    return run_in(folder, "doctor", "--verify")


def journal(folder: Path) -> Path:
    return folder / ".holdfast" / "journal"


@pytest.mark.no_attack
def test_a_workspace_that_was_only_used_is_whole(folder: Path) -> None:
    ran = verify(folder)

    assert (ran.status, "All is whole." in ran.out) == (0, True), ran.out


def test_a_journal_that_is_gone_is_told(folder: Path) -> None:
    shutil.rmtree(journal(folder))

    ran = verify(folder)

    assert ran.status == 5
    assert "the whole journal is gone" in ran.out


def test_a_journal_that_is_gone_is_still_told_when_the_next_one_began(folder: Path) -> None:
    shutil.rmtree(journal(folder))
    for place in ("index.db", "index.db-wal", "index.db-shm", "state/records.json", "state/records.place"):
        (folder / ".holdfast" / place).unlink(missing_ok=True)
    live(folder)

    ran = verify(folder)

    assert ran.status == 5
    assert "records are missing" in ran.out


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("then", ["nothing", "more"])
def test_an_end_that_was_taken_away_with_its_keys_is_told(folder: Path, lines: int, then: str) -> None:
    segment = journal(folder) / "00000001.jsonl"
    segment.write_bytes(b"".join(segment.read_bytes().splitlines(keepends=True)[:-lines]))
    (journal(folder) / "00000001.keys").unlink()
    for place in ("index.db", "index.db-wal", "index.db-shm", "state/records.json", "state/records.place"):
        (folder / ".holdfast" / place).unlink(missing_ok=True)
    if then == "more":
        live(folder)

    ran = verify(folder)

    assert ran.status == 5
    assert "records are missing at its end" in ran.out


@pytest.mark.no_attack
def test_who_took_it_away_says_so_once(folder: Path) -> None:
    shutil.rmtree(journal(folder))
    live(folder)

    assert run_in(folder, "doctor", "--rebuild").status == 0
    ran = verify(folder)

    assert ran.status == 0, ran.out


@pytest.mark.no_attack
def test_what_compaction_takes_is_not_missed(folder: Path) -> None:
    assert run_in(folder, "forget", "--text", "upload client", "--purge", "--yes").status == 0

    ran = verify(folder)

    assert ran.status == 0, ran.out


def records(folder: Path) -> list[Path]:
    root = folder / ".holdfast"
    tops = ("work", "learning", "research", "log", "security", "context", "runs")
    found = [
        path for top in tops for path in sorted((root / top).rglob("*")) if path.is_file() and path.name != ".lock"
    ]
    return [*found, root / "state/buffer.json"]


@pytest.mark.slow
def test_sixty_flips_over_all_kinds_of_records_are_named(folder: Path) -> None:
    chance = random.Random(19)
    found = [path for path in records(folder) if path.stat().st_size]
    names = [str(path.relative_to(folder / ".holdfast")) for path in found]
    assert all(any(name.startswith(kind) for name in names) for kind in KINDS), names

    missed = []
    for number in range(FLIPS):
        path = found[number % len(found)]
        whole, before = path.read_bytes(), path.stat()
        at = chance.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
        # A disk that forgets a bit does not say when.
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        ran = verify(folder)
        name = str(path.relative_to(folder / ".holdfast"))
        if ran.status != 5 or not any(line.startswith("damaged") and name in line for line in ran.out.splitlines()):
            missed.append(name)
        path.write_bytes(whole)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert missed == []
    assert verify(folder).status == 0


def test_a_persons_own_edit_is_named_and_is_no_damage(folder: Path) -> None:
    todo = folder / ".holdfast/context/todo.md"
    todo.write_text(todo.read_text() + "- [ ] Buy milk\n")
    later = todo.stat().st_mtime + 60
    os.utime(todo, (later, later))

    ran = verify(folder)

    assert ran.status == 0, ran.out
    assert "edited   context/todo.md" in ran.out
