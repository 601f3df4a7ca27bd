"""What a gate's output says went wrong, and how the same error is known again."""

import re
from hashlib import blake2b

from holdfast.distil.failure_signature import normalize_message, parse_error

LONGEST = 400
_FAILS = re.compile(
    r"^(?:E\s{2,}.*|FAILED .*|ERROR .*|.*\b(?:[A-Z]\w*(?:Error|Exception))\b.*|.*\berror(?:\[\w+\])?:.*|"
    r".*\berror TS\d+:.*|\s*✕ .*|--- FAIL: .*|.*\bpanicked at\b.*|\S+:\d+:\d+:? .*)$"
)


def find_error_line(output: str) -> str:
    """The line of an output that tells the error best: the first that names one, else the last with words."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    # Pytest marks what it says with an E; a line of source that names an error says less.
    marked = next((line[1:].strip() for line in lines if line.startswith("E  ") and parse_error(line)[0]), "")
    typed = marked or next((line for line in lines if _FAILS.match(line) and parse_error(line)[0]), "")
    named = typed or next((line for line in lines if _FAILS.match(line)), "")
    return (named or (lines[-1] if lines else "it said nothing"))[:LONGEST]


def hash_error(gate: str, output: str) -> str:
    """A hash of the error without what changes from run to run."""
    kinds = sorted({normalize_message(line) for line in output.splitlines() if _FAILS.match(line.strip())}) or [
        normalize_message(find_error_line(output))
    ]
    return blake2b("\n".join([gate, *kinds]).encode("utf-8", "replace"), digest_size=8).hexdigest()


def count_errors(output: str) -> int:
    """How many errors an output tells of: fewer is progress."""
    return sum(1 for line in output.splitlines() if _FAILS.match(line.strip()))
