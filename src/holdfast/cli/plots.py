"""Numbers as a picture of one line, in the characters that the terminal has."""

import sys
from collections.abc import Sequence

BLOCKS, FULL, EMPTY = "▁▂▃▄▅▆▇█", "█", "░"
PLAIN, FULL_PLAIN, EMPTY_PLAIN = "_.-=+*#@", "#", "."


class Plots:
    """Draws in blocks where the encoding has them, else in plain characters."""

    def __init__(self, encoding: str = "") -> None:
        try:
            (BLOCKS + EMPTY).encode(encoding or sys.stdout.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            self._marks, self._full, self._empty = PLAIN, FULL_PLAIN, EMPTY_PLAIN
        else:
            self._marks, self._full, self._empty = BLOCKS, FULL, EMPTY

    def spark(self, values: Sequence[float | None], *, high: float | None = None) -> str:
        """One character a value, from 0 up; a space where there is none."""
        top = high if high is not None else max((value for value in values if value is not None), default=0)
        return "".join(" " if value is None else self._marks[self._level(value, top)] for value in values)

    def bar(self, value: float, most: float, width: int = 20) -> str:
        """A bar of a width, filled as far as the value goes."""
        filled = round(width * min(1.0, max(0.0, value / most))) if most > 0 else 0
        return self._full * filled + self._empty * (width - filled)

    def _level(self, value: float, top: float) -> int:
        last = len(self._marks) - 1
        return min(last, max(0, int(value / top * len(self._marks)))) if top > 0 else 0
