"""Bytes that rot, files that go: what `verify` says, and what is still read."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.core.errors import Unavailable
from holdfast.core.event import Damage, Event
from holdfast.journal import line_format
from holdfast.journal.file_journal import FileJournal

Put = Callable[..., list[str]]


@pytest.fixture
def written(journal: FileJournal, put: Put) -> list[str]:
    """Three segments."""
    return put(journal, 11, size=1000)


def ids(journal: FileJournal) -> list[str]:
    return [record.id for record in journal.read() if record.kind == "event"]


def segment(folder: Path, number: int) -> Path:
    return folder / f"{number:08d}.jsonl"


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def only(journal: FileJournal) -> Damage:
    (damage,) = journal.verify().damage
    return damage


def test_a_sound_journal_has_no_damage(folder: Path, journal: FileJournal, written: list[str]) -> None:
    report = journal.verify()

    assert (report.segments, report.events, report.records, report.damage) == (3, 11, 14, ())
    assert report.size == sum(path.stat().st_size for path in folder.glob("*.jsonl"))


def test_a_flipped_bit_is_named_and_the_rest_is_read(folder: Path, journal: FileJournal, written: list[str]) -> None:
    one, two, three, *rest = lines(segment(folder, 1))
    segment(folder, 1).write_bytes(b"".join([one, two, three.replace(b"xxx", b"xyx", 1), *rest]))

    damage = only(journal)

    assert (damage.segment, damage.line, damage.reason) == ("00000001.jsonl", 3, "bad checksum")
    assert damage.offset == len(one) + len(two)
    assert ids(journal) == [written[0], *written[2:]]


def test_a_line_that_lost_its_newline_takes_only_itself_down(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    one, two, three, *rest = lines(segment(folder, 1))
    segment(folder, 1).write_bytes(b"".join([one, two[:-9], three, *rest]))

    assert only(journal).line == 2
    assert ids(journal) == written[1:]


def test_a_line_that_lost_its_newline_in_the_active_segment_is_no_torn_tail(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    one, two, three, *rest = lines(segment(folder, 3))
    segment(folder, 3).write_bytes(b"".join([one, two[:-9], three, *rest]))

    assert (only(journal).line, only(journal).reason) == (2, "length mismatch")


def test_a_line_that_stands_twice_is_out_of_order(folder: Path, journal: FileJournal, written: list[str]) -> None:
    one, two, *rest = lines(segment(folder, 3))
    segment(folder, 3).write_bytes(b"".join([one, two, two, *rest]))

    assert (only(journal).line, only(journal).reason) == (3, "id out of order")


@pytest.mark.parametrize("number", [1, 3])
def test_a_line_cut_out_of_any_segment_is_missed_at_its_place(
    folder: Path, journal: FileJournal, written: list[str], number: int
) -> None:
    one, _, *rest = lines(segment(folder, number))
    segment(folder, number).write_bytes(b"".join([one, *rest]))

    damage = only(journal)

    assert (damage.line, damage.offset) == (2, len(one))
    assert damage.reason == "records are missing before this line"


def test_the_last_line_cut_off_a_sealed_segment_breaks_the_chain(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    segment(folder, 1).write_bytes(b"".join(lines(segment(folder, 1))[:-1]))

    assert (only(journal).segment, only(journal).reason) == ("00000001.jsonl", "chain broken")


def test_two_lines_swapped_are_out_of_order(folder: Path, journal: FileJournal, written: list[str]) -> None:
    one, two, three, *rest = lines(segment(folder, 3))
    segment(folder, 3).write_bytes(b"".join([one, three, two, *rest]))

    damage = {found.reason: found for found in journal.verify().damage}["id out of order"]

    assert (damage.segment, damage.line) == ("00000003.jsonl", 3)
    assert damage.offset == len(one) + len(three)


def test_a_missing_segment_is_named(folder: Path, journal: FileJournal, written: list[str]) -> None:
    segment(folder, 2).unlink()

    assert (only(journal).segment, only(journal).reason) == ("00000002.jsonl", "missing segment")
    assert ids(journal) == written[:4] + written[8:]


def test_a_missing_first_segment_is_named(folder: Path, journal: FileJournal, written: list[str]) -> None:
    segment(folder, 1).unlink()

    assert (only(journal).segment, only(journal).reason) == ("00000001.jsonl", "missing segment")


def test_a_segment_of_another_number_is_no_part_of_the_chain(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    segment(folder, 3).rename(segment(folder, 4))

    reasons = {(damage.segment, damage.reason.split(":")[0]) for damage in journal.verify().damage}

    assert reasons == {("00000003.jsonl", "missing segment"), ("00000004.jsonl", "chain broken")}


def test_a_framed_line_that_is_no_record_is_named(folder: Path, journal: FileJournal, written: list[str]) -> None:
    with segment(folder, 3).open("ab") as file:
        file.write(line_format.frame(b'{"nonsense'))

    assert only(journal).reason == "not a record"
    assert ids(journal) == written


def test_damage_inside_the_active_segment_is_left_in_place_by_writers(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    path = segment(folder, 3)
    path.write_bytes(path.read_bytes().replace(b"HF1", b"HF9"))
    path.with_suffix(".keys").unlink()
    before = path.read_bytes()

    journal.append([Event(client="test", name="after")])

    assert path.read_bytes().startswith(before)
    assert {damage.reason for damage in journal.verify().damage} == {"not a frame"}


def test_ids_go_on_growing_behind_a_damaged_last_line(folder: Path, journal: FileJournal, written: list[str]) -> None:
    path = segment(folder, 3)
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)

    new = journal.append([Event(client="test", name="after")])[0]

    assert new.id > written[-2]
    assert only(journal).reason == "bad checksum"


def test_an_event_whose_record_rotted_may_be_written_again(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    path = segment(folder, 1)
    path.write_bytes(path.read_bytes().replace(b'"k1"', b'"k!"', 1))

    assert journal.append([Event(client="test", name="said", key="k1")])[0].fresh is True
    assert journal.append([Event(client="test", name="said", key="k1")])[0].fresh is False


def test_records_of_a_newer_version_are_kept_read_and_counted(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    newer_id = line_format.mint(0, written[-1])[0]
    newer = line_format.frame(f'{{"v":7,"id":"{newer_id}","ts":"","kind":"event","of":["{written[0]}"]}}'.encode())
    with segment(folder, 3).open("ab") as file:
        file.write(newer)

    after = journal.append([Event(client="test", name="after")])[0]
    journal.compact(older_than="2999-01-01T00:00:00Z")

    assert [(record.id, record.version) for record in journal.read() if record.kind == "event"] == [(newer_id, 7)]
    assert after.id > newer_id
    assert journal.verify().newer == 1
    assert newer in segment(folder, 3).read_bytes()


def test_a_tombstone_of_a_newer_version_hides_nothing(folder: Path, journal: FileJournal, written: list[str]) -> None:
    newer = f'{{"v":2,"id":"{line_format.mint(0, written[-1])[0]}","ts":"","kind":"tombstone","of":["{written[0]}"]}}'
    with segment(folder, 3).open("ab") as file:
        file.write(line_format.frame(newer.encode()))

    assert ids(journal) == written


def test_unknown_kinds_are_kept_and_read(folder: Path, journal: FileJournal, written: list[str]) -> None:
    unknown_id = line_format.mint(0, written[-1])[0]
    with segment(folder, 3).open("ab") as file:
        file.write(line_format.record_line(unknown_id, "2001-01-01T00:00:00.000Z", b'{"kind":"dream"}'))

    journal.compact(older_than="2999-01-01T00:00:00Z")

    assert [record.kind for record in journal.read() if record.id == unknown_id] == ["dream"]
    assert journal.verify().damage == ()


def test_text_that_looks_like_a_tombstone_is_only_text(journal: FileJournal) -> None:
    first = journal.append([Event(client="test", name="first")])[0]
    fake = {"kind": "tombstone", "of": [first.id], "line": line_format.frame(b'{"id":"x"}').decode()}
    second = journal.append([Event(client="test", name="second", data=fake)])[0]

    assert ids(journal) == [first.id, second.id]


def test_the_chain_holds_the_sha256_of_every_sealed_segment(
    folder: Path, journal: FileJournal, written: list[str]
) -> None:
    opens = [record.data for record in journal.read() if record.kind == "open"]

    sums = [hashlib.sha256(segment(folder, number).read_bytes()).hexdigest() for number in (1, 2)]
    assert [data["prev"] for data in opens] == [None, *sums]
    assert [data["segment"] for data in opens] == [1, 2, 3]


def test_a_symbolic_link_is_never_followed(
    folder: Path, journal: FileJournal, written: list[str], tmp_path: Path
) -> None:
    real = segment(folder, 3).rename(tmp_path / "elsewhere")
    segment(folder, 3).symlink_to(real)
    before = real.read_bytes()

    assert "symbolic link" in only(journal).reason
    with pytest.raises(Unavailable, match=r"00000003\.jsonl"):
        list(journal.read())
    with pytest.raises(Unavailable, match=r"00000003\.jsonl"):
        journal.append([Event(client="test", name="after")])
    assert real.read_bytes() == before


def test_the_journal_is_its_owners_alone(folder: Path, journal: FileJournal, written: list[str]) -> None:
    journal.delete(written[:1], "test")
    journal.compact()
    with segment(folder, 3).open("ab") as file:
        file.write(b"torn")
    journal.recover()

    assert folder.stat().st_mode & 0o777 == 0o700
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_folder_that_may_only_be_read_is_read(folder: Path, journal: FileJournal, written: list[str]) -> None:
    (folder / "lock").unlink()
    folder.chmod(0o500)
    try:
        assert ids(journal) == written
        assert journal.verify().damage == ()
        assert journal.compact(dry_run=True) == []
        assert not (folder / "lock").exists()
    finally:
        folder.chmod(0o700)
