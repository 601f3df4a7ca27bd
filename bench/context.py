"""How long one look at a large repository takes, beside `os.walk` over the same files in the same run.

Walls say what was seen; on a busy machine the CPU says more.

100,000 files in 2,000 folders that count, 50,000 more that git leaves out; and the same with all files in one folder.

python -m bench.context
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.table import Row, table
from holdfast.context.session_context import SessionContext
from holdfast.project.scan_project import scan_workspace

HEAD = ("what", "median", "of os.walk", "worst", "CPU", "of os.walk", "goal")
ROUNDS = 5
FILES, IGNORED, IN_FOLDER = 100_000, 50_000, 50
GOAL = 1.0


def rows(files: int = FILES, ignored: int = IGNORED) -> list[Row]:
    """The figures."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as top:
        wide, flat = Path(top, "wide"), Path(top, "flat")
        _spread(wide, files, ignored)
        _flat(flat, files)
        return [row for name, root in (("spread", wide), ("in one folder", flat)) for row in _figures(name, root)]


class Spent(NamedTuple):
    """What a piece of work took in each round, in seconds: of the clock, and of the processor."""

    wall: list[float]
    cpu: list[float]


def _figures(name: str, root: Path) -> list[Row]:
    walked = _timed(lambda: sum(len(files) for _, _, files in os.walk(root)))
    looked = _timed(lambda: scan_workspace(str(root)))
    built = _timed(lambda: SessionContext.build(root, "fix the flaky test").to_planning_prompt())
    return [
        _row(f"{name}: os.walk", walked, walked, ""),
        _row(f"{name}: one look", looked, walked, ""),
        _row(f"{name}: build and planning prompt", built, walked, f"{GOAL:g} s"),
    ]


def _row(what: str, spent: Spent, base: Spent, goal: str) -> Row:
    wall, cpu = statistics.median(spent.wall), statistics.median(spent.cpu)
    of_wall, of_cpu = wall / statistics.median(base.wall), cpu / statistics.median(base.cpu)
    worst = max(spent.wall)
    return (what, _ms(wall), f"{of_wall:.2f}", _ms(worst), _ms(cpu), f"{of_cpu:.2f}", goal)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _timed(work: Callable[[], object]) -> Spent:
    spent = Spent([], [])
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        spent.wall.append(time.perf_counter() - wall)
        spent.cpu.append(time.process_time() - cpu)
    return spent


def _spread(root: Path, files: int, ignored: int) -> None:
    """A repository of several parts, as large ones are: packages with sources and tests, and what builds leave."""
    for number in range(0, files, IN_FOLDER):
        folder = root / f"packages/p{number // 2000:02}/src/m{number // IN_FOLDER % 40:02}"
        folder.mkdir(parents=True)
        _touch(folder, IN_FOLDER)
    for number in range(0, ignored, IN_FOLDER):
        folder = root / f"packages/p{number // 2000:02}/out/m{number // IN_FOLDER % 40:02}"
        folder.mkdir(parents=True)
        _touch(folder, IN_FOLDER)
    (root / ".gitignore").write_text("out/\n*.log\n!keep.log\n/packages/*/tmp/\n")
    (root / "package.json").write_text('{"name": "large", "workspaces": ["packages/*"]}')
    (root / "README.md").write_text("# Large\n\nMany files.\n")


def _flat(root: Path, files: int) -> None:
    root.mkdir()
    _touch(root, files)
    (root / ".gitignore").write_text("*.log\n")


def _touch(folder: Path, number: int) -> None:
    for each in range(number):
        os.close(os.open(folder / f"f{each}.ts", os.O_CREAT | os.O_WRONLY))


def main(files: int = FILES, ignored: int = IGNORED) -> None:
    """Print the table."""
    title = f"A look at a repository of {files:,} files and {ignored:,} that git leaves out"
    print(table(title, HEAD, rows(files, ignored)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--files", type=int, default=FILES)
    args = parser.parse_args()
    main(args.files, args.files // 2)
