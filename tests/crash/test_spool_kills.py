"""Hooks killed while the journal's lock is held and let go: what was acknowledged is in the journal, once."""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.journeys.hooking import HOOK
from tests.journeys.moulds import set_up

from holdfast.app import build_app


def _start(folder: Path, words: str) -> subprocess.Popen[bytes]:
    payload = {
        "session_id": "s1", "transcript_path": "/home/dev/.claude/projects/p/x.jsonl", "cwd": str(folder),
        "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_response": words,
    }  # fmt: skip
    hook = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", HOOK], stdin=subprocess.PIPE, env={**os.environ, "CLAUDECODE": "1"}
    )
    assert hook.stdin
    hook.stdin.write(json.dumps(payload).encode())
    hook.stdin.close()
    return hook


def _run(folder: Path, hooks: int, seed: int) -> tuple[list[str], list[str]]:
    """The words of hooks that ended by themselves, and of those that were killed."""
    chance, lock = random.Random(seed), folder / ".holdfast/journal/lock"
    lock.parent.mkdir(exist_ok=True)
    said: list[str] = []
    killed: list[str] = []
    for number in range(0, hooks, 4):
        with lock.open("a") as held:
            if chance.random() < 0.6:
                fcntl.flock(held, fcntl.LOCK_EX)
            started = [
                (f"words {seed} {each}", _start(folder, f"words {seed} {each}")) for each in range(number, number + 4)
            ]
            for words, hook in started:
                if chance.random() < 0.5:
                    time.sleep(chance.uniform(0, 0.4))
                    hook.send_signal(signal.SIGKILL)
                (said if hook.wait() == 0 else killed).append(words)
    return said, killed


def _check(folder: Path, hooks: int, seed: int) -> None:
    set_up(folder)

    said, killed = _run(folder, hooks, seed)
    journal = build_app(str(folder)).journal
    records = [record for record in journal.read() if record.kind == "event"]
    found = Counter(record.data["data"]["output"] for record in records)

    assert said
    assert killed
    assert {words: found[words] for words in said} == dict.fromkeys(said, 1)
    assert all(found[words] <= 1 for words in killed)
    assert not list((Path(os.environ["HOLDFAST_HOME"]) / "spool").glob("*/*.event"))
    assert not journal.verify().damage


@pytest.mark.slow
def test_hooks_are_killed_while_their_events_wait(tmp_path: Path) -> None:
    _check(tmp_path, 40, seed=1)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_hooks_are_killed_while_their_events_wait(tmp_path: Path, seed: int) -> None:
    _check(tmp_path, 200, seed)
