"""Writing to the journal, durably: the hot path.

A hook runs this in a fresh process on every event, so it works on bytes and loads nothing slow: no json, no re, no
dataclasses. What only a crash or a full segment needs is loaded when it happens.
"""

import posix as os
import time

from holdfast.journal import event_keys, journal_folder, line_format

MYPY = False
if MYPY:
    from holdfast.journal.key_filter import Sieve

SEGMENT_BYTES = 8 * 1024 * 1024


class Active:
    """The active segment, open and under the lock. `entries` are its keys when the file could not hold them."""

    __slots__ = ("entries", "fd", "keys", "last_crc", "last_id", "number", "sealed", "settled", "size")

    def __init__(self, folder: str, number: int, sealed: list[int]) -> None:
        self.number = number
        self.sealed = sealed
        self.entries = b""
        self.fd = journal_folder.open_file(journal_folder.segment_path(folder, number), os.O_RDWR | os.O_APPEND)
        try:
            self.keys = journal_folder.open_file(journal_folder.keys_path(folder, number), os.O_RDWR | os.O_CREAT)
        except OSError:
            os.close(self.fd)
            raise
        self.size = os.fstat(self.fd).st_size
        span = event_keys.last_span(self.keys)
        self.settled = span is not None and span[1] == self.size
        self.last_id, self.last_crc = "", b""
        if span and self.settled:
            self._look_at_last(*span)

    def _look_at_last(self, start: int, end: int) -> None:
        line = os.pread(self.fd, end - start, start)
        if line_format.unframe(line) is not None:
            self.last_id, self.last_crc = line_format.id_in(line), line_format.crc_in(line)

    def write(self, data: bytes) -> None:
        """Put these lines at the end, or nothing at all."""
        try:
            journal_folder.write_all(self.fd, data)
        except BaseException:
            os.ftruncate(self.fd, self.size)
            raise
        self.size += len(data)

    def remember(self, pairs: list[tuple[bytes, int]]) -> None:
        """Note the keys of lines just written."""
        try:
            if self.settled:
                event_keys.extend_active(self.keys, pairs)
        except OSError:
            # The keys are derived: the next writer sees that they lag and rebuilds them. The records stand.
            return

    def close(self) -> None:
        """Close both files."""
        os.close(self.keys)
        os.close(self.fd)


def append(
    folder: str,
    entries: list[tuple[str, str, bytes]],
    *,
    segment_bytes: int = SEGMENT_BYTES,
    now_ms: int | None = None,
    patience: float = journal_folder.PATIENCE,
    sieve: "Sieve | None" = None,
) -> list[tuple[str, bool]]:
    """Put records on disk, each given as (key, ts, body); on return they are there. (id, fresh) for each.

    An empty `ts` means now. `body` is the record's JSON object without `v`, `id` and `ts`: `{"kind":"event",…}`. A
    sieve spares those who write thousands the look into every sealed segment.
    """
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    with journal_folder.Writing(folder):
        with journal_folder.Lock(folder, patience):
            active = open_active(folder, segment_bytes, now)
            try:
                receipts = _write(folder, active, entries, now, sieve)
            except BaseException:
                active.close()
                raise
        # Outside the lock, so that writers who come at the same time share one trip to the disk.
        try:
            journal_folder.sync(active.fd)
        finally:
            active.close()
    return receipts


def open_active(folder: str, segment_bytes: int, now_ms: int) -> Active:
    """The active segment, its tail whole and its size under the limit; call it under the lock."""
    numbers = journal_folder.numbers(folder)
    if not numbers:
        return _begin(folder, 1, [], "", now_ms)
    active = Active(folder, numbers[-1], numbers[:-1])
    if not active.last_id:
        active = _mend(folder, active)
    if 0 < active.size < segment_bytes:
        return active
    try:
        # What the next segment's `open` record says of this one must be on disk before it.
        journal_folder.sync(active.fd)
    finally:
        active.close()
    if active.size:
        return _begin(folder, active.number + 1, numbers, active.last_id, now_ms)
    return _begin(folder, active.number, active.sealed, active.last_id, now_ms)


