"""How fast the journal appends, durably, against a bare write and fsync on the same disk in the same run.

python -m bench.append [folder]
"""

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event as Signal

from holdfast.core.event import Event
from holdfast.journal.file_journal import FileJournal

SECONDS = 2.0
TEXT = "A decision of ordinary length, as an agent would report it. " * 5
HEAD = ("what", "writers", "bare write+fsync /s", "journal events/s", "ratio")

# Each writes one batch durably and says how many events that was.
Writer = Callable[[], int]


def rows(folder: str, seconds: float = SECONDS) -> list[tuple[str, ...]]:
    """The table, without its head: one event at a time by 1 and by 8 processes, then batches of 100."""
    cases = [
        ("one event a time", 1, 1),
        ("one event a time", 8, 1),
        ("batches of 100", 1, 100),
        ("batches of 100", 8, 100),
    ]
    return [_row(folder, what, writers, batch, seconds) for what, writers, batch in cases]


def _row(folder: str, what: str, writers: int, batch: int, seconds: float) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        # Bare, journal, journal, bare: a disk that gets slower or faster meanwhile favours neither.
        bare: list[float] = []
        ours: list[float] = []
        for turn in range(2):
            for made, kind in ((bare, bare_writer), (ours, journal_writer))[:: 1 - 2 * turn]:
                made.append(_rate(f"{place}/{kind.__name__}-{turn}", kind, writers, batch, seconds / 2))
    plain, journal = sum(bare) / 2, sum(ours) / 2
    return what, str(writers), f"{plain:,.0f}", f"{journal:,.0f}", f"{journal / plain:.2f}"


def bare_writer(path: str, batch: int) -> Writer:
    """Writes as many bytes as the journal would, and nothing else."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    block = (TEXT + "x" * 150 + "\n").encode() * batch

    def write() -> int:
        os.write(fd, block)
        os.fsync(fd)
        return batch

    return write


def journal_writer(path: str, batch: int) -> Writer:
    """Appends events with keys of their own."""
    journal = FileJournal(path)
    number = 0

    def write() -> int:
        nonlocal number
        keys = [f"{os.getpid()}-{each}" for each in range(number, number + batch)]
        journal.append([Event(client="bench", name="said", key=key, data={"text": TEXT}) for key in keys])
        number += batch
        return batch

    return write


def _rate(path: str, kind: Callable[[str, int], Writer], writers: int, batch: int, seconds: float) -> float:
    spawn = multiprocessing.get_context("fork")
    go, counts = spawn.Event(), spawn.SimpleQueue()
    workers = [spawn.Process(target=_work, args=(kind(path, batch), go, counts, seconds)) for _ in range(writers)]
    for worker in workers:
        worker.start()
    go.set()
    total = sum((float(counts.get()) for _ in workers), start=0.0)
    for worker in workers:
        worker.join()
    return total


def _work(write: Writer, go: Signal, counts: "multiprocessing.SimpleQueue[float]", seconds: float) -> None:
    go.wait()
    begun, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < seconds:
        done += write()
    counts.put(done / passed)


def main() -> None:
    """Print the table."""
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir()
    table = [HEAD, *rows(folder)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEAD))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
