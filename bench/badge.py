"""The badge in a process of its own against bare Python: what a shell waits for before every prompt."""

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.cold import SETTLED, workspace
from bench.table import Row, table
from holdfast.app import open_memory
from holdfast.review.remember import MemoryDraft, propose

ROUNDS = 41
WAITING = 50
BAR = 30.0
HEAD = ("command", "best ms", "median ms", "over bare Python, best", "median", "bar")


def main() -> None:
    """Print the table."""
    print(table(f"Badge, {WAITING} candidates", HEAD, rows()), flush=True)


def rows() -> list[Row]:
    """Bare Python, the badge where nothing changed, and where it must count; in turns, so that all see one load."""
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "holdfast status --badge": [holdfast, "status", "--badge"],
        "holdfast status --badge, counting": [holdfast, "status", "--badge"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    with workspace(10) as place:
        _propose(place)
        for _ in range(ROUNDS):
            for name, command in commands.items():
                if "counting" in name:
                    (place / ".holdfast/state/badge").unlink(missing_ok=True)
                times[name].append(_timed(command, place))
    base = sorted(next(iter(times.values())))
    return [_row(name, sorted(found), base) for name, found in times.items()]


def _propose(place: Path) -> None:
    app = open_memory(str(place))
    for number in range(WAITING):
        propose(app, MemoryDraft(type="learning", text=f"Candidate number {number} says that {number * 7} is a figure"))
    time.sleep(SETTLED)


def _row(name: str, found: list[float], base: list[float]) -> Row:
    middle = ROUNDS // 2
    return (
        name, f"{found[0]:.1f}", f"{found[middle]:.1f}", f"{found[0] - base[0]:.1f} ms",
        f"{found[middle] - base[middle]:.1f} ms", f"{BAR:.0f} ms",
    )  # fmt: skip


def _timed(command: list[str], place: Path) -> float:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    subprocess.run(command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    main()
