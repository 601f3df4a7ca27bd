"""What a collection is counted by: its terms, its names, its size. Kept with every change: no question counts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from holdfast.backends.postgres.database import Cursor, Row, Space
from holdfast.backends.postgres.rows import storable
from holdfast.domain.value import Value

OWN, OTHER = 0, 1


class Counted(Value):
    """A passage as it is counted. `called` is its title as a name."""

    row: int
    group: int
    terms: Sequence[str]
    names: Sequence[str]
    called: str = ""


def numbers_of(cursor: Cursor, space: Space, place: str, terms: Iterable[str]) -> Mapping[str, int]:
    """Terms with their numbers; new ones get one."""
    wanted = sorted({storable(term) for term in terms})
    if not wanted:
        return {}
    made = """
        INSERT INTO term (space, place, term, count) SELECT %s, %s, unnest(%s::text[]), 0
        ON CONFLICT (space, place, term) DO NOTHING
    """
    cursor.execute(made, (space.id, place, wanted))
    asked = "SELECT term, id FROM term WHERE space = %s AND place = %s AND term = ANY (%s)"
    return {str(term): int(number) for term, number in cursor.execute(asked, (space.id, place, wanted))}


def put_rows(cursor: Cursor, table: str, rows: Sequence[Row]) -> None:
    """Rows into a table, in one go. COPY would be faster, and knows no row-level security."""
    if rows:
        places = ", ".join(["%s"] * len(rows[0]))
        cursor.executemany(f"INSERT INTO {table} VALUES ({places})".encode(), rows)  # noqa: S608 -- tables are ours


def count_in(cursor: Cursor, space: Space, place: str, new: Sequence[Counted]) -> None:
    """Count passages that came."""
    _terms(cursor, space, place, new, 1)
    rows = [
        (space.id, place, storable(name), OWN if name == each.called else OTHER, each.row, each.group)
        for each in new
        for name in dict.fromkeys(each.names)
    ]
    put_rows(cursor, "mention", rows)


def count_out(cursor: Cursor, space: Space, place: str, gone: Sequence[Counted]) -> None:
    """Count passages that go."""
    _terms(cursor, space, place, gone, -1)
    rows = [each.row for each in gone]
    cursor.execute("DELETE FROM mention WHERE space = %s AND place = %s AND row = ANY (%s)", (space.id, place, rows))


def count_groups(cursor: Cursor, space: Space, place: str, by: int) -> None:
    """So many groups more, or fewer."""
    _add_total(cursor, space, place, groups=by)


def frequencies(cursor: Cursor, space: Space, place: str, terms: Iterable[str]) -> dict[str, int]:
    """In how many passages each term stands."""
    wanted = dict.fromkeys(terms, 0)
    asked = "SELECT term, count FROM term WHERE space = %s AND place = %s AND term = ANY (%s)"
    rows = cursor.execute(asked, (space.id, place, [storable(term) for term in wanted]))
    found = {str(term): int(count) for term, count in rows}
    return {term: found.get(storable(term), 0) for term in wanted}


def totals(cursor: Cursor, space: Space, place: str) -> tuple[int, int, int]:
    """How many passages, terms and groups there are."""
    asked = "SELECT passages, terms, groups FROM total WHERE space = %s AND place = %s"
    found = cursor.execute(asked, (space.id, place)).fetchone() or (0, 0, 0)
    return int(found[0]), int(found[1]), int(found[2])


def _terms(cursor: Cursor, space: Space, place: str, passages: Sequence[Counted], sign: int) -> None:
    found: Counter[str] = Counter()
    for each in passages:
        found.update({storable(term) for term in each.terms})
    # In the order of the words, always: two that count at once never wait for each other in a ring.
    counted = """
        UPDATE term SET count = count + wanted.by
        FROM (SELECT unnest(%s::text[]) AS term, unnest(%s::integer[]) AS by ORDER BY 1) AS wanted
        WHERE space = %s AND place = %s AND term.term = wanted.term
    """
    words = sorted(found)
    cursor.execute(counted, (words, [sign * found[word] for word in words], space.id, place))
    _add_total(cursor, space, place, sign * len(passages), sign * sum(len(each.terms) for each in passages))


def _add_total(cursor: Cursor, space: Space, place: str, passages: int = 0, terms: int = 0, groups: int = 0) -> None:
    added = """
        INSERT INTO total VALUES (%s, %s, %s, %s, %s) ON CONFLICT (space, place) DO UPDATE SET
        passages = total.passages + excluded.passages, terms = total.terms + excluded.terms,
        groups = total.groups + excluded.groups
    """
    cursor.execute(added, (space.id, place, passages, terms, groups))
