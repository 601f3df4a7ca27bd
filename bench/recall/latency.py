"""How long a question takes over the index on disk, warm and cold, and how that grows.

python -m bench.recall.latency                 1,000 to 100,000 passages, the walk, the vectors, a cold process
python -m bench.recall.latency --full          also 1,000,000 (some minutes, 2 GB of disk in the temporary folder)
python -m bench.recall.latency 1000 50000      others
python -m bench.recall.latency --plot          also draw docs/pictures/recall-growth.svg

A shelf is made anew for every question, as a search does. Wall time is that of all passes; `best` takes the fastest of
the passes for each question, which a busy machine disturbs less; `cpu` is the process's own time.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np

from bench.cold import workspace
from bench.made import Generator
from bench.recall.collections import Made, build
from bench.recall.encoders import static as table_of_words
from bench.recall.growth import draw
from bench.table import Row, table
from holdfast import PersistentMemory
from holdfast.core.embedder import Floats
from holdfast.core.passage_store import SAID, Vector
from holdfast.core.value import Value
from holdfast.index.sqlite.held_vectors import ModelVectors, load_vectors
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.sqlite.sqlite_shelf import SqliteShelf
from holdfast.index.sqlite.vector_rows import BLOCK
from holdfast.index.terms import query_terms
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import Recipe
from holdfast.recall.engine.find_passages import find
from holdfast.recall.engine.graph_lanes import Walk
from holdfast.recall.engine.prepare_question import prepare_question
from holdfast.recall.engine.recipes import DEFAULT, WORDS

SIZES = (1_000, 10_000, 100_000)
FULL = (*SIZES, 1_000_000)
QUESTIONS = 200
PASSES = 3
# Baselines take seconds at a million passages.
BASELINE = 20
COLD = 10_000
COLD_ROUNDS = 15
REAL = 40_000
NO_WALK = 0.1
ONE_THREAD = "OPENBLAS_NUM_THREADS"
PICTURE = Path("docs", "pictures", "recall-growth.svg")

T = TypeVar("T")


class Timed(Value):
    """Milliseconds of every question, for each pass."""

    wall: Sequence[Sequence[float]]
    cpu: Sequence[Sequence[float]]

    def figures(self) -> tuple[float, float, float, float, float]:
        """p50 and p95 of the wall, the p95 of each question's best, p50 and p95 of its best CPU time."""
        wall, cpu = np.array(self.wall), np.array(self.cpu)
        best, least = wall.min(0), cpu.min(0)
        parts = (wall, 50), (wall, 95), (best, 95), (least, 50), (least, 95)
        return tuple(float(np.percentile(*each)) for each in parts)  # type: ignore[return-value]  # five


class Measured(Value):
    """What one collection gave."""

    size: int
    built: float
    disk: int
    loaded: float
    resident: int
    times: dict[str, Timed]
    recall: tuple[float, float]


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int)
    parser.add_argument("--full", action="store_true", help="also 1,000,000 passages")
    parser.add_argument("--plot", action="store_true", help=f"draw {PICTURE}")
    parser.add_argument("--no-cold", action="store_true", help="leave out the cold process")
    args = parser.parse_args()
    found = [_collection(size) for size in args.sizes or (FULL if args.full else SIZES)]
    _report(found)
    real = _real()
    if real:
        print(table("Codes against exact search, real texts (Python sources)", VECTOR_COLUMNS, real))
    if not args.no_cold:
        columns = ("memories", "best ms", "median ms", "p95 ms", "bar")
        print(table("Cold: `holdfast search --recipe default` in a process of its own", columns, [_cold()]))
    if args.plot:
        lines = {name: [(each.size, each.times[name].figures()[2]) for each in found] for name in found[0].times}
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(draw("Milliseconds a question (p95), by passages", lines), encoding="utf-8")


