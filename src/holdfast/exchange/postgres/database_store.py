"""A database as a store of objects: rows of `file` in a person's own space, each swapped by its sum.

`postgresql://USER@HOST/DATABASE/PREFIX`. A login that is one person's keeps objects in that person's own space; any
other keeps them in one that no project's members see.
"""

import io
from collections.abc import Sequence
from datetime import UTC
from hashlib import sha256
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from holdfast.core.errors import BadRequest
from holdfast.exchange.object_store import ABSENT, ANY, SMALL, ByteSource, Lost, Stored, TooLarge
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace, PostgresDatabase, check_url

PLACE = "object"
STORE = "store"
MOST = 64 << 20
SECRET = frozenset({"password", "sslpassword"})


class BadObjectName(BadRequest):
    """A name that no object can have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:200]!r} is no name in a store.", "use letters, digits, `-`, `_`, `.` and `/`.")


class PostgresObjects:
    """Objects in a database. It is asked first when the first object is."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(check_url(url))
        name, _, prefix = parts.path.strip("/").partition("/")
        self._address = urlunsplit(parts._replace(path=f"/{name}"))
        self._prefix = f"{prefix}/" if prefix else ""
        self._url = _strip_secrets(parts)
        self._found: DatabaseSpace | None = None

    @property
    def url(self) -> str:
        """The address, without a password."""
        return self._url

    def get(self, name: str, most: int = SMALL) -> tuple[bytes, str] | None:
        """An object and its tag: its sum."""
        with self._space.reading() as cursor:
            asked = """
                SELECT CASE WHEN octet_length(data) <= %s THEN data END, sha256 FROM file
                WHERE space = %s AND place = %s AND path = %s
            """
            found = cursor.execute(asked, (most, *self._key(name))).fetchone()
        if found and found[0] is None:
            raise TooLarge(name, most)
        return (bytes(found[0]), str(found[1])) if found else None

    def open(self, name: str) -> ByteSource | None:
        """An object to read in turn."""
        found = self.get(name, MOST)
        return io.BytesIO(found[0]) if found else None

    def put(self, name: str, data: bytes, tag: str | None = ANY) -> str:
        """Keep bytes; who comes second with an old tag has lost."""
        key, new = self._key(name), sha256(data).hexdigest()

        def swap(cursor: Cursor) -> str:
            asked = "SELECT sha256 FROM file WHERE space = %s AND place = %s AND path = %s"
            found = cursor.execute(asked, key).fetchone()
            if tag is not ANY and (str(found[0]) if found else ABSENT) != tag:
                raise Lost(name)
            kept = """
                INSERT INTO file (space, place, path, data, sha256, ids, changed) VALUES (%s, %s, %s, %s, %s, '{}', 0)
                ON CONFLICT (space, place, path) DO UPDATE
                SET data = excluded.data, sha256 = excluded.sha256, at = now()
            """
            cursor.execute(kept, (*key, data, new))
            return new

        return self._space.written(PLACE, swap)

    def list(self, prefix: str) -> Sequence[Stored]:
        """The objects whose names begin so."""
        whole = self._prefix + prefix
        asked = """
            SELECT path, octet_length(data), at FROM file
            WHERE space = %s AND place = %s AND starts_with(path, %s) ORDER BY path COLLATE "C"
        """
        with self._space.reading() as cursor:
            rows = cursor.execute(asked, (self._space.id, PLACE, whole)).fetchall()
        return [
            Stored(
                name=str(path).removeprefix(self._prefix), size=int(size),
                modified=at.astimezone(UTC).isoformat("T", "seconds"),
            )
            for path, size, at in rows
        ]  # fmt: skip

    def delete(self, names: Sequence[str]) -> None:
        """Take objects away."""
        keys = [self._key(name) for name in names]

        def drop(cursor: Cursor) -> None:
            cursor.executemany("DELETE FROM file WHERE space = %s AND place = %s AND path = %s", keys)

        if keys:
            self._space.written(PLACE, drop)

    def _key(self, name: str) -> tuple[int, str, str]:
        if any(part in {"", ".", ".."} for part in name.split("/")) or not name.isprintable():
            raise BadObjectName(name)
        return self._space.id, PLACE, self._prefix + name

    @property
    def _space(self) -> DatabaseSpace:
        if self._found is None:
            database = PostgresDatabase(self._address)
            try:
                bound = database.open().bound_to()
                team, person = bound[0] if bound else (STORE, STORE)
                self._found = database.team(team, person).own
            except BaseException:
                database.close()
                raise
        return self._found


def _strip_secrets(parts: SplitResult) -> str:
    user, at, host = parts.netloc.rpartition("@")
    query = urlencode([(name, value) for name, value in parse_qsl(parts.query) if name not in SECRET], safe="/")
    shown = user.partition(":")[0] + at + host
    return f"{parts.scheme}://{shown}{parts.path.rstrip('/')}" + (f"?{query}" if query else "")
