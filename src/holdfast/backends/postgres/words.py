"""BM25 over the terms of a collection: rows that hold any are found by GIN, and weighed where they stand."""

import math
from collections.abc import Sequence
from typing import Any

from holdfast.backends.postgres.counts import totals
from holdfast.backends.postgres.database import Cursor, Row, Space
from holdfast.backends.postgres.rows import storable

K1, B = 1.2, 0.75
LEAST_IDF = 1e-6
TABLES = {"memory": "passage", "said": "spoken"}


def ranked(  # noqa: PLR0913 -- one statement, and all that it can be given
    cursor: Cursor, space: Space, place: str, terms: Sequence[str], columns: str, order: str, *,
    where: str = "true", values: dict[str, Any] | None = None, limit: int | None = None,
) -> list[Row]:  # fmt: skip
    """Rows that hold any of the terms: score, then the columns; best first, equal ones in the order given."""
    asked = "SELECT id, term, count FROM term WHERE space = %s AND place = %s AND term = ANY (%s) AND count > 0"
    wanted = [storable(term) for term in dict.fromkeys(terms)]
    known = {str(term): (int(number), int(count)) for number, term, count in
             cursor.execute(asked, (space.id, place, wanted))}  # fmt: skip
    found = [known[term] for term in wanted if term in known]
    if not found:
        return []
    passages, words, _ = totals(cursor, space, place)
    given = {
        "space": space.id, "numbers": [number for number, _ in found], "limit": limit, "k1": K1, "b": B,
        "idfs": [_idf(count, passages) for _, count in found], "mean": max(1e-9, words / max(1, passages)),
        **(values or {}),
    }  # fmt: skip
    cursor.execute(_STATEMENT.format(columns=columns, table=TABLES[place], where=where, order=order).encode(), given)
    return cursor.fetchall()


# Each term's share is added in the order of the terms, so that equal passages have equal scores to the last bit.
_STATEMENT = """
    SELECT (
        SELECT sum(
            asked.idf * (w * (%(k1)s + 1)) / (w + %(k1)s * (1 - %(b)s + %(b)s * size / %(mean)s)) ORDER BY asked.n)
        FROM unnest(%(numbers)s::integer[], %(idfs)s::float8[]) WITH ORDINALITY AS asked (number, idf, n),
        LATERAL (SELECT weights[array_position(terms, asked.number)]::float8 AS w) AS held
        WHERE w IS NOT NULL
    )::float8 AS score, {columns}
    FROM {table} WHERE space = %(space)s AND terms && %(numbers)s::integer[] AND {where}
    ORDER BY score DESC, {order} LIMIT %(limit)s
"""


def _idf(hits: int, rows: int) -> float:
    idf = math.log((rows - hits + 0.5) / (hits + 0.5)) if rows >= hits else 0.0
    return idf if idf > 0.0 else LEAST_IDF
