"""What a collection is counted by: its terms, its names, its size. Kept with every change: no question counts."""

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import apsw

from holdfast.core.shelf import UNSIGNED
from holdfast.core.value import Value
from holdfast.index.sqlite.collections import MEMORY, SAID

dumps = json.JSONEncoder(separators=(",", ":")).encode
COLUMNS = {
    MEMORY: "row, row, title || ' ' || body || ' ' || tags, names, called FROM passage",
    SAID: "row, number, terms, names, '' FROM spoken",
}
# Names hold no line ends: they are words joined by spaces.
BETWEEN = "\n"
OWN, OTHER = 0, 1
# So many rows of a name stand beside it, so that a walk over hundreds of names reads few pages.
FIRST = 64


class SqlitePassageCounts(Value):
    """A passage as it is counted. `called` is its title as a name."""

    row: int
    group: int
    terms: Sequence[str]
    names: Sequence[str]
    called: str = ""


def count_in(db: apsw.Connection, place: str, passages: Sequence[SqlitePassageCounts]) -> None:
    """Count passages that came."""
    _add_term_counts(db, place, passages, 1)
    numbers = _name_numbers(db, place, passages)
    mentions = list(_mentions(passages, numbers))
    db.executemany("INSERT OR IGNORE INTO mention VALUES (?, ?, ?)", mentions)
    _add_group_counts(db, passages, numbers, 1)
    _put_first(db, mentions)


def count_out(db: apsw.Connection, place: str, rows: Iterable[int]) -> None:
    """Count passages that go, before they do."""
    passages = list(_read_counted(db, place, rows))
    _add_term_counts(db, place, passages, -1)
    numbers = _name_numbers(db, place, passages)
    mentions = list(_mentions(passages, numbers))
    db.executemany("DELETE FROM mention WHERE name = ? AND later = ? AND row = ?", mentions)
    _add_group_counts(db, passages, numbers, -1)
    _put_first(db, mentions, every=True)


def count_groups(db: apsw.Connection, place: str, by: int) -> None:
    """So many groups more, or fewer."""
    _add_total(db, place, groups=by)


def count_terms(db: apsw.Connection, place: str, terms: Iterable[str]) -> dict[str, int]:
    """In how many passages each term stands."""
    wanted = dict.fromkeys(terms, 0)
    statement = """
        SELECT term.term, count FROM json_each(?) AS wanted
        CROSS JOIN term ON term.place = ? AND term.term = wanted.value
    """
    return wanted | dict(db.execute(statement, (dumps(list(wanted)), place)))


def count_passages(db: apsw.Connection, place: str) -> int:
    """How many there are."""
    return int(db.execute("SELECT passages FROM total WHERE place = ?", (place,)).get or 0)


def _read_counted(db: apsw.Connection, place: str, rows: Iterable[int]) -> Iterator[SqlitePassageCounts]:
    for asked in rows:
        found = db.execute(f"SELECT {COLUMNS[place]} WHERE row = ?", (asked,)).fetchone()
        if found is not None:
            row, group, terms, names, called = found
            listed = names.split(BETWEEN) if names else ()
            yield SqlitePassageCounts(row=row, group=group, terms=terms.split(), names=listed, called=called)


def _add_term_counts(db: apsw.Connection, place: str, passages: Sequence[SqlitePassageCounts], sign: int) -> None:
    found: Counter[str] = Counter()
    for each in passages:
        found.update(frozenset(each.terms))
    statement = """
        INSERT INTO term VALUES (?, ?, ?) ON CONFLICT (place, term) DO UPDATE SET count = count + excluded.count
    """
    db.executemany(statement, ((place, term, sign * count) for term, count in sorted(found.items())))
    if sign < 0:
        gone = "DELETE FROM term WHERE place = ? AND term = ? AND count <= 0"
        db.executemany(gone, ((place, term) for term in found))
    _add_total(db, place, sign * len(passages), sign * sum(len(each.terms) for each in passages))


def _add_total(db: apsw.Connection, place: str, passages: int = 0, terms: int = 0, groups: int = 0) -> None:
    statement = """
        INSERT INTO total VALUES (?, ?, ?, ?) ON CONFLICT (place) DO UPDATE SET
        passages = passages + excluded.passages, terms = terms + excluded.terms, groups = groups + excluded.groups
    """
    db.execute(statement, (place, passages, terms, groups))


def _name_numbers(db: apsw.Connection, place: str, passages: Sequence[SqlitePassageCounts]) -> Mapping[str, int]:
    names = list(dict.fromkeys(name for each in passages for name in each.names))
    new = "INSERT OR IGNORE INTO name (place, name, groups, first) VALUES (?, ?, 0, x'')"
    db.executemany(new, ((place, name) for name in names))
    asked = "SELECT number FROM name WHERE place = ? AND name = ?"
    return {name: int(db.execute(asked, (place, name)).get) for name in names}


def _add_group_counts(
    db: apsw.Connection, passages: Sequence[SqlitePassageCounts], numbers: Mapping[str, int], sign: int
) -> None:
    """In how many groups names are mentioned, and by how many rows of each."""
    found = Counter((numbers[name], each.group) for each in passages for name in dict.fromkeys(each.names))
    moved: Counter[int] = Counter()
    change = """
        INSERT INTO mentioning VALUES (?, ?, ?)
        ON CONFLICT (name, "group") DO UPDATE SET rows = rows + excluded.rows RETURNING rows
    """
    for (name, group), rows in found.items():
        left = int(db.execute(change, (name, group, sign * rows)).get)
        if left == rows * max(sign, 0):
            moved[name] += sign
    if sign < 0:
        empty = 'DELETE FROM mentioning WHERE name = ? AND "group" = ? AND rows <= 0'
        db.executemany(empty, found)
    db.executemany("UPDATE name SET groups = groups + ? WHERE number = ?", ((by, name) for name, by in moved.items()))
    db.executemany("DELETE FROM name WHERE number = ? AND groups <= 0", ((name,) for name in moved if sign < 0))


def _mentions(passages: Sequence[SqlitePassageCounts], numbers: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    for each in passages:
        for name in dict.fromkeys(each.names):
            yield numbers[name], OWN if name == each.called else OTHER, each.row


def _put_first(db: apsw.Connection, mentions: Sequence[tuple[int, int, int]], *, every: bool = False) -> None:
    """Keep the first rows of names beside them. New rows come last: where there are enough, only a title goes first."""
    titled = {name for name, later, _ in mentions if later == OWN}
    asked = "SELECT row FROM mention WHERE name = ? ORDER BY later, row LIMIT ?"
    for name in dict.fromkeys(name for name, _, _ in mentions):
        if every or name in titled or not _has_enough(db, name):
            rows = array(UNSIGNED, (row for (row,) in db.execute(asked, (name, FIRST))))
            db.execute("UPDATE name SET first = ? WHERE number = ?", (rows.tobytes(), name))


def _has_enough(db: apsw.Connection, name: int) -> bool:
    held = db.execute("SELECT length(first) FROM name WHERE number = ?", (name,)).get or 0
    return int(held) >= FIRST * array(UNSIGNED).itemsize
