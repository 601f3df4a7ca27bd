"""Reading the journal: from a cursor, in constant memory, without writing anything."""

import fcntl
import os
from collections.abc import Collection, Iterator
from typing import BinaryIO, NamedTuple

from holdfast.core.event import Cursor, JournalRecord
from holdfast.journal import journal_folder, line_scan
from holdfast.journal.retained_places import read_cuts

# A reader only asks the writers to be between two records; a stopped one must not stop readers too.
_PATIENCE = 1.0


class _FoundLine(NamedTuple):
    """A line that readers see, and the places where it begins and ends."""

    line: line_scan.JournalLine
    begin: Cursor
    end: Cursor


def read_records(folder: str, after: Cursor | None = None) -> Iterator[JournalRecord]:
    """Every whole record from a place on, deleted events left out."""
    found = _visible_lines(folder, after or Cursor())
    this = next(found, None)
    # One ahead, because a record's `after` is where the next one that is seen begins.
    for following in found:
        if this is not None:
            yield _record(this.line, following.begin)
        this = following
    if this is not None:
        yield _record(this.line, this.end)


def find_extent(folder: str) -> list[tuple[int, int | None]]:
    """The segments, and how far to read each (None: all of it), at a moment when nobody is writing."""
    lock = _shared_lock(folder)
    try:
        numbers = line_scan.list_segments(folder)
        limits: list[tuple[int, int | None]] = [(number, None) for number in numbers]
        if numbers:
            # Later bytes of the active segment may yet be cut back, should their write fail.
            limits[-1] = (numbers[-1], os.lstat(journal_folder.segment_path(folder, numbers[-1])).st_size)
        return limits
    finally:
        if lock is not None:
            os.close(lock)


def find_tombstoned(folder: str, start: Cursor | None = None) -> frozenset[str]:
    """The ids that tombstones from a place on name: a tombstone comes after what it hides."""
    place = start or Cursor()
    numbers = [number for number in line_scan.list_segments(folder) if number >= place.segment]
    return frozenset(record_id for number in numbers for record_id in read_tombstones(folder, number, place))


def read_tombstones(folder: str, number: int, start: Cursor | None = None) -> Iterator[str]:
    """The ids that the tombstones of one segment name, from a place on if it is in this segment."""
    with line_scan.open_segment(folder, number) as file:
        offset = read_cuts(file).offset(start.offset) if start and start.segment == number else 0
        for record in line_scan.scan_kind(file, line_scan.TOMBSTONE, offset):
            yield from map(str, record.get("of", ()))


def is_hidden(record_id: str, kind: str, hidden: Collection[str]) -> bool:
    """Whether a record is deleted. The journal's own bookkeeping never is."""
    return record_id in hidden and kind not in line_scan.STRUCTURE


def _shared_lock(folder: str) -> int | None:
    try:
        fd = journal_folder.open_file(f"{folder}/lock", os.O_RDONLY)
    except OSError:
        return None
    # Without the lock, in a folder that is not ours to lock or past a stopped writer, reading is still safe.
    journal_folder.flock(fd, fcntl.LOCK_SH, _PATIENCE)
    return fd


def _visible_lines(folder: str, start: Cursor) -> Iterator[_FoundLine]:
    segments = [(number, limit) for number, limit in find_extent(folder) if number >= start.segment]
    hidden = find_tombstoned(folder, start)
    for number, limit in segments:
        begin = start if number == start.segment else Cursor(segment=number)
        yield from _lines_in_segment(folder, begin, limit, hidden)


def _lines_in_segment(folder: str, start: Cursor, limit: int | None, hidden: Collection[str]) -> Iterator[_FoundLine]:
    with line_scan.open_segment(folder, start.segment) as file:
        cuts = read_cuts(file)
        for line in line_scan.scan_lines(file, cuts.offset(start.offset), limit):
            if line.data is None and _was_rewritten(file, line):
                return
            if line.data is not None and line.kind != line_scan.CUTS and not is_hidden(line.id, line.kind, hidden):
                begin = cuts.place(line.offset)
                yield _FoundLine(line, _cursor_at(start, begin), _cursor_at(start, begin + len(line.raw)))


def _cursor_at(start: Cursor, offset: int) -> Cursor:
    return Cursor(segment=start.segment, offset=offset)


def _was_rewritten(file: BinaryIO, line: line_scan.JournalLine) -> bool:
    # A torn tail may have been cut and written over while its bytes were in our buffer: not damage, read it next time.
    return os.pread(file.fileno(), len(line.raw), line.offset) != line.raw


def _record(line: line_scan.JournalLine, after: Cursor) -> JournalRecord:
    data = line.data or {}
    return JournalRecord(
        id=line.id, kind=line.kind, version=line.version, ts=str(data.get("ts", "")), data=data, after=after
    )
