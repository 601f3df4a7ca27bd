"""Taking deleted and retired events off the disk, with proof that nothing else changed."""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

from holdfast.core.errors import Damaged
from holdfast.core.event import RECORD_VERSION, Compacted
from holdfast.core.times import parse_moment
from holdfast.core.value import Value
from holdfast.journal import append_records, journal_folder, line_scan, new_segment, read_records, repair
from holdfast.journal.append_records import SEGMENT_BYTES
from holdfast.journal.retained_places import Cuts, merge_cuts, read_cuts

DELETED = "deleted"
RETENTION = "retention"
_STEP = 1 << 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

DropTest = Callable[[line_scan.JournalLine], bool]


class CompactionUnproven(Damaged):
    """A rewritten segment does not hold what it should; the old one stays."""

    def __init__(self, segment: str) -> None:
        super().__init__(
            f"The rewritten segment '{segment}' does not hold the lines it should; the old one stays.",
            "run `holdfast doctor --verify`, and look at the disk: bytes read twice were not the same.",
        )


class RetentionRule(Value):
    """What compaction may take beside deleted events."""

    keep: frozenset[str] = frozenset()
    older_than: datetime | None = None
    larger_than: int = 0


class SegmentSurvey(Value):
    """What compaction needs to know of a segment. `deleted` and `retirable` are bytes."""

    number: int
    active: bool
    size: int
    newest: datetime
    deleted: int
    retirable: int


class SegmentRewrite(Value):
    """A segment as it is and as it shall be: which bytes go, and the proof."""

    number: int
    head: int
    cuts: Cuts
    spans: tuple[tuple[int, int], ...]
    why: str
    result: Compacted


def compact(
    folder: str, retention: RetentionRule, *, segment_bytes: int = SEGMENT_BYTES, dry_run: bool = False
) -> list[Compacted]:
    """Finish what was cut short, then take off the disk what is deleted or may go."""
    if not line_scan.list_segments(folder):
        return []
    with journal_folder.Writing(folder), line_scan.hold_compaction(folder, fcntl.LOCK_SH if dry_run else fcntl.LOCK_EX):
        return _plan_compaction(folder, retention) if dry_run else _run_compaction(folder, retention, segment_bytes)


def _plan_compaction(folder: str, retention: RetentionRule) -> list[Compacted]:
    hidden = read_records.find_tombstoned(folder)
    rewrites = {rewrite.number: rewrite for rewrite in unfinished_rewrites(folder)}
    for number, retire in plan_rewrites(_surveys(folder, hidden, retention.keep), retention):
        if number not in rewrites:
            rewrites[number] = _examine_for(folder, number, hidden, retention, retire=retire)
    return [rewrites[number].result for number in sorted(rewrites)]


def _run_compaction(folder: str, retention: RetentionRule, segment_bytes: int) -> list[Compacted]:
    _remove_leftovers(folder)
    done = []
    for rewrite in unfinished_rewrites(folder):
        write_rewrite(folder, rewrite)
        install_rewrite(folder, rewrite)
        done.append(rewrite.result)
    hidden = read_records.find_tombstoned(folder)
    for number, retire in _plan_on_sealed(folder, hidden, retention):
        rewrite = _examine_for(folder, number, hidden, retention, retire=retire)
        write_rewrite(folder, rewrite)
        record_rewrite(folder, rewrite, segment_bytes)
        install_rewrite(folder, rewrite)
        done.append(rewrite.result)
    return done


def _plan_on_sealed(folder: str, hidden: Collection[str], retention: RetentionRule) -> list[tuple[int, bool]]:
    surveys = _surveys(folder, hidden, retention.keep)
    chosen = plan_rewrites(surveys, retention)
    if not chosen or chosen[-1][0] != surveys[-1].number:
        return chosen
    _seal_active(folder)
    # Others may have appended since it was surveyed, and what they wrote may be too young to go.
    surveys[-1] = _survey(folder, surveys[-1].number, hidden, retention.keep, active=True)
    return plan_rewrites(surveys, retention)


