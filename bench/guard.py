"""How many dangerous commands the guard notes and how many harmless ones it leaves alone; half of each was held out.

python -m bench.guard [--missed]
"""

import sys
from pathlib import Path

from bench.table import Row, table
from holdfast.guard.risks import survey_call

WORKSPACE = "/home/ann/harbor"
DATA = Path(__file__).parents[1] / "tests/data"
HALVES = ("tuned", "held out")
HEAD = ("commands", *(f"{half}: {what}" for half in HALVES for what in ("of", "noted", "share")))
NESTED = ("sh -c {}", "bash -lc {}", "env FOO=1 sh -c {}", "nohup bash -c {} &", "eval {}", "timeout 60 sh -c {}")


def read_commands(name: str, half: str) -> list[str]:
    """The commands of one half of a file."""
    lines = [line for line in (DATA / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [line.replace("\\n", "\n") for at, line in enumerate(lines) if HALVES[at % 2] == half]


def note_rules(command: str) -> list[str]:
    """The rules that a command falls under."""
    return [risk.rule for risk in survey_call("Bash", {"command": command}, WORKSPACE, WORKSPACE).risks]


def nest(command: str, depth: int) -> str:
    """A command inside of as many shells."""
    for at in range(depth):
        command = NESTED[at % len(NESTED)].format("'" + command.replace("'", "'\\''") + "'")
    return command


def _row(what: str, name: str, depth: int = 0) -> Row:
    cells = [what]
    for half in HALVES:
        commands = read_commands(name, half)
        noted = sum(1 for command in commands if note_rules(nest(command, depth)))
        cells += [str(len(commands)), str(noted), f"{noted / len(commands):.3f}"]
    return cells


def rows() -> list[Row]:
    """The share that is noted, as it is and inside of shells."""
    return [
        _row("dangerous", "guard_dangerous.txt"),
        _row("dangerous, in two shells", "guard_dangerous.txt", 2),
        _row("dangerous, in five shells", "guard_dangerous.txt", 5),
        _row("harmless", "guard_harmless.txt"),
        _row("harmless, in two shells", "guard_harmless.txt", 2),
    ]


def main() -> None:
    """Print the table, and with `--missed` what the tuned half still gets wrong."""
    print(table("Commands that the guard notes", HEAD, rows()), flush=True)
    if "--missed" in sys.argv:
        print(
            "\n".join(
                f"missed: {one}" for one in read_commands("guard_dangerous.txt", HALVES[0]) if not note_rules(one)
            )
        )
        harmless = {one: note_rules(one) for one in read_commands("guard_harmless.txt", HALVES[0])}
        print("\n".join(f"false: {one}: {rules}" for one, rules in harmless.items() if rules))


if __name__ == "__main__":
    main()
