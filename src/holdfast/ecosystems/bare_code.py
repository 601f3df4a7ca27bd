"""Source code without its remarks, line for line."""

import re
from bisect import bisect_left

# A text that does not end goes on to the end of its line: so no line is gone over twice.
_TEXTS = r'"""(?:.*?"""|.*)|"(?:[^"\\\n]|\\.)*+"?|' + r"'(?:[^'\\\n]|\\.)*+'?"
_SLASHES = re.compile(rf"({_TEXTS})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_HASHES = re.compile(rf"({_TEXTS})|#[^\n]*", re.DOTALL)
_BOTH = re.compile(rf"({_TEXTS})|//[^\n]*|/\*(?:.*?\*/|.*)|#(?!\[)[^\n]*", re.DOTALL)


def blank_slashes(text: str) -> str:
    """Code without `//` and `/* */`; every line keeps its number."""
    return _blank(_SLASHES, text)


def blank_hashes(text: str) -> str:
    """Code without `#` remarks; every line keeps its number."""
    return _blank(_HASHES, text)


def blank_both(text: str) -> str:
    """Code without remarks of both kinds, as PHP writes them; every line keeps its number."""
    return _blank(_BOTH, text)


class LineCounter:
    """Tells the line of a place in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def line_at(self, place: int) -> int:
        """The number of the line that a place is on."""
        return bisect_left(self._ends, place) + 1


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: found[1] or "\n" * found[0].count("\n") or " ", text)
