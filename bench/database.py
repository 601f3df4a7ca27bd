"""A team's PostgreSQL: how fast it is written and asked, and how both grow. Ratios are against SQLite in the same run.

python -m bench.database                           every part, at 10,000 and 100,000 memories
python -m bench.database 10000 100000 1000000      one index that grows to a million (a quarter of an hour, 10 GB)
python -m bench.database --only journal swaps news these parts alone
python -m bench.database 1000000 --only bulk       a million vectors at once, and HNSW built over them
python -m bench.database --picture FILE.svg        the growth curves as a picture

Every figure is printed when it is known: a run that is cut has told what it measured. PostgreSQL runs with its own
settings (128 MB of shared buffers, fsync on), but for `max_wal_size` and `maintenance_work_mem`, which bulk loads need.
"""

import argparse
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import NoReturn

import numpy as np
import psycopg
from tests.databases import database, new_space, postgres

from bench.curves import picture
from bench.grown import Asked, Beside, Client, Growing, at_once, clients, questions, timed
from bench.table import table
from holdfast.core.event import Event
from holdfast.core.passage_store import MEMORY, Vector
from holdfast.exchange.postgres.change_feed import files_moved_since
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.listen_feed import Listener
from holdfast.exchange.postgres.postgres_files import PostgresVault
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import PostgresJournal
from holdfast.vault.memory_text import MarkdownTexts

SIZES = (10_000, 100_000)
PARTS = ("index", "clients", "vectors", "journal", "swaps", "news", "bulk")
CLIENTS = (1, 2, 4, 8)
SECONDS = 5.0
TURN = 20
DIMS = 256
MODEL = "bench@256"
VECTORS_MOST = 100_000
HEAD = ("memories", "what", "PostgreSQL", "SQLite", "ratio")
NEAR = 20
SETTINGS = ("max_wal_size = '8GB'", "maintenance_work_mem = '2GB'")

Figure = tuple[str, str, str, str, str]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="so many memories")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts alone")
    parser.add_argument("--picture", default="", help="where to draw the growth curves")
    args = parser.parse_args(argv)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _cut)
    figures = []
    try:
        for figure in _figures(sorted(args.sizes), args.only):
            print("| " + " | ".join(figure) + " |", flush=True)
            figures.append(figure)
    finally:
        # Also where somebody cut it: what was measured is told.
        print(table("A team's PostgreSQL", HEAD, figures), flush=True)
        if args.picture:
            picture(args.picture, [(size, what, team, lite) for size, what, team, lite, _ in figures])


def _cut(number: int, frame: object) -> NoReturn:
    """Whoever cuts the run still gets what was measured, and no server stays behind."""
    del frame
    raise SystemExit(128 + number)


def _figures(sizes: Sequence[int], parts: Sequence[str]) -> Iterator[Figure]:
    with served() as (url, found):
        if "journal" in parts:
            yield from _journal(new_space(found))
        if "swaps" in parts:
            yield from _swaps(url, new_space(found))
        if "news" in parts:
            yield from _news(url, new_space(found))
        if {"index", "clients", "vectors"} & set(parts):
            yield from _growth(url, new_space(found), sizes, parts)
        if "bulk" in parts:
            for size in sizes:
                yield from _bulk(url, new_space(found), size)


@contextmanager
def served() -> Iterator[tuple[str, PostgresDatabase]]:
    """A server that keeps what it is told, and a migrated database in it."""
    with postgres(durable=True) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            for setting in SETTINGS:
                connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")
        with database(url) as found:
            yield url, found


# The index


def _growth(url: str, space: DatabaseSpace, sizes: Sequence[int], parts: Sequence[str]) -> Iterator[Figure]:
    team = Growing(PostgresIndex(space))
    with tempfile.TemporaryDirectory() as folder, _beside(f"{folder}/index.db") as lite:
        for size in sizes:
            lite.begin("grow", size)
            rate = team.grow(size)
            if "index" in parts:
                yield _row(size, "indexed, memories a second", rate, lite.end(), more=True)
                yield from _words(team, lite, size)
                yield _alone(size, "indexed anew, memories a second", _anew(space))
                yield from _sizes(space, size, os.path.getsize(f"{folder}/index.db"))
            else:
                lite.end()
            if "clients" in parts:
                yield from _clients(url, space, size)
            if "vectors" in parts and size <= VECTORS_MOST:
                yield from _vectors(url, space, size)


@contextmanager
def _beside(path: str) -> Iterator[Beside]:
    lite = Beside(path)
    try:
        yield lite
    finally:
        lite.close()


def _words(team: Growing, lite: Beside, size: int) -> Iterator[Figure]:
    asked = questions()
    ours, theirs = list[Asked](), list[Asked]()
    # In turns, so that both meet the same load; the first turn warms up.
    for turn in (asked[:TURN], *(asked[at : at + TURN] for at in range(0, len(asked), TURN))):
        ours.append(team.ask(turn))
        lite.begin("ask", turn)
        theirs.append(lite.end())
    team_asked, lite_asked = (Asked(times=sorted(t for one in each[1:] for t in one.times)) for each in (ours, theirs))
    for share, name in ((0.5, "search by words, p50 ms"), (0.95, "search by words, p95 ms")):
        yield _row(size, name, team_asked.at(share), lite_asked.at(share))


