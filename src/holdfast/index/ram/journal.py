"""A journal in memory, for tests: the same promises but durability."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.event import RECORD_VERSION, Compacted, Cursor, Event, JournalReport, Receipt, Record
from holdfast.core.ids import ULID_LENGTH, decode, encode, ulid
from holdfast.core.value import replace

_SEGMENT = "ram"
_EVENT, _TOMBSTONE, _COMPACTION = "event", "tombstone", "compaction"


class RamEventNotJson(BadRequest):
    """An event holds what JSON cannot."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Event '{name}' cannot be written as JSON: {why}.")


class BadRamCutoff(BadRequest):
    """A time that is none was given."""

    def __init__(self, text: str) -> None:
        super().__init__(f"'{text}' is not a time.")


class RamJournal:
    """Records in a list; a place is an index into it, and a record taken off leaves its place empty."""

    def __init__(self) -> None:
        self._records: list[Record | None] = []
        self._by_key: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._last_id = ""

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Keep events, in order. A key seen before is not kept again."""
        # All are encoded before the first is kept, so that one that cannot be leaves none behind.
        bodies = [_body(event) for event in events]
        return [self._append(event, body) for event, body in zip(events, bodies, strict=True)]

    def delete(self, ids: Sequence[str], why: str) -> Receipt:
        """Hide these records from readers."""
        self._hidden.update(ids)
        return Receipt(id=self._keep(_TOMBSTONE, "", {"of": list(ids), "why": why}), fresh=True)

    def read(self, after: Cursor | None = None) -> Iterator[Record]:
        """Every record from a place on, with deleted events left out."""
        found = [(at, record) for at, record in self._visible() if at >= (after.offset if after else 0)]
        nexts = [at for at, _ in found[1:]] + [found[-1][0] + 1 if found else 0]
        for (_, record), following in zip(found, nexts, strict=False):
            yield replace(record, after=_place(following))

    def at(self, place: Cursor) -> Record | None:
        """The record that begins at a place, or None."""
        return next((record for at, record in self._visible() if _place(at) == place), None)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> JournalReport:
        """Count what is there; memory is taken to be sound."""
        records = [record for record in self._records if record is not None]
        size = sum(map(_record_size, records))
        if progress:
            progress(size, size)
        events = [record for record in records if record.kind == _EVENT]
        deleted = sum(record.id in self._hidden for record in events)
        return JournalReport(records=len(records), events=len(events) - deleted, segments=1, size=size, deleted=deleted)

    def recover(self) -> Sequence[str]:
        """Nothing is ever torn here."""
        return []

    def compact(
        self, keep: Collection[str] = (), *, older_than: str = "", larger_than: int = 0, dry_run: bool = False
    ) -> Sequence[Compacted]:
        """Drop deleted events, and those that retention retires."""
        doomed = self._doomed(frozenset(keep), older_than, larger_than)
        if not doomed:
            return []
        kept = [record for record in self._records if record is not None and record.id not in doomed]
        done = _proof([record for record in self._records if record is not None], kept)
        if not dry_run:
            self._drop(doomed)
            self._keep(_COMPACTION, "", {"segment": 1, "removed": list(done.removed), "kept": done.kept})
        return [done]

    def _append(self, event: Event, body: dict[str, Any]) -> Receipt:
        if event.key in self._by_key:
            return Receipt(id=self._by_key[event.key], fresh=False)
        record_id = self._keep(_EVENT, event.ts, body)
        if event.key:
            self._by_key[event.key] = record_id
        return Receipt(id=record_id, fresh=True)

    def _keep(self, kind: str, ts: str, body: dict[str, Any]) -> str:
        self._last_id = max(ulid(), encode(decode(self._last_id) + 1, ULID_LENGTH))
        ts = _stamp(_moment(ts) or datetime.now(UTC))
        data = {"v": RECORD_VERSION, "id": self._last_id, "ts": ts, "kind": kind, **body}
        after = _place(len(self._records) + 1)
        self._records.append(Record(id=self._last_id, kind=kind, version=RECORD_VERSION, ts=ts, data=data, after=after))
        return self._last_id

    def _visible(self) -> Iterator[tuple[int, Record]]:
        for at, record in enumerate(self._records):
            if record is not None and not (record.kind == _EVENT and record.id in self._hidden):
                yield at, record

    def _doomed(self, keep: frozenset[str], older_than: str, larger_than: int) -> set[str]:
        events = [record for record in self._records if record is not None and record.kind == _EVENT]
        doomed = {record.id for record in events if record.id in self._hidden}
        limit = _moment(older_than)
        if older_than and limit is None:
            raise BadRamCutoff(older_than)
        total = sum(_record_size(record) for record in self._records if record is not None and record.id not in doomed)
        for record in events:
            old = limit is not None and datetime.fromisoformat(record.ts) < limit
            if record.id not in doomed and record.id not in keep and (old or 0 < larger_than < total):
                doomed.add(record.id)
                total -= _record_size(record)
        return doomed

    def _drop(self, doomed: Collection[str]) -> None:
        self._records = [None if record and record.id in doomed else record for record in self._records]
        self._by_key = {key: record_id for key, record_id in self._by_key.items() if record_id not in doomed}


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _place(index: int) -> Cursor:
    return Cursor(segment=1, offset=index)


def _body(event: Event) -> dict[str, Any]:
    fields = {"client": event.client, "session": event.session, "name": event.name, "key": event.key}
    try:
        # There and back, so that what comes out is what a file would give, and the caller's own data is not ours.
        return {**fields, "data": json.loads(json.dumps(dict(event.data), allow_nan=False))}
    except (TypeError, ValueError, RecursionError) as error:
        raise RamEventNotJson(event.name, str(error)) from error


def _line(record: Record) -> bytes:
    return json.dumps(record.data).encode() + b"\n"


def _record_size(record: Record) -> int:
    return len(_line(record))


def _proof(before: Sequence[Record], kept: Sequence[Record]) -> Compacted:
    after = _sha256(kept)
    staying = {record.id for record in kept}
    removed = tuple(record.id for record in before if record.id not in staying)
    return Compacted(
        segment=_SEGMENT,
        before=_sha256(before),
        after=after,
        removed=removed,
        kept=len(kept),
        kept_sha256=after,
    )


def _sha256(records: Sequence[Record]) -> str:
    return hashlib.sha256(b"".join(map(_line, records))).hexdigest()
