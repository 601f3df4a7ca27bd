"""Whole workspaces under SIGKILL: memories, candidates, accepts, events and index at once, and `verify` agrees."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Run in a process of its own: it forks writers that are warm, so that kills fall into the work and not into imports.
NURSERY = r"""
import json, os, random, select, signal, sys, time
from holdfast.core.event import Event
from holdfast.index.maintenance import rebuild, verify
from holdfast.index.entries import candidate_id
from holdfast.recall.find import list_entries
from holdfast.review.remember import MemoryDraft, propose, remember
from holdfast.review.accept import accept, list_waiting
from holdfast.setup.init_workspace import init, plan_init
from holdfast.core.search import Question
from holdfast.app import build_app

folder, kills_wanted, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
WRITERS, PATIENCE = 8, 30
init(plan_init(folder, named=True))


def say(pipe, kind, value):
    os.write(pipe, f"{kind} {value}\n".encode())


def work(pipe, number):
    chance = random.Random(f"{seed} {number} {os.getpid()}")
    app = build_app(folder)
    for count in range(10**9):
        words = f"fact {os.getpid()} {count} " + "lorem ipsum " * chance.randint(0, 300)
        step = chance.random()
        if step < 0.4:
            say(pipe, "memory", remember(app, MemoryDraft(type="learning", text=words)).memory.id)
        elif step < 0.6:
            made = propose(app, MemoryDraft(type="decision", text=words)).memory.id
            say(pipe, "candidate", made)
            if chance.random() < 0.7:
                # Numbers in made-up words may contradict each other: then the gate keeps it waiting.
                if accept(app, [made]).accepted:
                    say(pipe, "accepted", made)
        else:
            key = f"{os.getpid()}-{count}"
            app.journal.append([Event(client="test", name="prompt", key=key, data={"text": words})])
            say(pipe, "event", key)


def spawn(number):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(writing, number)
        finally:
            os._exit(1)
    os.close(writing)
    return child, reading


def drain(pipe):
    data = b""
    while chunk := os.read(pipe, 65536):
        data += chunk
    os.close(pipe)
    return [tuple(line.split()) for line in data.decode().split("\n")[:-1]]


def check(said):
    app = build_app(folder)
    app.journal.recover()
    verdict = verify(app)
    found = {entry.memory.id for entry in list_entries(app, Question(text=""))}
    candidates = {entry.memory.id for entry in list_waiting(app)}
    keys = [r.data["key"] for r in app.journal.read() if r.kind == "event" and r.data.get("client") == "test"]
    trouble = [f"{p.path}:{p.line} {p.reason}" for p in verdict.problems if "half-written" not in p.reason]
    for kind, value in said:
        memory = value.replace("CAND", "DEC")
        there = {
            "memory": value in found,
            "accepted": memory in found and value not in candidates,
            "candidate": value in candidates or memory in found,
            "event": keys.count(value) == 1,
        }[kind]
        if not there:
            trouble.append(f"lost {kind} {value}")
    before = sorted(found)
    rebuild(app)
    if sorted(entry.memory.id for entry in list_entries(app, Question(text=""))) != before:
        trouble.append("a rebuild gives other memories")
    return trouble


chance = random.Random(seed)
said, kills, trouble = [], 0, []
while kills < kills_wanted and not trouble:
    living = {}
    for number in range(WRITERS):
        child, pipe = spawn(number)
        living[child] = pipe
    for number, (child, pipe) in enumerate(living.items()):
        # On a loaded machine too, every other writer has come as far as to say something.
        if number % 2:
            select.select([pipe], [], [], PATIENCE)
        time.sleep(chance.uniform(0, 0.08))
        os.kill(child, signal.SIGKILL)
        kills += 1
    for child, pipe in living.items():
        said += drain(pipe)
        os.waitpid(child, 0)
    trouble = check(said)
print(json.dumps({"kills": kills, "said": len(said), "trouble": trouble}))
"""


def _run(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    command = [sys.executable, "-c", NURSERY, str(folder), str(kills), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_workspace_survives_its_writers_being_killed(tmp_path: Path) -> None:
    report = _run(tmp_path, kills=96, seed=1)

    assert report["trouble"] == []
    assert report["kills"] >= 96
    assert report["said"] >= 48


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(10))
def test_a_workspace_survives_thousands_of_kills(tmp_path: Path, seed: int) -> None:
    report = _run(tmp_path, kills=200, seed=seed)

    assert report["trouble"] == []
