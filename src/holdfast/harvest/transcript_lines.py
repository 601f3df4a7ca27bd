"""The lines of a transcript, by ranges of bytes, in constant memory; and by what a file is known again."""

import os
import stat
from collections.abc import Iterator
from hashlib import blake2b
from typing import BinaryIO, NamedTuple

LONGEST = 64 * 1024 * 1024
HEAD = 4096
TAIL = 64
_STEP = 1 << 20
# Without O_NONBLOCK, opening a FIFO would wait for ever.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class TranscriptLine(NamedTuple):
    """A line without its end: where it begins, where the next does. `raw` is None when it is too long to be read."""

    at: int
    after: int
    raw: bytes | None
    whole: bool


class NotAPlainFile(OSError):
    """What stands there is no plain file."""


def open_file(path: str) -> BinaryIO:
    """A plain file, for reading. Raises OSError."""
    file = open(os.open(path, _READ), "rb", buffering=_STEP)  # noqa: SIM115  # the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotAPlainFile("it is no plain file")
    return file


def read_lines(file: BinaryIO, start: int, end: int, first: int = 0) -> Iterator[TranscriptLine]:
    """The lines that begin in a range of bytes. `first` is where the reading of the whole file began."""
    at = _first_line(file, start, first)
    while at < end:
        raw = file.readline(LONGEST + 1)
        if not raw:
            return
        if raw.endswith(b"\n"):
            yield TranscriptLine(at, at + len(raw), raw, True)
            at += len(raw)
        elif len(raw) <= LONGEST:
            yield TranscriptLine(at, at + len(raw), raw, False)
            return
        else:
            rest, ended = _skip_line(file)
            yield TranscriptLine(at, at + len(raw) + rest, None, ended)
            at += len(raw) + rest


def _first_line(file: BinaryIO, start: int, first: int) -> int:
    """Where the first line begins that begins at or after a byte."""
    if start <= first:
        file.seek(first)
        return first
    file.seek(start - 1)
    at = start - 1
    while raw := file.readline(_STEP):
        at += len(raw)
        if raw.endswith(b"\n"):
            break
    return at


def _skip_line(file: BinaryIO) -> tuple[int, bool]:
    size = 0
    while raw := file.readline(_STEP):
        size += len(raw)
        if raw.endswith(b"\n"):
            return size, True
    return size, False


def file_marks(file: BinaryIO, offset: int) -> tuple[str, str]:
    """By what a file that was read up to an offset is known again: its beginning, and what stands before the offset."""
    file.seek(0)
    head = file.read(min(HEAD, offset))
    file.seek(max(0, offset - TAIL))
    tail = file.read(min(TAIL, offset))
    return blake2b(head, digest_size=8).hexdigest(), blake2b(tail, digest_size=8).hexdigest()
