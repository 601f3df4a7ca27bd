"""Figures of search and index: against SQLite FTS5 used directly over the same raw text, in the same run.

python -m bench.search                 1,000, 10,000 and 100,000 memories
python -m bench.search 1000 10000      only these sizes
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import apsw

from bench.made import Generator, write
from holdfast.core.memory import Scope
from holdfast.core.search import Question
from holdfast.core.value import Value
from holdfast.index.build_index import IndexedVault, sync_index
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.terms import split_terms
from holdfast.journal.file_journal import FileJournal
from holdfast.recall.select import search
from holdfast.vault.file_vault import FileVault

SIZES = (1_000, 10_000, 100_000)
QUERIES = 200
NO_JOURNAL = "/nonexistent/journal"
COLD = """
import sys
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.core.search import Question
from holdfast.recall.select import search
search(Question(text=sys.argv[2]), SqliteIndex.open(sys.argv[1]))
"""


class Row(Value):
    """One figure."""

    name: str
    memories: int
    value: float
    unit: str


def rows(sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """Every figure, as it is measured."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            yield from _rows_of(folder, size)


def main(arguments: Sequence[str]) -> None:
    """Print the figures."""
    for row in rows(tuple(map(int, arguments)) or SIZES):
        print(f"{row.memories:>8,}  {row.name:<44} {row.value:>10.2f} {row.unit}", flush=True)


def _rows_of(folder: str, size: int) -> Iterator[Row]:
    make = Generator()
    memories = [make.memory(number) for number in range(size)]
    queries = [make.query() for _ in range(QUERIES)]
    write(folder, memories)
    places = [IndexedVault(name="memory", vault=FileVault(os.path.join(folder, "memory"), Scope.WORKSPACE))]
    store = SqliteIndex.open(os.path.join(folder, "index.db"))
    yield Row(name="cutting into terms", memories=size, value=_seconds(lambda: _cut(memories)), unit="s")
    yield Row(
        name="rebuild, files read and parsed", memories=size, value=_seconds(lambda: _sync(store, places)), unit="s"
    )
    yield from _still(store, places, size)
    yield from _searches(store, _floor(folder, memories), queries, size)
    store.close()
    yield from _cold(os.path.join(folder, "index.db"), queries[0], size)


def _still(store: SqliteIndex, places: Sequence[IndexedVault], size: int) -> Iterator[Row]:
    time.sleep(2.1)  # younger stamps are not trusted yet
    _sync(store, places)
    for name, look in (
        ("nothing changed: whole sync", lambda: _sync(store, places)),
        ("  of which stamps", lambda: [place.vault.stamps() for place in places]),
        ("  of which sources", store.sources),
    ):
        yield Row(name=name, memories=size, value=min(_seconds(look) for _ in range(7)) * 1000, unit="ms")


def _searches(store: SqliteIndex, floor: apsw.Connection, queries: Sequence[str], size: int) -> Iterator[Row]:
    ours, theirs = [], []
    for query in queries:
        theirs.append(_seconds(partial(_ask_floor, floor, query)))
        ours.append(_seconds(partial(search, Question(text=query), store)))
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        mine, bare = _quantile(ours, share), _quantile(theirs, share)
        yield Row(name=f"search {name}", memories=size, value=mine * 1000, unit="ms")
        yield Row(name=f"FTS5 directly {name}", memories=size, value=bare * 1000, unit="ms")
        yield Row(name=f"search / FTS5 directly {name}", memories=size, value=mine / bare, unit="×")


def _cold(path: str, query: str, size: int) -> Iterator[Row]:
    bare = min(_seconds(lambda: _run("import apsw")) for _ in range(7))
    whole = min(_seconds(lambda: _run(COLD, path, query)) for _ in range(7))
    yield Row(name="cold process: import apsw", memories=size, value=bare * 1000, unit="ms")
    yield Row(name="cold process: open and one search", memories=size, value=whole * 1000, unit="ms")


def _run(program: str, *arguments: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=environment)


def _cut(memories: Sequence[tuple[str, str, str]]) -> None:
    for _, title, body in memories:
        split_terms(title)
        split_terms(body)


def _sync(store: SqliteIndex, places: Sequence[IndexedVault]) -> None:
    sync_index(store, places, FileJournal(NO_JOURNAL))


def _floor(folder: str, memories: Sequence[tuple[str, str, str]]) -> apsw.Connection:
    db = apsw.Connection(os.path.join(folder, "floor.db"))
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE VIRTUAL TABLE floor USING fts5 (id UNINDEXED, title, body)")
    with db:
        db.executemany("INSERT INTO floor VALUES (?, ?, ?)", memories)
    return db


def _ask_floor(db: apsw.Connection, query: str) -> None:
    match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    db.execute("SELECT id, title, body FROM floor WHERE floor MATCH ? ORDER BY rank LIMIT 10", (match,)).fetchall()


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _quantile(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[int(len(seconds) * share)]


if __name__ == "__main__":
    main(sys.argv[1:])
