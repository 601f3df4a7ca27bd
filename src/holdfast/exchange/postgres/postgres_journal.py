"""The journal in PostgreSQL: rows numbered in the order of commits, each with a checksum."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from holdfast.core.errors import BadRequest
from holdfast.core.event import RECORD_VERSION, Event, JournalRecord, Receipt
from holdfast.core.event import Cursor as Place
from holdfast.core.ids import ULID_LENGTH, decode, encode, ulid
from holdfast.core.times import parse_moment
from holdfast.core.value import Value, replace
from holdfast.exchange.postgres.change_feed import append_entry
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.row_json import read_object

EVENT, TOMBSTONE, COMPACTION = "event", "tombstone", "compaction"
JOURNAL = "journal"
SEGMENT = 1
AT_ONCE, AT_ONCE_BYTES = 500, 8 << 20


class PostgresEventNotJson(BadRequest):
    """An event holds what JSON cannot."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Event '{name}' cannot be written as JSON: {why}.")


class _NewRecord(Value):
    """A record to write."""

    kind: str
    body: Mapping[str, Any]
    ts: str = ""
    key: bytes | None = None


class PostgresJournal:
    """Events in a space's rows. A place is the number of the record before it."""

    def __init__(self, space: DatabaseSpace) -> None:
        self._space = space

    def append(self, events: Sequence[Event]) -> Sequence[Receipt]:
        """Put events into the database, in order; committed on return. A key seen before is not written again."""
        bodies = [_body(event) for event in events]
        if not bodies:
            return []
        return self._space.written(JOURNAL, lambda cursor: self._append(cursor, events, bodies))

    def read(self, after: Place | None = None) -> Iterator[JournalRecord]:
        """Every record from a place on, with deleted events left out, and what is no record."""
        ahead: JournalRecord | None = None
        n = 0
        for n, body in self._rows(after.offset if after else 0):
            record = _record(body, n)
            if ahead and record:
                yield replace(ahead, after=_place(n - 1))
            ahead = record or ahead
        if ahead:
            yield replace(ahead, after=_place(n))

    def purge(self, ids: Sequence[str], why: str) -> None:
        """Take events out of the database, with a tombstone, in one transaction; others are not read for it."""
        self._space.written(JOURNAL, lambda cursor: self.purge_in(cursor, ids, why))

    def purge_in(self, cursor: Cursor, ids: Sequence[str], why: str) -> int:
        """The same inside a transaction that is alone at the journal; how many went."""
        gone = "DELETE FROM journal WHERE space = %s AND id = ANY (%s) AND kind = %s RETURNING id"
        removed = [str(name) for (name,) in cursor.execute(gone, (self._space.id, list(ids), EVENT)).fetchall()]
        if not removed:
            return 0
        [(kept,)] = cursor.execute("SELECT count(*) FROM journal WHERE space = %s", (self._space.id,)).fetchall()
        body = {"segment": SEGMENT, "removed": removed, "kept": kept}
        tombstone = _NewRecord(kind=TOMBSTONE, body={"of": removed, "why": why})
        self._keep(cursor, [tombstone, _NewRecord(kind=COMPACTION, body=body)])
        append_entry(cursor, self._space, "journal_hidden", {"ids": len(removed)})
        return len(removed)

    def called(self, cursor: Cursor, names: frozenset[str]) -> list[str]:
        """The ids of the events that bear one of these names: their own, or that of where they came from."""
        asked = """
            SELECT n, id, body FROM (
                SELECT n, id, body, sum(octet_length(body)) OVER (ORDER BY n) - octet_length(body) AS before
                FROM journal WHERE space = %s AND kind = %s AND n > %s ORDER BY n LIMIT %s) AS weighed
            WHERE before < %s ORDER BY n
        """
        found, after = list[str](), 0
        while rows := cursor.execute(asked, (self._space.id, EVENT, after, AT_ONCE, AT_ONCE_BYTES)).fetchall():
            after = int(rows[-1][0])
            found += [str(name) for _, name, body in rows if not names.isdisjoint(_names(str(name), str(body)))]
        return found

    def _append(self, cursor: Cursor, events: Sequence[Event], bodies: Sequence[dict[str, Any]]) -> list[Receipt]:
        keys = {event.key: _key(event.key) for event in events if event.key}
        asked = "SELECT key, id FROM journal WHERE space = %s AND key = ANY (%s)"
        known = {bytes(key): str(name) for key, name in cursor.execute(asked, (self._space.id, [*keys.values()]))}
        new: dict[bytes | int, _NewRecord] = {}
        for at, (event, body) in enumerate(zip(events, bodies, strict=True)):
            key = keys.get(event.key)
            if key is None or (key not in known and key not in new):
                new[at if key is None else key] = _NewRecord(kind=EVENT, ts=event.ts, body=body, key=key)
        names = dict(zip(new, self._keep(cursor, list(new.values())), strict=True))
        if new:
            append_entry(cursor, self._space, "journal_grew", {"events": len(new), "last": list(names.values())[-1]})
        receipts = []
        for at, event in enumerate(events):
            key = keys.get(event.key)
            # The first that has a key is fresh; the next with it is not.
            fresh = names.pop(key, "") if key is not None else names[at]
            receipts.append(Receipt(id=fresh or known.get(key or b"", ""), fresh=bool(fresh)))
            known |= {key: fresh} if key is not None and fresh else {}
        return receipts

    def _keep(self, cursor: Cursor, new: Sequence[_NewRecord]) -> list[str]:
        """Write records, in order; their ids."""
        if not new:
            return []
        asked = "SELECT id FROM journal WHERE space = %s ORDER BY n DESC LIMIT 1"
        before = cursor.execute(asked, (self._space.id,)).fetchone()
        name = str(before[0]) if before else ""
        first = self._space.number(cursor, JOURNAL, len(new)) - len(new) + 1
        rows = []
        for n, each in enumerate(new, first):
            name = max(ulid(), encode(decode(name) + 1, ULID_LENGTH)) if name else ulid()
            when = _stamp(parse_moment(each.ts) or datetime.now(UTC))
            text = json.dumps({"v": RECORD_VERSION, "id": name, "ts": when, "kind": each.kind, **each.body})
            rows.append((self._space.id, n, name, each.kind, when, each.key, crc32(text.encode()), text))
        made = "INSERT INTO journal (space, n, id, kind, ts, key, crc, body) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
        cursor.executemany(made, rows)
        return [row[2] for row in rows]

    def _rows(self, after: int) -> Iterator[tuple[int, str]]:
        """Visible rows in handfuls of a bounded weight: no transaction stays open while somebody thinks of a record."""
        asked = """
            SELECT n, body, before + octet_length(body) FROM (
                SELECT n, body, sum(octet_length(body)) OVER (ORDER BY n) - octet_length(body) AS before
                FROM journal WHERE space = %s AND n > %s AND NOT hidden ORDER BY n LIMIT %s) AS weighed
            WHERE before < %s ORDER BY n
        """
        while True:
            with self._space.reading() as cursor:
                found = cursor.execute(asked, (self._space.id, after, AT_ONCE, AT_ONCE_BYTES)).fetchall()
            yield from ((int(n), str(body)) for n, body, _ in found)
            if not found or (len(found) < AT_ONCE and found[-1][2] < AT_ONCE_BYTES):
                return
            after = int(found[-1][0])


def _record(body: str, after: int) -> JournalRecord | None:
    """What a row holds; None where that is no record."""
    data = read_object(body)
    name, kind, version, ts = (data.get(key) for key in ("id", "kind", "v", "ts"))
    if not (isinstance(name, str) and isinstance(kind, str) and isinstance(version, int) and isinstance(ts, str)):
        return None
    return JournalRecord(id=name, kind=kind, version=version, ts=ts, data=data, after=_place(after))


def _place(n: int) -> Place:
    return Place(segment=SEGMENT, offset=n)


def _key(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def _body(event: Event) -> dict[str, Any]:
    fields = {"client": event.client, "session": event.session, "name": event.name, "key": event.key}
    try:
        return {**fields, "data": json.loads(json.dumps(dict(event.data), allow_nan=False))}
    except (TypeError, ValueError, RecursionError) as error:
        raise PostgresEventNotJson(event.name, str(error)) from error


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _names(own: str, body: str) -> set[str]:
    held = read_object(body)
    data = held.get("data")
    came = data.get("imported") if isinstance(data, dict) else None
    known = {own, str(held.get("key", "")).rpartition(":")[2]}
    return known | ({str(came.get("id", ""))} if isinstance(came, dict) else set())