def _collection(size: int) -> Measured:
    """Built and measured in processes of their own, so that memory is only what a search needs."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        path = os.path.join(folder, "index.db")
        built, questions = _apart(_build, path, size)
        return _apart(_measure, path, size, built, questions)


def _apart(work: Callable[..., T], *given: object) -> T:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


def _build(path: str, size: int) -> tuple[float, list[str]]:
    begun = time.perf_counter()
    index, _, questions = build(path, size)
    index.close()
    return time.perf_counter() - begun, questions[:QUESTIONS]


def _measure(path: str, size: int, built: float, questions: list[str]) -> Measured:
    index, static = SqliteIndex.open(path, readonly=True), Made(size)
    begun = time.perf_counter()
    kept = load_vectors(index.connection, SAID, static.name)
    loaded = time.perf_counter() - begun
    asked = [static.embed([question])[0] for question in questions]
    times = {recipe.name: _timed(_finding(index, static, recipe), questions) for recipe in (WORDS, DEFAULT)}
    resident = _resident()
    times["walk"] = _walks(index, static, questions)
    times["vectors"] = _timed(lambda vector: kept.nearest(vector, 60), asked)
    times["exact vectors"] = _timed(lambda vector: kept.nearest(vector, 60, exact=True), asked[:BASELINE])
    times["FTS5, words joined by OR"] = _timed(lambda question: _plain(index, question), questions[:BASELINE])
    disk = os.path.getsize(path)
    index.close()
    return Measured(
        size=size,
        built=built,
        disk=disk,
        loaded=loaded,
        resident=resident,
        times=times,
        recall=_recall(kept, asked),
    )


def _finding(index: SqliteIndex, static: Made, recipe: Recipe) -> Callable[[str], object]:
    given = static if recipe.needs else None
    return lambda question: find(question, SqliteShelf(index.connection, SAID), given, None, recipe)


def _plain(index: SqliteIndex, question: str) -> None:
    match = " OR ".join(f'"{term}"' for term in query_terms(question))
    index.connection.execute(
        "SELECT rowid FROM speech WHERE speech MATCH ? ORDER BY rank LIMIT 10", (match,)
    ).fetchall()


def _walks(index: SqliteIndex, static: Made, questions: Sequence[str]) -> Timed:
    """The walk alone, from the best by words; names are looked up and followed over the whole collection."""
    ready = []
    for question in questions:
        shelf = SqliteShelf(index.connection, SAID)
        asked = prepare_question(question, shelf, shelf.totals(), DEFAULT, static=static)
        ready.append((asked, shelf.by_words(asked.lookup_terms, DEFAULT.settings.seeds)))

    def walk(given: tuple[object, Sequence[int]]) -> None:
        asked, seeds = given
        shelf = SqliteShelf(index.connection, SAID)
        laid = Table(asked, shelf, shelf.totals())  # type: ignore[arg-type]  # an Asking
        laid.seeds, laid.look = seeds, {row: 1 / (1 + at) for at, row in enumerate(seeds)}
        Walk().rows(asked, laid, 50)  # type: ignore[arg-type]  # an Asking

    return _timed(walk, ready)


def _timed(work: Callable[[T], object], given: Sequence[T]) -> Timed:
    """One pass to warm up, then those that count."""
    passes = [[_once(work, each) for each in given] for _ in range(1 + PASSES)][1:]
    return Timed(
        wall=[[wall for wall, _ in each] for each in passes], cpu=[[cpu for _, cpu in each] for each in passes]
    )


def _once(work: Callable[[T], object], given: T) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work(given)
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)


def _recall(kept: ModelVectors, asked: Sequence[Floats]) -> tuple[float, float]:
    """The share of the exact 10 and 100 nearest that the search finds."""
    return tuple(  # type: ignore[return-value]  # two
        float(np.mean([len({*kept.nearest(v, n)} & {*kept.nearest(v, n, exact=True)}) / n for v in asked]))
        for n in (10, 100)
    )


def _resident() -> int:
    """Bytes of this process in memory."""
    status = Path("/proc/self/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text(encoding="ascii")) if status.exists() else None
    return 1024 * int(found[1]) if found else 0


COLUMNS = ("passages", "what", "p50 ms", "p95 ms", "best p95", "cpu p50", "cpu p95", "against")
VECTOR_COLUMNS = ("vectors", "codes p50 / p95 ms", "exact p50 / p95 ms", "recall@10", "recall@100")


def _report(found: Sequence[Measured]) -> None:
    print(table(f"A question over the index ({QUESTIONS} questions, {PASSES} passes, warm)", COLUMNS, [*_rows(found)]))
    sizes = [
        (f"{m.size:,}", f"{m.built:.0f}", f"{m.disk / 1e6:.0f}", f"{m.loaded:.2f}", f"{m.resident / 1e6:.0f}")
        for m in found
    ]
    print(table("The index", ("passages", "built s", "disk MB", "vectors loaded s", "memory MB"), sizes))
    vectors = [
        _vector_row(m.size, m.times["vectors"], m.times["exact vectors"], m.recall) for m in found if m.recall != (1, 1)
    ]
    print(table("Codes against exact search, made-up texts", VECTOR_COLUMNS, vectors))


def _rows(found: Sequence[Measured]) -> Iterator[Row]:
    against = {
        "vectors": "exact vectors",
        WORDS.name: "FTS5, words joined by OR",
        DEFAULT.name: "FTS5, words joined by OR",
    }
    for each in found:
        for name, timed in each.times.items():
            if name == "walk" and not timed.figures()[1] > NO_WALK:
                continue  # In so few passages every name is too common to lead anywhere.
            base = each.times[against[name]].figures()[2] if name in against else 0
            ratio = f"{timed.figures()[2] / base:.2f} × {against[name]}" if base else ""
            yield (f"{each.size:,}", name, *(f"{figure:.1f}" for figure in timed.figures()), ratio)


def _vector_row(size: int, codes: Timed, exact: Timed, recall: tuple[float, float]) -> Row:
    both = [f"{each.figures()[0]:.1f} / {each.figures()[2]:.1f}" for each in (codes, exact)]
    return (f"{size:,}", *both, *(f"{share:.3f}" for share in recall))


def _real() -> list[Row]:
    """Codes over the vectors of real texts: paragraphs of Python's own sources, which are on every machine."""
    texts = [text for text, _ in zip(_paragraphs(), range(REAL + QUESTIONS), strict=False)]
    embedder = table_of_words()
    vectors = np.concatenate([embedder.embed(texts[at : at + BLOCK]) for at in range(0, len(texts), BLOCK)])
    index = SqliteIndex.open(":memory:")
    whole = np.clip(np.rint(vectors[QUESTIONS:] * 127), -127, 127).astype(np.int8)
    index.put_vectors(SAID, "real", [Vector(row=row, data=each.tobytes()) for row, each in enumerate(whole, 1)])
    kept = load_vectors(index.connection, SAID, "real")
    asked = list(vectors[:QUESTIONS])
    codes = _timed(lambda vector: kept.nearest(vector, 60), asked)
    exact = _timed(lambda vector: kept.nearest(vector, 60, exact=True), asked)
    return [_vector_row(len(whole), codes, exact, _recall(kept, asked))]


