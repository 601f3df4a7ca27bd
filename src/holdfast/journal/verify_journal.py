"""Reading every byte of the journal and saying what is wrong. Changes nothing."""

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.event import RECORD_VERSION, Cursor, Damage, JournalReport
from holdfast.journal import event_keys, journal_folder, line_format, line_scan, read_records
from holdfast.journal.repair import LOST
from holdfast.journal.retained_places import Cuts, read_cuts

Progress = Callable[[int, int], None]
_TOLD_EVERY = 1 << 20


class _Segment:
    """What one pass over a segment saw. `end` is where an active one ends; it alone can have a torn tail."""

    def __init__(self, *, number: int, end: int | None, last_id: str) -> None:
        self.number, self.end, self.last_id = number, end, last_id
        self.size = self.records = self.events = self.newer = self.deleted = 0
        self.sha256 = self.kept_sha256 = ""
        self.opening: Mapping[str, Any] | None = None
        self.cuts = Cuts()
        self.before: tuple[int, str] | None = None
        self.compactions: list[Mapping[str, Any]] = []
        self.damage: list[Damage] = []

    @property
    def name(self) -> str:
        return journal_folder.segment_name(self.number)

    def fault(self, line: line_scan.JournalLine | None, reason: str) -> None:
        offset, number = (line.offset, line.number) if line else (0, 0)
        self.damage.append(Damage(segment=self.name, offset=offset, line=number, reason=reason))


def verify(folder: str, progress: Progress | None = None) -> JournalReport:
    """Check frames, checksums, the order of ids, the chain and the compactions."""
    with line_scan.hold_compaction(folder):
        extent = read_records.find_extent(folder)
        hidden = _find_hidden(folder, extent)
        passes = _Passes(folder, extent, progress)
        segments = [passes.over(number, limit, hidden) for number, limit in extent]
    damage = [
        *_missing_segments(segments),
        *_check_chain(segments),
        *_lost_lines(folder),
        *(found for segment in segments for found in segment.damage),
    ]
    return JournalReport(
        records=sum(segment.records for segment in segments),
        events=sum(segment.events for segment in segments),
        segments=len(segments),
        size=sum(segment.size for segment in segments),
        newer=sum(segment.newer for segment in segments),
        deleted=sum(segment.deleted for segment in segments),
        torn=tuple(_unfinished_writes(folder)),
        damage=tuple(sorted(damage, key=lambda found: (found.segment, found.offset))),
        end=Cursor(segment=segments[-1].number, offset=segments[-1].size) if segments else Cursor(),
    )


def _find_hidden(folder: str, extent: Sequence[tuple[int, int | None]]) -> set[str]:
    found = set[str]()
    for number, _ in extent:
        # A segment that cannot be opened is reported when its turn comes.
        with contextlib.suppress(line_scan.JournalUnreadable):
            found.update(read_records.read_tombstones(folder, number))
    return found


class _Passes:
    """One pass after the other over the segments, telling how far it is."""

    def __init__(self, folder: str, extent: Sequence[tuple[int, int | None]], progress: Progress | None) -> None:
        self._folder = folder
        self._total = sum(
            limit or os.lstat(journal_folder.segment_path(folder, number)).st_size for number, limit in extent
        )
        self._done = self._told = 0
        self._progress = progress
        self._last_id = ""

    def over(self, number: int, limit: int | None, hidden: Collection[str]) -> _Segment:
        """Look at every line of a segment."""
        seen = _Segment(number=number, end=limit, last_id=self._last_id)
        try:
            file = line_scan.open_segment(self._folder, number)
        except line_scan.JournalUnreadable as error:
            seen.fault(None, str(error))
            return seen
        whole, kept = hashlib.sha256(), hashlib.sha256()
        with file:
            seen.cuts = read_cuts(file)
            for line in line_scan.scan_lines(file, 0, limit):
                whole.update(line.raw)
                if line.data is not None and line.kind != line_scan.CUTS:
                    kept.update(line.raw)
                _check_line(seen, line, hidden)
                self._tell(len(line.raw))
        seen.sha256, seen.kept_sha256 = whole.hexdigest(), kept.hexdigest()
        self._last_id = seen.last_id
        return seen

    def _tell(self, size: int) -> None:
        self._done += size
        if self._progress and (self._done - self._told >= _TOLD_EVERY or self._done >= self._total):
            self._told = self._done
            self._progress(min(self._done, self._total), self._total)


def _check_line(seen: _Segment, line: line_scan.JournalLine, hidden: Collection[str]) -> None:
    seen.size += len(line.raw)
    if line.data is None:
        seen.fault(line, _why_faulty(seen, line))
        seen.before = None
    elif line.kind != line_scan.CUTS:
        _check_tie(seen, line, line.data)
        _count_line(seen, line, line.data, hidden)


