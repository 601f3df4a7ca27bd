"""A harvest that is killed: what it wrote stands, and the next one goes on without doubling."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bench.harvest import made, peak
from tests.transcripts import Claude, kept, reap
from tests.waiting import LONG

SLOW = """
import sys
from holdfast.app import build_app
from holdfast.harvest import harvest_transcripts as harvesting
harvesting.CHUNK, harvesting.ALONE = 20_000, int(sys.argv[2])
harvesting.COMMIT_EVENTS, harvesting.SAVE_SECONDS = 20, 0.0
print("begun", flush=True)
harvesting.harvest(build_app(sys.argv[1]), harvesting.HarvestRequest(folders={sys.argv[1]: sys.argv[1]}, workers=2))
"""
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n" + SLOW


def begin(project: Path, alone: int, code: str = SLOW) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(project), str(alone)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = (tmp_path / "project").resolve()
    (path / ".holdfast").mkdir(parents=True)
    for _ in range(5):
        session = Claude(path, Path(os.environ["HOME"]))
        for number in range(60):
            session.prompt(f"prompt {number}")
            session.gets(session.calls(command=f"run {number}"), "x" * 500)
            session.says(f"answer {number}")
    return path


def expected() -> int:
    return 5 * (1 + 60 * 3)


@pytest.mark.parametrize("alone", [0, 1 << 30], ids=["many processes", "one process"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_a_stopped_harvest_goes_on_where_it_was(project: Path, alone: int, how: signal.Signals) -> None:
    chance = random.Random(int(how) + alone)
    for _ in range(4):
        running = begin(project, alone)
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(chance.random() * 0.3)
        running.send_signal(how)
        running.communicate(timeout=LONG)

    reap(project)

    keys = [event["key"] for event in kept(project)]
    assert len(keys) == len(set(keys)) == expected()


def test_a_full_disk_stops_it_and_loses_nothing(project: Path) -> None:
    done = begin(project, 1 << 30, LIMITED)
    _, said = done.communicate(timeout=LONG)

    assert done.returncode != 0
    assert "JournalUnwritable" in said
    assert reap(project).fresh + len(kept(project)) >= expected()
    assert len(kept(project)) == expected()


@pytest.mark.heavy
def test_a_large_file_takes_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    few = peak(small, made(small, 30, one_file=True), 2)
    many = peak(large, made(large, 300, one_file=True), 2)

    assert many[0] < few[0] + 60
    assert many[1] < few[1] + 60
