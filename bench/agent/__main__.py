"""Does memory pay? An agent in a script, on small repositories with known dead ends, with memory and without.

python -m bench.agent            the tables
python -m bench.agent --show     also each case that went another way than it should
"""

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bench.agent.cases import NOTHING, OTHER_WORDS, SAID, Case, cases
from bench.agent.policy import Temper
from bench.agent.trial import Spent, Trial, at_home, laid_out, planning, trial
from bench.table import Row, table
from holdfast.memory.persistent import PersistentMemory

ARMS: Mapping[str, tuple[Temper, bool]] = {
    "reads, without memory": (Temper.READS, False),
    "reads, with memory": (Temper.READS, True),
    "split, without memory": (Temper.SPLIT, False),
    "split, with memory": (Temper.SPLIT, True),
    "stubborn, with memory": (Temper.STUBBORN, True),
}
TIMED = 12
ROUNDS = 7
# How long a model is taken to think over a plan; the three stances ask at the same time.
MODEL_SECONDS = 1.0
BAR = 1.10


def main(words: Sequence[str] = ()) -> None:
    """Print the tables."""
    arms = {name: _tried(temper, remembers=remembers) for name, (temper, remembers) in ARMS.items()}
    print(table("Agent: dead ends", HEAD, [_row(name, found) for name, found in arms.items()]), flush=True)
    print(table("Agent: by what memory says", KINDS, _by_kind(arms)), flush=True)
    if "--show" in words:
        _show(arms)
    print(table("Agent: planning, without the model's time", TIMES, _times()), flush=True)


def _tried(temper: Temper, *, remembers: bool) -> list[Trial]:
    return [trial(case, temper, remembers=remembers) for case in cases()]


HEAD = (
    "arm", "goals with a dead end", "planned", "repeated", "right at the first gate", "reached", "repaired",
    "outvoted", "requests a run", "tokens a run",
)  # fmt: skip


def _row(name: str, trials: Sequence[Trial]) -> Row:
    risky = [each for each in trials if each.case.dead is not None]
    return (
        name, str(len(risky)), _count(each.planned for each in risky), _count(each.repeated for each in risky),
        _count(each.first for each in risky), _count(each.reached for each in risky),
        _count(each.repairs > 0 for each in risky), _count(each.outvoted for each in risky),
        f"{statistics.mean(each.calls for each in risky):.1f}", f"{statistics.mean(each.read for each in risky):.0f}",
    )  # fmt: skip


KINDS = ("memory", "goals", "told of it", "repeated without", "repeated with", "prompt", "tokens added", "most")


def _by_kind(arms: Mapping[str, Sequence[Trial]]) -> list[Row]:
    rows: list[Row] = []
    pairs = list(zip(arms["reads, without memory"], arms["reads, with memory"], strict=True))
    for kind, says in (
        (SAID, "names it, and the goal's subject"), (OTHER_WORDS, "in other words than the goal"),
        (NOTHING, "has nothing on the goal"),
    ):  # fmt: skip
        part = [(without, held) for without, held in pairs if held.case.kind == kind]
        added = [held.prompt - without.prompt for without, held in part]
        rows.append((
            says, str(len(part)), _count(held.told for _, held in part), _count(without.repeated for without, _ in part),
            _count(held.repeated for _, held in part), f"{statistics.mean(held.prompt for _, held in part):.0f}",
            f"{statistics.mean(added):.0f}", str(max(added)),
        ))  # fmt: skip
    return rows


TIMES = ("against", "without", "with", "added", "added, CPU", "ratio", f"ratio, model {MODEL_SECONDS:g} s", "bar")


def _times() -> list[Row]:
    """Medians of rounds in turn, then the mean over cases."""
    names = ("no memory: nothing kept, nothing on disk", "a workspace that holds no memory")
    found: list[tuple[Spent, Spent, Spent]] = [_timed(case) for case in cases()[:TIMED]]
    held = _mean([each[0] for each in found])
    rows: list[Row] = []
    for at, name in enumerate(names, start=1):
        base = _mean([each[at] for each in found])
        rows.append((
            name, _ms(base.wall), _ms(held.wall), _ms(held.wall - base.wall), _ms(held.cpu - base.cpu),
            f"{held.wall / base.wall:.2f}",
            f"{(MODEL_SECONDS + held.wall) / (MODEL_SECONDS + base.wall):.3f}", f"{BAR:.2f}",
        ))  # fmt: skip
    return rows


def _timed(case: Case) -> tuple[Spent, Spent, Spent]:
    with at_home() as top:
        held, bare = laid_out(case, top, remembers=True), laid_out(case, top, remembers=False)
        arms: tuple[tuple[Path, Callable[[Path], PersistentMemory]], ...] = (
            (held, PersistentMemory.load), (bare, PersistentMemory.empty), (bare, PersistentMemory.load)
        )  # fmt: skip
        rounds = [[planning(folder, case, load) for folder, load in arms] for _ in range(ROUNDS)]
    one, two, three = (_median([each[at] for each in rounds[1:]]) for at in range(len(arms)))
    return one, two, three


def _median(spent: Sequence[Spent]) -> Spent:
    return Spent(wall=statistics.median(each.wall for each in spent), cpu=statistics.median(each.cpu for each in spent))


def _mean(spent: Sequence[Spent]) -> Spent:
    return Spent(wall=statistics.mean(each.wall for each in spent), cpu=statistics.mean(each.cpu for each in spent))


def _show(arms: Mapping[str, Sequence[Trial]]) -> None:
    for name, found in arms.items():
        for each in found:
            if each.repeated and name != "reads, without memory":
                print(f"{name}: {each.case.name} ({each.case.kind}): the dead end was repeated")
    for without, held in zip(arms["reads, without memory"], arms["reads, with memory"], strict=True):
        if held.case.kind == NOTHING and held.prompt != without.prompt:
            print(f"{held.case.name}: {held.prompt - without.prompt} tokens for nothing")


def _count(of: Iterable[bool]) -> str:
    return str(sum(of))


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    main(sys.argv[1:])
