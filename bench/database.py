"""A team's PostgreSQL: how fast it is written and asked, and how it grows. Ratios are against SQLite in the same run.

python -m bench.database                  10,000 and 100,000 memories
python -m bench.database 1000000          a million (half an hour, some 6 GB)
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial

import numpy as np
from tests.databases import database, new_space, postgres

from bench.made import Generator
from bench.table import table
from holdfast.backends.postgres.database import Space
from holdfast.backends.postgres.index import PostgresIndex
from holdfast.backends.postgres.journal import PostgresJournal
from holdfast.backends.sqlite.index import SqliteIndex
from holdfast.domain.event import Event
from holdfast.domain.memory import FOLDERS, Entry, Memory, Scope
from holdfast.domain.search import Change, Question, Source, SourceChange
from holdfast.index.passages import passage
from holdfast.ports.passages import MEMORY, Vector
from holdfast.recall.search import search

SIZES = (10_000, 100_000)
CHUNK = 1_000
QUERIES = 200
DIMS = 256
MODEL = "bench@256"
HEAD = ("memories", "what", "PostgreSQL", "SQLite", "ratio")

KINDS = {folder: kind for kind, folder in FOLDERS.items()}

Figure = tuple[str, str, str, str, str]
Index = PostgresIndex | SqliteIndex


def main(sizes: Sequence[int] = SIZES) -> None:
    """Print the figures."""
    with postgres(durable=True) as url, database(url) as found:
        journal = _appends(new_space(found))
        print(table("Journal in PostgreSQL, fsync on", ("what", "events a second"), journal), flush=True)
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder, closing(SqliteIndex.open(f"{folder}/index.db")) as lite:
                print(table("Index", HEAD, list(_figures(new_space(found), lite, size))), flush=True)


def _figures(space: Space, lite: SqliteIndex, size: int) -> Iterator[Figure]:
    team = PostgresIndex(space)
    made = Generator(seed=7)
    memories = [_memory(*made.memory(number)) for number in range(size)]
    yield _row(size, "indexed, memories a second", _written(team, memories), _written(lite, memories), best=max)
    questions = [made.query() for _ in range(QUERIES)]
    for share, name in ((0.5, "words, p50 ms"), (0.95, "words, p95 ms")):
        yield _row(size, name, _asked(team, questions, share), _asked(lite, questions, share))
    chance = np.random.default_rng(3)
    near = np.clip(chance.normal(0, 40, (size, DIMS)), -127, 127).astype(np.int8)
    vectors = [Vector(row=row, data=each.tobytes()) for row, each in enumerate(near, 1)]
    begun = time.perf_counter()
    for at in range(0, size, CHUNK):
        team.put_vectors(MEMORY, MODEL, vectors[at : at + CHUNK])
    yield (f"{size:,}", "vectors into HNSW, a second", f"{size / (time.perf_counter() - begun):,.0f}", "", "")
    shelf = team.shelf(MEMORY)
    wanted = [
        (each / np.linalg.norm(each.astype(np.float32))).astype(np.float32) for each in near[:: max(1, size // 100)]
    ]
    times = sorted(_timed(partial(shelf.by_vector, MODEL, each, 10)) for each in wanted)
    yield (f"{size:,}", "nearest ten by HNSW, p95 ms", f"{1000 * times[int(len(times) * 0.95) - 1]:.1f}", "", "")
    with space.reading() as cursor:
        tables = ["passage", "term", "mention", "source", "vector"]
        for name in tables:
            asked = "SELECT pg_total_relation_size(%s::regclass)"
            found = cursor.execute(asked, (name,)).fetchone()
            yield (f"{size:,}", f"table {name}, MB (all sizes so far)", f"{(found or (0,))[0] / 1e6:,.0f}", "", "")


def _written(index: Index, memories: Sequence[Memory]) -> float:
    begun = time.perf_counter()
    for at in range(0, len(memories), CHUNK):
        index.apply(Change(sources=tuple(_source(memory) for memory in memories[at : at + CHUNK])))
    return len(memories) / (time.perf_counter() - begun)


def _memory(path: str, title: str, body: str) -> Memory:
    name = path.rpartition("/")[2].removesuffix(".md")
    return Memory(id=name, type=KINDS[path.partition("/")[0]], title=title, body=body, updated="2026-11-15")


def _source(memory: Memory) -> SourceChange:
    path = f"memory/{memory.id}.md"
    entry = Entry(memory=memory, scope=Scope.WORKSPACE, path=path, line=1, sha256="0" * 64)
    source = Source(scope=Scope.WORKSPACE, path=path, stamp="1", sha256="0" * 64)
    return SourceChange(source=source, passages=(passage(entry),))


def _asked(index: Index, questions: Sequence[str], share: float) -> float:
    times = sorted(_timed(partial(search, Question(text=each), index)) for each in questions)
    return 1000 * times[min(len(times) - 1, int(len(times) * share))]


def _timed(verb: Callable[[], object]) -> float:
    begun = time.perf_counter()
    verb()
    return time.perf_counter() - begun


def _appends(space: Space) -> list[tuple[str, str]]:
    journal = PostgresJournal(space)
    events = [
        Event(client="bench", session="s", name="prompt", key=f"k{n}", data={"prompt": "x" * 300}) for n in range(5_000)
    ]
    begun = time.perf_counter()
    for event in events[:500]:
        journal.append([event])
    single = 500 / (time.perf_counter() - begun)
    begun = time.perf_counter()
    for at in range(500, 5_000, 500):
        journal.append(events[at : at + 500])
    return [
        ("one a transaction", f"{single:,.0f}"),
        ("500 a transaction", f"{4_500 / (time.perf_counter() - begun):,.0f}"),
    ]


def _row(size: int, name: str, team: float, lite: float, best: Callable[..., float] = min) -> Figure:
    ratio = team / lite if best is min else lite / team
    return f"{size:,}", name, f"{team:,.1f}", f"{lite:,.1f}", f"{ratio:.1f} ×"


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or SIZES)
