"""How many secrets go and how many look-alikes stay, over corpora written without knowledge of the rules.

python -m bench.secrets [--missed]
"""

import sys
from collections.abc import Callable, Iterable

from tests.data.redact.written import HALVES, Written, written_keys, written_lookalikes, written_secrets

from bench.table import Row, table
from holdfast.redact.clean import clean

HEAD = ("kind", *(f"{half}: {what}" for half in HALVES for what in ("of", "right", "share")))
KINDS = {"token": "token forms", "named": "named", "key": "private keys", "prose": "in prose, English",
         "de": "in German", "fr": "in French", "es": "in Spanish", "zh": "in Chinese"}  # fmt: skip
PROSE = ("prose", "de", "fr", "es", "zh")


def is_gone(case: Written) -> bool:
    """Whether nothing of a text's secrets is left."""
    return not case.left_in(str(clean(case.text).value))


def stays(case: Written) -> bool:
    """Whether nothing of a look-alike is taken for a secret."""
    return "[redacted:" not in str(clean(case.text).value)


def share(cases: Iterable[Written], half: str, right: Callable[[Written], bool]) -> tuple[int, int]:
    """How many cases of a half there are, and how many of them are right."""
    wanted = [case for case in cases if case.half == half]
    return len(wanted), sum(map(right, wanted))


def _row(name: str, cases: list[Written], right: Callable[[Written], bool]) -> Row:
    cells = [name]
    for half in HALVES:
        number, good = share(cases, half, right)
        cells += [str(number), str(good), f"{good / number:.3f}"]
    return cells


def rows() -> list[Row]:
    """The share that is right, kind by kind."""
    secrets = written_secrets()
    made = [
        _row(name, [case for case in secrets if case.kind == kind] if kind != "key" else written_keys(), is_gone)
        for kind, name in KINDS.items()
    ]
    made.append(_row("in prose, all", [case for case in secrets if case.kind in PROSE], is_gone))
    alike = written_lookalikes()
    made.append(_row("look-alikes that stay", alike, stays))
    made.append(_row("names of tests that stay", [case for case in alike if case.kind == "test"], stays))
    return made


def missed(half: str) -> list[str]:
    """What went wrong in a half, to read."""
    secrets = [case for case in (*written_secrets(), *written_keys()) if case.half == half and not is_gone(case)]
    alike = [case for case in written_lookalikes() if case.half == half and not stays(case)]
    return [f"left: {case.kind}: {case.text[:300]!r}" for case in secrets] + [
        f"taken: {case.kind}: {case.text[:200]!r} → {str(clean(case.text).value)[:200]!r}" for case in alike
    ]


def main() -> None:
    """Print the table, and with `--missed` what the tuned half still gets wrong."""
    print(table("Secrets, found and left alone", HEAD, rows()), flush=True)
    if "--missed" in sys.argv:
        print("\n".join(missed(HALVES[0])))


if __name__ == "__main__":
    main()
