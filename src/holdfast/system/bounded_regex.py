"""Regular expressions of people's memory on lines of people's files, in time that no pattern can blow up.

RE2 where it is there: it does not backtrack. Else, and for what it does not take, Python's own in a process of its own,
which is ended when it takes too long: nothing inside this one can stop a match.
"""

import json
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

SECONDS = 5.0
MOST_MATCHES = 200
# Read by a Python that loads nothing of ours: (pattern, lines) → the places that match, or why none can be found.
_CHILD = """
import json, re, sys
pattern, lines, most = json.load(sys.stdin)
found = re.compile(pattern, re.ASCII)
places = []
for place, line in enumerate(lines):
    if found.search(line):
        places.append(place)
        if len(places) >= most:
            break
json.dump(places, sys.stdout)
"""


def find_pattern_error(pattern: str) -> str:
    """Why a pattern cannot be used; an empty text where it can."""
    re = import_module("re")
    try:
        with import_module("warnings").catch_warnings(action="ignore"):
            re.compile(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        return f"{pattern[:60]!r} is no regular expression: {error}"
    return ""


def match_lines(pattern: str, lines: Sequence[str], seconds: float = SECONDS) -> Sequence[int] | None:
    """The places of the lines that match, at most 200; None where the pattern cannot be used or took too long."""
    compiled = _compile_linear(pattern)
    if compiled is None:
        return _match_in_process(pattern, lines, seconds)
    places: list[int] = []
    for place, line in enumerate(lines):
        if compiled.search(line):
            places.append(place)
            if len(places) >= MOST_MATCHES:
                break
    return places


@cache
def _compile_linear(pattern: str) -> Any:
    try:
        re2 = import_module("re2")
    except ImportError:
        return None
    try:
        options = re2.Options()
        options.log_errors = False
        return re2.compile(pattern, options=options)
    except re2.error:
        return None


def _match_in_process(pattern: str, lines: Sequence[str], seconds: float) -> Sequence[int] | None:
    subprocess = import_module("subprocess")
    asked = json.dumps([pattern, list(lines), MOST_MATCHES])
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", _CHILD], input=asked.encode(), capture_output=True,
            timeout=seconds,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    found: list[int] = json.loads(done.stdout)
    return found
