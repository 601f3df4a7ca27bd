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
from holdfast.core.value import Value
from holdfast.journal import append_records, journal_folder, line_scan, new_segment, read_records, repair
from holdfast.journal.append_records import SEGMENT_BYTES
from holdfast.journal.retained_places import Cuts, cut, read_cuts

DELETED = "deleted"
RETENTION = "retention"
_STEP = 1 << 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

Doomed = Callable[[line_scan.Line], bool]


class CompactionUnproven(Damaged):
    """A segment written anew does not hold what it should; the old one stays."""

    def __init__(self, segment: str) -> None:
        super().__init__(
            f"Segment '{segment}' written anew does not hold the lines it should; the old one stays.",
            "run `holdfast verify`, and look at the disk: bytes read twice were not the same.",
        )


class Retention(Value):
    """What compaction may take beside deleted events."""

    keep: frozenset[str] = frozenset()
    older_than: datetime | None = None
    larger_than: int = 0


class Survey(Value):
    """What compaction needs to know of a segment. `deleted` and `retirable` are bytes."""

    number: int
    active: bool
    size: int
    newest: datetime
    deleted: int
    retirable: int


class Rewrite(Value):
    """A segment as it is and as it shall be: which bytes go, and the proof."""

    number: int
    head: int
    cuts: Cuts
    spans: tuple[tuple[int, int], ...]
    why: str
    result: Compacted


def compact(
    folder: str, retention: Retention, *, segment_bytes: int = SEGMENT_BYTES, dry_run: bool = False
) -> list[Compacted]:
    """Finish what was cut short, then take off the disk what is deleted or may go."""
    if not line_scan.segments(folder):
        return []
    with journal_folder.Writing(folder), line_scan.quiet(folder, fcntl.LOCK_SH if dry_run else fcntl.LOCK_EX):
        return _would_do(folder, retention) if dry_run else _do(folder, retention, segment_bytes)


def _would_do(folder: str, retention: Retention) -> list[Compacted]:
    hidden = read_records.tombstoned(folder)
    rewrites = {rewrite.number: rewrite for rewrite in cut_short(folder)}
    for number, retire in plan(_surveys(folder, hidden, retention.keep), retention):
        if number not in rewrites:
            rewrites[number] = _examine_for(folder, number, hidden, retention, retire=retire)
    return [rewrites[number].result for number in sorted(rewrites)]


def _do(folder: str, retention: Retention, segment_bytes: int) -> list[Compacted]:
    _sweep(folder)
    done = []
    for rewrite in cut_short(folder):
        write_anew(folder, rewrite)
        put_in_place(folder, rewrite)
        done.append(rewrite.result)
    hidden = read_records.tombstoned(folder)
    for number, retire in _plan_on_sealed(folder, hidden, retention):
        rewrite = _examine_for(folder, number, hidden, retention, retire=retire)
        write_anew(folder, rewrite)
        note(folder, rewrite, segment_bytes)
        put_in_place(folder, rewrite)
        done.append(rewrite.result)
    return done


def _plan_on_sealed(folder: str, hidden: Collection[str], retention: Retention) -> list[tuple[int, bool]]:
    surveys = _surveys(folder, hidden, retention.keep)
    chosen = plan(surveys, retention)
    if not chosen or chosen[-1][0] != surveys[-1].number:
        return chosen
    _seal(folder)
    # Others may have appended since it was surveyed, and what they wrote may be too young to go.
    surveys[-1] = _survey(folder, surveys[-1].number, hidden, retention.keep, active=True)
    return plan(surveys, retention)


