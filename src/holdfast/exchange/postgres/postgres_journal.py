"""The journal in PostgreSQL: rows numbered in the order of commits, each with a checksum."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from holdfast.core.errors import BadRequest
from holdfast.core.event import RECORD_VERSION, Compacted, Damage, Event, JournalRecord, JournalReport, Receipt
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


class BadPostgresCutoff(BadRequest):
    """A time that is none was given."""

    def __init__(self, text: str) -> None:
        super().__init__(f"'{text}' is not a time.")


class _StoredRecord(Value):
    """What compaction weighs of a record."""

    n: int
    id: str
    kind: str
    ts: str
    hidden: bool
    line: bytes


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

    def delete(self, ids: Sequence[str], why: str) -> Receipt:
        """Hide these records from readers, by an appended record."""

        def hide(cursor: Cursor) -> Receipt:
            hidden = "UPDATE journal SET hidden = true WHERE space = %s AND id = ANY (%s) AND kind = %s"
            cursor.execute(hidden, (self._space.id, list(ids), EVENT))
            [made] = self._keep(cursor, [_NewRecord(kind=TOMBSTONE, body={"of": list(ids), "why": why})])
            append_entry(cursor, self._space, "journal_hidden", {"ids": len(ids)})
            return Receipt(id=made, fresh=True)

        return self._space.written(JOURNAL, hide)

    def read(self, after: Place | None = None) -> Iterator[JournalRecord]:
        """Every record from a place on, with deleted events left out; and what is no record, which `verify` names."""
        ahead: JournalRecord | None = None
        n = 0
        for n, body in self._rows(after.offset if after else 0):
            record = _record(body, n)
            if ahead and record:
                yield replace(ahead, after=_place(n - 1))
            ahead = record or ahead
        if ahead:
            yield replace(ahead, after=_place(n))

    def verify(self, progress: Callable[[int, int], None] | None = None) -> JournalReport:
        """Read every row and compare it with its sum. Changes nothing."""
        records = events = deleted = size = end = 0
        damage = []
        total = self._size()
        for n, kind, hidden, crc, body in self._all("n, kind, hidden, crc, body"):
            records, end, size = records + 1, n, size + len(body) + 1
            events += kind == EVENT and not hidden
            deleted += kind == EVENT and hidden
            reason = "fails its checksum" if crc32(body.encode()) != crc else "is no record" * (not _record(body, n))
            if reason:
                damage.append(Damage(segment=JOURNAL, offset=n, line=n, reason=f"a row {reason}"))
            if progress and records % AT_ONCE == 0:
                progress(min(size, total), total)
        if progress:
            progress(size, size)
        return JournalReport(
            records=records, events=events, segments=1 if records else 0, size=size, deleted=deleted,
            damage=tuple(damage), end=_place(end),
        )  # fmt: skip

    def recover(self) -> Sequence[str]:
        """Nothing is ever torn here: a transaction is whole or not there."""
        return []

    def compact(
        self, keep: Collection[str] = (), *, older_than: str = "", larger_than: int = 0, dry_run: bool = False
    ) -> Sequence[Compacted]:
        """Take deleted events out of the database, and those that retention retires."""
        limit = parse_moment(older_than)
        if older_than and limit is None:
            raise BadPostgresCutoff(older_than)

        def compacted(cursor: Cursor) -> Sequence[Compacted]:
            columns = "SELECT n, id, kind, ts, hidden, body FROM journal WHERE space = %s ORDER BY n"
            held = [_StoredRecord(n=n, id=i, kind=k, ts=ts, hidden=h, line=f"{body}\n".encode())
                    for n, i, k, ts, h, body in cursor.execute(columns, (self._space.id,))]  # fmt: skip
            doomed = _choose_doomed(held, frozenset(keep), limit, larger_than)
            if not doomed:
                return []
            done = _proof(held, doomed)
            if not dry_run:
                cursor.execute("DELETE FROM journal WHERE space = %s AND id = ANY (%s)", (self._space.id, [*doomed]))
                body = {"segment": 1, "removed": list(done.removed), "kept": done.kept}
                self._keep(cursor, [_NewRecord(kind=COMPACTION, body=body)])
            return [done]

        return self._space.written(JOURNAL, compacted)

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

    def _all(self, columns: str) -> Iterator[tuple[Any, ...]]:
        after = 0
        asked = f"SELECT {columns} FROM journal WHERE space = %s AND n > %s ORDER BY n LIMIT %s"  # noqa: S608 -- columns are ours
        while True:
            with self._space.reading() as cursor:
                found = cursor.execute(asked.encode(), (self._space.id, after, AT_ONCE)).fetchall()
            yield from found
            if len(found) < AT_ONCE:
                return
            after = int(found[-1][0])

    def _size(self) -> int:
        with self._space.reading() as cursor:
            asked = "SELECT coalesce(sum(length(body) + 1), 0) FROM journal WHERE space = %s"
            found = cursor.execute(asked, (self._space.id,)).fetchone()
        return int(found[0]) if found else 0


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


def _choose_doomed(
    held: Sequence[_StoredRecord], keep: frozenset[str], limit: datetime | None, larger_than: int
) -> set[str]:
    events = [each for each in held if each.kind == EVENT]
    doomed = {each.id for each in events if each.hidden}
    total = sum(len(each.line) for each in held if each.id not in doomed)
    for each in events:
        old = limit is not None and datetime.fromisoformat(each.ts) < limit
        if each.id not in doomed and each.id not in keep and (old or 0 < larger_than < total):
            doomed.add(each.id)
            total -= len(each.line)
    return doomed


def _proof(held: Sequence[_StoredRecord], doomed: Collection[str]) -> Compacted:
    kept = [each for each in held if each.id not in doomed]
    after = _sha256(kept)
    removed = tuple(each.id for each in held if each.id in doomed)
    return Compacted(
        segment=JOURNAL, before=_sha256(held), after=after, removed=removed, kept=len(kept), kept_sha256=after
    )  # fmt: skip


def _sha256(records: Sequence[_StoredRecord]) -> str:
    found = hashlib.sha256()
    for each in records:
        found.update(each.line)
    return found.hexdigest()


def _names(own: str, body: str) -> set[str]:
    held = read_object(body)
    data = held.get("data")
    came = data.get("imported") if isinstance(data, dict) else None
    known = {own, str(held.get("key", "")).rpartition(":")[2]}
    return known | ({str(came.get("id", ""))} if isinstance(came, dict) else set())
