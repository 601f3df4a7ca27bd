"""Warnings by recall on plans that break memory and plans that do not: how many are right, how many are found.

The set is ours (plans.txt). `tune` was looked at while the rules were made, `test` was not.
"""

import json
import os
import sys
from collections.abc import Sequence
from functools import cache

from bench.abstain import memories
from bench.check import hook, rules
from bench.table import Row, table
from holdfast.check.check_recalled import find_recalled
from holdfast.check.plan_text import read_plan
from holdfast.core.finding import Finding
from holdfast.core.memory import Memory, MemoryType, RejectedOption, Status
from holdfast.core.value import Value

HERE = os.path.dirname(__file__)
CODING = os.path.join(HERE, "..", "recall", "coding", "memories.jsonl")
NOTHING = "-"


class Tried(Value):
    """A plan, what it breaks, and what was found."""

    half: str
    wanted: str
    plan: str
    found: tuple[Finding, ...]

    @property
    def breaks(self) -> bool:
        return self.wanted != NOTHING

    @property
    def false(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.found if each.memory not in self.wanted.split())

    @property
    def met(self) -> bool:
        return any(each.memory in self.wanted.split() for each in self.found)


def tried() -> list[Tried]:
    """Every plan, checked."""
    with open(os.path.join(HERE, "plans.txt"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(" | ", 3) for line in file if line.strip() and not line.startswith("#")]
    return [
        Tried(
            half=half, wanted=wanted, plan=plan,
            found=tuple(find_recalled(_memories(which), read_plan(plan.replace("\\n", "\n")).sentences)),
        )
        for half, which, wanted, plan in rows
    ]  # fmt: skip


@cache
def _memories(which: str) -> Sequence[Memory]:
    if which == "goals":
        return list(memories())
    with open(CODING, encoding="utf-8") as file:
        rows = [row for line in file if (row := json.loads(line))["project"] == which and row["status"] == "accepted"]
    return [
        Memory(
            id=row["id"], type=MemoryType(row["type"]), status=Status.ACCEPTED, title=row["title"], body=row["body"],
            question=row["question"], choice=row["choice"], root_cause=row["root_cause"],
            rejected=tuple(RejectedOption(**each) for each in row["rejected"]), paths=tuple(row["paths"]),
        )
        for row in rows
    ]  # fmt: skip


def main(words: Sequence[str] = ()) -> None:
    """Print the tables; with `--show`, what was missed and what was wrong in the half that may be looked at."""
    plans = tried()
    rows: list[Row] = []
    for half in ("tune", "test"):
        part = [each for each in plans if each.half == half]
        breaking = [each for each in part if each.breaks]
        right = sum(each.met for each in breaking)
        false = sum(len(each.false) for each in part)
        quiet = sum(not each.found for each in part if not each.breaks)
        said = sum(len(each.found) for each in part)
        rows.append((
            half, f"{right} of {len(breaking)}", f"{quiet} of {len(part) - len(breaking)}",
            f"{(said - false) / max(1, said):.2f}", f"{right / len(breaking):.2f}",
        ))  # fmt: skip
    print(
        table(
            "Check: warnings by recall",
            ("half", "breaking plans met", "others left alone", "precision", "recall"),
            rows,
        )
    )
    rules.main(words)
    if not words:
        hook.main()
    if "--show" in words:
        for each in plans:
            if each.half == "tune" or "--test" in words:
                wrong = [f"{found.memory} {found.rule} {found.confidence} {found.reason}" for found in each.false]
                if wrong or (each.breaks and not each.met):
                    print(f"{'missed ' + each.wanted if each.breaks and not each.met else 'false'}: {each.plan}")
                    print("".join(f"    {line}\n" for line in wrong), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