def plan_rewrites(surveys: Sequence[SegmentSurvey], retention: RetentionRule) -> list[tuple[int, bool]]:
    """Which segments to rewrite, oldest first, and whether each loses its events to retention."""
    total = sum(survey.size - survey.deleted for survey in surveys)
    chosen = []
    for survey in surveys:
        old = retention.older_than is not None and survey.newest < retention.older_than
        beyond = 0 < retention.larger_than < total and not survey.active
        retire = (old or beyond) and survey.retirable > 0
        if retire:
            total -= survey.retirable
        if retire or survey.deleted:
            chosen.append((survey.number, retire))
    return chosen


def unfinished_rewrites(folder: str) -> Iterator[SegmentRewrite]:
    """Compactions that were recorded, and whose segment is still as it was before."""
    last: dict[int, Mapping[str, Any]] = {}
    numbers = line_scan.list_segments(folder)
    for number in numbers:
        with line_scan.open_segment(folder, number) as file:
            last.update((record["segment"], record) for record in line_scan.scan_kind(file, line_scan.COMPACTION))
    for number, record in sorted(last.items()):
        if number in numbers and new_segment.hash_file(journal_folder.segment_path(folder, number)) == record["before"]:
            rewrite = plan_rewrite(folder, number, _doom_ids(frozenset(record["removed"])), record["why"])
            _require_equal(rewrite.number, rewrite.result.after, record["after"])
            yield rewrite


def plan_rewrite(folder: str, number: int, doomed: DropTest, why: str) -> SegmentRewrite:
    """What a segment would be without the doomed lines. Faulty lines stay as they are."""
    removed, spans, kept, kept_sum = [], [], 0, hashlib.sha256()
    with line_scan.open_segment(folder, number) as file:
        old = read_cuts(file)
        for line in line_scan.scan_lines(file, old.head):
            if line.data is not None and doomed(line):
                removed.append(line.id)
                spans.append((line.offset, len(line.raw)))
            elif line.data is not None:
                kept += 1
                kept_sum.update(line.raw)
        cuts = merge_cuts(old, spans)
        after = _sha256(_contents(file, old.head, cuts, spans))
    result = Compacted(
        segment=journal_folder.segment_name(number),
        before=new_segment.hash_file(journal_folder.segment_path(folder, number)),
        after=after,
        removed=tuple(removed),
        kept=kept,
        kept_sha256=kept_sum.hexdigest(),
    )
    return SegmentRewrite(number=number, head=old.head, cuts=cuts, spans=tuple(spans), why=why, result=result)


def write_rewrite(folder: str, rewrite: SegmentRewrite) -> None:
    """Write the segment to a temporary file, durably, and prove it. Raises CompactionUnproven."""
    path = _temporary_path(folder, rewrite.number)
    with (
        line_scan.open_segment(folder, rewrite.number) as old,
        open(journal_folder.open_file(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), "w+b") as new,
    ):
        new.writelines(_contents(old, rewrite.head, rewrite.cuts, rewrite.spans))
        new.flush()
        journal_folder.sync(new.fileno())
        kept = hashlib.sha256()
        for line in line_scan.scan_lines(new):
            if line.data is not None and line.kind != line_scan.CUTS:
                kept.update(line.raw)
    _require_equal(rewrite.number, kept.hexdigest(), rewrite.result.kept_sha256)
    _require_equal(rewrite.number, new_segment.hash_file(path), rewrite.result.after)


def record_rewrite(folder: str, rewrite: SegmentRewrite, segment_bytes: int = SEGMENT_BYTES) -> None:
    """Record the compaction, before it is seen: from here on it is finished whatever happens."""
    result = rewrite.result
    record = {
        "kind": line_scan.COMPACTION,
        "segment": rewrite.number,
        "before": result.before,
        "after": result.after,
        "removed": result.removed,
        "kept": result.kept,
        "kept_sha256": result.kept_sha256,
        "why": rewrite.why,
    }
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    append_records.append(folder, [("", "", body)], segment_bytes=segment_bytes)


