"""Writers killed with SIGKILL at random moments: what was acknowledged is there, once, and nothing is damaged."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from holdfast.journal.file_journal import FileJournal

APPENDER = Path(__file__).with_name("journal_appender.py")
WRITERS = 8


def words(folder: Path, name: str, word: str) -> set[str]:
    """The keys of which a writer said this word; one cut off by the kill was not said."""
    path = folder / f"{name}.words"
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    said = [line.split() for line in lines if line.endswith("\n")]
    return {key for each, key in said if each == word}


def kill_round(folder: Path, chance: random.Random) -> int:
    """Start the writers, kill each at a moment of its own; how many died by it."""
    names = [f"w{number}" for number in range(WRITERS)]
    roles = ["sweep", *["append"] * (WRITERS - 1)]
    arguments = [
        [sys.executable, str(APPENDER), str(folder / "journal"), str(folder / f"{name}.words"), name, role]
        for name, role in zip(names, roles, strict=True)
    ]
    before = {name: len(words(folder, name, "ack")) for name in names}
    processes = [subprocess.Popen(command) for command in arguments]
    try:
        return _kill_each(folder, processes, before, chance)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _kill_each(
    folder: Path, processes: list[subprocess.Popen[bytes]], before: dict[str, int], chance: random.Random
) -> int:
    while any(len(words(folder, name, "ack")) == count for name, count in before.items()):
        assert all(process.poll() is None for process in processes), "a writer ended by itself"
        time.sleep(0.01)
    for process in chance.sample(processes, WRITERS):
        time.sleep(chance.uniform(0, 0.05))
        process.kill()
    return sum(process.wait() == -signal.SIGKILL for process in processes)


def check(folder: Path) -> None:
    """Every acknowledged event is there once and whole, but those whose deletion had begun."""
    journal = FileJournal(str(folder / "journal"))
    journal.recover()
    assert journal.verify().damage == ()

    found = Counter[str]()
    for record in journal.read():
        if record.kind == "event":
            found[record.data["key"]] += 1
            data = record.data["data"]
            assert data["text"] == "ä" * (data["length"] // 2)
    assert set(found.values()) <= {1}
    for name in (f"w{number}" for number in range(WRITERS)):
        deleting, deleted = words(folder, name, "deleting"), words(folder, name, "deleted")
        assert words(folder, name, "ack") - deleting <= found.keys()
        assert not deleted & found.keys()


def rounds(folder: Path, count: int, seed: int) -> int:
    chance = random.Random(seed)
    kills = 0
    for _ in range(count):
        kills += kill_round(folder, chance)
        check(folder)
    return kills


def test_a_hundred_kills_lose_nothing_acknowledged_and_damage_nothing(tmp_path: Path) -> None:
    assert rounds(tmp_path, count=13, seed=7) >= 100


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(25))
def test_thousands_of_kills_lose_nothing_acknowledged_and_damage_nothing(tmp_path: Path, seed: int) -> None:
    assert rounds(tmp_path, count=15, seed=seed) >= 15 * WRITERS