def _anew(space: DatabaseSpace) -> float:
    """A thousand memories that are there already, changed."""
    again = Growing(PostgresIndex(space))
    return again.grow(1_000)


def _sizes(space: DatabaseSpace, size: int, lite: int) -> Iterator[Figure]:
    asked = """
        SELECT relname, pg_total_relation_size(oid) / 1e6 FROM pg_class
        WHERE relkind = 'r' AND relname = ANY (%s) ORDER BY 2 DESC
    """
    tables = ["passage", "term", "posting", "source"]
    with space.reading() as cursor:
        found = {str(name): float(held) for name, held in cursor.execute(asked, (tables,))}
    yield _row(size, "index on disk, MB", sum(found.values()), lite / 1e6)
    for name, held in found.items():
        yield _alone(size, f"table {name}, MB", held)


def _clients(url: str, space: DatabaseSpace, size: int) -> Iterator[Figure]:
    for count in CLIENTS:
        rate, asked = at_once(url, (space.team.name, space.name), count, SECONDS)
        yield _alone(size, f"asked by {count} at once, questions a second", rate)
        yield _alone(size, f"asked by {count} at once, p95 ms", asked.at(0.95))


def _vectors(url: str, space: DatabaseSpace, size: int) -> Iterator[Figure]:
    index = PostgresIndex(space)
    with space.reading() as cursor:
        asked = "SELECT row FROM passage WHERE space = %s AND row NOT IN (SELECT row FROM vector WHERE space = %s)"
        rows = [int(row) for (row,) in cursor.execute(asked, (space.id, space.id))]
    near = np.clip(np.random.default_rng(len(rows)).normal(0, 40, (len(rows), DIMS)), -127, 127).astype(np.int8)
    vectors = [Vector(row=row, data=each.tobytes()) for row, each in zip(rows, near, strict=True)]
    spent = sum(
        timed(partial(index.put_vectors, MEMORY, MODEL, vectors[at : at + 1_000])) for at in range(0, len(rows), 1_000)
    )
    yield _alone(size, "vectors into HNSW, a second", len(rows) / spent)
    shelf = index.shelf(MEMORY)
    wanted = [each.astype(np.float32) / np.float32(np.linalg.norm(each)) for each in near[:: max(1, len(near) // 100)]]
    asked_for = Asked(times=sorted(timed(partial(shelf.by_vector, MODEL, each, 10)) for each in wanted))
    yield _alone(size, "nearest ten by HNSW, p50 ms", asked_for.at(0.5))
    yield _alone(size, "nearest ten by HNSW, p95 ms", asked_for.at(0.95))
    found = [shelf.by_vector(MODEL, each, 1) for each in wanted]
    right = sum(list(got) == [row] for got, row in zip(found, rows[:: max(1, len(near) // 100)], strict=True))
    yield _alone(size, "of a hundred, those that find themselves", right)
    yield from _built(url, size)


def _built(url: str, size: int) -> Iterator[Figure]:
    """The index over vectors made anew from all of them: what a bulk load does at its end."""
    asked = "SELECT oid::regclass::text, pg_relation_size(oid) / 1e6 FROM pg_class WHERE relname LIKE 'vector_hnsw_%'"
    with psycopg.connect(url, autocommit=True) as connection:
        for name, held in connection.execute(asked).fetchall():
            spent = timed(partial(connection.execute, f"REINDEX INDEX {name}".encode()))
            yield _alone(size, "HNSW built from all of them, vectors a second", size / spent)
            yield _alone(size, "HNSW on disk, MB", float(held))


def _bulk(url: str, space: DatabaseSpace, size: int) -> Iterator[Figure]:
    """Vectors that lie in clusters, as those of texts do: put down by an owner, the graph built over all at the end."""
    model = f"bulk@{size}"
    spread = np.random.default_rng(size)
    centres = spread.normal(0, 30, (max(1, size // NEAR), DIMS)).astype(np.float32)
    put = "COPY holdfast.vector (space, place, row, model, tokens, v) FROM STDIN"
    wanted: list[tuple[int, np.ndarray[tuple[int], np.dtype[np.float32]]]] = []
    with psycopg.connect(url) as connection:
        began = time.perf_counter()
        with connection.cursor() as cursor, cursor.copy(put) as copy:
            for row in range(size):
                near = np.clip(centres[row % len(centres)] + spread.normal(0, 15, DIMS), -127, 127).astype(np.int8)
                copy.write_row((space.id, MEMORY, row, model, "{}", str(near.tolist())))
                if row % (size // 100) == 0:
                    wanted.append((row, near.astype(np.float32) / np.float32(np.linalg.norm(near))))
        yield _alone(size, "vectors into the table alone, a second", size / (time.perf_counter() - began))
        spent = timed(partial(connection.execute, "SELECT holdfast.index_vectors(%s, %s)", (model, DIMS)))
        yield _alone(size, "HNSW built from all of them, vectors a second", size / spent)
        counted = "INSERT INTO holdfast.meaning VALUES (%s, %s, %s, %s, %s, %s)"
        connection.execute(counted, (space.id, MEMORY, model, DIMS, size, [0.0] * DIMS))
        connection.execute("ANALYZE holdfast.vector")
        asked = """
            SELECT pg_relation_size(oid) / 1e6 FROM pg_class
            WHERE relname = 'vector_hnsw_' || substr(md5(%s || ' ' || %s::text), 1, 16)
        """
        for (held,) in connection.execute(asked, (model, DIMS)).fetchall():
            yield _alone(size, "HNSW on disk, MB", float(held))
    shelf = PostgresIndex(space).shelf(MEMORY)
    found = [shelf.by_vector(model, each, 10) for _, each in wanted]
    asked_for = Asked(times=sorted(timed(partial(shelf.by_vector, model, each, 10)) for _, each in wanted))
    yield _alone(size, "nearest ten by HNSW, p50 ms", asked_for.at(0.5))
    yield _alone(size, "nearest ten by HNSW, p95 ms", asked_for.at(0.95))
    right = sum(row in got for (row, _), got in zip(wanted, found, strict=True))
    yield _alone(size, "of a hundred, those that find themselves", right)


# Journal, files, news


def _journal(space: DatabaseSpace) -> Iterator[Figure]:
    journal = PostgresJournal(space)
    events = [
        Event(client="bench", session="s", name="prompt", key=f"k{n}", data={"prompt": "x" * 300})
        for n in range(20_500)
    ]
    single = timed(lambda: [journal.append([event]) for event in events[:500]])
    yield _alone(0, "journal, one event a transaction, a second", 500 / single)
    batched = timed(lambda: [journal.append(events[at : at + 500]) for at in range(500, 20_500, 500)])
    yield _alone(0, "journal, 500 events a transaction, a second", 20_000 / batched)
    read = timed(lambda: sum(1 for _ in journal.read()))
    yield _alone(0, "journal read, events a second", 20_500 / read)


def _swaps(url: str, space: DatabaseSpace) -> Iterator[Figure]:
    for count in CLIENTS:
        found = clients(url, (space.team.name, space.name), count, swapping, SECONDS)
        won, lost = (sum(each[at] for each in found) for at in (0, 1))
        yield _alone(0, f"{count} that swap one file: swaps a second", won / SECONDS)
        yield _alone(0, f"{count} that swap one file: lost for each won", lost / max(1, won))


def swapping(seconds: float, at: int) -> tuple[int, int]:
    """Change one file until the time is up, from what it was last; how often it was won and lost."""
    vault, path, won, lost = PostgresVault(Client.here.space, MarkdownTexts()), "notes/one.md", 0, 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        data = vault.raw(path)
        then = sha256(data).hexdigest() if data is not None else ""
        moved = vault.swap(path, f"{at} {won} {lost}\n".encode(), then)
        won, lost = won + (not moved), lost + bool(moved)
    return won, lost


def _news(url: str, space: DatabaseSpace) -> Iterator[Figure]:
    heard: dict[int, float] = {}
    woken = threading.Condition()

    def moved(_: int, n: int) -> None:
        with woken:
            heard[n] = time.perf_counter()
            woken.notify_all()

    journal, times = PostgresJournal(space), []
    listener = Listener(url, moved, lambda: None)
    listener.start()
    try:
        listener.listening.wait(30)
        for n in range(1, 201):
            journal.append([Event(client="bench", name="prompt", key=f"n{n}")])
            told = time.perf_counter()
            with woken:
                woken.wait_for(partial(heard.__contains__, n), 30)
            times.append(max(0.0, heard[n] - told))
    finally:
        listener.stop()
    asked = Asked(times=sorted(times))
    yield _alone(0, "commit to heard by another, p50 ms", asked.at(0.5))
    yield _alone(0, "commit to heard by another, p95 ms", asked.at(0.95))
    for n in range(2_000):
        journal.append([Event(client="bench", name="prompt", key=f"m{n}")])
    with space.reading() as cursor:
        behind = timed(partial(files_moved_since, cursor, space, "0:"))
    yield _alone(0, "feed read on, news a second", 2_200 / behind)


def _row(size: int, what: str, team: float, lite: float, *, more: bool = False) -> Figure:
    ratio = lite / team if more else team / lite
    return f"{size:,}", what, _number(team), _number(lite), f"{ratio:.1f} ×"


def _alone(size: int, what: str, team: float) -> Figure:
    return f"{size:,}" if size else "", what, _number(team), "", ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:,.1f}"


if __name__ == "__main__":
    main()
