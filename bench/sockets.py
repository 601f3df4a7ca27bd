"""Many sockets on one workspace: what a server of ours bears, with the listeners in a process of their own.

500 sockets, 200 events a second for 60 s, and a mix of requests beside them. Every socket counts what it gets: what is
lost, what comes twice, how late it is. The CPU is that of the server's and of the listeners' process.

python -m bench.sockets [--sockets N] [--rate N] [--seconds N]
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.table import Row, table
from holdfast.library.persistent_memory import PersistentMemory
from holdfast.server.http.security.guards import ServerNames
from holdfast.server.http.server_state import Serving
from holdfast.server.http.uvicorn_server import Server, configure_uvicorn

HEAD = ("what", "figure", "goal")
SOCKETS, RATE, SECONDS = 500, 200, 60
MEMORIES = 300
FILLING = "x" * 160
ASKED = 20
TEXT, PING = 1, 9
TICK = os.sysconf("SC_CLK_TCK")
SETTLE = 5.0


class Figures:
    """What all sockets got."""

    def __init__(self) -> None:
        self.delivered = self.lost = self.repeated = self.closed = 0
        # How late, by milliseconds; the last for all beyond.
        self.late = [0] * 10_001
        self.known: dict[bytes, tuple[int, int]] = {}

    def read(self, text: bytes) -> tuple[int, int]:
        """A message's number and when it was published; every socket gets the same bytes."""
        found = self.known.get(text)
        if found is None:
            row = json.loads(text)
            found = row["data"].get("n", 0), row["data"].get("at", 0)
            self.known[text] = found
            if len(self.known) > 5000:
                self.known.clear()
        return found

    def share(self, part: float) -> int:
        """How late so great a part of the messages was at most, in ms."""
        left = part * sum(self.late)
        for ms, count in enumerate(self.late):
            left -= count
            if left <= 0:
                return ms
        return len(self.late)


