"""Cold starts: `holdfast search` and `holdfast mcp` in processes of their own against bare Python; loading memory."""

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
from holdfast.setup.init_workspace import init, plan_init

ROUNDS = 41
SERVED = 11
HELLO = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"bench","version":"1"}}}\n'
)
SETTLED = 2.2


def main(sizes: list[int] | None = None) -> None:
    """Print the tables."""
    print(
        table(
            "Cold search",
            ("command", "memories", "best ms", "median ms", "ratio of bests", "of medians"),
            cold_rows(1000),
        )
    )
    print(table("MCP: the first answer", ("command", "memories", "best ms", "median ms", "bar"), served_rows(1000)))
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
    """One process a search against bare Python with the same needs; in turns, so that both see one load."""
    commands = {
        "python -c 'import sqlite3, json, argparse'": [sys.executable, "-c", "import sqlite3, json, argparse"],
        "holdfast search, words of one memory": [_holdfast(), "search", Generator().memory(0)[1]],
        "holdfast search, words of many: all lanes": [_holdfast(), "search", Generator().query()],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    with workspace(count) as place:
        PersistentMemory.load(place)
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(_timed(command, place))
    base = sorted(next(iter(times.values())))
    return [(name, f"{count:,}", *_figures(sorted(found), base)) for name, found in times.items()]


def served_rows(count: int) -> list[Row]:
    """How long a client waits for the server's first answer."""
    with workspace(count) as place:
        PersistentMemory.load(place)
        times = sorted(_answered(place) for _ in range(SERVED))
    return [("holdfast mcp", f"{count:,}", f"{times[0]:.0f}", f"{times[SERVED // 2]:.0f}", "1000")]


def _answered(place: Path) -> float:
    """Milliseconds until `holdfast mcp` says what it is."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [_holdfast(), "mcp"],
        cwd=place, env=_environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        said, heard = server.stdin, server.stdout
        assert said is not None
        assert heard is not None
        said.write(HELLO)
        said.flush()
        answer = heard.readline()
        spent = (time.perf_counter() - begun) * 1000
        said.close()
    assert "serverInfo" in answer, answer
    return spent


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _holdfast() -> str:
    return str(Path(sys.executable).with_name("holdfast"))


def _figures(found: list[float], base: list[float]) -> tuple[str, str, str, str]:
    middle = ROUNDS // 2
    return (
        f"{found[0]:.1f}", f"{found[middle]:.1f}",
        f"{found[0] / base[0]:.2f} ×", f"{found[middle] / base[middle]:.2f} ×",
    )  # fmt: skip


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


def _timed(command: list[str], place: Path) -> float:
    """Milliseconds of a command."""
    begun = time.perf_counter()
    subprocess.run(command, cwd=place, env=_environment(), stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