def install_rewrite(folder: str, rewrite: SegmentRewrite) -> None:
    """Let the new file take the old one's name. Readers that have the old one open keep it."""
    fresh = _temporary_path(folder, rewrite.number)
    packed, _ = repair.build_sealed_keys(fresh)
    with journal_folder.Lock(folder):
        os.rename(fresh, journal_folder.segment_path(folder, rewrite.number))
        journal_folder.sync_folder(folder)
        repair.store_keys(journal_folder.keys_path(folder, rewrite.number), packed)


def _examine_for(
    folder: str, number: int, hidden: Collection[str], retention: RetentionRule, *, retire: bool
) -> SegmentRewrite:
    doomed = _doom_lines(hidden, retention.keep, retire=retire)
    return plan_rewrite(folder, number, doomed, RETENTION if retire else DELETED)


def _doom_ids(ids: Collection[str]) -> DropTest:
    return lambda line: line.id in ids


def _doom_lines(hidden: Collection[str], keep: Collection[str], *, retire: bool) -> DropTest:
    def doomed(line: line_scan.JournalLine) -> bool:
        return read_records.is_hidden(line.id, line.kind, hidden) or (retire and _may_retire(line, keep))

    return doomed


def _may_retire(line: line_scan.JournalLine, keep: Collection[str]) -> bool:
    return line.version == RECORD_VERSION and line.kind == line_scan.EVENT and line.id not in keep


def _surveys(folder: str, hidden: Collection[str], keep: Collection[str]) -> list[SegmentSurvey]:
    numbers = line_scan.list_segments(folder)
    return [_survey(folder, number, hidden, keep, active=number == numbers[-1]) for number in numbers]


def _survey(folder: str, number: int, hidden: Collection[str], keep: Collection[str], *, active: bool) -> SegmentSurvey:
    newest, deleted, retirable, size = _LONG_AGO, 0, 0, 0
    with line_scan.open_segment(folder, number) as file:
        for line in line_scan.scan_lines(file):
            size += len(line.raw)
            newest = max(newest, parse_moment(str(line.data.get("ts", ""))) or _LONG_AGO if line.data else _LONG_AGO)
            if read_records.is_hidden(line.id, line.kind, hidden):
                deleted += len(line.raw)
            elif _may_retire(line, keep):
                retirable += len(line.raw)
    return SegmentSurvey(number=number, active=active, size=size, newest=newest, deleted=deleted, retirable=retirable)


def _remove_leftovers(folder: str) -> None:
    # What a killed writer left half-written may hold what is deleted since.
    with journal_folder.Lock(folder):
        for path in (*_leftover_files(folder), *_leftover_files(f"{folder}/torn")):
            os.unlink(path)


def _leftover_files(folder: str) -> list[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [f"{folder}/{name}" for name in names if name.endswith(".new")]


def _seal_active(folder: str) -> None:
    with journal_folder.Lock(folder):
        append_records.open_active(folder, 1, time.time_ns() // 1_000_000).close()


def _contents(file: BinaryIO, start: int, cuts: Cuts, spans: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    yield cuts.line()
    for offset, length in spans:
        yield from _range(file, start, offset)
        start = offset + length
    yield from _range(file, start, os.fstat(file.fileno()).st_size)


def _range(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    while start < end and (piece := file.read(min(_STEP, end - start))):
        start += len(piece)
        yield piece


def _sha256(pieces: Iterable[bytes]) -> str:
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    return total.hexdigest()


def _require_equal(number: int, one: str, other: str) -> None:
    if one != other:
        raise CompactionUnproven(journal_folder.segment_name(number))


def _temporary_path(folder: str, number: int) -> str:
    return journal_folder.segment_path(folder, number) + ".new"
