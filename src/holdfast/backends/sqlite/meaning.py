"""Names and vectors beside the passages of a collection: put with them, and gone with them."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import apsw

from holdfast.backends.sqlite.places import MEMORY, TABLES, group_number
from holdfast.backends.sqlite.rows import loads
from holdfast.domain.jsonform import from_json
from holdfast.domain.memory import Memory
from holdfast.domain.search import Passage, Spoken
from holdfast.domain.value import Value

UNSIGNED = "I"


class Vector(Value):
    """A passage's vector, one signed byte a number, and the static embedder's tokens in it."""

    row: int
    data: bytes
    tokens: tuple[int, ...] = ()


def put_memory_names(db: apsw.Connection, passages: Iterable[tuple[int, Passage]]) -> None:
    """The names that memories mention; each memory is a group of its own."""
    rows = ((MEMORY, name, row, row) for row, passage in passages for name in passage.names)
    db.executemany("INSERT OR IGNORE INTO mention VALUES (?, ?, ?, ?)", rows)


def put_said_names(db: apsw.Connection, place: str, spoken: Iterable[tuple[int, Spoken]]) -> None:
    """The names that turns and pages mention."""
    rows = ((place, name, row, group_number(each.group)) for row, each in spoken for name in each.names)
    db.executemany("INSERT OR IGNORE INTO mention VALUES (?, ?, ?, ?)", rows)


def forget_rows(db: apsw.Connection, place: str, rows: Sequence[int]) -> None:
    """Take names, vectors and token counts of passages along."""
    for row in rows:
        for model, tokens in db.execute("SELECT model, tokens FROM vector WHERE place = ? AND row = ?", (place, row)):
            _count(db, place, model, Counter(_tokens(tokens)), -1)
    values = [(place, row) for row in rows]
    for table in ("mention", "vector"):
        db.executemany(f"DELETE FROM {table} WHERE place = ? AND row = ?", values)  # noqa: S608 -- tables are ours


def without_vector(db: apsw.Connection, place: str, model: str, limit: int) -> list[tuple[int, str]]:
    """Passages that have no vector of a model yet, the newest first, with their words."""
    table = TABLES[place].rows
    column = "data" if place == MEMORY else "text"
    statement = f"""
        SELECT row, {column} FROM {table}
        WHERE row NOT IN (SELECT row FROM vector WHERE place = ? AND model = ?) ORDER BY row DESC LIMIT ?
    """  # noqa: S608 -- tables and columns are ours
    found: list[tuple[int, str]] = list(db.execute(statement, (place, model, limit)))
    return [(row, _words(text) if place == MEMORY else text) for row, text in found]


def count_without_vector(db: apsw.Connection, place: str, model: str) -> int:
    """How many passages have no vector of a model yet."""
    all_rows = db.execute(f"SELECT count(*) FROM {TABLES[place].rows}").get  # noqa: S608 -- tables are ours
    done = db.execute("SELECT count(*) FROM vector WHERE place = ? AND model = ?", (place, model)).get
    return int(all_rows) - int(done)


def put_vectors(db: apsw.Connection, place: str, model: str, vectors: Iterable[Vector]) -> None:
    """Keep vectors of a model, and count their tokens."""
    counted: Counter[int] = Counter()
    for vector in vectors:
        tokens = array(UNSIGNED, sorted(set(vector.tokens))).tobytes()
        db.execute(
            "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?)", (place, model, vector.row, vector.data, tokens)
        )
        counted.update(set(vector.tokens))
    _count(db, place, model, counted, 1)


def _count(db: apsw.Connection, place: str, model: str, tokens: Mapping[int, int], sign: int) -> None:
    statement = """
        INSERT INTO token VALUES (?, ?, ?, ?)
        ON CONFLICT (place, model, token) DO UPDATE SET count = count + excluded.count
    """
    db.executemany(statement, ((place, model, token, sign * count) for token, count in tokens.items()))


def _tokens(data: bytes) -> Iterator[int]:
    found = array(UNSIGNED)
    found.frombytes(data)
    return iter(found)


def _words(data: str) -> str:
    memory = from_json(loads(data))
    return words_of(memory)


def words_of(memory: Memory) -> str:
    """What a memory says, as an embedder reads it."""
    parts = (memory.title, memory.question, memory.choice, memory.fact, memory.body, memory.root_cause)
    rejected = (f"{option.option} {option.reason}" for option in memory.rejected)
    return "\n".join(dict.fromkeys(part.strip() for part in (*parts, *rejected) if part.strip()))
