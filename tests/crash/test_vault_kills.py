"""Processes that write memories are killed at random: what was acknowledged is there, and nothing is torn."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Run in a process of its own: it forks writers that are warm, so that kills fall into writes and not into imports.
NURSERY = r"""
import json, os, random, signal, sys, time
from holdfast.core.value import replace
from holdfast.core.errors import Conflict
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.vault.file_vault import FileVault

root, kills_wanted, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
WRITERS = 8
SHARED = "DEC-SHARED"
vault = FileVault(root, Scope.WORKSPACE)
chance = random.Random(seed)


def memory(name, version):
    body = f"{name} {version}\n---\n" + f"{name}.{version} " * chance.randint(1, 400)
    return Memory(id=name, type=MemoryType.DECISION, title=f"Title {version}", attempts=version, body=body + "END")


def whole(found):
    head = f"{found.id} {found.attempts}\n---\n{found.id}.{found.attempts} "
    return found.title == f"Title {found.attempts}" and found.body.startswith(head) and found.body.endswith("END")


def say(pipe, *words):
    os.write(pipe, (" ".join(map(str, words)) + "\n").encode())


def work(pipe, number):
    global chance
    chance = random.Random(f"{seed} {number} {os.getpid()}")
    own = []
    for count in range(10**9):
        step = chance.random()
        if step < 0.4 or not own:
            own.append(vault.create(memory(f"DEC-{os.getpid()}.{count}", 0)))
            say(pipe, own[-1].memory.id, 0)
        elif step < 0.8:
            at = chance.randrange(len(own))
            version = own[at].memory.attempts + 1
            own[at] = vault.rewrite(own[at], memory(own[at].memory.id, version))
            say(pipe, own[at].memory.id, version)
        else:
            [shared] = vault.read("decisions/DEC-SHARED-title-0.md").entries
            try:
                vault.rewrite(shared, replace(shared.memory, extra={"n": shared.memory.extra["n"] + 1}))
            except Conflict:
                continue
            say(pipe, SHARED, "+")


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
    return data.decode().split("\n")[:-1]


def check(acknowledged, increments, kills):
    seen, trouble = {}, []
    for path in vault.stamps():
        file = vault.read(path)
        trouble += [f"{path}: {problem.reason}" for problem in file.problems]
        for entry in file.entries:
            seen[entry.memory.id] = entry.memory
            if entry.memory.id != SHARED and not whole(entry.memory):
                trouble.append(f"{path}: torn")
    for name, version in acknowledged.items():
        if name not in seen or seen[name].attempts < version:
            trouble.append(f"{name}: acknowledged {version}, found {seen.get(name)}"[:200])
    if not increments <= seen[SHARED].extra["n"] <= increments + kills:
        trouble.append(f"lost updates: {increments} acknowledged, {seen[SHARED].extra['n']} found")
    return trouble


vault.create(replace(memory(SHARED, 0), extra={"n": 0}))
acknowledged, increments, kills, trouble = {}, 0, 0, []
while kills < kills_wanted and not trouble:
    children = [spawn(number) for number in range(WRITERS)]
    chance.shuffle(children)
    time.sleep(chance.uniform(0.02, 0.2))
    lines = []
    for child, pipe in children:
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            trouble.append(f"a writer ended by itself: {status}")
        kills += 1
        lines += drain(pipe)
    for line in lines:
        name, _, version = line.partition(" ")
        if name == SHARED:
            increments += 1
        else:
            acknowledged[name] = max(acknowledged.get(name, 0), int(version))
    trouble += check(acknowledged, increments, kills)
print(json.dumps({"kills": kills, "acknowledged": len(acknowledged), "increments": increments, "trouble": trouble}))
"""


def run(root: Path, kills: int, seed: int) -> dict[str, int | list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", NURSERY, str(root), str(kills), str(seed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, int | list[str]] = json.loads(done.stdout)
    return report


def test_no_kill_loses_an_acknowledged_memory_or_tears_a_file(tmp_path: Path) -> None:
    report = run(tmp_path / "memory", kills=120, seed=1)

    assert report["trouble"] == []
    assert int(str(report["kills"])) >= 120
    assert report["acknowledged"]
    assert report["increments"]


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(10))
def test_thousands_of_kills_lose_nothing(tmp_path: Path, seed: int) -> None:
    report = run(tmp_path / "memory", kills=400, seed=seed)

    assert report["trouble"] == []
