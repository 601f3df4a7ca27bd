"""How figures grow, as a picture: both axes by powers of ten. Plain SVG, no library."""

import math
from collections.abc import Mapping, Sequence

WIDE, HIGH, LEFT, RIGHT, TOP, BELOW = 760, 420, 60, 210, 40, 40
COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df", "#9a6700", "#57606a", "#bf3989", "#0a7ea4")

Points = Sequence[tuple[float, float]]


def draw(title: str, lines: Mapping[str, Points]) -> str:
    """The picture of lines by their names."""
    across = [x for points in lines.values() for x, _ in points]
    up = [max(y, 0.01) for points in lines.values() for _, y in points]
    axes = _Axes(_powers(across), _powers(up))
    parts = [f'<text x="{LEFT}" y="24" font-size="15">{title}</text>', *axes.grid()]
    for place, (name, points) in enumerate(lines.items()):
        parts += _line(axes, name, points, place)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>", ""])


class _Axes:
    def __init__(self, across: range, up: range) -> None:
        self._across, self._up = across, up

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies."""
        right = (math.log10(x) - self._across[0]) / max(1, self._across[-1] - self._across[0])
        high = (math.log10(max(y, 0.01)) - self._up[0]) / max(1, self._up[-1] - self._up[0])
        return LEFT + right * (WIDE - LEFT - RIGHT), HIGH - BELOW - high * (HIGH - TOP - BELOW)

    def grid(self) -> list[str]:
        """Lines and numbers at the powers of ten."""
        parts = []
        for power in self._across:
            x, _ = self.at(10.0**power, 10.0 ** self._up[0])
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HIGH - BELOW}" stroke="#ddd"/>')
            parts.append(f'<text x="{x:.1f}" y="{HIGH - 18}" text-anchor="middle">{10.0**power:,.0f}</text>')
        for power in self._up:
            _, y = self.at(10.0 ** self._across[0], 10.0**power)
            parts.append(f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>')
        return parts


def _line(axes: _Axes, name: str, points: Points, place: int) -> list[str]:
    colour = COLOURS[place % len(COLOURS)]
    places = [axes.at(*point) for point in points]
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    label = TOP + 14 + 18 * place
    return [
        f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places),
        f'<text x="{WIDE - RIGHT + 14}" y="{label}" fill="{colour}">{name}</text>',
    ]


def _powers(values: Sequence[float]) -> range:
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)