def _paragraphs() -> Iterator[str]:
    """Paragraphs of the standard library, each once, in an order that mixes modules."""
    files = sorted(Path(os.__file__).parent.rglob("*.py"), key=lambda path: path.name[::-1])
    seen = set()
    for path in files:
        for part in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="replace")):
            if 60 < len(part) < 1500 and part not in seen:
                seen.add(part)
                yield part


@contextmanager
def _ready(count: int) -> Iterator[Path]:
    """A workspace whose memories all have their vectors."""
    with workspace(count) as place:
        PersistentMemory.load(place)
        while "no vector yet" in _search(place).stderr:
            pass
        yield place


def _cold() -> Row:
    with _ready(COLD) as place:
        times = []
        for _ in range(COLD_ROUNDS):
            begun = time.perf_counter()
            _search(place)
            times.append(1000 * (time.perf_counter() - begun))
    shares = [min(times), *(float(np.percentile(times, part)) for part in (50, 95))]
    return (f"{COLD:,}", *(f"{each:.0f}" for each in shares), "400")


def _search(place: Path) -> subprocess.CompletedProcess[str]:
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    left_out = {"PYTHONDONTWRITEBYTECODE", ONE_THREAD}
    environment = {key: value for key, value in os.environ.items() if key not in left_out}
    command = [holdfast, "search", "--recipe", "default", Generator().query()]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=True)


if __name__ == "__main__":
    if ONE_THREAD not in os.environ:
        # As the command line does, before numpy is loaded.
        os.execve(sys.executable, [*sys.orig_argv], {**os.environ, ONE_THREAD: "1"})  # ourselves
    main()
