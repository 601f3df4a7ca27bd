"""What a collection is counted by: its terms, its names, its size. Kept with every change: no question counts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from holdfast.core.value import Value
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.index_rows import strip_unstorable
from holdfast.exchange.postgres.postings import Numbers, drop_postings, pack_names, pack_terms, put_postings

OWN, OTHER = 0, 1
# Names are terms of a collection beside the collection's own.
NAMES = " name"


class PostgresPassageCounts(Value):
    """A passage as it is counted: its terms with what each weighs. `called` is its title as a name."""

    row: int
    group: int
    terms: Mapping[str, int]
    size: int
    names: Sequence[str]
    called: str = ""


def counts_of_row(row: int, group: int, worded: str, names: Sequence[str]) -> PostgresPassageCounts:
    """A passage that goes, by what its row says."""
    terms = worded.split()
    return PostgresPassageCounts(row=row, group=group, terms=dict.fromkeys(terms, 0), size=len(terms), names=names)


def count_in(cursor: Cursor, space: DatabaseSpace, place: str, new: Sequence[PostgresPassageCounts]) -> None:
    """Count passages that came."""
    terms = [term for each in new for term in each.terms]
    rows, sizes = _repeat_numbers([(each.row, each.size, len(each.terms)) for each in new])
    weights = np.array([weight for each in new for weight in each.terms.values()], np.int64)
    put_postings(cursor, space, place, terms, pack_terms(rows, weights, sizes))
    named = [[*dict.fromkeys(map(strip_unstorable, each.names))] for each in new]
    rows, groups = _repeat_numbers([(each.row, each.group, len(names)) for each, names in zip(new, named, strict=True)])
    own = [strip_unstorable(each.called) == name for each, names in zip(new, named, strict=True) for name in names]
    later = np.where(np.array(own, bool), OWN, OTHER)
    put_postings(cursor, space, place + NAMES, [*chain.from_iterable(named)], pack_names(rows, groups, later))
    _add_total(cursor, space, place, len(new), sum(each.size for each in new))


def count_out(cursor: Cursor, space: DatabaseSpace, place: str, gone: Sequence[PostgresPassageCounts]) -> None:
    """Count passages that go."""
    terms, names = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for each in gone:
        for term in each.terms:
            terms[term].append(each.row)
        for name in dict.fromkeys(map(strip_unstorable, each.names)):
            names[name].append(each.row)
    drop_postings(cursor, space, place, terms)
    drop_postings(cursor, space, place + NAMES, names)
    _add_total(cursor, space, place, -len(gone), -sum(each.size for each in gone))


def count_groups(cursor: Cursor, space: DatabaseSpace, place: str, by: int) -> None:
    """So many groups more, or fewer."""
    _add_total(cursor, space, place, groups=by)


def count_terms(cursor: Cursor, space: DatabaseSpace, place: str, terms: Iterable[str]) -> tuple[dict[str, int], int]:
    """In how many passages each term stands, and how many passages there are."""
    wanted = dict.fromkeys(terms, 0)
    asked = """
        SELECT term, count FROM term WHERE space = %(space)s AND place = %(place)s AND term = ANY (%(terms)s)
        UNION ALL SELECT NULL, passages FROM total WHERE space = %(space)s AND place = %(place)s
    """
    given = {"space": space.id, "place": place, "terms": [strip_unstorable(term) for term in wanted]}
    found = {term: int(count) for term, count in cursor.execute(asked, given)}
    return {term: found.get(strip_unstorable(term), 0) for term in wanted}, found.get(None, 0)


def read_totals(cursor: Cursor, space: DatabaseSpace, place: str) -> tuple[int, int, int]:
    """How many passages, terms and groups there are."""
    asked = "SELECT passages, terms, groups FROM total WHERE space = %s AND place = %s"
    found = cursor.execute(asked, (space.id, place)).fetchone() or (0, 0, 0)
    return int(found[0]), int(found[1]), int(found[2])


def _add_total(
    cursor: Cursor, space: DatabaseSpace, place: str, passages: int = 0, terms: int = 0, groups: int = 0
) -> None:
    added = """
        INSERT INTO total VALUES (%s, %s, %s, %s, %s) ON CONFLICT (space, place) DO UPDATE SET
        passages = total.passages + excluded.passages, terms = total.terms + excluded.terms,
        groups = total.groups + excluded.groups
    """
    cursor.execute(added, (space.id, place, passages, terms, groups))


def _repeat_numbers(each: Sequence[tuple[int, int, int]]) -> tuple[Numbers, Numbers]:
    """Two numbers of every passage, as often as the third says."""
    whole = np.array(each, np.int64).reshape(-1, 3)
    return np.repeat(whole[:, 0], whole[:, 2]), np.repeat(whole[:, 1], whole[:, 2])
