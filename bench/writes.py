"""What a write over HTTP costs on a large workspace, and the first read after it, beside the same on a small one.

A server in a process of its own, with a socket open as Studio has one, 200 candidates, and 1,000 or 10,000 memories.
In turns: open a candidate and accept it, reject, edit, undo (of the edit), remember; after each write one list is read,
another each time. CPU is that of the server's process, all threads. `holdfast accept` is a new process each time.

python -m bench.writes [--rounds N] [--sizes N N]
"""

import argparse
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from bench.made import Generator, write
from bench.sockets import Figures, Served, _opened
from bench.table import Row, table
from holdfast.core.home import FOLDER
from holdfast.core.value import Value
from holdfast.server.http.security.guards import ServerNames
from holdfast.server.http.server_state import Serving
from holdfast.server.http.uvicorn_server import Server, configure_uvicorn

SIZES = (1_000, 10_000)
CANDIDATES = 200
# An accepted candidate keeps its number: none of the memories may have it.
FIRST = 900_000
ROUNDS = 24
COLD_ROUNDS = 8
ADDED_SIZES = (100, 1_000, 10_000)
ADDED = 20
HEAD = ("what", "memories", "wall p50", "p95", "server CPU p50", "p95", "ratio of walls", "of CPU")
COLD_HEAD = ("command", "memories", "wall p50", "p95", "ratio")
# What a person's page asks for after a write, one after the other.
READS: dict[str, tuple[str, Any]] = {
    "list": ("memory/entries?limit=100", None),
    "search": ("search", {"query": "the cache of users"}),
    "overview": ("memory", None),
    "review queue": ("candidates?limit=50", None),
}


class Cost(Value):
    """How long one request took, and the server's CPU for it; in milliseconds."""

    wall: float
    cpu: float


class Measured:
    """One server and what was measured at it."""

    def __init__(self, server: Served, folder: Path) -> None:
        self._server, self._folder = server, folder
        self.costs: dict[str, list[Cost]] = {}
        self._reads = 0

    def round(self, number: int) -> None:
        """Each verb once, and a read after each."""
        waiting = f"CAN-{FIRST + 2 * number:06}", f"CAN-{FIRST + 2 * number + 1:06}"
        edited = f"memory/LRN-{5 * number + 2:06}"
        fields = {"title": f"Another title {number}", "tags": ["changed"]}
        # A person reads a candidate before they accept it: that is when conflicts are looked for.
        self._measure("open a candidate", lambda: self._ask("GET", f"candidates/{waiting[0]}"))
        self._write("accept", "POST", f"candidates/{waiting[0]}/accept", {})
        self._write("reject", "POST", f"candidates/{waiting[1]}/reject", {"because": "not so"})
        self._write("edit", "PUT", edited, {"fields": fields}, match=self._sum(edited))
        self._write("undo", "POST", "undo", {})
        draft = {"type": "learning", "text": f"What was seen in round {number}: the queue is emptied in order"}
        self._write("remember", "POST", "memory", draft)

    def settle(self) -> None:
        """Until the page of the queue is looked at: the server does that beside, and it is not what is measured."""
        while not all(row["looked"] for row in json.loads(self._ask("GET", READS["review queue"][0]))):
            time.sleep(0.5)

    def _write(self, name: str, method: str, path: str, body: Any, match: str = "") -> None:
        self._measure(name, lambda: self._ask(method, path, body, match))
        read = list(READS)[self._reads % len(READS)]
        self._reads += 1
        path, asked = READS[read]
        self._measure(f"first read after it: {read}", lambda: self._ask("POST" if asked else "GET", path, asked))

    def _measure(self, name: str, verb: Callable[[], object]) -> None:
        cpu, begun = _cpu_ms(self._server.process.pid), time.perf_counter()
        verb()
        took = 1000 * (time.perf_counter() - begun)
        cost = Cost(wall=took, cpu=_cpu_ms(self._server.process.pid) - cpu)
        self.costs.setdefault(name, []).append(cost)

    def _sum(self, path: str) -> str:
        return str(json.loads(self._ask("GET", path))["memory"]["sha256"])

    def _ask(self, method: str, path: str, body: Any = None, match: str = "") -> bytes:
        headers = {"Authorization": f"Bearer {self._server.token}", "Content-Type": "application/json"}
        headers |= {"If-Match": f'"{match}"'} if match else {}
        data = None if body is None else json.dumps(body).encode()
        url = f"{self._server.url}/api/workspace/{self._server.workspace}/{path}"
        with urlopen(Request(url, data, headers, method=method), timeout=60) as answer:
            found: bytes = answer.read()
        return found