def moment(text: str) -> datetime | None:
    """A time in ISO 8601, taken as UTC unless it says otherwise; None when it is no time."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def plan(surveys: Sequence[Survey], retention: Retention) -> list[tuple[int, bool]]:
    """Which segments to write anew, oldest first, and whether each loses its events to retention."""
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


def cut_short(folder: str) -> Iterator[Rewrite]:
    """Compactions that were recorded, and whose segment is still as it was before."""
    last: dict[int, Mapping[str, Any]] = {}
    numbers = line_scan.segments(folder)
    for number in numbers:
        with line_scan.open_segment(folder, number) as file:
            last.update((record["segment"], record) for record in line_scan.of_kind(file, line_scan.COMPACTION))
    for number, record in sorted(last.items()):
        if number in numbers and new_segment.sha256_of(journal_folder.segment_path(folder, number)) == record["before"]:
            rewrite = examine(folder, number, _among(frozenset(record["removed"])), record["why"])
            _agree(rewrite.number, rewrite.result.after, record["after"])
            yield rewrite


def examine(folder: str, number: int, doomed: Doomed, why: str) -> Rewrite:
    """What a segment would be without the doomed lines. Faulty lines stay as they are."""
    removed, spans, kept, kept_sum = [], [], 0, hashlib.sha256()
    with line_scan.open_segment(folder, number) as file:
        old = read_cuts(file)
        for line in line_scan.lines(file, old.head):
            if line.data is not None and doomed(line):
                removed.append(line.id)
                spans.append((line.offset, len(line.raw)))
            elif line.data is not None:
                kept += 1
                kept_sum.update(line.raw)
        cuts = cut(old, spans)
        after = _sha256(_contents(file, old.head, cuts, spans))
    result = Compacted(
        segment=journal_folder.segment_name(number),
        before=new_segment.sha256_of(journal_folder.segment_path(folder, number)),
        after=after,
        removed=tuple(removed),
        kept=kept,
        kept_sha256=kept_sum.hexdigest(),
    )
    return Rewrite(number=number, head=old.head, cuts=cuts, spans=tuple(spans), why=why, result=result)


def write_anew(folder: str, rewrite: Rewrite) -> None:
    """Write the segment to a temporary file, durably, and prove it. Raises CompactionUnproven."""
    path = _fresh_path(folder, rewrite.number)
    with (
        line_scan.open_segment(folder, rewrite.number) as old,
        open(journal_folder.open_file(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), "w+b") as new,
    ):
        new.writelines(_contents(old, rewrite.head, rewrite.cuts, rewrite.spans))
        new.flush()
        journal_folder.sync(new.fileno())
        kept = hashlib.sha256()
        for line in line_scan.lines(new):
            if line.data is not None and line.kind != line_scan.CUTS:
                kept.update(line.raw)
    _agree(rewrite.number, kept.hexdigest(), rewrite.result.kept_sha256)
    _agree(rewrite.number, new_segment.sha256_of(path), rewrite.result.after)


def note(folder: str, rewrite: Rewrite, segment_bytes: int = SEGMENT_BYTES) -> None:
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


def put_in_place(folder: str, rewrite: Rewrite) -> None:
    """Let the new file take the old one's name. Readers that have the old one open keep it."""
    fresh = _fresh_path(folder, rewrite.number)
    packed, _ = repair.sealed_keys(fresh)
    with journal_folder.Lock(folder):
        os.rename(fresh, journal_folder.segment_path(folder, rewrite.number))
        journal_folder.sync_folder(folder)
        repair.store(journal_folder.keys_path(folder, rewrite.number), packed)


def _examine_for(folder: str, number: int, hidden: Collection[str], retention: Retention, *, retire: bool) -> Rewrite:
    doomed = _doomed(hidden, retention.keep, retire=retire)
    return examine(folder, number, doomed, RETENTION if retire else DELETED)


def _among(ids: Collection[str]) -> Doomed:
    return lambda line: line.id in ids


def _doomed(hidden: Collection[str], keep: Collection[str], *, retire: bool) -> Doomed:
    def doomed(line: line_scan.Line) -> bool:
        return read_records.is_hidden(line.id, line.kind, hidden) or (retire and _may_retire(line, keep))

    return doomed


def _may_retire(line: line_scan.Line, keep: Collection[str]) -> bool:
    return line.version == RECORD_VERSION and line.kind == line_scan.EVENT and line.id not in keep


def _surveys(folder: str, hidden: Collection[str], keep: Collection[str]) -> list[Survey]:
    numbers = line_scan.segments(folder)
    return [_survey(folder, number, hidden, keep, active=number == numbers[-1]) for number in numbers]


def _survey(folder: str, number: int, hidden: Collection[str], keep: Collection[str], *, active: bool) -> Survey:
    newest, deleted, retirable, size = _LONG_AGO, 0, 0, 0
    with line_scan.open_segment(folder, number) as file:
        for line in line_scan.lines(file):
            size += len(line.raw)
            newest = max(newest, moment(str(line.data.get("ts", ""))) or _LONG_AGO if line.data else _LONG_AGO)
            if read_records.is_hidden(line.id, line.kind, hidden):
                deleted += len(line.raw)
            elif _may_retire(line, keep):
                retirable += len(line.raw)
    return Survey(number=number, active=active, size=size, newest=newest, deleted=deleted, retirable=retirable)


def _sweep(folder: str) -> None:
    # What a killed writer left half-written may hold what is deleted since.
    with journal_folder.Lock(folder):
        for path in (*_half_written(folder), *_half_written(f"{folder}/torn")):
            os.unlink(path)


def _half_written(folder: str) -> list[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [f"{folder}/{name}" for name in names if name.endswith(".new")]


def _seal(folder: str) -> None:
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


def _agree(number: int, one: str, other: str) -> None:
    if one != other:
        raise CompactionUnproven(journal_folder.segment_name(number))


def _fresh_path(folder: str, number: int) -> str:
    return journal_folder.segment_path(folder, number) + ".new"
