"""Vectors beside the passages of a collection: put with them, and gone with them.

They lie in blocks, one signed byte a number, so that a million are read in few pieces. Which blocks moved since a
process last looked is told by a number that only grows.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

import apsw

from holdfast.core.memory_json import from_json
from holdfast.core.passage_store import Vector, embedded_words
from holdfast.core.shelf import UNSIGNED
from holdfast.index.entry_rows import loads
from holdfast.index.sqlite.collections import MEMORY, TABLES

BLOCK = 256


def count_vectors(db: apsw.Connection, place: str) -> Mapping[str, int]:
    """How many vectors of each model there are."""
    asked = "SELECT model, sum(there) FROM block WHERE place = ? GROUP BY model ORDER BY model"
    return {model: int(count) for model, count in db.execute(asked, (place,)) if count}


def drop_models(db: apsw.Connection, place: str, keep: Collection[str]) -> int:
    """Take away the vectors of every other model; how many went."""
    gone = {model: count for model, count in count_vectors(db, place).items() if model not in keep}
    for model in gone:
        for table in ("block", "vector", "token"):
            db.execute(f"DELETE FROM {table} WHERE place = ? AND model = ?", (place, model))  # noqa: S608 -- tables are ours
    if gone:
        db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changed'")
    return sum(gone.values())


def forget_vectors(db: apsw.Connection, place: str, rows: Iterable[int], only: str = "") -> None:
    """Take vectors and token counts of passages along; those of every model, or of one."""
    gone: dict[str, dict[int, bytes]] = defaultdict(dict)
    for row in rows:
        for model, tokens in db.execute("SELECT model, tokens FROM vector WHERE place = ? AND row = ?", (place, row)):
            if only in ("", model):
                gone[model][row] = tokens
    for model, tokens_of in gone.items():
        _write_blocks(db, place, model, dict.fromkeys(tokens_of, b""))
        _add_token_counts(
            db, place, model, Counter(each for tokens in tokens_of.values() for each in _tokens(tokens)), -1
        )
        those = ((place, row, model) for row in tokens_of)
        db.executemany("DELETE FROM vector WHERE place = ? AND row = ? AND model = ?", those)


def rows_without_vector(db: apsw.Connection, place: str, model: str, limit: int) -> list[tuple[int, str]]:
    """Passages that have no vector of a model yet, the newest first, with their words."""
    table = TABLES[place].rows
    column = "data" if place == MEMORY else "text"
    statement = f"""
        SELECT row, {column} FROM {table}
        WHERE NOT EXISTS (SELECT 1 FROM vector WHERE place = ? AND model = ? AND vector.row = {table}.row)
        ORDER BY row DESC LIMIT ?
    """  # noqa: S608 -- tables and columns are ours
    found: list[tuple[int, str]] = list(db.execute(statement, (place, model, limit)))
    return [(row, _words(text) if place == MEMORY else text) for row, text in found]


def count_without_vector(db: apsw.Connection, place: str, model: str) -> int:
    """How many passages have no vector of a model yet."""
    all_rows = db.execute("SELECT passages FROM total WHERE place = ?", (place,)).get or 0
    done = db.execute("SELECT total(there) FROM block WHERE place = ? AND model = ?", (place, model)).get
    return int(all_rows) - int(done)


def put_vectors(db: apsw.Connection, place: str, model: str, vectors: Iterable[Vector]) -> None:
    """Keep vectors of a model, and count their tokens."""
    new = {vector.row: vector for vector in vectors}
    forget_vectors(db, place, new, model)
    rows = [(place, row, model, array(UNSIGNED, sorted(set(vector.tokens))).tobytes()) for row, vector in new.items()]
    db.executemany("INSERT INTO vector VALUES (?, ?, ?, ?)", rows)
    _write_blocks(db, place, model, {row: vector.data for row, vector in new.items()})
    _add_token_counts(db, place, model, Counter(token for vector in new.values() for token in set(vector.tokens)), 1)


def _write_blocks(db: apsw.Connection, place: str, model: str, vectors: Mapping[int, bytes]) -> None:
    """Put vectors at their places in the blocks; no bytes take one out."""
    if not vectors:
        return
    db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changed'")
    blocks: dict[int, dict[int, bytes]] = defaultdict(dict)
    for row, data in vectors.items():
        blocks[row // BLOCK][row % BLOCK] = data
    for block, those in sorted(blocks.items()):
        asked = "SELECT there, data FROM block WHERE place = ? AND model = ? AND block = ?"
        there, held = db.execute(asked, (place, model, block)).fetchone() or (0, b"")
        there += sum(1 if data else -1 for data in those.values())
        _put_block(db, (place, model, block), there, _fill_block(bytearray(held), those) if there else b"")


def _fill_block(held: bytearray, vectors: Mapping[int, bytes]) -> bytes:
    size = len(held) // BLOCK or max(map(len, vectors.values()))
    held = held or bytearray(BLOCK * size)
    for at, data in vectors.items():
        if len(data) not in (0, size):
            raise ValueError(f"a vector of {len(data)} numbers among vectors of {size}")
        held[at * size : (at + 1) * size] = data or bytes(size)
    return bytes(held)


def _put_block(db: apsw.Connection, key: tuple[str, str, int], there: int, data: bytes) -> None:
    statement = """
        INSERT INTO block (place, model, block, changed, there, data)
        VALUES (?, ?, ?, (SELECT value FROM meta WHERE key = 'changed'), ?, ?)
        ON CONFLICT (place, model, block) DO UPDATE
        SET changed = excluded.changed, there = excluded.there, data = excluded.data
    """
    db.execute(statement, (*key, there, data))


def _add_token_counts(db: apsw.Connection, place: str, model: str, tokens: Mapping[int, int], sign: int) -> None:
    statement = """
        INSERT INTO token VALUES (?, ?, ?, ?)
        ON CONFLICT (place, token, model) DO UPDATE SET count = count + excluded.count
    """
    db.executemany(statement, ((place, token, model, sign * count) for token, count in sorted(tokens.items())))


def _tokens(data: bytes) -> Iterator[int]:
    found = array(UNSIGNED)
    found.frombytes(data)
    return iter(found)


def _words(data: str) -> str:
    return embedded_words(from_json(loads(data)))
