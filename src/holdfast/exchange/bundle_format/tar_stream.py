"""The tar of a bundle: plain files in the oldest common form, written and read in constant memory.

The standard library reads every dialect of tar, and with it links, devices, sparse files and headers of any size. A
bundle needs none of them, so this reads none.
"""

import re
from collections.abc import Iterator
from typing import Protocol

from holdfast.core.value import Value
from holdfast.exchange.bundle_format.bundle_values import BadBundle, UnsafeBundle

BLOCK = 512
ZEROS = bytes(BLOCK)
PIECE = 1 << 20
NAME, PREFIX = 100, 155
MOST = 0o77777777777
_OCTAL = re.compile(rb"[0-7]{1,12}")


class BytesReader(Protocol):
    """Bytes to read."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""


class BytesWriter(Protocol):
    """A place for bytes."""

    def write(self, data: bytes, /) -> object:
        """Take all of them."""


class Member(Value):
    """A file in a tar."""

    name: str
    size: int
    mtime: int


def fits_header(name: str) -> bool:
    """Whether a name has room in a header."""
    return _split(name.encode()) is not None


def build_header(member: Member) -> bytes:
    """The header of a plain file."""
    parts = _split(member.name.encode())
    if parts is None or member.size > MOST:
        raise ValueError(member.name)
    prefix, name = parts
    fields = [
        name.ljust(NAME, b"\0"), b"0000600\0", b"0000000\0", b"0000000\0", b"%011o\0" % member.size,
        b"%011o\0" % min(max(member.mtime, 0), MOST), b" " * 8, b"0", bytes(100), b"ustar\x0000", bytes(32), bytes(32),
        b"0000000\0", b"0000000\0", prefix.ljust(PREFIX, b"\0"), bytes(12),
    ]  # fmt: skip
    raw = bytearray(b"".join(fields))
    raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)


def pad_block(size: int) -> bytes:
    """What fills a file's last block."""
    return bytes(-size % BLOCK)


def read_members(source: BytesReader) -> Iterator[tuple[Member, Iterator[bytes]]]:
    """Every file, with its bytes in pieces, which must be read before the next is asked for. Refuses all but files."""
    while True:
        raw = read_exactly(source, BLOCK)
        if raw == ZEROS:
            if read_exactly(source, BLOCK) != ZEROS or source.read(1):
                raise BadBundle("something follows its end")
            return
        member = _member(raw)
        yield member, _pieces(source, member.size)
        if any(read_exactly(source, len(pad_block(member.size)))):
            raise BadBundle("its files are not where their headers say")


def read_exactly(source: BytesReader, size: int) -> bytes:
    """So many bytes, or the bundle is cut short."""
    pieces, left = [], size
    while left:
        piece = source.read(left)
        if not piece:
            raise BadBundle("it is cut short")
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _pieces(source: BytesReader, size: int) -> Iterator[bytes]:
    left = size
    while left:
        piece = source.read(min(left, PIECE))
        if not piece:
            raise BadBundle("it is cut short")
        left -= len(piece)
        yield piece


def _member(raw: bytes) -> Member:
    kind = raw[156:157]
    if kind != b"0" or raw[257:265] != b"ustar\x0000" or any(raw[157:257]):
        raise UnsafeBundle("it holds something else than plain files")
    plain = raw[:148] + b" " * 8 + raw[156:]
    if _number(raw[148:156]) != sum(plain):
        raise BadBundle("a header has a bad sum")
    prefix, name = raw[345:500].rstrip(b"\0"), raw[:NAME].rstrip(b"\0")
    try:
        whole = (prefix + b"/" + name if prefix else name).decode()
    except UnicodeDecodeError:
        raise UnsafeBundle("a name is no UTF-8") from None
    return Member(name=whole, size=_number(raw[124:136]), mtime=_number(raw[136:148]))


def _number(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not _OCTAL.fullmatch(digits):
        raise UnsafeBundle("a header has a number that is none")
    return int(digits, 8)


def _split(name: bytes) -> tuple[bytes, bytes] | None:
    """A name in the two fields that hold it: it may be parted at a slash."""
    if len(name) <= NAME:
        return b"", name
    for at, byte in enumerate(name[: PREFIX + 1]):
        if byte == ord("/") and at <= PREFIX and 0 < len(name) - at - 1 <= NAME:
            return name[:at], name[at + 1 :]
    return None
