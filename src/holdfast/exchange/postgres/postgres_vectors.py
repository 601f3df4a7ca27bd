"""Vectors beside the passages of a collection: put with them, and gone with them. Nearest ones by HNSW."""

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from holdfast.core.embedder import Floats
from holdfast.core.memory_json import from_json
from holdfast.core.passage_store import Vector, embedded_words
from holdfast.exchange.postgres.bulk_rows import put_rows
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.postgres_errors import PostgresDamaged

# An exact look over so few is quicker than an index, and finds all.
EXACT_MOST = 5_000


def forget_vectors(cursor: Cursor, space: DatabaseSpace, place: str, rows: Iterable[int], only: str = "") -> None:
    """Take vectors and token counts of passages along; those of every model, or of one."""
    gone = """
        DELETE FROM vector WHERE space = %s AND place = %s AND row = ANY (%s) AND (%s = '' OR model = %s)
        RETURNING model, tokens, v::text
    """
    found = cursor.execute(gone, (space.id, place, list(rows), only, only)).fetchall()
    for model in {str(name) for name, *_ in found}:
        those = [(tokens, text) for name, tokens, text in found if name == model]
        _add_token_counts(cursor, space, place, model, Counter(token for tokens, _ in those for token in tokens), -1)
        _take_from_sum(cursor, space, place, model, [json.loads(text) for _, text in those])


def rows_without_vector(
    cursor: Cursor, space: DatabaseSpace, place: str, model: str, limit: int
) -> list[tuple[int, str]]:
    """Passages that have no vector of a model yet, the newest first, with their words."""
    asked = """
        SELECT row, data FROM passage WHERE space = %(space)s AND NOT EXISTS (
            SELECT 1 FROM vector WHERE vector.space = %(space)s AND place = %(place)s AND model = %(model)s
            AND vector.row = passage.row)
        ORDER BY row DESC LIMIT %(limit)s
    """
    given = {"space": space.id, "place": place, "model": model, "limit": limit}
    found = cursor.execute(asked, given).fetchall()
    try:
        return [(int(row), embedded_words(from_json(json.loads(data)))) for row, data in found]
    except (ValueError, KeyError, TypeError) as error:
        raise PostgresDamaged(str(error)) from error


def count_without_vector(cursor: Cursor, space: DatabaseSpace, place: str, model: str) -> int:
    """How many passages have no vector of a model yet."""
    asked = """
        SELECT (SELECT coalesce(max(passages), 0) FROM total WHERE space = %(space)s AND place = %(place)s)
             - (SELECT coalesce(max(count), 0) FROM meaning
                WHERE space = %(space)s AND place = %(place)s AND model = %(model)s)
    """
    found = cursor.execute(asked, {"space": space.id, "place": place, "model": model}).fetchone()
    return int(found[0]) if found else 0


def put_vectors(cursor: Cursor, space: DatabaseSpace, place: str, model: str, vectors: Sequence[Vector]) -> None:
    """Keep vectors of a model, and count their tokens; those of passages that went meanwhile are left out."""
    asked = "SELECT row FROM passage WHERE space = %s AND row = ANY (%s)"
    there = {int(row) for (row,) in cursor.execute(asked, (space.id, [vector.row for vector in vectors]))}
    new = {vector.row: vector for vector in vectors if vector.data and vector.row in there}
    if not new:
        return
    forget_vectors(cursor, space, place, new, model)
    whole = np.array([np.frombuffer(vector.data, np.int8) for vector in new.values()], np.float32)
    if sum(count_vectors(cursor, space, place).values()) + len(new) > EXACT_MOST:
        cursor.execute("SELECT index_vectors(%s, %s)", (model, whole.shape[1]))
    rows = [
        (place, vector.row, model, _format_numbers(sorted(set(vector.tokens)), "{}"), _format_numbers(numbers, "[]"))
        for vector, numbers in zip(new.values(), whole.astype(int).tolist(), strict=True)
    ]
    put_rows(cursor, space, "vector", "text integer text text>integer[] text>halfvec", rows)
    _add_token_counts(cursor, space, place, model, Counter(t for each in new.values() for t in set(each.tokens)), 1)
    _add_to_sum(cursor, space, place, model, whole, 1)


def count_vectors(cursor: Cursor, space: DatabaseSpace, place: str) -> Mapping[str, int]:
    """How many vectors of each model there are."""
    asked = "SELECT model, count FROM meaning WHERE space = %s AND place = %s AND count > 0 ORDER BY model"
    return {str(model): int(count) for model, count in cursor.execute(asked, (space.id, place))}


def vector_stats(cursor: Cursor, space: DatabaseSpace, place: str, model: str) -> tuple[int, int, Floats | None]:
    """How many vectors of a model there are, how long each is, and their mean."""
    asked = "SELECT count, dims, total FROM meaning WHERE space = %s AND place = %s AND model = %s AND count > 0"
    found = cursor.execute(asked, (space.id, place, model)).fetchone()
    if found is None:
        return 0, 0, None
    count, dims, total = found
    # What somebody wrote at a prompt is no mean of ours.
    return (int(count), int(dims), (np.array(total) / count).astype(np.float32)) if len(total) == dims else (0, 0, None)


