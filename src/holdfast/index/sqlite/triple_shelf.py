"""The shelf of memories with the names that their triples add."""

from collections.abc import Iterable, Mapping, Sequence

import apsw

from holdfast.core.triple_store import Facts
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf
from holdfast.index.sqlite.term_counts import dumps


class FactShelf(SqliteShelf):
    """A collection whose passages also mention both ends of every triple that they state."""

    def __init__(self, db: apsw.Connection, place: str, facts: Facts) -> None:
        super().__init__(db, place)
        self._facts = facts

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that passages mention, and the ends of what they state."""
        wanted = list(rows)
        found = dict(super().naming(wanted))
        for row, ends in self._facts.ends(wanted).items():
            found[row] = list(dict.fromkeys((*found.get(row, ()), *ends)))
        return found

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, then those that state something of it."""
        wanted = list(names)
        found = dict(super().named(wanted, limit))
        for name, rows in self._facts.named(wanted, limit).items() if limit > 0 else ():
            found[name] = list(dict.fromkeys((*found.get(name, ()), *rows)))[:limit]
        return found

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned, or about how many state something of it: the greater of both.

        Most that state something of a name mention it too.
        """
        wanted = list(names)
        found = dict(super().name_counts(wanted))
        for name, count in self._facts.tallies(wanted).items():
            found[name] = max(count, found.get(name, 0))
        return found


def memory_file_sums(db: apsw.Connection, ids: Sequence[str]) -> list[tuple[int, str, str]]:
    """The rows of accepted memories, each with its id and the sha256 of its file."""
    statement = """
        SELECT row, passage.id, sha256 FROM json_each(?) AS wanted CROSS JOIN passage ON passage.id = wanted.value
        WHERE status = 'accepted'
    """
    return [(int(row), str(name), str(file)) for row, name, file in db.execute(statement, (dumps(ids),))]


def replaced_ids(db: apsw.Connection) -> frozenset[str]:
    """The ids of memories that others have replaced."""
    return frozenset(str(old) for (old,) in db.execute("SELECT DISTINCT old FROM link"))
