"""What stands beside what in the index: names and the rows that mention them, events, sessions, evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw

from holdfast.index.entry_rows import loads
from holdfast.index.sqlite.index_schema import translate_read_errors
from holdfast.index.sqlite.term_counts import BETWEEN, dumps

_LISTED = "FROM json_each(?1) AS wanted CROSS JOIN"


class SqliteWeb:
    """The index as a graph is read from it. Needs no vectors."""

    def __init__(self, db: apsw.Connection, path: str) -> None:
        self._db = db
        self._path = path

    def memory_rows(self, ids: Iterable[str]) -> Mapping[str, Sequence[int]]:
        """The rows of memories by their ids; an id given twice in the vault has two."""
        found: dict[str, list[int]] = {}
        rows = self._rows(f"SELECT passage.id, row {_LISTED} passage ON passage.id = wanted.value ORDER BY row", ids)
        for memory_id, row in rows:
            found.setdefault(memory_id, []).append(row)
        return found

    def spoken_rows(self, ids: Iterable[str]) -> list[int]:
        """The rows of events and pages, part by part."""
        return [row for (row,) in self._rows(f"SELECT row {_LISTED} spoken ON spoken.id = wanted.value", ids)]

    def named(self, place: str, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The newest rows that mention a name, at most so many of each, and first the one that is called so."""
        statement = f"""
            SELECT wanted.value, (SELECT group_concat(row) FROM (
                SELECT row FROM mention WHERE mention.name = name.number ORDER BY later, row DESC LIMIT ?3))
            {_LISTED} name ON name.place = ?2 AND name.name = wanted.value
        """  # noqa: S608 -- our own words
        found = self._rows(statement, names, place, max(0, limit))
        return {name: [*map(int, rows.split(","))] for name, rows in found if rows}

    def counts(self, place: str, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
        statement = f"SELECT wanted.value, groups {_LISTED} name ON name.place = ?2 AND name.name = wanted.value"
        return dict(self._rows(statement, names, place))

    def naming(self) -> Mapping[str, Sequence[str]]:
        """The names that each memory mentions, by its id."""
        with translate_read_errors(self._path):
            found: Sequence[tuple[Any, ...]] = self._db.execute("SELECT id, names FROM passage").fetchall()
            return {memory_id: names.split(BETWEEN) if names else () for memory_id, names in found}

    def groups(self, place: str) -> int:
        """How many groups there are."""
        with translate_read_errors(self._path):
            return int(self._db.execute("SELECT groups FROM total WHERE place = ?", (place,)).get or 0)

    def names_like(self, place: str, begin: str, limit: int) -> list[str]:
        """Names that begin so, those that most mention first."""
        statement = """
            SELECT name FROM name WHERE place = ? AND name >= ? AND name < ? ORDER BY groups DESC, name LIMIT ?
        """
        with translate_read_errors(self._path):
            return [name for (name,) in self._db.execute(statement, (place, begin, begin + "\U0010ffff", limit))]

    def sessions(self, events: Iterable[str]) -> Mapping[str, str]:
        """The session of each event that is there."""
        return dict(self._rows(f"SELECT event.id, session {_LISTED} event ON event.id = wanted.value", events))

    def turns(self, session: str, limit: int) -> list[int]:
        """The newest rows of what was said in a session, oldest first."""
        statement = """
            SELECT row FROM spoken WHERE "group" = ? AND kind = 'turn' ORDER BY row DESC LIMIT ?
        """
        with translate_read_errors(self._path):
            return [row for (row,) in self._db.execute(statement, (session, limit))][::-1]

    def beside(self, row: int) -> tuple[int | None, int | None]:
        """The rows just before and just after one, in its session or page."""
        near = "SELECT row FROM spoken WHERE number = (SELECT number FROM spoken WHERE row = ?1) AND row {} ?1 "
        with translate_read_errors(self._path):
            before = self._db.execute(near.format("<") + "ORDER BY row DESC LIMIT 1", (row,)).get
            after = self._db.execute(near.format(">") + "ORDER BY row LIMIT 1", (row,)).get
            return before, after

    def evidence(self) -> Mapping[int, Sequence[str]]:
        """The events that memories came from, by the memory's row."""
        # Inside a text of the JSON form its quotes are escaped, so this can only be the field itself.
        statement = """SELECT row, data FROM passage WHERE instr(data, '"evidence":[{') > 0 ORDER BY row"""
        with translate_read_errors(self._path):
            return {
                row: [each["event"] for each in loads(data)["evidence"]] for row, data in self._db.execute(statement)
            }

    def models(self, place: str) -> list[str]:
        """The embedders that there are vectors of."""
        statement = "SELECT DISTINCT model FROM block WHERE place = ? AND there > 0 ORDER BY model"
        with translate_read_errors(self._path):
            return [model for (model,) in self._db.execute(statement, (place,))]

    def _rows(self, statement: str, wanted: Iterable[str], *more: Any) -> Iterator[Any]:
        with translate_read_errors(self._path):
            return iter(self._db.execute(statement, (dumps(list(dict.fromkeys(wanted))), *more)).fetchall())
