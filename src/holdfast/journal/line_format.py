"""Lines of the journal: `HF1 <length> <crc> <json>`. On the hot path: imports nothing that is slow to load."""

import posix as os
import time
import zlib

from holdfast.core.ids import CROCKFORD, ULID_LENGTH, decode, encode

_MARK = b"HF1 "
_ID = b'"id":"'
_RANDOM_BITS = 80
_FIRST_READ = 4096
_LONGEST_HEAD = 64


def frame(json: bytes) -> bytes:
    """The line that holds a JSON object."""
    return b"HF1 %d %08x %s\n" % (len(json), zlib.crc32(json), json)


def unframe(line: bytes) -> bytes | None:
    """The JSON object of a whole line, or None."""
    start = line.find(b"{")
    json = line[start:-1]
    if start > 0 and line[-1] == 10 and line[:start] == b"HF1 %d %08x " % (len(json), zlib.crc32(json)):
        return json
    return None


def fault(line: bytes) -> str:
    """Why a line is not whole."""
    start = line.find(b"{")
    parts = line[: max(start, 0)].split(b" ")
    if len(parts) != 4 or parts[0] != b"HF1" or not parts[1].isdigit():
        return "not a frame"
    json = line[start:].removesuffix(b"\n")
    if int(parts[1]) != len(json):
        return "length mismatch"
    return "bad checksum" if line.endswith(b"\n") else "no newline"


def whole_tail(line: bytes) -> int:
    """Where in a faulty line a whole one begins that lost the newline before it, or -1."""
    at = line.find(_MARK, 1)
    while at != -1 and (_declared(line[at : at + _LONGEST_HEAD]) != len(line) - at or unframe(line[at:]) is None):
        at = line.find(_MARK, at + 1)
    return at


def line_at(fd: int, offset: int) -> bytes | None:
    """The whole line that begins at an offset of a file, or None."""
    line = os.pread(fd, _FIRST_READ, offset)
    length = _declared(line)
    if not 0 < length <= os.fstat(fd).st_size - offset:
        return None
    if length > len(line):
        line += os.pread(fd, length - len(line), offset + len(line))
    line = line[:length]
    return line if unframe(line) is not None else None


def _declared(head: bytes) -> int:
    start = head.find(b"{")
    parts = head[: max(start, 0)].split(b" ")
    return start + int(parts[1]) + 1 if len(parts) == 4 and parts[1].isdigit() else 0


def id_in(line: bytes) -> str:
    """The id in a whole line: `v` and `id` stand first in every version. Empty when there is none."""
    start = line.find(_ID, 0, 128) + len(_ID)
    found = line[start : start + ULID_LENGTH].decode("ascii", "replace")
    return found if len(found) == ULID_LENGTH and all(letter in CROCKFORD for letter in found) else ""


def mint(now_ms: int, last: str, count: int = 1) -> list[str]:
    """ULIDs that are greater than the last one and each other, whatever the clock says."""
    fresh = now_ms << _RANDOM_BITS | int.from_bytes(os.urandom(10), "big")
    # A random step, so that two copies of one journal do not go on with the same ids.
    steps = os.urandom(4 * count)
    number = max(fresh, decode(last) + int.from_bytes(steps[:4], "big") + 1)
    minted = [encode(number, ULID_LENGTH)]
    for at in range(4, len(steps), 4):
        number += int.from_bytes(steps[at : at + 4], "big") + 1
        minted.append(encode(number, ULID_LENGTH))
    return minted


def stamp(now_ms: int) -> str:
    """The time in ISO 8601, UTC, with milliseconds."""
    seconds, milliseconds = divmod(now_ms, 1000)
    year, month, day, hour, minute, second = time.gmtime(seconds)[:6]
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{milliseconds:03d}Z"


def record_line(record_id: str, ts: str, body: bytes, after: bytes = b"") -> bytes:
    """The line of a record: `body` is its JSON object without `v`, `id` and `ts`, `kind` first.

    `after` is the checksum of the line before, which ties the two together: neither can go unnoticed.
    """
    tie = b'"p":"%s",' % after if after else b""
    return frame(b'{"v":1,"id":"%s","ts":"%s",%s%s' % (record_id.encode(), ts.encode(), tie, body[1:]))


def crc_in(line: bytes) -> bytes:
    """The checksum that a whole line carries."""
    return line[:_LONGEST_HEAD].split(b" ", 3)[2]