def _check_tie(seen: _Segment, line: line_scan.JournalLine, data: Mapping[str, Any]) -> None:
    """A line names the one before it; only compaction may have taken that one away."""
    place = seen.cuts.place(line.offset)
    in_order = line.id > seen.last_id
    if in_order and seen.before and seen.before[0] == place and data.get("p", seen.before[1]) != seen.before[1]:
        seen.fault(line, "records are missing before this line")
    seen.before = (place + len(line.raw), line_format.crc_in(line.raw).decode())


def _why_faulty(seen: _Segment, line: line_scan.JournalLine) -> str:
    if line_format.unframe(line.raw) is not None:
        return "not a record"
    is_tail = line.offset + len(line.raw) == seen.end and not line.raw.endswith(b"\n")
    return "torn tail" if is_tail else line_format.fault(line.raw)


def _count_line(seen: _Segment, line: line_scan.JournalLine, data: Mapping[str, Any], hidden: Collection[str]) -> None:
    if not seen.records:
        _check_first(seen, line, data)
    if line.id <= seen.last_id:
        seen.fault(line, "id out of order")
    seen.last_id = max(line.id, seen.last_id)
    seen.records += 1
    if line.version > RECORD_VERSION:
        seen.newer += 1
    elif read_records.is_hidden(line.id, line.kind, hidden):
        seen.deleted += 1
    elif line.kind == line_scan.EVENT:
        seen.events += 1
    elif line.kind == line_scan.COMPACTION:
        seen.compactions.append(data)


def _check_first(seen: _Segment, line: line_scan.JournalLine, data: Mapping[str, Any]) -> None:
    if line.kind == line_scan.OPEN and data.get("segment") == seen.number:
        seen.opening = data
    elif not seen.damage:
        seen.fault(line, "chain broken: the segment does not begin with its open record")


def _missing_segments(segments: Sequence[_Segment]) -> Iterator[Damage]:
    there = {segment.number for segment in segments}
    for number in range(1, max(there, default=0)):
        if number not in there:
            yield Damage(segment=journal_folder.segment_name(number), offset=0, line=0, reason="missing segment")


def _check_chain(segments: Sequence[_Segment]) -> Iterator[Damage]:
    compactions = [record for segment in segments for record in segment.compactions]
    openings = {segment.number: segment.opening for segment in segments}
    for segment in segments:
        ours = [record for record in compactions if record.get("segment") == segment.number]
        following = openings.get(segment.number + 1)
        # A faulty line changes the sum by itself: it is named, and the sum would only say it again.
        reason = "" if segment.damage or following is None else _find_break(segment, following.get("prev"), ours)
        if reason:
            yield Damage(segment=segment.name, offset=0, line=0, reason=reason)


def _find_break(segment: _Segment, sealed: object, compactions: Sequence[Mapping[str, Any]]) -> str:
    expected = sealed
    for record in compactions:
        if record.get("before") != expected:
            return "compaction mismatch: it began from another file than the one sealed"
        # A file still at `before` is a compaction cut short: nothing is lost, the next one finishes it.
        cut_short = record is compactions[-1] and segment.sha256 == expected
        expected = expected if cut_short else record.get("after")
    if segment.sha256 != expected:
        return "compaction mismatch: the file is not what was recorded" if compactions else "chain broken"
    last = compactions[-1] if compactions else None
    proof = (segment.records, segment.kept_sha256)
    if last and segment.sha256 == last.get("after") and proof != (last.get("kept"), last.get("kept_sha256")):
        return "compaction mismatch: the kept lines are not what was recorded"
    return ""


def _lost_lines(folder: str) -> Iterator[Damage]:
    """Lines that were written and were gone when the next one came, by the keys that were set aside then."""
    for path in _side_files(folder, LOST):
        number, offset = (int(each) for each in os.path.basename(path).split("-")[:2])
        try:
            with open(journal_folder.open_file(f"{folder}/{path}", os.O_RDONLY), "rb") as file:
                gone = event_keys.count_beyond(event_keys.read_active(file.fileno()), offset)
        except (OSError, event_keys.KeysDamaged):
            gone = 1
        reason = f"records that were written here are gone: {gone} (their keys are in {path})"
        yield Damage(segment=journal_folder.segment_name(number), offset=offset, line=0, reason=reason)


def _unfinished_writes(folder: str) -> list[str]:
    """Writes that never became whole; what is left of a line that had been is told with the lines that are gone."""
    gone = {path.rpartition("-")[0] for path in _side_files(folder, LOST)}
    return [path for path in _side_files(folder, ".bin") if path.rpartition("-")[0] not in gone]


def _side_files(folder: str, ending: str) -> list[str]:
    try:
        names = sorted(os.listdir(f"{folder}/torn"))
    except FileNotFoundError:
        return []
    # Ours alone: number, byte, time.
    return [f"torn/{name}" for name in names if re.fullmatch(r"\d{8}-\d{1,18}-\d+" + re.escape(ending), name)]
