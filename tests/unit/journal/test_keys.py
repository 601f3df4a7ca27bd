"""Knowing a key again: over many segments, and when the derived files are gone or lie."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.core.event import Event
from holdfast.journal import event_keys
from holdfast.journal.file_journal import FileJournal

Put = Callable[..., list[str]]
Harm = Callable[[Path], object]
EVENTS = 60


def again(journal: FileJournal) -> list[tuple[str, bool]]:
    """Offer every event a second time, one of them alone and the others in a batch."""
    alone = journal.append([Event(client="test", name="said", key="k0")])
    batch = journal.append([Event(client="test", name="said", key=f"k{number}") for number in range(1, EVENTS)])
    return [(receipt.id, receipt.fresh) for receipt in (*alone, *batch)]


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= 0x40
    path.write_bytes(content)


HARMS: dict[str, Harm] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(os.urandom(path.stat().st_size)),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "head": lambda path: flip(path, 5),
    "middle": lambda path: flip(path, path.stat().st_size // 2),
    "end": lambda path: flip(path, -3),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-24]),
    "cut by a byte": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + bytes(24)),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_keys_are_known_whatever_befell_their_files(folder: Path, journal: FileJournal, put: Put, harm: Harm) -> None:
    written = put(journal, EVENTS)
    assert len(list(folder.glob("*.jsonl"))) > 3
    for path in folder.glob("*.keys"):
        harm(path)

    assert again(journal) == [(record_id, False) for record_id in written]
    assert journal.append([Event(client="test", name="said", key="new")])[0].fresh is True


def test_keys_files_are_made_anew_as_they_were(folder: Path, journal: FileJournal, put: Put) -> None:
    put(journal, EVENTS)
    before = {path: path.read_bytes() for path in folder.glob("*.keys")}
    for path in before:
        path.unlink()

    again(journal)

    assert {path: path.read_bytes() for path in folder.glob("*.keys")} == before


def test_the_keys_of_another_segment_are_not_believed(folder: Path, journal: FileJournal, put: Put) -> None:
    written = put(journal, EVENTS)
    (folder / "00000001.keys").write_bytes((folder / "00000002.keys").read_bytes())

    assert again(journal) == [(record_id, False) for record_id in written]


def test_records_that_the_keys_do_not_have_yet_are_found(folder: Path, journal: FileJournal, put: Put) -> None:
    put(journal, 2)
    lagging = (folder / "00000001.keys").read_bytes()
    written = put(journal, 2, first=2)
    (folder / "00000001.keys").write_bytes(lagging)

    receipts = journal.append([Event(client="test", name="said", key=key) for key in ("k2", "k3")])

    assert [(receipt.id, receipt.fresh) for receipt in receipts] == [(written[0], False), (written[1], False)]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 5000])
def test_a_sealed_file_finds_every_key_it_holds_and_no_other(tmp_path: Path, count: int) -> None:
    held = {event_keys.hash_of(str(number)): number for number in range(count)}
    strange = [event_keys.hash_of(f"strange {number}") for number in range(500)]
    path = tmp_path / "1.keys"
    path.write_bytes(event_keys.pack_sealed(list(held.items()), 777))

    with path.open("rb") as file:
        assert event_keys.find_sealed(file.fileno(), 777, [*held, *strange]) == held


def test_a_sealed_file_finds_keys_that_are_not_spread_evenly(tmp_path: Path) -> None:
    held = {bytes(12) + number.to_bytes(4, "big"): number for number in range(1, 3000)}
    path = tmp_path / "1.keys"
    path.write_bytes(event_keys.pack_sealed(list(held.items()), 777))

    with path.open("rb") as file:
        assert event_keys.find_sealed(file.fileno(), 777, list(held)) == held


def test_a_flipped_bit_in_a_sealed_file_never_hides_a_key(tmp_path: Path) -> None:
    digests = [event_keys.hash_of(str(number)) for number in range(130)]
    packed = event_keys.pack_sealed([(digest, number) for number, digest in enumerate(digests)], 777)
    path = tmp_path / "1.keys"
    for at in range(len(packed)):
        path.write_bytes(packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :])

        with path.open("rb") as file, pytest.raises(event_keys.KeysDamaged):
            event_keys.find_sealed(file.fileno(), 777, digests)
