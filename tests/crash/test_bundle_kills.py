"""Exports and imports under SIGKILL: a bundle is whole or not there, an import is all or nothing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Run in a process of its own: it forks workers that are warm, so that kills fall into the work and not into imports.
NURSERY = r"""
import io, json, os, random, shutil, signal, sys, time
from holdfast.core.event import Event
from holdfast.core.search import Select
from holdfast.review.batches import undo
from holdfast.exchange.bundles.apply_import import finish_imports
from holdfast.exchange.bundles.bundle_places import export_to, open_source
from holdfast.exchange.bundles.export_import import BundleKeys, BundleRecipients, open_import, build_export_request
from holdfast.index.maintenance import verify
from holdfast.review.remember import MemoryDraft, propose, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.app import build_app

folder, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
one, out = os.path.join(folder, "one"), os.path.join(folder, "out")
os.mkdir(one), os.mkdir(out)
init(plan_init(one, named=True))
app = build_app(one)
for number in range(12):
    remember(app, MemoryDraft(type="learning", text=f"fact {number} " + "lorem " * 200))
    propose(app, MemoryDraft(type="decision", text=f"choice {number}"))
    app.journal.append([Event(client="test", name="prompt", session="s", data={"prompt": f"words {number}" * 50})])
os.makedirs(os.path.join(app.folder, "work", "w"))
for number in range(5):
    open(os.path.join(app.folder, "work", "w", f"{number}.md"), "w").write("record " * 100)
everything = build_export_request(app, conversations=True)


def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
    return pid


def took(work):
    begun = time.monotonic()
    pid = child(work)
    assert os.waitpid(pid, 0)[1] == 0
    return time.monotonic() - begun


def killed(work, longest):
    pid = child(work)
    time.sleep(chance.uniform(0, longest))
    os.kill(pid, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def bring_in(place, path):
    with open_source(build_app(place), path) as (data, _), open_import(build_app(place), data, BundleKeys()) as bundle:
        bundle.go()


def state(place):
    app = build_app(place)
    entries = app.index.select(Select())
    events = [r for r in app.journal.read() if r.data.get("name") == "prompt"]
    work = os.path.join(app.folder, "work", "w")
    return len(entries), len(events), len(os.listdir(work)) if os.path.isdir(work) else 0


trouble, kills, finished, nothing = [], 0, 0, 0
path = os.path.join(out, "x.tar.zst")
longest = took(lambda: export_to(build_app(one), path, everything, BundleRecipients()))
for number in range(rounds):
    kills += killed(lambda: export_to(build_app(one), path, everything, BundleRecipients(), force=True), longest)
    target = os.path.join(folder, f"e{number}")
    os.mkdir(target), init(plan_init(target, named=True))
    bring_in(target, path)
    if state(target) != (24, 12, 5):
        trouble.append(f"a bundle that was replaced under a kill gives {state(target)}")
    shutil.rmtree(target)
longest = None
for number in range(rounds):
    target = os.path.join(folder, f"i{number}")
    os.mkdir(target), init(plan_init(target, named=True))
    if longest is None:
        longest = took(lambda: bring_in(target, path))
        continue
    died = killed(lambda: bring_in(target, path), longest)
    kills += died
    app = build_app(target)
    finish_imports(app)
    found = state(target)
    finished += bool(app.notices)
    nothing += found == (0, 0, 0)
    if found not in {(24, 12, 5), (0, 0, 0)}:
        trouble.append(f"half an import: {found}")
    place = os.path.join(app.folder, "state", "imports")
    if os.path.isdir(place) and os.listdir(place) != ["lock"]:
        trouble.append("something is left")
    bad = [p.reason for p in verify(build_app(target)).problems if "half-written" not in p.reason]
    if bad:
        trouble.append(str(bad))
    if found[0] and died:
        undo(build_app(target))
        if state(target)[0]:
            trouble.append(f"undo leaves {state(target)}")
    bring_in(target, path)
    if state(target) != (24, 12, 5):
        trouble.append(f"again gives {state(target)}")
    shutil.rmtree(target)
print(json.dumps({"kills": kills, "finished": finished, "nothing": nothing, "trouble": trouble}))
"""


def _run(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    command = [sys.executable, "-c", NURSERY, str(folder), str(rounds), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_kills_leave_all_or_nothing(tmp_path: Path) -> None:
    report = _run(tmp_path, rounds=6, seed=1)

    assert report["trouble"] == []
    assert report["kills"] > 0


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_kills_leave_all_or_nothing(tmp_path: Path, seed: int) -> None:
    report = _run(tmp_path, rounds=60, seed=seed)

    assert report["trouble"] == []
    assert report["finished"] > 0
    assert report["nothing"] > 0
