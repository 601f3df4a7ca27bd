"""Memory and candidate files in PostgreSQL: the same bytes as on disk, changed by compare-and-swap."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256

from holdfast.core.memory import FOLDERS, Entry, Memory, MemoryFile, Problem, Scope
from holdfast.core.vault_store import IdTaken, MemoryFileMissing, MemoryMoved, Texts
from holdfast.exchange.postgres.change_feed import append_entry
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.index_rows import strip_unstorable

MEMORY, CANDIDATES = "memory", "candidates"
FILES = "files"


class PostgresVault:
    """The files of a space."""

    def __init__(self, space: DatabaseSpace, texts: Texts, scope: Scope = Scope.WORKSPACE, place: str = MEMORY) -> None:
        self._space = space
        self._texts = texts
        self._scope = scope
        self._place = place

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    def stamps(self) -> Mapping[str, str]:
        """Every file with the number of its last change."""
        asked = "SELECT path, changed FROM file WHERE space = %s AND place = %s"
        with self._space.reading() as cursor:
            found = cursor.execute(asked, (self._space.id, self._place))
            return {str(path): str(changed) for path, changed in found}

    def read(self, path: str) -> MemoryFile | None:
        """One file, parsed; what does not parse is among its problems. None when it is gone."""
        data = self.raw(path)
        return None if data is None else self._texts.read(data, path, self._scope)

    def raw(self, path: str) -> bytes | None:
        """One file's bytes."""
        if "\0" in path:
            return None
        with self._space.reading() as cursor:
            return self._data(cursor, path)

    def problems(self) -> Sequence[Problem]:
        """Nothing but files can be here."""
        return ()

    def create(self, memory: Memory, *, drawn: bool = False) -> Entry:  # noqa: ARG002 -- looking costs nothing here
        """A new file in the folder of the memory's type."""
        return self.create_at(f"{FOLDERS[memory.type]}/{self._texts.name(memory.id, memory.title)}", memory)

    def create_at(self, path: str, memory: Memory) -> Entry:
        """A new file at a path; committed on return. Raises IdTaken when the id has one."""
        data = self._texts.new(memory)

        def made(cursor: Cursor) -> None:
            taken = """
                SELECT path FROM held WHERE space = %(space)s AND place = %(place)s AND id = %(id)s
                UNION ALL
                SELECT path FROM file WHERE space = %(space)s AND place = %(place)s AND path = %(path)s LIMIT 1
            """
            given = {"space": self._space.id, "place": self._place, "id": strip_unstorable(memory.id), "path": path}
            found = cursor.execute(taken, given).fetchone()
            if found:
                raise IdTaken(memory.id, str(found[0]))
            self._put(cursor, path, data)

        self._space.written(FILES, made)
        return self._entry(memory, path, 1, data)

    def rewrite(self, entry: Entry, memory: Memory) -> Entry:
        """Change what differs, in place. Raises MemoryMoved or MemoryFileMissing if the file is not as it was read."""
        with self._unmoved(entry) as (cursor, held):
            data = self._texts.changed(held, entry.line, memory)
            self._put(cursor, entry.path, data)
        return self._entry(memory, entry.path, entry.line, data)

    def remove(self, entry: Entry) -> str:
        """Take the entry out, and its file if nothing else is in it; its text."""
        with self._unmoved(entry) as (cursor, held):
            rest, removed = self._texts.without(held, entry.line)
            self.put_in(cursor, entry.path, rest)
        return removed

    def swap(self, path: str, data: bytes | None, then: str) -> str:
        """Put a file's bytes (None: remove it) if it still has the sum `then` (empty: is not there); empty, or the sum
        it has instead: then nothing is written.
        """

        def swapped(cursor: Cursor) -> str:
            held = self._data(cursor, path)
            now = sha256(held).hexdigest() if held is not None else ""
            if now != then:
                return now or "gone"
            self.put_in(cursor, path, data)
            return ""

        return self._space.written(FILES, swapped)

    def put_in(self, cursor: Cursor, path: str, data: bytes | None) -> None:
        """Put a file's bytes, or remove it, in a transaction of the files."""
        if data is not None:
            self._put(cursor, path, data)
            return
        key = (self._space.id, self._place, path)
        cursor.execute("DELETE FROM file WHERE space = %s AND place = %s AND path = %s", key)
        append_entry(cursor, self._space, "file_removed", {"place": self._place, "path": path})

    @contextmanager
    def _unmoved(self, entry: Entry) -> Iterator[tuple[Cursor, bytes]]:
        with self._space.writing(FILES) as cursor:
            data = self._data(cursor, entry.path)
            if data is None:
                raise MemoryFileMissing(entry.memory.id, entry.path)
            if (now := sha256(data).hexdigest()) != entry.sha256:
                raise MemoryMoved(entry.memory.id, entry.sha256, now)
            yield cursor, data

    def _data(self, cursor: Cursor, path: str) -> bytes | None:
        asked = "SELECT data FROM file WHERE space = %s AND place = %s AND path = %s"
        found = cursor.execute(asked, (self._space.id, self._place, path)).fetchone()
        return bytes(found[0]) if found else None

    def _put(self, cursor: Cursor, path: str, data: bytes) -> None:
        changed = append_entry(cursor, self._space, "file_changed", {"place": self._place, "path": path})
        ids = [strip_unstorable(entry.memory.id) for entry in self._texts.read(data, path, self._scope).entries]
        put = """
            INSERT INTO file (space, place, path, data, sha256, ids, changed, author)
            VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
            ON CONFLICT (space, place, path) DO UPDATE SET data = excluded.data, sha256 = excluded.sha256,
                ids = excluded.ids, changed = excluded.changed, author = excluded.author, at = now()
        """
        digest = sha256(data).hexdigest()
        row = (self._space.id, self._place, path, data, digest, ids, changed, self._space.team.person)
        cursor.execute(put, row)

    def _entry(self, memory: Memory, path: str, line: int, data: bytes) -> Entry:
        return Entry(memory=memory, scope=self._scope, path=path, line=line, sha256=sha256(data).hexdigest())
