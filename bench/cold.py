"""Cold starts: `holdfast search` in a process of its own against bare Python, and loading a workspace's memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.made import Generator, write
from bench.table import Row, table
from holdfast import PersistentMemory
from holdfast.memory.setup import init, plan_init

ROUNDS = 25
SETTLED = 2.2


def main(sizes: list[int] | None = None) -> None:
    """Print the tables."""
    print(table("Cold search", ("command", "memories", "ms (best)", "ms (median)", "ratio"), cold_rows(1000)))
    wanted = sizes or [1000, 10_000]
    print(table("PersistentMemory.load", ("memories", "first ms", "warm ms", "nothing changed ms"), load_rows(wanted)))


@contextmanager
def workspace(count: int) -> Iterator[Path]:
    """A workspace with so many memories, in a home of its own, its index built and its files settled."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        os.environ["HOLDFAST_HOME"] = os.path.join(folder, "home")
        place = Path(folder, "project")
        place.mkdir()
        init(plan_init(str(place), named=True))
        make = Generator()
        write(str(place / ".holdfast"), [make.memory(number) for number in range(count)])
        time.sleep(SETTLED)
        yield place


def cold_rows(count: int) -> list[Row]:
    """One process a search, against what any Python program with these needs pays."""
    with workspace(count) as place:
        PersistentMemory.load(place)
        base = _timed([sys.executable, "-c", "import sqlite3, json, argparse"], place)
        ours = _timed([str(Path(sys.executable).with_name("holdfast")), "search", "connection pool timeout"], place)
    rows = [("python -c 'import sqlite3, json, argparse'", "–", base), ("holdfast search", f"{count:,}", ours)]
    return [
        (name, size, f"{times[0]:.1f}", f"{times[1]:.1f}", f"{times[1] / base[1]:.2f} ×") for name, size, times in rows
    ]


def load_rows(sizes: list[int]) -> list[Row]:
    """The library's load: with no index yet, with one, and the part that sees that nothing changed."""
    rows: list[Row] = []
    for count in sizes:
        with workspace(count) as place:
            first = _once(place)
            warm = min(_once(place) for _ in range(5))
            memory = PersistentMemory.load(place)
            begun = time.perf_counter()
            memory.sync()
            synced = (time.perf_counter() - begun) * 1000
        rows.append((f"{count:,}", f"{first:.0f}", f"{warm:.1f}", f"{synced:.1f}"))
    return rows


def _once(place: Path) -> float:
    begun = time.perf_counter()
    PersistentMemory.load(place)
    return (time.perf_counter() - begun) * 1000


def _timed(command: list[str], place: Path) -> tuple[float, float]:
    """Best and median milliseconds of a command."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        subprocess.run(command, cwd=place, env=environment, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    return times[0], times[len(times) // 2]


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
