"""Writing: the order of ids, segments, the lock, and what the hot path may load."""

import fcntl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

import holdfast
from holdfast.core.errors import Unavailable
from holdfast.core.event import Event
from holdfast.core.ids import decode
from holdfast.journal.append_records import append
from holdfast.journal.file_journal import FileJournal
from holdfast.journal.journal_errors import JournalBusy

Put = Callable[..., list[str]]
SOURCE = str(Path(holdfast.__file__).parent)
SLOW = {"json", "re", "dataclasses", "typing", "pathlib", "hashlib", "contextlib", "collections", "enum", "datetime"}

# As a hook does it: the package's own __init__ is for people who import holdfast, and is passed by.
HOT = """
import sys
package = type(sys)("holdfast")
package.__path__ = [{source!r}]
sys.modules["holdfast"] = package
from holdfast.journal.append_records import append
body = b'{{"kind":"event","client":"c","session":"","name":"n","key":"k","data":{{}}}}'
print([fresh for _, fresh in append({folder!r}, [("k", "", body)])], *sys.modules, sep="\\n")
"""


def test_appending_loads_nothing_slow(folder: Path) -> None:
    FileJournal(str(folder)).append([Event(client="c", name="n", key="first")])
    script = HOT.format(source=SOURCE, folder=str(folder))

    answers = [
        subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]

    assert answers[0].startswith("[True]")
    assert answers[1].startswith("[False]")
    for answer in answers:
        assert not SLOW & set(answer.splitlines())


def test_ids_keep_their_time_and_ts_follows_the_clock_when_it_jumps_back(folder: Path) -> None:
    moments = iter([5_000, 9_000, 2_000, 9_500])
    journal = FileJournal(str(folder), clock=lambda: next(moments) * 1_000_000)

    ids = [journal.append([Event(client="c", name="n")])[0].id for _ in range(4)]

    assert ids == sorted(ids)
    assert [decode(each[:10]) for each in ids] == [5_000, 9_000, 9_000, 9_500]
    assert [record.ts[-7:] for record in journal.read() if record.kind == "event"] == [
        "05.000Z",
        "09.000Z",
        "02.000Z",
        "09.500Z",
    ]
    assert journal.verify().damage == ()


def test_ids_grow_from_segment_to_segment_though_the_clock_runs_backwards(folder: Path) -> None:
    backwards = iter(range(10**18, 0, -(10**13)))
    journal = FileJournal(str(folder), segment_bytes=600, clock=lambda: next(backwards))

    for _ in range(20):
        journal.append([Event(client="c", name="n")])

    report = journal.verify()
    assert report.segments > 3
    assert report.damage == ()


def test_a_batch_larger_than_a_segment_stays_together(folder: Path) -> None:
    journal = FileJournal(str(folder), segment_bytes=1000)

    journal.append([Event(client="c", name="n", data={"text": "x" * 300}) for _ in range(20)])
    journal.append([Event(client="c", name="n")])

    places = [record.after.segment for record in journal.read() if record.kind == "event"]
    assert places[:19] == [1] * 19
    assert journal.verify().segments == 2


def test_several_threads_write_at_once_and_every_event_is_there_once(folder: Path) -> None:
    def write(worker: int) -> None:
        journal = FileJournal(str(folder), segment_bytes=5000)
        for number in range(25):
            journal.append([Event(client="c", name="n", key=f"{worker}-{number}")])
            journal.append([Event(client="c", name="n", key=f"shared-{number}")])

    threads = [Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    journal = FileJournal(str(folder))
    found = sorted(record.data["key"] for record in journal.read() if record.kind == "event")
    expected = [f"{worker}-{number}" for worker in ("0", "1", "2", "3", "shared") for number in range(25)]
    assert found == sorted(expected)
    assert journal.verify().damage == ()


def test_verifying_and_reading_stay_right_while_others_write_and_compact(folder: Path) -> None:
    def write() -> None:
        journal = FileJournal(str(folder), segment_bytes=3000)
        for number in range(150):
            journal.append([Event(client="c", name="n", key=f"{number}-{part}") for part in "ab"])

    def sweep() -> None:
        journal = FileJournal(str(folder), segment_bytes=3000)
        for number in range(40):
            swept = journal.append([Event(client="c", name="n", key=f"swept-{number}")])[0]
            journal.delete([swept.id], "test")
            journal.compact()

    journal = FileJournal(str(folder), segment_bytes=3000)
    threads = [Thread(target=write), Thread(target=sweep)]
    for thread in threads:
        thread.start()
    seen: list[str] = []
    cursor = None
    while any(thread.is_alive() for thread in threads):
        assert journal.verify().damage == ()
        for record in journal.read(cursor):
            cursor = record.after
            seen += [record.data["key"]] if record.kind == "event" else []
    seen += [record.data["key"] for record in journal.read(cursor) if record.kind == "event"]

    kept = [key for key in seen if not key.startswith("swept")]
    assert kept == [f"{number}-{part}" for number in range(150) for part in "ab"]


def test_a_lock_that_is_never_freed_is_not_waited_for_for_ever(folder: Path, journal: FileJournal, put: Put) -> None:
    put(journal, 1)
    with (folder / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        with pytest.raises(JournalBusy, match="lock"):
            append(str(folder), [("", "", b'{"kind":"event"}')], patience=0.05)

        assert len(list(journal.read())) == 2


def test_a_writer_waits_for_its_turn(folder: Path, journal: FileJournal, put: Put) -> None:
    put(journal, 1)
    writer = Thread(target=put, args=(journal, 1, 1))
    with (folder / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writer.start()
        time.sleep(0.05)
        assert len(list(folder.glob("*.jsonl"))) == 1
    writer.join()

    assert journal.verify().events == 2


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    journal = FileJournal(str(tmp_path / "file" / "journal"))

    with pytest.raises(Unavailable, match="file") as raised:
        journal.append([Event(client="c", name="n")])

    assert raised.value.hint


def test_a_segment_that_was_begun_and_never_put_in_place_does_no_harm(
    folder: Path, journal: FileJournal, put: Put
) -> None:
    put(journal, 1)
    (folder / "00000002.jsonl.new").write_bytes(b"HF1 12")

    put(journal, 60, first=1)

    assert journal.verify().events == 61
    assert journal.verify().damage == ()


def test_an_empty_active_segment_is_begun_again(folder: Path, journal: FileJournal, put: Put) -> None:
    written = put(journal, 30)
    newest = max(folder.glob("*.jsonl"))
    (folder / f"{int(newest.stem) + 1:08d}.jsonl").write_bytes(b"")
    assert journal.verify().damage == ()

    written += put(journal, 1, first=30)

    assert [record.id for record in journal.read() if record.kind == "event"] == written
    assert journal.verify().damage == ()