def nearest_rows(cursor: Cursor, space: DatabaseSpace, place: str, model: str, vector: Floats, limit: int) -> list[int]:
    """The nearest rows, best first, equal ones by row."""
    count, dims, _ = vector_stats(cursor, space, place, model)
    if not count or limit <= 0 or len(vector) != dims:
        return []
    given = {
        "space": space.id, "place": place, "model": model, "limit": limit, "more": limit + 8,
        "vector": "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]",
    }  # fmt: skip
    if count <= EXACT_MOST:
        cursor.execute("SET LOCAL enable_indexscan = off")
    asked = f"""
        WITH near AS MATERIALIZED (
            SELECT row, v::halfvec({dims}) <=> %(vector)s::halfvec({dims}) AS far FROM vector
            WHERE space = %(space)s AND place = %(place)s AND model = %(model)s AND vector_dims(v) = {dims}
            ORDER BY v::halfvec({dims}) <=> %(vector)s::halfvec({dims}) LIMIT %(more)s)
        SELECT row FROM near ORDER BY far, row LIMIT %(limit)s
    """  # noqa: S608 -- a number of ours
    found = [int(row) for (row,) in cursor.execute(asked.encode(), given).fetchall()]
    if count <= EXACT_MOST:
        cursor.execute("SET LOCAL enable_indexscan = on")
    return found


def load_vectors(cursor: Cursor, space: DatabaseSpace, place: str, model: str, rows: Sequence[int]) -> Floats | None:
    """Unit vectors by rows, zeros where there is none; None where there are none at all."""
    count, dims, _ = vector_stats(cursor, space, place, model)
    if not count:
        return None
    asked = """
        SELECT row, v::text FROM vector
        WHERE space = %s AND place = %s AND model = %s AND row = ANY (%s) AND vector_dims(v) = %s
    """
    given = (space.id, place, model, list(rows), dims)
    found = {int(row): json.loads(text) for row, text in cursor.execute(asked, given)}
    whole: Floats = np.array([found.get(row, [0.0] * dims) for row in rows], np.float32).reshape(-1, dims)
    return _unit(whole)


def count_tokens(cursor: Cursor, space: DatabaseSpace, place: str, tokens: Sequence[int]) -> list[int]:
    """In how many passages each token stands."""
    asked = "SELECT token, sum(count) FROM token WHERE space = %s AND place = %s AND token = ANY (%s) GROUP BY token"
    found = {int(token): int(count) for token, count in cursor.execute(asked, (space.id, place, list(set(tokens))))}
    return [found.get(token, 0) for token in tokens]


def _format_numbers(numbers: Sequence[int], brackets: str) -> str:
    return brackets[0] + ",".join(map(str, numbers)) + brackets[1]


def _unit(whole: Floats) -> Floats:
    lengths = np.sqrt((whole * whole).sum(1, keepdims=True))
    found: Floats = np.divide(whole, lengths, out=np.zeros_like(whole), where=lengths > 0)
    return found


def _add_to_sum(cursor: Cursor, space: DatabaseSpace, place: str, model: str, whole: Floats, sign: int) -> None:
    """Keep the sum of unit vectors, so that the mean is at hand."""
    total = (_unit(whole).sum(0, dtype=np.float64) * sign).tolist()
    put = """
        INSERT INTO meaning VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (space, place, model) DO UPDATE SET
        count = meaning.count + excluded.count, total = (
            SELECT array_agg(a + b ORDER BY n)
            FROM unnest(meaning.total, excluded.total) WITH ORDINALITY AS both_of (a, b, n))
    """
    cursor.execute(put, (space.id, place, model, whole.shape[1], sign * len(whole), array("d", total).tolist()))


def _take_from_sum(
    cursor: Cursor, space: DatabaseSpace, place: str, model: str, gone: Sequence[Sequence[float]]
) -> None:
    """Vectors of another length were never counted in."""
    asked = "SELECT dims FROM meaning WHERE space = %s AND place = %s AND model = %s"
    found = cursor.execute(asked, (space.id, place, model)).fetchone()
    ours = [each for each in gone if found and len(each) == found[0]]
    if ours:
        _add_to_sum(cursor, space, place, model, np.array(ours, np.float32), -1)


def _add_token_counts(
    cursor: Cursor, space: DatabaseSpace, place: str, model: str, tokens: Mapping[int, int], sign: int
) -> None:
    put = """
        INSERT INTO token SELECT %s, %s, %s, unnest(%s::integer[]), unnest(%s::integer[])
        ON CONFLICT (space, place, token, model) DO UPDATE SET count = token.count + excluded.count
    """
    known = sorted(tokens)
    if known:
        cursor.execute(put, (space.id, place, model, known, [sign * tokens[token] for token in known]))
