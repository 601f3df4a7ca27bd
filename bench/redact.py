"""How fast redaction is: the gate, `clean` in a hook and in bulk, input made to be slow, and a cold process.

python -m bench.redact
"""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.data.redact.made import make

import holdfast
from bench.made import Generator
from bench.table import Row, table
from holdfast.redact import bulk_gate, gate
from holdfast.redact.clean import clean
from holdfast.redact.elide import elide
from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, TOKENS

EVENT = 20_000
EVENTS = 100
ROUNDS = 5
COLD_ROUNDS = 41
SOURCE = str(Path(holdfast.__file__).parents[1])
HEAD = ("what", "figure")
COLD_HEAD = ("command", "best ms", "median ms", "of medians")
HARD_HEAD = ("input", "once", "twice the size", "ratio")


def rows() -> list[Row]:
    """MB/s over events of 20 kB, without secrets and with one of each."""
    plain, planted = events(secrets=False), events(secrets=True)
    fast = bulk_gate.bulk_suspects()
    figures: list[tuple[str, Callable[[str], object], list[str]]] = [
        ("gate, no secrets", gate.suspects, plain),
        ("clean, no secrets", clean, plain),
        ("clean, a secret in every event", clean, planted),
        ("gate for bulk, no secrets, all known", fast, plain),
        ("clean in bulk, no secrets", lambda text: clean(text, suspects=fast), plain),
        ("clean in bulk, a secret in every event", lambda text: clean(text, suspects=fast), planted),
    ]
    return [(what, _figure(work, texts)) for what, work, texts in figures]


def _figure(work: Callable[[str], object], texts: list[str]) -> str:
    seconds = min(_seconds(lambda: [work(text) for text in texts]) for _ in range(ROUNDS))
    size = sum(map(len, texts))
    return f"{size / seconds / 1e6:.0f} MB/s, {seconds / len(texts) * 1e3:.2f} ms an event"


def events(*, secrets: bool) -> list[str]:
    """What agents say and tools print: prose, code, logs and JSON, elided as a hook would."""
    words, chance = Generator(), random.Random(5)
    templates = [template for rule in (BLOCK, *TOKENS, *PLACES, NAMED) for template in rule.yes]
    made = []
    for number in range(EVENTS):
        lines = [_line(words, chance) for _ in range(400)]
        if secrets:
            lines.insert(20, make(templates[number * 7 % len(templates)], chance))
        made.append(elide("\n".join(lines), EVENT))
    return made


def _line(words: Generator, chance: random.Random) -> str:
    said = " ".join(words.words(9))
    number = chance.randrange(1 << 64)
    return chance.choice(
        [
            f"{said}.",
            f"2026-11-15T10:12:01Z INFO {said} id={number:016x} took {number % 97} ms",
            f"    def {'_'.join(words.words(2))}(self, {words.words(1)[0]}: str, limit: int = {number % 99}) -> None:",
            f'{{"id": "{number:016x}", "path": "src/{words.words(1)[0]}/x.py", "size": {number % 9999}}}',
            f"        return self.{words.words(1)[0]}[{number % 9}].{words.words(1)[0]}(key={words.words(1)[0]})",
            f"+    {said}  # see https://example.com/{words.words(1)[0]}/{number % 999}",
        ]
    )


def hard_rows() -> list[Row]:
    """Seconds for input made to be slow, at one size and at twice the size: twice the time is linear."""
    return [_hard_row(what, shape) for what, shape in HARD.items()]


def _hard_row(what: str, shape: Callable[[int], str]) -> Row:
    once, twice = (min(_cleaning(shape(size)) for _ in range(2)) for size in (1, 2))
    return what, f"{once:.2f} s", f"{twice:.2f} s", f"{twice / once:.1f} ×"


def _cleaning(text: str) -> float:
    return _seconds(lambda: clean(text))


HARD: dict[str, Callable[[int], str]] = {
    "nested <private> × 100k": lambda size: "<private>" * (100_000 * size) + "</private>" * (100_000 * size),
    "nested <holdfast> × 100k": lambda size: "<holdfast>" * (100_000 * size) + "</holdfast>" * (100_000 * size),
    "< and spaces": lambda size: "< " * (500_000 * size) + "private",
    "10 MB of a": lambda size: "a" * (10_000_000 * size),
    "sk- × 1e6": lambda size: "sk-" * (1_000_000 * size),
    "sk-a- × 1e6": lambda size: "x sk-a-" * (1_000_000 * size),
    "eyJ- × 1e6": lambda size: "-eyJ" * (1_000_000 * size),
    "= × 1e6": lambda size: "=" * (1_000_000 * size),
    "key= × 1e5": lambda size: "key=" * (100_000 * size),
    'password=" × 1e5': lambda size: 'password="' * (100_000 * size),
    "://a: × 1e6": lambda size: "://a:" * (1_000_000 * size),
    "-----BEGIN PRIVATE KEY----- × 1e5": lambda size: "-----BEGIN PRIVATE KEY-----" * (100_000 * size),
    "-----END PRIVATE KEY----- × 1e5": lambda size: "\n-----END PRIVATE KEY-----" * (100_000 * size),
    "backslashes": lambda size: "\\" * (1_000_000 * size) + "u003cprivate",
    "curl × 1e5": lambda size: "curl -u a " * (100_000 * size),
}


def cold_rows() -> list[Row]:
    """A process of its own: bare Python, the gate, an event without and one with a secret; in turns."""
    start = f"import sys; sys.path.insert(0, {SOURCE!r}); "
    cleaning = f"{start}from holdfast.redact.clean import clean; clean('plain text, ' * 170"
    commands = {
        "python -I -S -c pass": "pass",
        "import holdfast.redact.gate": f"{start}import holdfast.redact.gate",
        "clean 2 kB, no secrets": f"{cleaning})",
        "clean 20 kB, no secrets": f"{cleaning} * 10)",
        "clean 2 kB, one secret": f"{cleaning} + 'password=hunter2')",
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(COLD_ROUNDS):
        for name, code in commands.items():
            times[name].append(_process(code))
    base = sorted(next(iter(times.values())))
    return [_cold_row(name, sorted(found), base) for name, found in times.items()]


def _cold_row(name: str, found: list[float], base: list[float]) -> Row:
    middle = COLD_ROUNDS // 2
    return name, f"{found[0] * 1e3:.1f}", f"{found[middle] * 1e3:.1f}", f"{found[middle] / base[middle]:.2f} ×"


def _process(code: str) -> float:
    return _seconds(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    """Print the tables."""
    print(table("Redaction", HEAD, rows()), flush=True)
    print(table("Redaction in a cold process", COLD_HEAD, cold_rows()), flush=True)
    print(table("Redaction of input made to be slow", HARD_HEAD, hard_rows()), flush=True)


if __name__ == "__main__":
    main()
