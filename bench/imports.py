"""How much of real decision records the ADR reader understands. Takes a folder of repositories' records.

python -m bench.imports FOLDER [--superseded PAIRS.json] [--show N]

`PAIRS.json` is a list of `{repo, old, new}`; a repository's files lie below FOLDER in `owner+name`, or `owner/name`.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Sequence

from bench.table import table
from holdfast.importers.decision_records import read
from holdfast.importers.import_values import SUPERSEDED_BY, SUPERSEDES, ImportedItem, ImportSource, RejectedItem

SUPERSEDING = {SUPERSEDES, "supersedes_partly"}
SUPERSEDED = {SUPERSEDED_BY, "superseded_partly_by"}


def main(argv: Sequence[str] | None = None) -> None:
    """Read every repository below a folder and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.imports", description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--superseded", default="", help="pairs that should be found as links")
    parser.add_argument("--show", type=int, default=0, help="print so many records, chosen at random")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    begun = time.perf_counter()
    made, turned = records(args.folder)
    took = time.perf_counter() - begun
    print(table("Decision records", ("what", "figure"), figures(made, turned, took)))
    if args.superseded:
        _pairs(made, args.superseded)
    for each in random.Random(args.seed).sample(made, min(args.show, len(made))):
        _show(each)


def records(folder: str) -> tuple[list[ImportedItem], list[RejectedItem]]:
    """What the reader makes of every folder below one."""
    made: list[ImportedItem] = []
    turned: list[RejectedItem] = []
    for name in sorted(os.listdir(folder)):
        for found in read(ImportSource(path=os.path.join(folder, name), label=name)):
            if isinstance(found, ImportedItem):
                made.append(found)
            else:
                turned.append(found)
    return made, turned


def figures(made: Sequence[ImportedItem], turned: Sequence[RejectedItem], took: float) -> list[tuple[str, str]]:
    """Shares of what was recognised."""
    count = len(made)

    def share(number: int) -> str:
        return f"{number} ({number / max(1, count):.3f})"

    memories = [each.memory for each in made]
    return [
        ("records", str(count)),
        ("turned down", str(len(turned))),
        ("with a status", share(sum("import_status" in memory.extra for memory in memories))),
        ("with a date", share(sum(bool(memory.valid_from) for memory in memories))),
        ("with a choice", share(sum(bool(memory.choice) for memory in memories))),
        ("with a question", share(sum(bool(memory.question) for memory in memories))),
        ("with options not chosen", share(sum(bool(memory.rejected) for memory in memories))),
        ("options not chosen", str(sum(len(memory.rejected) for memory in memories))),
        ("of these with a reason", str(sum(bool(each.reason) for memory in memories for each in memory.rejected))),
        ("with links", share(sum(bool(each.links) for each in made))),
        ("seconds", f"{took:.1f}"),
    ]


def _pairs(made: Sequence[ImportedItem], path: str) -> None:
    with open(path, encoding="utf-8") as file:
        pairs = json.load(file)
    said = {(each.key, link.to) for each in made for link in each.links if link.kind in SUPERSEDING}
    said |= {(link.to, each.key) for each in made for link in each.links if link.kind in SUPERSEDED}
    wanted = {(_key(pair, "new"), _key(pair, "old")) for pair in pairs}
    print(table("Superseded", ("what", "figure"), [
        ("pairs", str(len(wanted))), ("found", str(len(wanted & said))), ("links told in all", str(len(said))),
    ]))  # fmt: skip
    for new, old in sorted(wanted - said):
        print(f"missed: {old}\n    by {new}")
    known = {each.key for each in made}
    for new, old in sorted(said - wanted):
        if new in known and old in known:
            print(f"more: {old}\n    by {new}")


def _key(pair: dict[str, str], which: str) -> str:
    return f"{pair['repo'].replace('/', '+')}/{pair[which]}"


def _show(each: ImportedItem) -> None:
    memory = each.memory
    print(f"--- {each.key}\ntitle:    {memory.title}")
    print(f"status:   {memory.extra.get('import_status', '')!r}  {memory.valid_from}")
    print(f"question: {memory.question}\nchoice:   {memory.choice}")
    for option in memory.rejected:
        print(f"  not {option.option!r}: {option.reason}")
    for link in each.links:
        print(f"  {link.kind} {link.to}")


if __name__ == "__main__":
    main()
