"""Lines: what is whole, what is not, and why."""

import zlib

import pytest

from holdfast.core.ids import decode
from holdfast.journal import line_format

LINE = line_format.frame(b'{"v":1,"id":"01KA3ZK8J3ABCDEFGHJKMNPQRS","kind":"event"}')


def test_a_line_says_its_length_and_checksum() -> None:
    json = b'{"a":1}'

    assert line_format.frame(json) == b"HF1 7 %08x " % zlib.crc32(json) + json + b"\n"
    assert line_format.unframe(line_format.frame(json)) == json


@pytest.mark.parametrize("bit", range(8))
def test_no_line_with_a_flipped_bit_is_whole(bit: int) -> None:
    for at in range(len(LINE)):
        damaged = LINE[:at] + bytes([LINE[at] ^ 1 << bit]) + LINE[at + 1 :]

        assert line_format.unframe(damaged) is None
        assert line_format.fault(damaged) != ""


def test_no_beginning_of_a_line_is_whole() -> None:
    for length in range(len(LINE)):
        assert line_format.unframe(LINE[:length]) is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not a frame"),
        (b"\n", "not a frame"),
        (b"hello {\n", "not a frame"),
        (LINE.replace(b"HF1", b"HF2"), "not a frame"),
        (LINE[:-1], "no newline"),
        (LINE[:-3], "length mismatch"),
        (LINE.replace(b"event", b"evens"), "bad checksum"),
        (LINE.replace(b"event", b"events"), "length mismatch"),
    ],
)
def test_a_faulty_line_says_why(line: bytes, reason: str) -> None:
    assert line_format.fault(line) == reason


def test_other_spellings_of_a_number_are_not_whole() -> None:
    assert line_format.unframe(LINE.replace(b"HF1 ", b"HF1 0")) is None
    assert line_format.unframe(LINE.replace(b"HF1 ", b"HF1 +")) is None


def test_a_whole_line_is_found_behind_one_that_lost_its_newline() -> None:
    merged = LINE[:30] + LINE

    assert line_format.whole_tail(merged) == 30
    assert line_format.whole_tail(LINE[:30] + LINE[:-5] + b"\n") == -1


def test_an_id_is_read_out_of_a_line_of_any_version() -> None:
    newer = line_format.frame(b'{"v":22,"id":"01KA3ZK8J3ABCDEFGHJKMNPQRS","strange":true}')

    assert line_format.id_in(LINE) == line_format.id_in(newer) == "01KA3ZK8J3ABCDEFGHJKMNPQRS"
    assert line_format.id_in(line_format.frame(b'{"v":1}')) == ""


def test_ids_grow_when_the_clock_stands_still_or_jumps_back() -> None:
    last = ""
    for now in [5_000, 5_000, 1_000, 0, 4_999, 6_000, 5_000]:
        (fresh,) = line_format.mint(now, last)
        assert fresh > last
        last = fresh

    assert decode(last[:10]) == 6_000


def test_an_id_whose_random_part_is_full_steps_to_the_next_millisecond() -> None:
    last = line_format.mint(1_000, "")[0][:10] + "Z" * 16

    assert decode(line_format.mint(0, last)[0][:10]) == 1_001


def test_many_ids_at_once_grow_too() -> None:
    last = line_format.mint(1_000, "")[0]

    ids = [last, *line_format.mint(1_000, last, 500)]

    assert ids == sorted(set(ids))


def test_a_stamp_is_utc_with_milliseconds() -> None:
    assert line_format.stamp(0) == "1970-01-01T00:00:00.000Z"
    assert line_format.stamp(1_794_734_534_007) == "2026-11-15T09:22:14.007Z"
