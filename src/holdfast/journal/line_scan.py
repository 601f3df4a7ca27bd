"""Walking through the lines of a segment, whole and faulty ones, in constant memory."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from holdfast.core.errors import Unavailable
from holdfast.core.event import RECORD_VERSION
from holdfast.journal import journal_folder, line_format

OPEN, EVENT, TOMBSTONE, COMPACTION, CUTS = "open", "event", "tombstone", "compaction", "cuts"
STRUCTURE = frozenset({OPEN, TOMBSTONE, COMPACTION, CUTS})


class JournalUnreadable(Unavailable):
    """A file of the journal is there and cannot be read."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"The journal cannot be read at '{path}': {why}.",
            "make it a plain file that its owner may read; a symbolic link is never followed.",
        )


class JournalLine(NamedTuple):
    """One line as it was found. `data` is its JSON object, None when the line is faulty."""

    offset: int
    number: int
    raw: bytes
    data: dict[str, Any] | None

    @property
    def kind(self) -> str:
        """What kind of record it is; empty when faulty."""
        return str(self.data.get("kind", "")) if self.data else ""

    @property
    def id(self) -> str:
        """The record's id; empty when faulty."""
        return str(self.data.get("id", "")) if self.data else ""

    @property
    def version(self) -> int:
        """The record's version; 0 when it has none."""
        version = self.data.get("v") if self.data else 0
        return version if isinstance(version, int) else 0


def open_segment(folder: str, number: int) -> BinaryIO:
    """A segment, for reading. Raises JournalUnreadable."""
    path = journal_folder.segment_path(folder, number)
    try:
        return open(journal_folder.open_file(path, os.O_RDONLY), "rb", buffering=1 << 18)
    except OSError as error:
        raise JournalUnreadable(path, error.strerror or str(error)) from error


def list_segments(folder: str) -> list[int]:
    """The numbers of the segments, in order. Raises JournalUnreadable."""
    try:
        return journal_folder.numbers(folder)
    except OSError as error:
        raise JournalUnreadable(folder, error.strerror or str(error)) from error


@contextlib.contextmanager
def hold_compaction(folder: str, kind: int = fcntl.LOCK_SH) -> Iterator[None]:
    """A time without compaction, or (LOCK_EX) for one: the folder itself is the lock, so a reader writes nothing."""
    if not os.path.isdir(folder):
        yield
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, kind)
        yield
    finally:
        os.close(fd)


def scan_lines(file: BinaryIO, offset: int = 0, limit: int | None = None) -> Iterator[JournalLine]:
    """Every line from an offset on; at a limit the file is taken to end."""
    file.seek(offset)
    for number, found in enumerate(file, start=1):
        raw = found if limit is None else found[: max(0, limit - offset)]
        if not raw:
            return
        yield from _pieces(offset, number, raw)
        offset += len(raw)


def scan_kind(file: BinaryIO, kind: str, offset: int = 0) -> Iterator[dict[str, Any]]:
    """The records of one kind and a version we know, fast: other lines are not even parsed."""
    mark = f'"kind":"{kind}"'.encode()
    file.seek(offset)
    for raw in file:
        if mark in raw:
            found = (line for line in _pieces(0, 0, raw) if line.kind == kind and line.version == RECORD_VERSION)
            yield from (line.data for line in found if line.data)


def _pieces(offset: int, number: int, raw: bytes) -> Iterator[JournalLine]:
    text = line_format.unframe(raw)
    whole = line_format.whole_tail(raw) if text is None else -1
    if whole < 0:
        yield JournalLine(offset, number, raw, _parse(text))
        return
    yield JournalLine(offset, number, raw[:whole], None)
    yield JournalLine(offset + whole, number, raw[whole:], _parse(line_format.unframe(raw[whole:])))


def _parse(text: bytes | None) -> dict[str, Any] | None:
    try:
        data = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("id"), str) else None
