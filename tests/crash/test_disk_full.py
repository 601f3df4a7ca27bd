"""A disk that refuses: nothing acknowledged is lost, the file is cut back, and it goes on when there is room."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.event import Event
from holdfast.journal.file_journal import FileJournal
from holdfast.journal.journal_errors import JournalUnwritable

# A limit on the size of any file stands in for a disk that is full at exactly this byte.
LIMITED = """
import resource, sys
from holdfast.core.event import Event
from holdfast.journal.journal_errors import JournalUnwritable
from holdfast.journal.file_journal import FileJournal
folder, limit = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
journal = FileJournal(folder)
try:
    for number in range(100):
        batch = [Event(client="c", name="n", key=f"{number}-{part}", data={"text": "x" * 40}) for part in "ab"]
        receipts = journal.append(batch)
        print(*(receipt.id for receipt in receipts), flush=True)
except JournalUnwritable as error:
    print(error, error.hint, file=sys.stderr)
"""


def fill_up_to(folder: Path, limit: int) -> tuple[list[str], str]:
    """Append in a process that may not make a file larger than this; acknowledged ids, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(folder), str(limit)], capture_output=True, text=True, check=True
    )
    return done.stdout.split(), done.stderr


def ids(journal: FileJournal) -> list[str]:
    return [record.id for record in journal.read() if record.kind == "event"]


@pytest.mark.parametrize("limit", [0, 50, 150, 600, 700, 1000, 1001, 1002, 1333, 2000, 4096])
def test_a_write_that_fails_at_any_byte_is_cut_back(tmp_path: Path, limit: int) -> None:
    folder = tmp_path / "journal"

    acknowledged, said = fill_up_to(folder, limit)

    journal = FileJournal(str(folder))
    assert "cannot be written" in said
    assert "File too large" in said
    assert ids(journal) == acknowledged
    assert journal.verify().damage == ()
    assert journal.verify().torn == ()


def test_writing_goes_on_when_there_is_room_again(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    acknowledged, _ = fill_up_to(folder, 2000)

    again, _ = fill_up_to(folder, 4000)

    journal = FileJournal(str(folder))
    assert ids(journal) == again
    assert again[: len(acknowledged)] == acknowledged
    assert len(again) > len(acknowledged)


COMPACT = """
import resource, sys
from holdfast.journal.journal_errors import JournalUnwritable
from holdfast.journal.file_journal import FileJournal
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    FileJournal(sys.argv[1]).compact()
except JournalUnwritable as error:
    print(error)
"""


def test_a_compaction_that_cannot_be_recorded_is_not_put_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    journal = FileJournal(str(folder), segment_bytes=2_000)
    events = [Event(client="c", name="n", data={"text": "x" * size}) for size in (900, 900, 90_000)]
    first, _, _ = (journal.append([event])[0] for event in events)
    FileJournal(str(folder)).delete([first.id], "test")
    sealed = (folder / "00000001.jsonl").read_bytes()
    room = (folder / "00000002.jsonl").stat().st_size + 50

    said = subprocess.run([sys.executable, "-c", COMPACT, str(folder), str(room)], capture_output=True, text=True)

    assert "cannot be written" in said.stdout
    assert (folder / "00000001.jsonl").read_bytes() == sealed
    assert journal.verify().damage == ()
    assert [done.removed for done in journal.compact()] == [(first.id,)]
    assert journal.verify().damage == ()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 256 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "holdfast-test", str(place)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small tmpfs cannot be mounted here: " + mounted.stderr.decode().strip())
    yield place
    subprocess.run(["umount", str(place)], check=True)


def append_until_full(journal: FileJournal, size: int) -> list[str]:
    acknowledged: list[str] = []
    try:
        for number in range(10_000):
            event = Event(client="c", name="n", key=f"{size}-{number}", data={"text": "x" * size})
            acknowledged += [receipt.id for receipt in journal.append([event])]
    except JournalUnwritable as error:
        if "No space left" in str(error):
            return acknowledged
    pytest.fail("the disk never got full")


def delete_until_full(journal: FileJournal, record_id: str) -> None:
    while True:
        try:
            journal.delete([record_id], "test")
        except JournalUnwritable:
            return


@pytest.mark.parametrize("size", [10, 1_000, 30_000])
def test_a_full_disk_loses_nothing_acknowledged(small_disk: Path, size: int) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(os.urandom(64 * 1024))
    journal = FileJournal(str(small_disk / "journal"), segment_bytes=40_000)

    acknowledged = append_until_full(journal, size)

    assert acknowledged
    assert ids(journal) == acknowledged
    assert journal.verify().damage == ()

    ballast.unlink()
    repeated = journal.append([Event(client="c", name="n", key=f"{size}-0"), Event(client="c", name="n", key="new")])
    assert [receipt.fresh for receipt in repeated] == [False, True]
    assert ids(journal) == [*acknowledged, repeated[1].id]
    assert journal.verify().damage == ()


def test_compacting_on_a_full_disk_changes_nothing_until_there_is_room(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(os.urandom(64 * 1024))
    journal = FileJournal(str(small_disk / "journal"), segment_bytes=40_000)
    first = journal.append([Event(client="c", name="n", data={"text": "x" * 100})])[0]
    acknowledged = append_until_full(journal, 1_000)
    delete_until_full(journal, first.id)
    before = ids(journal)

    with pytest.raises(JournalUnwritable):
        journal.compact()

    assert ids(journal) == before
    assert journal.verify().damage == ()
    ballast.unlink()
    journal.delete([first.id], "test")
    journal.compact()
    assert ids(journal) == acknowledged
    assert journal.verify().damage == ()
