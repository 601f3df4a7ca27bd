"""Does memory pay? An agent in a script, on small repositories with known dead ends, with memory and without.

python -m bench.agent            the tables
python -m bench.agent --show     also each case that repeats its dead end with memory
python -m bench.agent --times    the time alone
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bench.agent.cases import NOTHING, OTHER_WORDS, SAID, Case, cases, noise
from bench.agent.policy import Temper
from bench.agent.trial import Spent, Trial, at_home, laid_out, planning, said_of, trial
from bench.table import Row, table
from holdfast.core.finding import Severity
from holdfast.core.value import replace
from holdfast.library.persistent_memory import PersistentMemory
from holdfast.vault.file_stamps import SETTLED_AFTER_NS

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
    if "--times" in words:
        print(table("Agent: planning, without the model's time", TIMES, _times()), flush=True)
        return
    arms = {name: _tried(temper, remembers=remembers) for name, (temper, remembers) in ARMS.items()}
    print(table("Agent: dead ends", HEAD, [_row(name, found) for name, found in arms.items()]), flush=True)
    print(table("Agent: by what memory says", KINDS, _by_kind(arms)), flush=True)
    print(table("Agent: what `check` says of plans in words", CHECKED, _checked()), flush=True)
    if "--show" in words:
        _show(arms)
    print(table("Agent: planning, without the model's time", TIMES, _times()), flush=True)


def _tried(temper: Temper, *, remembers: bool) -> list[Trial]:
    return [trial(case, temper, remembers=remembers) for case in cases()]


HEAD = (
    "arm", "goals with a dead end", "planned", "refused", "repeated", "right at the first gate", "reached", "repaired",
    "outvoted", "requests a run", "tokens a run",
)  # fmt: skip


def _row(name: str, trials: Sequence[Trial]) -> Row:
    risky = [each for each in trials if each.case.dead is not None]
    return (
        name, str(len(risky)), _count(each.planned for each in risky), _count(each.refused for each in risky),
        _count(each.repeated for each in risky),
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
            says, str(len(part)), _count(held.told for _, held in part),
            _count(without.repeated for without, _ in part),
            _count(held.repeated for _, held in part), f"{statistics.mean(held.prompt for _, held in part):.0f}",
            f"{statistics.mean(added):.0f}", str(max(added)),
        ))  # fmt: skip
    return rows


CHECKED = ("plan", "plans", "error: turned down", "warning: scored lower", "nothing")


def _checked() -> list[Row]:
    risky = [case for case in cases() if case.dead is not None]
    rows: list[Row] = []
    dead, good = [(case, case.dead) for case in risky], [(case, case.good) for case in cases()]
    for name, ways in (("the dead end", dead), ("the good way", good)):
        said = [said_of(case, way) for case, way in ways if way is not None]
        error = sum(Severity.ERROR in each for each in said)
        silent = sum(not each for each in said)
        rows.append((name, str(len(said)), str(error), str(len(said) - error - silent), str(silent)))
    return rows


TIMES = (
    "memories", "against", "without", "with", "added", "added, CPU", "ratio", f"ratio, model {MODEL_SECONDS:g} s", "bar"
)  # fmt: skip
BASES = ("nothing kept, nothing on disk", "a workspace without memory")


def _times() -> list[Row]:
    """Medians of rounds in turn, then the mean over cases; with the memory of a small project and of a large one."""
    timed = cases()[:TIMED]
    crowded = [replace(case, noise=noise()) for case in timed]
    return [*_compared(timed), *_compared(crowded)]


def _compared(timed: Sequence[Case]) -> list[Row]:
    with at_home() as top:
        laid = [
            (laid_out(case, top, f"a{at}", remembers=True), laid_out(case, top, f"b{at}", remembers=False))
            for at, case in enumerate(timed)
        ]
        # A file that was written a moment ago is read again at each look; a user's are older.
        time.sleep(SETTLED_AFTER_NS / 1e9)
        found = [_timed(case, *folders) for case, folders in zip(timed, laid, strict=True)]
    held = _mean([each[0] for each in found])
    memories = len(timed[0].memories) + len(timed[0].noise)
    rows: list[Row] = []
    for at, name in enumerate(BASES, start=1):
        base = _mean([each[at] for each in found])
        rows.append((
            str(memories), name, _ms(base.wall), _ms(held.wall), _ms(held.wall - base.wall), _ms(held.cpu - base.cpu),
            f"{held.wall / base.wall:.2f}", f"{(MODEL_SECONDS + held.wall) / (MODEL_SECONDS + base.wall):.3f}",
            f"{BAR:.2f}",
        ))  # fmt: skip
    return rows


def _timed(case: Case, held: Path, bare: Path) -> list[Spent]:
    """With memory, then without: see BASES. The first round warms up."""
    arms: tuple[tuple[Path, Callable[[Path], PersistentMemory]], ...] = (
        (held, PersistentMemory.load), (bare, PersistentMemory.empty), (bare, PersistentMemory.load)
    )  # fmt: skip
    rounds = [[planning(folder, case, load) for folder, load in arms] for _ in range(ROUNDS)]
    return [_median([each[at] for each in rounds[1:]]) for at in range(len(arms))]


def _median(spent: Sequence[Spent]) -> Spent:
    return Spent(wall=statistics.median(each.wall for each in spent), cpu=statistics.median(each.cpu for each in spent))


def _mean(spent: Sequence[Spent]) -> Spent:
    return Spent(wall=statistics.mean(each.wall for each in spent), cpu=statistics.mean(each.cpu for each in spent))


def _show(arms: Mapping[str, Sequence[Trial]]) -> None:
    for name, found in arms.items():
        for each in found:
            if each.repeated and name.endswith("with memory"):
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
