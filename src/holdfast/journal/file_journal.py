"""The journal as a folder of segments."""

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.event import Compacted, Cursor, Event, JournalRecord, JournalReport, Receipt
from holdfast.core.times import parse_moment
from holdfast.journal import (
    append_records,
    compact_journal,
    journal_folder,
    line_format,
    line_scan,
    read_records,
    repair,
    verify_journal,
)
from holdfast.journal.append_records import SEGMENT_BYTES

_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ESCAPED = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class EventNotJson(BadRequest):
    """An event holds what JSON cannot."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"Event '{name}' cannot be written as JSON: {why}.", "give it text, numbers, lists and objects."
        )


class BadRetentionTime(BadRequest):
    """A time that is none was given."""

    def __init__(self, text: str) -> None:
        super().__init__(f"'{text}' is not a time.", "write it like 2026-11-15T09:22:14Z.")


class FileJournal:
    """A journal in a folder; any number of these, in any number of processes, may share it."""

    def __init__(
        self, folder: str, *, segment_bytes: int = SEGMENT_BYTES, clock: Callable[[], int] = time.time_ns
    ) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._clock = clock

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events on disk, in order; on return they are there."""
        return self._append([(event.key, _event_time(event), event_body(event)) for event in events])

    def delete(self, ids: Sequence[str], why: str) -> Receipt:
        """Hide these records from readers, by an appended record."""
        return self._append([("", "", _body({"kind": line_scan.TOMBSTONE, "of": list(ids), "why": why}))])[0]

    def read(self, after: Cursor | None = None) -> Iterator[JournalRecord]:
        """Every whole record from a place on, with deleted events left out."""
        return read_records.read_records(self._folder, after)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> JournalReport:
        """Read every byte and say exactly what is damaged."""
        return verify_journal.verify(self._folder, progress)

    def recover(self) -> Sequence[str]:
        """Cut a torn tail into a side file, now; the side files made."""
        if not line_scan.list_segments(self._folder):
            return []
        with journal_folder.Writing(self._folder), journal_folder.Lock(self._folder):
            active = line_scan.list_segments(self._folder)[-1]
            torn = repair.repair_tail(self._folder, active)
            repair.rebuild_active_keys(self._folder, active)
            return torn

    def compact(
        self, keep: Collection[str] = (), *, older_than: str = "", larger_than: int = 0, dry_run: bool = False
    ) -> Sequence[Compacted]:
        """Take deleted events off the disk, and those that retention retires."""
        oldest = parse_moment(older_than)
        if older_than and oldest is None:
            raise BadRetentionTime(older_than)
        retention = compact_journal.RetentionRule(keep=frozenset(keep), older_than=oldest, larger_than=larger_than)
        return compact_journal.compact(self._folder, retention, segment_bytes=self._segment_bytes, dry_run=dry_run)

    def _append(self, entries: list[tuple[str, str, bytes]]) -> list[Receipt]:
        if not entries:
            return []
        now = self._clock() // 1_000_000
        given = append_records.append(self._folder, entries, segment_bytes=self._segment_bytes, now_ms=now)
        return [Receipt(id=record_id, fresh=fresh) for record_id, fresh in given]


def event_body(event: Event) -> bytes:
    """The body that `append` takes for an event. Raises NotJson."""
    fields = {"client": event.client, "session": event.session, "name": event.name, "key": event.key}
    try:
        return _body({"kind": line_scan.EVENT, **fields, "data": dict(event.data)})
    except (TypeError, ValueError, RecursionError) as error:
        raise EventNotJson(event.name, str(error)) from error


def _event_time(event: Event) -> str:
    # A time that is none is no reason to lose an event: then the clock's word stands.
    own = parse_moment(event.ts)
    return line_format.stamp((own - _EPOCH) // timedelta(milliseconds=1)) if own else ""


def _body(record: Mapping[str, Any]) -> bytes:
    try:
        return _PLAIN.encode(record).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; as an escape it survives.
        return _ESCAPED.encode(record).encode()
