"""What a bundle costs: memory and time of an export and an import, for journals of growing size.

./do bench bundle                       100 MB and 1 GB
python -m bench.bundle 100 1000 5000    sizes in MB: 5 GB takes some twenty minutes and 15 GB of disk
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

from bench.table import table
from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.exchange.bundles.bundle_places import export_to, open_source
from holdfast.exchange.bundles.export_import import BundleKeys, BundleRecipients, build_export_request, open_import
from holdfast.setup.init_workspace import init, plan_init

SIZES = [100, 1000]
HEAD = ("journal", "what", "seconds", "of CPU", "MB per CPU second", "most memory", "bundle")
MB = 1_000_000
BATCH = 2000
LONG = 3000
WORDS = [f"word{number}" for number in range(5000)]


def main(sizes: list[int] | None = None) -> None:
    """Print the table."""
    print(table("Bundles", HEAD, [row for size in sizes or SIZES for row in rows(size)]), flush=True)


def rows(size: int) -> list[tuple[str, ...]]:
    """One export and one import of a journal of so many MB, each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        env = {**os.environ, "HOLDFAST_HOME": os.path.join(folder, "home")}
        _child(env, "make", folder, str(size))
        out = _child(env, "export", folder, str(size))
        back = _child(env, "import", folder, str(size))
        packed = os.path.getsize(os.path.join(folder, "x.tar.zst"))
    return [_row(size, "export", out, packed), _row(size, "import", back, packed)]


def _row(size: int, what: str, told: dict[str, float], packed: int) -> tuple[str, ...]:
    rate = told["bytes"] / MB / told["cpu"]
    took = f"{told['seconds']:.0f}", f"{told['cpu']:.0f}"
    return f"{size:,} MB", what, *took, f"{rate:.1f}", f"{told['rss']:.0f} MB", f"{packed / MB:.0f} MB"


def _child(env: dict[str, str], *words: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.bundle", "--child", *words]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def child(what: str, folder: str, size: int) -> None:
    """One step; what it took, on standard output."""
    one, other, path = (os.path.join(folder, name) for name in ("one", "other", "x.tar.zst"))
    begun = time.monotonic()
    if what == "make":
        _make(one, size)
    elif what == "export":
        app = build_app(one)
        export_to(app, path, build_export_request(app, conversations=True), BundleRecipients())
    else:
        os.mkdir(other)
        init(plan_init(other, named=True))
        with (
            open_source(build_app(other), path) as (data, _),
            open_import(build_app(other), data, BundleKeys()) as bundle,
        ):
            bundle.go()
    seconds = time.monotonic() - begun
    used = resource.getrusage(resource.RUSAGE_SELF)
    held = sum(entry.stat().st_size for entry in os.scandir(os.path.join(one, ".holdfast", "journal")))
    cpu = used.ru_utime + used.ru_stime
    print(json.dumps({"seconds": seconds, "cpu": cpu, "rss": used.ru_maxrss / 1000, "bytes": held}))


def _make(one: str, size: int) -> None:
    os.mkdir(one)
    init(plan_init(one, named=True))
    app, chance, written = build_app(one), random.Random(1), 0
    words = " ".join(chance.choices(WORDS, k=1_000_000))
    while written < size * MB:
        starts = [chance.randrange(len(words) - LONG) for _ in range(BATCH)]
        texts = [f"{chance.random()} {words[start : start + LONG]}" for start in starts]
        # No client's own name: records are made of what clients say, and their cost is not a bundle's.
        app.journal.append([Event(client="holdfast", name="bench.words", data={"text": text}) for text in texts])
        written += sum(map(len, texts))
    # An index that is behind is brought in step by whatever command comes first: that is not a bundle's cost either.
    app.index.cursor()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main([int(word) for word in sys.argv[1:]] or None)
