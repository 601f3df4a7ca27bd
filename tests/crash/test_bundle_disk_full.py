"""A disk that takes no more: an export leaves no file, an import nothing at all, and both say so."""

import subprocess
import sys
from pathlib import Path

from tests.waiting import LONG

WORK = r"""
import os, random, resource, signal, sys
from holdfast.core.search import Select
from holdfast.exchange.bundles.apply_import import finish_imports
from holdfast.exchange.bundles.bundle_places import export_to, open_source
from holdfast.exchange.bundles.export_import import BundleKeys, BundleRecipients, open_import, build_export_request
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.system.folders import DiskFull
from holdfast.app import build_app

one, other, path = (os.path.join(sys.argv[1], name) for name in ("one", "other", "x.tar.zst"))
for place in (one, other):
    os.mkdir(place)
    init(plan_init(place, named=True))
app = build_app(one)
remember(app, MemoryDraft(type="decision", text="Use Textual"))
os.makedirs(os.path.join(app.folder, "work"))
chance = random.Random(1)
with open(os.path.join(app.folder, "work", "large.md"), "w") as file:
    for _ in range(60_000):
        file.write("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=20)) + " word\n")
export_to(app, path, build_export_request(app), BundleRecipients())
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))


def bring_in():
    with open_source(build_app(other), path) as (data, _), open_import(build_app(other), data, BundleKeys()) as bundle:
        bundle.go()


refused = 0
for attempt in (lambda: export_to(build_app(one), path + "2", build_export_request(app), BundleRecipients()), bring_in):
    try:
        attempt()
    except DiskFull:
        refused += 1
assert refused == 2, refused
assert sorted(os.listdir(sys.argv[1])) == ["one", "other", "x.tar.zst"], os.listdir(sys.argv[1])
assert build_app(other).index.select(Select()) == []
assert os.listdir(os.path.join(other, ".holdfast", "state", "imports")) == ["lock"]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
bring_in()
assert len(build_app(other).index.select(Select())) == 1
print("whole")
"""


def test_a_disk_that_is_full_leaves_all_or_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(tmp_path)], capture_output=True, text=True, check=False, timeout=LONG
    )

    assert (done.stdout.strip(), done.returncode) == ("whole", 0), done.stderr