class Listener(asyncio.Protocol):
    """One socket, as bare as it can be: the machine shall measure the server."""

    def __init__(self, request: bytes, figures: Figures, opened: asyncio.Future[None]) -> None:
        self._request, self._figures, self._opened = request, figures, opened
        self._data = b""
        self._last = 0
        self._shaken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the socket."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Some frames."""
        self._data += data
        if not self._shaken:
            head, found, rest = self._data.partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head, head
            self._shaken, self._data = True, rest
        self._frames()

    def connection_lost(self, _: Exception | None) -> None:
        """The server let go."""
        self._figures.closed += 1

    def _frames(self) -> None:
        data, at, end = self._data, 0, len(self._data)
        while end - at >= 2:
            size, begin = data[at + 1], at + 2
            if size == 126:
                if end - at < 4:
                    break
                size, begin = int.from_bytes(data[at + 2 : at + 4]), at + 4
            elif size == 127:
                if end - at < 10:
                    break
                size, begin = int.from_bytes(data[at + 2 : at + 10]), at + 10
            if end - begin < size:
                break
            self._frame(data[at] & 15, data[begin : begin + size])
            at = begin + size
        self._data = data[at:]

    def _frame(self, opcode: int, body: bytes) -> None:
        if opcode == PING:
            self._transport.write(bytes((0x8A, 0x80 | len(body))) + b"\0\0\0\0" + body)
        if opcode != TEXT:
            return
        if not self._opened.done():
            self._opened.set_result(None)
        number, published = self._figures.read(body)
        if not number:
            return
        figures = self._figures
        figures.delivered += 1
        figures.lost += max(0, number - self._last - 1)
        figures.repeated += number <= self._last
        self._last = max(number, self._last)
        figures.late[min(10_000, max(0, (time.time_ns() - published) // 1_000_000))] += 1


def rows(sockets: int = SOCKETS, rate: int = RATE, seconds: int = SECONDS) -> list[Row]:
    """The figures."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as top, _served(Path(top), rate, seconds) as server:
        return asyncio.run(_measured(server, sockets, rate * seconds, seconds))


class Served:
    """The server's process."""

    def __init__(self, process: "subprocess.Popen[str]", first: dict[str, str]) -> None:
        self.process, self.url, self.token, self.workspace = process, first["url"], first["token"], first["workspace"]
        self.host = self.url.removeprefix("http://")

    def ask(self, path: str, body: Any = None) -> bytes:
        """Send a request."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers), timeout=30) as answer:
            found: bytes = answer.read()
        return found

    @property
    def ticks(self) -> int:
        """The processor's ticks that it took so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    @property
    def resident(self) -> int:
        """Its memory, in MB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


@contextmanager
def _served(top: Path, rate: int, seconds: int) -> Iterator[Served]:
    home, folder = top / "home", top / "project"
    folder.mkdir(parents=True)
    env = {**os.environ, "HOLDFAST_HOME": str(home)}
    holdfast = [sys.executable, "-m", "holdfast.cli.main", "init", "--yes", "--client", "none"]
    subprocess.run(holdfast, cwd=folder, env=env, check=True, capture_output=True)
    words = [sys.executable, "-m", "bench.sockets", "--serve", str(home), str(folder)]
    process = subprocess.Popen(
        [*words, "--rate", str(rate), "--seconds", str(seconds)],
        env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout
        yield Served(process, json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


async def _measured(server: Served, sockets: int, published: int, seconds: int) -> list[Row]:
    figures = Figures()
    for _ in range(sockets):
        await _opened(server, figures)
    quiet, before = await _quiet(server), server.ticks
    assert server.process.stdin
    server.process.stdin.write("go\n")
    server.process.stdin.flush()
    begun, own = time.monotonic(), time.process_time()
    asking = _Asking(server, seconds)
    asking.start()
    while figures.delivered < sockets * published and time.monotonic() - begun < seconds + SETTLE:
        await asyncio.sleep(0.2)
    took = time.monotonic() - begun
    cpu, mine = (server.ticks - before) / TICK / took, (time.process_time() - own) / took
    resident = server.resident
    await asyncio.to_thread(asking.join)
    hit, of = _hits(server)
    return [
        (f"sockets × events, {took:.0f} s", f"{sockets} × {published}", ""),
        ("delivered", f"{figures.delivered:,} of {sockets * published:,}", "all"),
        ("lost · repeated · sockets closed", f"{figures.lost} · {figures.repeated} · {figures.closed}", "0 · 0 · 0"),
        ("late, p50 · p95 · p99", " · ".join(f"{figures.share(part)} ms" for part in (0.5, 0.95, 0.99)), ""),
        ("CPU of the server · of the listeners, of one core", f"{cpu:.0%} · {mine:.0%}", ""),
        ("CPU of the server, sockets open and quiet", f"{quiet:.1%}", "near 0"),
        ("memory of the server", f"{resident} MB", ""),
        ("requests beside it, p50 · p95", asking.told, ""),
        ("workspace cache, hits", f"{hit} of {of} ({hit / of:.1%})", "> 90 %"),
    ]


async def _opened(server: Served, figures: Figures) -> None:
    ticket = json.loads(await asyncio.to_thread(server.ask, "/api/tickets", {}))["ticket"]
    path = f"/api/workspace/{server.workspace}/events?ticket={ticket}"
    request = (
        f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
    loop = asyncio.get_running_loop()
    opened: asyncio.Future[None] = loop.create_future()
    name, _, port = server.host.partition(":")
    await loop.create_connection(lambda: Listener(request, figures, opened), name, int(port))
    await asyncio.wait_for(opened, 30)
    # Callers may ask 100 times a second.
    await asyncio.sleep(0.012)


async def _quiet(server: Served) -> float:
    before = server.ticks
    await asyncio.sleep(SETTLE)
    return (server.ticks - before) / TICK / SETTLE


class _Asking(threading.Thread):
    """Requests beside the streams, as a page makes them."""

    def __init__(self, server: Served, seconds: int) -> None:
        super().__init__()
        self._server, self._seconds = server, seconds
        self._took: list[float] = []

    def run(self) -> None:
        """Ask one after the other."""
        base = f"/api/workspace/{self._server.workspace}"
        paths = [f"{base}/{each}" for each in ("memory", "memory/entries?limit=50", "candidates", "briefing", "todo")]
        for number in range(self._seconds * ASKED):
            begun = time.perf_counter()
            self._server.ask(paths[number % len(paths)])
            self._took.append(time.perf_counter() - begun)
            time.sleep(max(0.0, 1 / ASKED - self._took[-1]))

    @property
    def told(self) -> str:
        """How long they took."""
        ordered = sorted(self._took)
        return " · ".join(f"{1000 * ordered[int(part * (len(ordered) - 1))]:.0f} ms" for part in (0.5, 0.95))


def _hits(server: Served) -> tuple[int, int]:
    counts: dict[str, int] = {}
    for line in server.ask("/metrics").decode().splitlines():
        if line.startswith("holdfast_workspace_cache_total{"):
            name, _, value = line.rpartition(" ")
            counts[name.partition('what="')[2].partition('"')[0]] = int(float(value))
    asked = [counts.get(name, 0) for name in ("hit", "miss", "stale")]
    return asked[0], max(1, sum(asked))


# The server's side


def _serve(home: str, folder: str, rate: int, seconds: int) -> None:
    """A server as `holdfast serve` makes it, with somebody in it who publishes."""
    memory = PersistentMemory.load(folder)
    for number in range(MEMORIES):
        memory.propose("learning", f"Note {number}: the {FILLING[: number % 40]} of part {number} is kept apart")
    with closing(socket.create_server(("127.0.0.1", 0), backlog=512)) as listening:
        own = ServerNames(scheme="http", port=listening.getsockname()[1], bound="127.0.0.1")
        serving = Serving(home, own, first=folder)
        token = serving.tokens.own()
        name = serving.workspaces.known()[0].workspace_id

        def up(url: str) -> None:
            print(json.dumps({"url": url, "token": token, "workspace": name}), flush=True)
            threading.Thread(target=_publish, args=(serving, rate, seconds), daemon=True).start()

        Server(configure_uvicorn(serving), serving, up).run(sockets=[listening])


def _publish(serving: Serving, rate: int, seconds: int) -> None:
    sys.stdin.readline()
    [workspace] = serving.workspaces.open_now()
    begun = time.monotonic()
    for number in range(1, rate * seconds + 1):
        time.sleep(max(0.0, begun + number / rate - time.monotonic()))
        workspace.hub.publish("task_start", {"n": number, "at": time.time_ns(), "description": FILLING, "runId": "run"})


def main(sockets: int = SOCKETS, rate: int = RATE, seconds: int = SECONDS) -> None:
    """Print the table."""
    print(table("Sockets", HEAD, rows(sockets, rate, seconds)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sockets", type=int, default=SOCKETS)
    parser.add_argument("--rate", type=int, default=RATE)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--serve", nargs=2, metavar=("HOME", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        home, folder = given.serve
        _serve(home, folder, given.rate, given.seconds)
    else:
        main(given.sockets, given.rate, given.seconds)
