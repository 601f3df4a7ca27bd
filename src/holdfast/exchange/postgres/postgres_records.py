"""What the work left, in PostgreSQL: runs, ratings, cost; texts changed by compare-and-swap."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256

from holdfast.exchange.peer import GONE, Held, PeerRefused, Swap
from holdfast.exchange.postgres.change_feed import append_entry
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace

RECORDS = "records"
RECORD = "record"
# The table holds marks of what was purged too; those are nobody's to see as a record.
KINDS = ("run", "rating", "cost")
LONGEST_ID = 300
_SUM = "encode(sha256(convert_to(body, 'UTF8')), 'hex')"
_BEGAN = re.compile(r"run-(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)(\d\d)-")
_TS = re.compile(r'"ts": ?"([^"\\]{1,40})"')


class BadTeamRecord(PeerRefused):
    """A path or a body that no record has."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path[:200]!r} cannot be a record: {why}.", "records are like records/cost/ID, texts alone.")


class PostgresRecords:
    """The records of a space. A path is `<kind>/<id>`."""

    def __init__(self, space: DatabaseSpace) -> None:
        self._space = space

    def sums(self, cursor: Cursor) -> Mapping[str, Held]:
        """Every record with its sum."""
        asked = f"SELECT kind || '/' || id, {_SUM} FROM record WHERE space = %s AND kind = ANY (%s)"  # noqa: S608 -- the sum is ours
        found = cursor.execute(asked.encode(), (self._space.id, list(KINDS)))
        return {str(path): Held(sha256=str(digest)) for path, digest in found if _is_path(str(path))}

    def sums_of(self, cursor: Cursor, paths: Sequence[str]) -> Mapping[str, Held]:
        """Some of them; those that are gone are left out."""
        return {path: Held(sha256=_hash_bytes(data)) for path, data in self.bodies(cursor, paths).items()}

    def bodies(self, cursor: Cursor, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The texts of some; those that are gone are left out."""
        asked = """
            SELECT record.kind || '/' || record.id, body FROM record
            JOIN unnest(%s::text[], %s::text[]) AS wanted (kind, id) USING (kind, id) WHERE space = %s
        """
        wanted = [_parts(path) for path in paths if _is_path(path)]
        found = cursor.execute(asked, ([kind for kind, _ in wanted], [name for _, name in wanted], self._space.id))
        return {str(path): str(body).encode() for path, body in found}

    def put(self, swaps: Sequence[Swap]) -> Sequence[str]:
        """Several swaps in one transaction, each for itself: empty, or the sum that stands there instead."""
        for each in swaps:
            if not _is_path(each.path):
                raise BadTeamRecord(each.path, "there is no such kind, or no such id")
            _text(each)
        return self._space.written(RECORD, lambda cursor: [self._swapped(cursor, each) for each in swaps])

    def _swapped(self, cursor: Cursor, swap: Swap) -> str:
        held = self.bodies(cursor, [swap.path]).get(swap.path)
        now = _hash_bytes(held) if held is not None else ""
        if now != swap.then:
            return now or GONE
        kind, name = _parts(swap.path)
        key = (self._space.id, kind, name)
        if swap.data is None:
            cursor.execute("DELETE FROM record WHERE space = %s AND kind = %s AND id = %s", key)
            append_entry(cursor, self._space, "file_removed", {"place": RECORDS, "path": swap.path})
            return ""
        text = _text(swap)
        put = """
            INSERT INTO record (space, kind, id, ts, body) VALUES (%s, %s, %s, %s, %s)
            ON CONFLICT (space, kind, id) DO UPDATE SET ts = excluded.ts, body = excluded.body
        """
        cursor.execute(put, (*key, _recorded_at(name, text), text))
        append_entry(cursor, self._space, "file_changed", {"place": RECORDS, "path": swap.path})
        return ""


def _is_path(path: str) -> bool:
    kind, _, name = path.partition("/")
    return kind in KINDS and bool(name) and len(path) <= LONGEST_ID and path.isprintable()


def _parts(path: str) -> tuple[str, str]:
    kind, _, name = path.partition("/")
    return kind, name


def _text(swap: Swap) -> str:
    try:
        text = (swap.data or b"").decode()
    except UnicodeDecodeError:
        raise BadTeamRecord(swap.path, "its body is no text") from None
    if "\0" in text:
        raise BadTeamRecord(swap.path, "its body holds a NUL")
    return text


def _recorded_at(name: str, text: str) -> str:
    """When it was: as the run's name says, or the body."""
    began = _BEGAN.match(name)
    if began:
        return "{}T{}:{}:{}Z".format(*began.groups())
    told = _TS.search(text)
    return told[1] if told else ""


def _hash_bytes(data: bytes) -> str:
    return sha256(data).hexdigest()
