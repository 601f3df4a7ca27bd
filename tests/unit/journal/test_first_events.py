"""Hooks that are the first in a workspace, all at the same moment."""

import subprocess
import sys
from pathlib import Path

ROUNDS, AT_ONCE = 60, 4
# Forks here: a process of its own, so that the tests' own threads are not copied.
RACE = f"""
import os, sys, time
from holdfast.journal.capture_event import capture_event

event = {{"client": "claude-code", "session": "s", "name": "prompt", "key": "", "data": {{"prompt": "walrus"}}}}
failed = 0
for number in range({ROUNDS}):
    folder = os.path.join(sys.argv[1], str(number))
    os.mkdir(folder)
    start, children = time.monotonic() + 0.005, []
    for _ in range({AT_ONCE}):
        if not (child := os.fork()):
            while time.monotonic() < start:
                pass
            try:
                capture_event(folder, event)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    failed += sum(os.waitpid(child, 0)[1] != 0 for child in children)
print(failed)
"""


def test_hooks_that_make_the_journal_together_all_keep_their_event(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RACE, str(tmp_path)], capture_output=True, text=True, timeout=120, check=True
    )

    assert done.stdout == "0\n"
    for number in range(ROUNDS):
        kept = b"".join(path.read_bytes() for path in sorted((tmp_path / str(number) / "journal").glob("*.jsonl")))
        assert kept.count(b"walrus") == AT_ONCE