def rows(rounds: int = ROUNDS, sizes: Sequence[int] = SIZES) -> tuple[list[Row], list[Row]]:
    """The figures over HTTP, and those of the command."""
    found: dict[int, dict[str, list[Cost]]] = {}
    cold: dict[int, list[float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as top:
            home, folder = _made(Path(top), size)
            with _served(home, folder) as server:
                found[size] = asyncio.run(_with_a_page(server, folder, rounds))
            cold[size] = _cold(home, folder, rounds)
    base = sizes[0]
    shown = [
        _row(name, size, found[size][name], found[base][name] if size != base else None)
        for name in found[base]
        for size in sizes
    ]
    return shown, [_cold_row(size, cold[size], cold[base] if size != base else None) for size in sizes]


async def _with_a_page(server: Served, folder: Path, rounds: int) -> dict[str, list[Cost]]:
    """Somebody listens, as a page does; that also has the workspace loaded before the clock runs."""
    await _opened(server, Figures())
    measured = Measured(server, folder)
    await asyncio.to_thread(measured.round, 0)
    # The first of each loads what a server loads once.
    measured.costs.clear()
    for number in range(1, rounds + 1):
        await asyncio.to_thread(measured.settle)
        await asyncio.to_thread(measured.round, number)
    return measured.costs


def _row(name: str, size: int, costs: Sequence[Cost], base: Sequence[Cost] | None) -> Row:
    wall, cpu = [cost.wall for cost in costs], [cost.cpu for cost in costs]
    ratios = ("", "")
    if base is not None:
        before = [cost.wall for cost in base], [cost.cpu for cost in base]
        ratios = _ratio(wall, before[0]), _ratio(cpu, before[1])
    return (name, f"{size:,}", *(f"{_at(of, part):.0f} ms" for of in (wall, cpu) for part in (0.5, 0.95)), *ratios)


def _cold_row(size: int, walls: Sequence[float], base: Sequence[float] | None) -> Row:
    ratio = _ratio(walls, base) if base is not None else ""
    return ("holdfast accept", f"{size:,}", f"{_at(walls, 0.5):.0f} ms", f"{_at(walls, 0.95):.0f} ms", ratio)


def _ratio(of: Sequence[float], base: Sequence[float]) -> str:
    return f"{_at(of, 0.5) / max(0.1, _at(base, 0.5)):.1f} ×"


def _at(figures: Sequence[float], part: float) -> float:
    ordered = sorted(figures)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def _cold(home: Path, folder: Path, rounds: int) -> list[float]:
    """The command, each time a new process, after the server is gone."""
    took = list[float]()
    for number in range(COLD_ROUNDS + 1):
        begun = time.perf_counter()
        _holdfast(home, folder, "accept", f"CAN-{FIRST + 2 * (rounds + 1 + number):06}")
        took.append(1000 * (time.perf_counter() - begun))
    return took[1:]


def _cpu_ms(pid: int) -> float:
    """What all threads of a process had of the processor so far."""
    found = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        found += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0])
    return found / 1e6


def _made(top: Path, size: int) -> tuple[Path, Path]:
    home, folder = top / "home", top / "project"
    folder.mkdir(parents=True)
    _holdfast(home, folder, "init", "--yes", "--client", "none")
    made = Generator()
    write(str(folder / FOLDER), [made.memory(number) for number in range(size)])
    waiting = folder / FOLDER / "candidates"
    waiting.mkdir(exist_ok=True)
    for number in range(CANDIDATES):
        _, title, body = made.memory(size + number)
        head = f"id: CAN-{FIRST + number:06}\ntype: learning\nstatus: candidate\ntitle: {title}\nupdated: 2026-11-15"
        (waiting / f"CAN-{FIRST + number:06}.md").write_text(f"---\n{head}\n---\n{body}\n")
    _holdfast(home, folder, "list", "--json")
    return home, folder


