"""A write that was cut off anywhere: what was whole stays, the rest is set aside."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.core.event import Event
from holdfast.journal import event_keys
from holdfast.journal.file_journal import FileJournal

Put = Callable[..., list[str]]


def ids(journal: FileJournal) -> list[str]:
    return [record.id for record in journal.read() if record.kind == "event"]


@pytest.fixture
def written(journal: FileJournal, put: Put) -> list[str]:
    """A journal with one sealed segment and a few records in the active one."""
    first = put(journal, 3, size=1500)
    return first + put(journal, 3, first=3, size=10)


def newest(folder: Path) -> Path:
    return max(folder.glob("*.jsonl"))


@pytest.mark.slow
def test_a_segment_cut_at_any_byte_loses_only_what_was_not_whole(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    assert newest(folder).name == "00000002.jsonl"
    content = newest(folder).read_bytes()
    held = event_keys.read_active(os.open(newest(folder).with_suffix(".keys"), os.O_RDONLY))
    for size in range(len(content)):
        newest(folder).write_bytes(content[:size])
        shutil.rmtree(folder / "torn", ignore_errors=True)
        whole = content[:size].rfind(b"\n") + 1
        # Keys follow the lines: those of a line that was never whole are not there.
        known = held[: len(held) // content.count(b"\n") * content[:whole].count(b"\n")]
        newest(folder).with_suffix(".keys").write_bytes(event_keys.pack_active(known))

        new = journal.append([Event(client="test", name="after")])[0]

        report = journal.verify()
        assert report.damage == ()
        kept = 3 + max(0, content[:whole].count(b"\n") - 1)
        assert ids(journal) == [*written[:kept], new.id]
        torn = [(folder / name).read_bytes() for name in report.torn]
        assert torn == ([content[whole:size]] if size > whole else [])


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("more", [0, 9])
def test_what_was_cut_off_from_outside_is_missed_also_after_more_was_written(
    folder: Path, journal: FileJournal, written: list[str], lost: int, more: int
) -> None:
    lines = newest(folder).read_bytes().splitlines(keepends=True)
    newest(folder).write_bytes(b"".join(lines[:-lost]) + lines[-lost][:more])

    for text in ("one", "two"):
        journal.append([Event(client="test", name="after", data={"text": text})])

        (damage,) = journal.verify().damage
        assert damage.segment == "00000002.jsonl"
        assert damage.offset == sum(map(len, lines[:-lost]))
        assert damage.reason.startswith(f"records that were written here are gone: {lost} ")
        assert journal.verify().torn == ()

    for file in (folder / "torn").iterdir():
        file.unlink()
    assert journal.verify().damage == ()


def test_a_torn_tail_is_reported_until_it_is_cut(folder: Path, journal: FileJournal, written: list[str]) -> None:
    content = newest(folder).read_bytes()
    newest(folder).write_bytes(content[:-7])
    # As a write leaves it that was cut short: its keys come after it.
    newest(folder).with_suffix(".keys").unlink()
    last = content[:-1].rfind(b"\n") + 1

    (damage,) = journal.verify().damage
    made = journal.recover()

    assert (damage.segment, damage.offset, damage.line, damage.reason) == ("00000002.jsonl", last, 4, "torn tail")
    assert journal.verify().damage == ()
    assert journal.verify().torn == tuple(made)
    assert (folder / made[0]).read_bytes() == content[last:-7]
    assert made[0].startswith(f"torn/00000002-{last}-")
    assert journal.recover() == []


def test_a_reader_stops_before_a_torn_tail_and_changes_nothing(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    newest(folder).write_bytes(newest(folder).read_bytes()[:-7])
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}

    assert ids(journal) == written[:-1]
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_cursor_taken_before_a_torn_tail_sees_what_takes_its_place(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    newest(folder).write_bytes(newest(folder).read_bytes()[:-7])
    cursor = list(journal.read())[-1].after

    new = journal.append([Event(client="test", name="after")])[0]

    assert [record.id for record in journal.read(cursor)] == [new.id]


def test_the_event_of_a_torn_record_may_be_written_again(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    newest(folder).write_bytes(newest(folder).read_bytes()[:-7])

    receipts = journal.append([Event(client="test", name="again", key=key) for key in ("k5", "k4")])

    assert [receipt.fresh for receipt in receipts] == [True, False]


def test_zeros_that_a_power_cut_left_are_set_aside(folder: Path, journal: FileJournal, written: list[str]) -> None:
    with newest(folder).open("ab") as file:
        file.write(bytes(5000))

    made = journal.recover()

    assert (folder / made[0]).read_bytes() == bytes(5000)
    assert ids(journal) == written


def test_recovering_a_journal_that_is_not_there_makes_nothing(folder: Path, journal: FileJournal) -> None:
    assert journal.recover() == []
    assert not folder.exists()