def _mend(folder: str, active: Active) -> Active:
    # Only after a crash or damage; json would slow every other start.
    from holdfast.journal import repair

    active.close()
    repair.repair_tail(folder, active.number)
    entries = repair.rebuild_active_keys(folder, active.number)
    mended = Active(folder, active.number, active.sealed)
    mended.entries = entries
    mended.last_id = mended.last_id or repair.find_last_id(folder)
    return mended


def _begin(folder: str, number: int, sealed: list[int], last_id: str, now_ms: int) -> Active:
    # Once in 8 MiB; hashlib would slow every other start.
    from holdfast.journal import new_segment

    new_segment.begin_segment(folder, number, last_id, now_ms)
    return Active(folder, number, sealed)


def _write(
    folder: str, active: Active, entries: list[tuple[str, str, bytes]], now_ms: int, sieve: "Sieve | None"
) -> list[tuple[str, bool]]:
    digests = [event_keys.hash_of(key) for key, _, _ in entries]
    known = _find_known(folder, active, [digest for digest in digests if digest != event_keys.NO_KEY], sieve)
    ids = iter(line_format.mint(now_ms, active.last_id, len(entries)))
    receipts, lines, pairs, end, now = [], [], [], active.size, line_format.stamp(now_ms)
    crc = active.last_crc
    for digest, (_, ts, body) in zip(digests, entries, strict=True):
        if digest in known:
            receipts.append((known[digest], False))
            continue
        record_id = next(ids)
        line = line_format.record_line(record_id, ts or now, body, crc)
        crc = line_format.crc_in(line)
        end += len(line)
        lines.append(line)
        pairs.append((digest, end))
        receipts.append((record_id, True))
        if digest != event_keys.NO_KEY:
            known[digest] = record_id
    if lines:
        active.write(b"".join(lines))
        active.remember(pairs)
    return receipts


def _find_known(folder: str, active: Active, digests: list[bytes], sieve: "Sieve | None") -> dict[bytes, str]:
    if not digests:
        return {}
    entries = active.entries or _entries(folder, active)
    known = _ids(active.fd, event_keys.find_active(entries, digests))
    if sieve is not None:
        for number, some in sieve.sorted_out(active.sealed, [each for each in digests if each not in known]).items():
            known.update(_known_in_sealed(folder, number, some))
        return known
    for number in reversed(active.sealed):
        missing = [digest for digest in digests if digest not in known]
        if not missing:
            break
        known.update(_known_in_sealed(folder, number, missing))
    return known


def _entries(folder: str, active: Active) -> bytes:
    try:
        return event_keys.read_active(active.keys)
    except event_keys.KeysDamaged:
        from holdfast.journal import repair

        # They lie in a file that is now replaced; the next writer sees that they lag.
        active.settled = False
        return repair.rebuild_active_keys(folder, active.number)


def _known_in_sealed(folder: str, number: int, digests: list[bytes]) -> dict[bytes, str]:
    segment = journal_folder.open_file(journal_folder.segment_path(folder, number), os.O_RDONLY)
    try:
        return _ids(segment, _starts(folder, number, os.fstat(segment).st_size, digests))
    finally:
        os.close(segment)


def _starts(folder: str, number: int, size: int, digests: list[bytes]) -> dict[bytes, int]:
    try:
        fd = journal_folder.open_file(journal_folder.keys_path(folder, number), os.O_RDONLY)
        try:
            return event_keys.find_sealed(fd, size, digests)
        finally:
            os.close(fd)
    except (FileNotFoundError, event_keys.KeysDamaged):
        from holdfast.journal import repair

        starts = repair.rebuild_sealed_keys(folder, number)
        return {digest: starts[digest] for digest in digests if digest in starts}


def _ids(fd: int, starts: dict[bytes, int]) -> dict[bytes, str]:
    # A line that is no longer whole does not count: its event is written again.
    lines = {digest: line_format.line_at(fd, start) for digest, start in starts.items()}
    return {digest: line_format.id_in(line) for digest, line in lines.items() if line is not None}