def _holdfast(home: Path, folder: Path, *words: str) -> None:
    env = {**os.environ, "HOLDFAST_HOME": str(home)}
    holdfast = [sys.executable, "-m", "holdfast.cli.main", *words]
    subprocess.run(holdfast, cwd=folder, env=env, check=True, capture_output=True)


@contextmanager
def _served(home: Path, folder: Path) -> Iterator[Served]:
    env = {**os.environ, "HOLDFAST_HOME": str(home)}
    words = [sys.executable, "-m", "bench.writes", "--serve", str(home), str(folder)]
    process = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield Served(process, json.loads(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait()


# The server's side


def _serve(home: str, folder: str) -> None:
    """A server as `holdfast serve` makes it."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        own = ServerNames(scheme="http", port=listening.getsockname()[1], bound="127.0.0.1")
        serving = Serving(home, own, first=folder)
        told = {"token": serving.tokens.own(), "workspace": serving.workspaces.known()[0].workspace_id}

        def up(url: str) -> None:
            print(json.dumps({**told, "url": url}), flush=True)

        Server(configure_uvicorn(serving), serving, up).run(sockets=[listening])


# One memory by the library, by the command, and many by an import


def added_rows() -> list[Row]:
    """What one memory costs in CPU, at three sizes, beside the smallest."""
    found: dict[str, list[float]] = {}
    for size in ADDED_SIZES:
        for name, cost in _added(size).items():
            found.setdefault(name, []).append(cost)
    return [
        (name, f"{size:,}", f"{cost:.1f}", f"{cost / costs[0]:.2f} ×")
        for name, costs in found.items()
        for size, cost in zip(ADDED_SIZES, costs, strict=True)
    ]


def _added(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="holdfast-writes-") as top:
        home, folder = _laid_out(Path(top), size)
        code = f"""
import time
from holdfast import PersistentMemory
memory = PersistentMemory.load({str(folder)!r})
memory.add_learning("The first one loads what it needs")
begun = time.process_time()
for number in range({ADDED}):
    memory.add_learning(f"Learning number {{number}} is kept by the library")
print((time.process_time() - begun) * 1000 / {ADDED})
"""
        env = {**os.environ, "HOLDFAST_HOME": str(home)}
        done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
        notes = Path(top, "notes.md")
        notes.write_text("# Rules\n\n" + "".join(f"- Always check input number {n} twice.\n" for n in range(ADDED)))
        commands = [
            _cpu(home, folder, "remember", "learning", f"Number {n} by the command") for n in range(COLD_ROUNDS)
        ]
        imported = _cpu(home, folder, "import", str(notes), "--from", "agents-md", "--yes")
        return {
            "PersistentMemory.add_learning": float(done.stdout),
            "holdfast remember": sorted(commands)[len(commands) // 2],
            f"holdfast import, {ADDED} rules, the whole command": imported,
        }


def _laid_out(top: Path, size: int) -> tuple[Path, Path]:
    home, folder = top / "home", top / "project"
    folder.mkdir()
    _holdfast(home, folder, "init", "--yes", "--client", "none")
    made = Generator()
    write(str(folder / FOLDER), [made.memory(number) for number in range(size)])
    time.sleep(2.2)
    _holdfast(home, folder, "list", "--json")
    return home, folder


def _cpu(home: Path, folder: Path, *words: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _holdfast(home, folder, *words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main(rounds: int = ROUNDS, sizes: Sequence[int] = SIZES) -> None:
    """Print the tables."""
    print(table("One more memory", ("how", "memories", "CPU ms", "ratio"), added_rows()), flush=True)
    over_http, cold = rows(rounds, sizes)
    print(table("Writes over HTTP", HEAD, over_http), flush=True)
    print(table("The same verb by the command", COLD_HEAD, cold), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--serve", nargs=2, metavar=("HOME", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        _serve(*given.serve)
    else:
        main(given.rounds, given.sizes)
