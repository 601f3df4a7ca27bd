"""Which passages hold a term or mention a name: eight bytes each, in blocks. The newest stand beside the term."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from holdfast.core.value import Value
from holdfast.exchange.postgres.bulk_rows import format_array, put_rows
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.index_rows import strip_unstorable

Numbers = npt.NDArray[np.int64]
# Past so many bytes, what stands beside a term becomes a block of its own.
TAIL = 1024
MOST = 0xFFFF


class TermPostings(Value):
    """The postings of a term: in how many passages it stands, their rows, and what is told of each.

    `passages` and `terms` are how many there are in the whole collection.
    """

    count: int
    rows: Numbers
    details: Numbers
    passages: int
    terms: int


def pack_terms(rows: Numbers, weights: Numbers, sizes: Numbers) -> Numbers:
    """Passages that hold terms, as they are kept. More than 65,535 counts as that."""
    return rows << 32 | np.minimum(weights, MOST) << 16 | np.minimum(sizes, MOST)


def pack_names(rows: Numbers, groups: Numbers, later: Numbers) -> Numbers:
    """Passages that mention names, as they are kept; `later` where it is not what the passage is called."""
    return rows << 32 | groups << 1 | later


def put_postings(cursor: Cursor, space: DatabaseSpace, place: str, held: Sequence[str], kept: Numbers) -> None:
    """Add passages to terms: for each place in `held` what is kept of it. Their rows are higher than any before."""
    # In the order of the words, always: two that write at once never wait for each other in a ring.
    terms = sorted(set(held))
    if not terms:
        return
    number = {term: at for at, term in enumerate(terms)}
    numbers = np.fromiter(map(number.__getitem__, held), np.int64, len(held))
    blocks = _cut_blocks(kept[np.argsort(numbers, kind="stable")], np.bincount(numbers))
    put = """
        WITH put AS (
            INSERT INTO term SELECT %s, %s, term, length(data) / 8, data
            FROM unnest(%s::text[], %s::bytea[]) AS made (term, data)
            ON CONFLICT (space, place, term) DO UPDATE SET count = term.count + excluded.count,
                tail = term.tail || excluded.tail
            RETURNING term, tail
        )
        SELECT term, tail FROM put WHERE length(tail) > %s ORDER BY term
    """
    given = (space.id, place, format_array("text", terms), format_array("bytea", blocks), TAIL)
    cursor.execute(put, given, binary=True)
    full = [(place, str(term), int.from_bytes(tail[:4]), tail) for term, tail in cursor]
    put_rows(cursor, space, "posting", "text text integer bytea", full)
    emptied = "UPDATE term SET tail = '' WHERE space = %s AND place = %s AND term = ANY (%s)"
    if full:
        cursor.execute(emptied, (space.id, place, [term for _, term, *_ in full]))


def drop_postings(cursor: Cursor, space: DatabaseSpace, place: str, gone: Mapping[str, Sequence[int]]) -> None:
    """Take passages away from terms."""
    terms = sorted(gone)
    if not terms:
        return
    blocks = """
        SELECT DISTINCT gone.term, block.first, block.data
        FROM unnest(%(names)s::text[], %(rows)s::integer[]) AS gone (term, row), LATERAL (
            SELECT first, data FROM posting
            WHERE space = %(space)s AND place = %(place)s AND term = gone.term AND first <= gone.row
            ORDER BY first DESC LIMIT 1) AS block
    """
    pairs = [(term, row) for term in terms for row in gone[term]]
    given = {
        "space": space.id, "place": place, "names": format_array("text", (term for term, _ in pairs)),
        "rows": format_array("integer", (row for _, row in pairs)),
    }  # fmt: skip
    found = cursor.execute(blocks, given, binary=True).fetchall()
    left = _drop_rows([data for *_, data in found], [gone[term] for term, *_ in found])
    changed = [(term, first, now) for (term, first, data), now in zip(found, left, strict=True) if now != data]
    _rewrite_blocks(cursor, space, place, changed)
    _shorten_terms(cursor, space, place, gone)


def load_postings(cursor: Cursor, space: DatabaseSpace, place: str, terms: Iterable[str]) -> dict[str, TermPostings]:
    """The postings of terms; those that stand nowhere are left out."""
    asked = """
        SELECT term, count, tail, (
            SELECT string_agg(data, '') FROM posting
            WHERE posting.space = %(space)s AND posting.place = %(place)s AND posting.term = term.term),
            (SELECT ARRAY[passages, terms] FROM total WHERE space = %(space)s AND place = %(place)s)
        FROM term WHERE space = %(space)s AND place = %(place)s AND term = ANY (%(terms)s)
    """
    given = {"space": space.id, "place": place, "terms": [strip_unstorable(term) for term in terms]}
    found = cursor.execute(asked, given, binary=True)
    return {
        str(term): _unpack_postings(int(count), (blocks or b"") + tail, *(totals or (0, 0)))
        for term, count, tail, blocks, totals in found
    }


def _shorten_terms(cursor: Cursor, space: DatabaseSpace, place: str, gone: Mapping[str, Sequence[int]]) -> None:
    """Count terms that lose passages, and take those from what stands beside them; a term that has none left goes."""
    tails = "SELECT term, tail FROM term WHERE space = %s AND place = %s AND term = ANY (%s::text[]) ORDER BY term"
    held = cursor.execute(tails, (space.id, place, format_array("text", gone)), binary=True).fetchall()
    names = [str(term) for term, _ in held]
    counted = """
        UPDATE term SET count = count - made.gone, tail = made.tail
        FROM unnest(%s::text[], %s::integer[], %s::bytea[]) AS made (term, gone, tail)
        WHERE space = %s AND place = %s AND term.term = made.term
    """
    left = _drop_rows([tail for _, tail in held], [gone[term] for term in names])
    fewer = format_array("integer", (len(gone[term]) for term in names))
    cursor.execute(counted, (format_array("text", names), fewer, format_array("bytea", left), space.id, place))
    over = "DELETE FROM term WHERE space = %s AND place = %s AND term = ANY (%s::text[]) AND count <= 0"
    cursor.execute(over, (space.id, place, format_array("text", names)))


def _rewrite_blocks(cursor: Cursor, space: DatabaseSpace, place: str, blocks: Sequence[tuple[str, int, bytes]]) -> None:
    empty = [(term, first) for term, first, data in blocks if not data]
    kept = [block for block in blocks if block[2]]
    gone = """
        DELETE FROM posting USING unnest(%s::text[], %s::integer[]) AS empty (term, first)
        WHERE space = %s AND place = %s AND posting.term = empty.term AND posting.first = empty.first
    """
    if empty:
        names, firsts = zip(*empty, strict=True)
        cursor.execute(gone, (format_array("text", names), format_array("integer", firsts), space.id, place))
    put = """
        UPDATE posting SET data = made.data
        FROM unnest(%s::text[], %s::integer[], %s::bytea[]) AS made (term, first, data)
        WHERE space = %s AND place = %s AND posting.term = made.term AND posting.first = made.first
    """
    if kept:
        names, firsts, data = zip(*kept, strict=True)
        cursor.execute(
            put,
            (
                format_array("text", names),
                format_array("integer", firsts),
                format_array("bytea", data),
                space.id,
                place,
            ),
        )


def _drop_rows(blocks: Sequence[bytes], gone: Sequence[Sequence[int]]) -> list[bytes]:
    """Blocks, each without the rows that go from it."""
    whole = np.frombuffer(b"".join(blocks), ">i8").astype(np.int64)
    owner = np.repeat(np.arange(len(blocks)), [len(block) // 8 for block in blocks])
    going = np.array([at << 32 | row for at, rows in enumerate(gone) for row in rows], np.int64)
    kept = ~np.isin(owner << 32 | whole >> 32, going)
    return _cut_blocks(whole[kept], np.bincount(owner[kept], minlength=len(blocks)))


def _cut_blocks(kept: Numbers, counts: Numbers) -> list[bytes]:
    """What is kept, cut into blocks of so many each."""
    data = kept.astype(">i8").tobytes()
    return [data[start:end] for start, end in pairwise([0, *(8 * np.cumsum(counts)).tolist()])]


def _unpack_postings(count: int, data: bytes, passages: int, terms: int) -> TermPostings:
    whole = np.frombuffer(data, ">i8").astype(np.int64)
    return TermPostings(count=count, rows=whole >> 32, details=whole & 0xFFFFFFFF, passages=passages, terms=terms)
