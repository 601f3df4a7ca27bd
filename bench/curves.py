"""Growth curves as a picture: both axes by powers of ten, one line for each figure of each database."""

import math
from collections.abc import Sequence
from html import escape

WIDE, HIGH, LEFT, TOP = 560, 320, 60, 20
COLOURS = {"PostgreSQL": "#336791", "SQLite": "#c2661b"}
DRAWN = {"search by words, p50 ms": "4 4", "search by words, p95 ms": ""}

Point = tuple[str, str, str, str]


def picture(path: str, points: Sequence[Point]) -> None:
    """Draw how long a search takes as the index grows. A point: memories, what, PostgreSQL's figure, SQLite's."""
    lines = {
        (what, name): [(_value(row[0]), _value(row[at])) for row in points if row[1] == what and row[at]]
        for what in DRAWN
        for at, name in enumerate(COLOURS, 2)
    }
    known = [point for line in lines.values() for point in line]
    if not known:
        return
    across = _axis([x for x, _ in known], LEFT, WIDE - LEFT - 150)
    up = _axis([y for _, y in known], HIGH - 40, -(HIGH - 40 - TOP))
    drawn = [*_grid([x for x, _ in known], [y for _, y in known], across, up)]
    for at, ((what, name), line) in enumerate(lines.items()):
        drawn += _line(line, across, up, COLOURS[name], DRAWN[what])
        drawn += _legend(at, f"{name}, {what.rpartition(', ')[2]}", COLOURS[name], DRAWN[what])
    with open(path, "w", encoding="utf-8") as file:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif"'
        file.write("\n".join([f'{head} font-size="11">', *drawn, "</svg>\n"]))


class _Axis:
    """Where a number lies, by its power of ten."""

    def __init__(self, least: float, most: float, start: float, length: float) -> None:
        self._least, self._span = math.log10(least), max(1e-9, math.log10(most) - math.log10(least))
        self._start, self._length = start, length

    def __call__(self, value: float) -> float:
        return round(self._start + self._length * (math.log10(value) - self._least) / self._span, 1)


def _axis(values: Sequence[float], start: float, length: float) -> _Axis:
    return _Axis(10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values))), start, length)


def _grid(sizes: Sequence[float], times: Sequence[float], across: _Axis, up: _Axis) -> list[str]:
    drawn = []
    for power in range(math.floor(math.log10(min(times))), math.ceil(math.log10(max(times))) + 1):
        y = up(10**power)
        drawn.append(f'<path d="M{LEFT} {y}H{WIDE - 150}" stroke="#ddd"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end" fill="#777">{10**power:g} ms</text>')
    for size in sorted(set(sizes)):
        x = across(size)
        drawn.append(f'<text x="{x}" y="{HIGH - 20}" text-anchor="middle" fill="#777">{size:,.0f}</text>')
    return drawn


def _line(line: Sequence[tuple[float, float]], across: _Axis, up: _Axis, colour: str, dashes: str) -> list[str]:
    places = [(across(x), up(y)) for x, y in line]
    path = " ".join(f"{x},{y}" for x, y in places)
    dots = [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-dasharray="{dashes}"/>', *dots]


def _legend(at: int, text: str, colour: str, dashes: str) -> list[str]:
    y = TOP + 18 * at + 10
    return [
        f'<path d="M{WIDE - 140} {y}h24" stroke="{colour}" stroke-dasharray="{dashes}"/>',
        f'<text x="{WIDE - 110}" y="{y + 4}" fill="#777">{escape(text)}</text>',
    ]


def _value(text: str) -> float:
    return float(text.replace(",", ""))
