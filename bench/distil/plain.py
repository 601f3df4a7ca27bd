"""Plain statements by people who know none of our cues: how many are found, and how much else is taken for one.

    python -m bench.distil.plain [--set plain|held|contact] [--faults]

`plain` is the half of plain.jsonl that nothing was learned from; `held` (held_plain.jsonl) was written before the rules
saw it and is never tuned on, and so was `contact` (contact_plain.jsonl), by four other kinds of people: their faults
are not shown unless asked for by name.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.distil.statements import plain_session, read_plain
from bench.table import Row, table
from holdfast.core.distilled import Known
from holdfast.core.memory import Memory
from holdfast.distil.distiller import Distiller
from holdfast.distil.rule_distiller import RuleDistiller

HELD_FILE = Path(__file__).with_name("held_plain.jsonl")
CONTACT_FILE = Path(__file__).with_name("contact_plain.jsonl")
FILES = {"held": HELD_FILE, "contact": CONTACT_FILE}
SETS = ("plain", *FILES)
HEAD = ("set", "kind", "wanted", "found", "not to keep", "taken for one")


def load(name: str) -> list[dict[str, Any]]:
    """The statements of a set."""
    if name in FILES:
        return [json.loads(line) for line in FILES[name].read_text(encoding="utf-8").splitlines()]
    return read_plain(learned=False)


def rows(name: str, said: Sequence[Mapping[str, Any]], distiller: Distiller) -> list[Row]:
    """Found and falsely found, by kind and in all."""
    made = [(row, _candidates(row, distiller)) for row in said]
    kinds = ["all", *dict.fromkeys(row["kind"] for row in said)]
    found: list[Row] = []
    for kind in kinds:
        of_kind = [(row, got) for row, got in made if kind in ("all", row["kind"])]
        kept = [is_found(row, got) for row, got in of_kind if row["keep"]]
        left = [bool(got) for row, got in of_kind if not row["keep"]]
        found.append((name, kind, str(len(kept)), str(sum(kept)), str(len(left)), str(sum(left))))
    return found


def is_found(row: Mapping[str, Any], got: Sequence[Memory]) -> bool:
    """Whether a candidate holds the words that make the statement what it is."""
    return any(all(word.lower() in f"{one.title} {one.body}".lower() for word in row["must"][:2]) for one in got)


def faults(said: Sequence[Mapping[str, Any]], distiller: Distiller) -> list[str]:
    """What was missed, and what was taken for a statement."""
    made = [(row, _candidates(row, distiller)) for row in said]
    return [
        f"{'missed' if row['keep'] else 'taken '} {row['id']} {row['kind']}: {row['text']}"
        for row, got in made
        if (row["keep"] and not is_found(row, got)) or (not row["keep"] and got)
    ]


def _candidates(row: Mapping[str, Any], distiller: Distiller) -> tuple[Memory, ...]:
    return distiller.distil(plain_session(row), Known()).candidates


def main() -> None:
    """Print the table, and the faults where asked."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.distil.plain", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=SETS, help="only this set")
    parser.add_argument(
        "--faults", action="store_true", help="name what is wrong (of `held` and `contact` only where named)"
    )
    args = parser.parse_args()
    rules = RuleDistiller()
    sets = [args.set] if args.set else list(SETS)
    print(table("Plain statements", HEAD, [row for name in sets for row in rows(name, load(name), rules)]))
    if args.faults:
        print("\n".join(fault for name in sets if name not in FILES or args.set for fault in faults(load(name), rules)))


if __name__ == "__main__":
    main()
