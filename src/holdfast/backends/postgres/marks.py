"""What was purged from a space, as marks without words: nobody who syncs brings it back."""

from collections.abc import Collection

from holdfast.backends.postgres.database import Cursor, Space

PLACE = "gone"


class PostgresMarks:
    """The marks of a space: files of a place of their own, with a name and no bytes."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def gone(self) -> Collection[str]:
        """Every mark."""
        with self._space.reading() as cursor:
            found = cursor.execute("SELECT path FROM file WHERE space = %s AND place = %s", (self._space.id, PLACE))
            return frozenset(str(mark) for (mark,) in found)

    def bury(self, marks: Collection[str]) -> None:
        """Keep marks of what was purged elsewhere."""
        self._space.written(PLACE, lambda cursor: put_marks(cursor, self._space, marks))


def put_marks(cursor: Cursor, space: Space, marks: Collection[str]) -> None:
    """Keep marks, with the transaction."""
    put = """
        INSERT INTO file (space, place, path, data, sha256, ids, changed) VALUES (%s, %s, %s, '', '', '{}', 0)
        ON CONFLICT DO NOTHING
    """
    if marks:
        cursor.executemany(put, [(space.id, PLACE, mark) for mark in sorted(marks)])
