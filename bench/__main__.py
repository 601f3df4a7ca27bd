"""Every benchmark, as Markdown tables with ratios. `./do bench` runs all; name some to run only those.

./do bench                     everything at 1k and 10k
./do bench --full              also at 100k memories (about ten minutes)
./do bench append cold search  only these
./do bench hook --peers        with claude-mem's hooks beside ours (installed from npm into your cache)
"""

import argparse
import tempfile

from bench import (
    abstain,
    append,
    badge,
    bundle,
    cold,
    context,
    curate,
    growth,
    guard,
    harvest,
    hook,
    layers,
    redact,
    search,
    secrets,
    sockets,
    studio,
    told,
    writes,
)
from bench.agent import __main__ as agent
from bench.check import __main__ as check
from bench.conflicts import __main__ as conflicts
from bench.distil import __main__ as distil
from bench.table import table

SIZED = {"cold": cold, "curate": curate}
PLAIN = {
    "badge": badge, "bundle": bundle, "context": context, "growth": growth, "guard": guard,
    "secrets": secrets, "sockets": sockets, "studio": studio,
    "told": told, "writes": writes,
}  # fmt: skip
RATED = {"agent": agent, "check": check, "conflicts": conflicts, "distil": distil}
NAMES = ["append", "hook", "redact", "cold", "search", "layers", "abstain", *RATED, "harvest", *PLAIN, "curate"]
SIZES = [1000, 10_000]
FULL = [*SIZES, 100_000]


def main() -> None:
    """Run the benchmarks asked for."""
    parser = argparse.ArgumentParser(
        prog="./do bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], help="which (default: all)")
    parser.add_argument("--full", action="store_true", help="also at 100,000 memories")
    parser.add_argument("--peers", action="store_true", help="with the hooks of others, installed from npm")
    parser.add_argument("--mb", type=int, default=100, help="how many MB of transcripts `harvest` reads")
    args = parser.parse_args()
    sizes = FULL if args.full else SIZES
    wanted = args.names or NAMES
    if "append" in wanted:
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=".") as folder:
            print(table("Append with fsync", append.HEAD, append.rows(folder)), flush=True)
    if "hook" in wanted:
        hook.main(with_peers=args.peers)
    if "redact" in wanted:
        redact.main()
    for sized in (SIZED[name] for name in wanted if name in SIZED):
        sized.main(sizes)
    if "search" in wanted:
        figures = [(f"{r.memories:,}", r.name, f"{r.value:.2f} {r.unit}") for r in search.rows(sizes)]
        print(table("Search and index", ("memories", "what", "figure"), figures), flush=True)
    if "layers" in wanted:
        layers.main()
    if "abstain" in wanted:
        abstain.main()
    for name, bench in RATED.items():
        if name in wanted:
            bench.main([])
    if "harvest" in wanted:
        harvest.main(args.mb)
    for plain in (PLAIN[name] for name in wanted if name in PLAIN):
        plain.main()


if __name__ == "__main__":
    main()
