"""The folders as a picture: layers as rows, core at the bottom, extras apart, arrows of real imports.

`./do architecture` writes it, and the tables of folders in the pages that have one. Drawn from the import graph alone:
rows by who imports whom, lines led around boxes by places kept free in the rows they pass, places by averages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from tests.architecture.folders import ROOT, arrows, extras, layers, read_folder

PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"
PAGES = (ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md")
BEGIN, END = "<!-- folders: ./do architecture -->", "<!-- /folders -->"
# Bands of layers from the top down: a name, and the first folder of each.
BANDS = (
    ("Doors", "cli"),
    ("Agent and library", "act"),
    ("Around memory", "care"),
    ("From session to memory and back", "inject"),
    ("Clients and words", "guard"),
    ("Stores and models", "app"),
    ("Ground", "workspace"),
)
# How a memory comes to be and comes back, as the picture tells it.
FLOW = (
    ("clients", "say what happens"),
    ("hook", "takes it, in a process of its own"),
    ("redact", "takes out what must not be kept"),
    ("journal", "keeps the event, for good"),
    ("distil", "makes candidates of a session"),
    ("review", "asks a person: yes or no"),
    ("vault", "holds what was accepted, as Markdown"),
    ("index", "makes it findable"),
    ("recall", "finds what matters"),
    ("inject", "tells the next session"),
)
BOX, HIGH, GAP, BETWEEN, LANE, LINE = 158, 58, 17, 36, 12, 13
SIDE, TOP, BAND_GAP, MARGIN = 66, 116, 42, 34
SWEEPS, ROUNDS = 40, 200
# How far left of the extras the rest ends, and how strongly boxes are drawn to the middle.
COLUMN, HOME, STEP = 54, 0.35, 31
STYLE = """
svg { --page: #fcfcfd; --ink: #1c2430; --soft: #667085; --line: #94a3b8; --edge: #cbd5e1; --box: #ffffff;
      --extra: #fff7ed; --extra-edge: #fdba74; --extra-ink: #9a3412; --band: #f1f5f9; --panel: #fffbf5; }
@media (prefers-color-scheme: dark) {
  svg { --page: #0f141b; --ink: #e6eaf0; --soft: #93a0b4; --line: #5b6b82; --edge: #334155; --box: #18202b;
        --extra: #2a1d10; --extra-edge: #9a5a1c; --extra-ink: #fdba74; --band: #151c26; --panel: #1a1611; } }
text { font-family: Inter, "Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif; fill: var(--ink); }
.page { fill: var(--page); } .band { fill: var(--band); }
.panel { fill: var(--panel); stroke: var(--extra-edge); stroke-dasharray: 5 4; }
.label { font-size: 12px; fill: var(--soft); letter-spacing: .06em; }
.title { font-size: 25px; font-weight: 650; } .about { font-size: 14.5px; fill: var(--soft); }
.box { fill: var(--box); stroke: var(--edge); } .extra .box { fill: var(--extra); stroke: var(--extra-edge); }
.extra .name { fill: var(--extra-ink); }
.name { font-size: 17px; font-weight: 650; text-anchor: middle; }
.gist { font-size: 11px; fill: var(--soft); text-anchor: middle; }
.line { fill: none; stroke: var(--line); stroke-width: 1.3; } .line.extra { stroke: var(--extra-edge); }
.way { stroke: var(--edge); stroke-width: 2; } .dot { fill: var(--line); }
.step { font-size: 15px; fill: var(--soft); } .who { font-weight: 650; fill: var(--ink); }
.tip { fill: var(--line); } .tip.extra { fill: var(--extra-edge); }
"""


class Spot(NamedTuple):
    """A place in a row: of a folder, or (`toward` is set) of a line that passes."""

    name: str
    toward: str = ""
    row: int = 0

    @property
    def width(self) -> int:
        """How much room it takes."""
        return LANE if self.toward else BOX


Chain = tuple[Spot, ...]
Rows = list[list[Spot]]


def draw() -> str:
    """The picture, as SVG."""
    row_of, tops = _rank()
    chains = [_chain(above, below, row_of) for above, below in sorted(arrows())]
    rows = _order(row_of, chains)
    at = _place(rows, chains)
    heights = _heights(len(rows), tops)
    return "".join(_svg(rows, chains, at, heights, tops))


def _rank() -> tuple[dict[str, int], list[tuple[str, int, int]]]:
    """The row of each folder, counted from the bottom, above all that it imports; the rows of each band."""
    row_of: dict[str, int] = {}
    bands: list[tuple[str, int, int]] = []
    for title, names in reversed(_bands()):
        first = 1 + max(row_of.values(), default=-1)
        for name in reversed(names):
            row_of[name] = max([first, *(1 + row_of[below] for above, below in arrows() if above == name)])
        bands.append((title, first, max(row_of[name] for name in names)))
    return row_of, bands


def _bands() -> list[tuple[str, list[str]]]:
    titles = {first: title for title, first in BANDS}
    bands: list[tuple[str, list[str]]] = []
    for layer in layers():
        if layer[0] in titles:
            bands.append((titles[layer[0]], []))
        bands[-1][1].extend(layer)
    return bands


def _chain(above: str, below: str, row_of: Mapping[str, int]) -> Chain:
    """A line from folder to folder, with a place in each row that it passes."""
    passed = range(row_of[above] - 1, row_of[below], -1)
    between = [Spot(above, below, row) for row in passed]
    return (Spot(above), *between, Spot(below))


def _order(row_of: Mapping[str, int], chains: Sequence[Chain]) -> Rows:
    """Who stands left of whom: each row by the middle of its neighbours, up and down in turns; extras at the right."""
    rows: Rows = [[] for _ in range(1 + max(row_of.values()))]
    for layer in layers():
        for name in layer:
            rows[row_of[name]].append(Spot(name))
    for chain in chains:
        for spot in chain[1:-1]:
            rows[spot.row].append(spot)
    best, fewest = rows, _crossings(rows, chains)
    for sweep in range(SWEEPS):
        rows = _sweep(rows, chains, downward=bool(sweep % 2))
        crossed = _crossings(rows, chains)
        if crossed < fewest:
            best, fewest = [list(row) for row in rows], crossed
    return best


def _sweep(rows: Rows, chains: Sequence[Chain], *, downward: bool) -> Rows:
    neighbours: dict[Spot, list[Spot]] = {}
    for above, below in _pairs(chains):
        start, end = (above, below) if downward else (below, above)
        neighbours.setdefault(end, []).append(start)
    place = {spot: number / max(1, len(row)) for row in rows for number, spot in enumerate(row)}
    made = [list(row) for row in rows]
    for number in reversed(range(len(rows))) if downward else range(len(rows)):
        middle = {spot: _mean([place[each] for each in neighbours.get(spot, [spot])]) for spot in made[number]}
        made[number].sort(key=lambda spot: (_is_apart(spot), middle[spot]))
        for index, spot in enumerate(made[number]):
            place[spot] = index / max(1, len(made[number]))
    return made


def _is_apart(spot: Spot) -> bool:
    """Whether it stands at the right, among the extras: they and their lines."""
    return spot.name in extras()


def _crossings(rows: Rows, chains: Sequence[Chain]) -> int:
    where = {spot: (number, index) for number, row in enumerate(rows) for index, spot in enumerate(row)}
    by_row: dict[int, list[tuple[int, int]]] = {}
    for above, below in _pairs(chains):
        by_row.setdefault(where[above][0], []).append((where[above][1], where[below][1]))
    return sum(
        (first[0] - other[0]) * (first[1] - other[1]) < 0
        for lines in by_row.values()
        for number, first in enumerate(lines)
        for other in lines[:number]
    )


def _pairs(chains: Iterable[Chain]) -> Iterator[tuple[Spot, Spot]]:
    for chain in chains:
        yield from pairwise(chain)


def _place(rows: Rows, chains: Sequence[Chain]) -> dict[Spot, float]:
    """Where each stands from left to right; extras in a column of their own, right of all others."""
    ours, theirs = ([[spot for spot in row if _is_apart(spot) is apart] for row in rows] for apart in (False, True))
    left, right = _settle(ours, chains), _settle(theirs, chains)
    moved = max(x + spot.width / 2 for spot, x in left.items()) + COLUMN
    return {spot: round(SIDE + x, 1) for spot, x in left.items()} | {
        spot: round(SIDE + moved + x, 1) for spot, x in right.items()
    }


def _settle(rows: Rows, chains: Sequence[Chain]) -> dict[Spot, float]:
    """Each near the average of its neighbours, in order, without touching; from 0 on."""
    inside = {spot for row in rows for spot in row}
    pulls: dict[Spot, list[tuple[Spot, float]]] = {spot: [] for spot in inside}
    for above, below in _pairs(chains):
        # Lines that pass several rows shall be straight before all.
        strong = 8.0 if above.toward and below.toward else 1.0
        if {above, below} <= inside:
            pulls[above].append((below, strong))
            pulls[below].append((above, strong))
    widest = max(sum(spot.width + GAP for spot in row) for row in rows)
    at = {spot: widest * (number + 1) / (len(row) + 1) for row in rows for number, spot in enumerate(row)}
    for turn in range(ROUNDS):
        middle = (min(at.values()) + max(at.values())) / 2
        for row in rows if turn % 2 else reversed(rows):
            wanted = [_pull(spot, pulls[spot], at, middle) for spot in row]
            at.update(zip(row, _push(row, wanted), strict=True))
    edge = min(x - spot.width / 2 for spot, x in at.items())
    return {spot: x - edge for spot, x in at.items()}


def _pull(spot: Spot, pulls: Sequence[tuple[Spot, float]], at: Mapping[Spot, float], middle: float) -> float:
    """Where a spot is drawn to; boxes a little to the middle as well."""
    home = 0.0 if spot.toward else HOME
    weight = home + fsum(strong for _, strong in pulls)
    return fsum([home * middle, *(at[other] * strong for other, strong in pulls)]) / weight if weight else at[spot]


def _push(row: Sequence[Spot], wanted: Sequence[float]) -> list[float]:
    """The places nearest to those wanted that keep the order and the gaps: neighbours that push become one block."""
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (left.width + right.width) / 2 + (GAP if BOX in {left.width, right.width} else 2))
    blocks: list[list[float]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        blocks.append([want - offset])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    free = [_mean(block) for block in blocks for _ in block]
    return [start + offset for start, offset in zip(free, offsets, strict=False)]


def _mean(numbers: Sequence[float]) -> float:
    return fsum(numbers) / len(numbers)


def _heights(count: int, bands: Sequence[tuple[str, int, int]]) -> list[float]:
    """The top of each row, rows counted from the bottom."""
    gaps = [sum(BAND_GAP for _, first, _ in bands if first > row) for row in range(count)]
    return [TOP + (count - 1 - row) * (HIGH + BETWEEN) + gaps[row] for row in range(count)]


def _svg(
    rows: Rows, chains: Sequence[Chain], at: Mapping[Spot, float], tops: Sequence[float],
    bands: Sequence[tuple[str, int, int]],
) -> Iterator[str]:  # fmt: skip
    wide = round(max(x + spot.width / 2 for spot, x in at.items()) + MARGIN)
    high = round(tops[0] + HIGH + MARGIN)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    yield ' role="img" aria-label="The folders of Holdfast in their layers, with arrows of imports">\n'
    yield f"<style>{STYLE}</style>\n"
    yield f'<rect class="page" width="{wide}" height="{high}" rx="14"/>\n'
    yield f'<text class="title" x="{MARGIN - 6}" y="48">Holdfast: who imports whom</text>\n'
    yield f'<text class="about" x="{MARGIN - 6}" y="74">An arrow points at what is imported; what follows from'
    yield " other arrows is left out. Orange: extras, which core never imports.</text>\n"
    for title, first, last in bands:
        top, bottom = tops[last] - 14, tops[first] + HIGH + 14
        yield f'<rect class="band" x="14" y="{top:g}" width="{wide - 28}" height="{bottom - top:g}" rx="12"/>\n'
        turned = f'transform="translate(34 {(top + bottom) / 2:g}) rotate(-90)" text-anchor="middle"'
        yield f'<text class="label" {turned}>{escape(title.upper())}</text>\n'
    yield _panel(at, tops, rows)
    yield _flow(at, tops[bands[0][2]])
    row_of = {spot: number for number, row in enumerate(rows) for spot in row}
    ports = _ports(chains, at)
    for chain in chains:
        yield _line(chain, at, tops, row_of, ports)
    for number, row in enumerate(rows):
        for spot in row:
            if not spot.toward:
                yield _box(spot.name, at[spot], tops[number])
    yield "</svg>\n"


def _panel(at: Mapping[Spot, float], tops: Sequence[float], rows: Rows) -> str:
    """The ground that the extras stand on."""
    used = [number for number, row in enumerate(rows) if any(spot.name in extras() and not spot.toward for spot in row)]
    left = min(x - spot.width / 2 for spot, x in at.items() if spot.name in extras()) - 16
    right = max(x + spot.width / 2 for spot, x in at.items()) + 12
    top, bottom = tops[max(used)] - 66, tops[min(used)] + HIGH + 14
    return (
        f'<rect class="panel" x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" rx="12"/>\n'
        f'<text class="label" x="{left + 14:g}" y="{top + 20:g}">EXTRAS</text>\n'
    )


def _flow(at: Mapping[Spot, float], top: float) -> str:
    """The way of a memory, told where the picture is empty: right of the lower rows."""
    left = max(x + spot.width / 2 for spot, x in at.items() if spot.name not in extras()) + COLUMN
    top += 58
    lines = [f'<text class="label" x="{left:g}" y="{top - 36:g}">THE WAY OF A MEMORY</text>\n']
    for number, (name, does) in enumerate(FLOW):
        y = top + STEP * number
        lines.append(
            f'<circle class="dot" cx="{left + 5:g}" cy="{y - 5:g}" r="5"/>'
            f'<text class="step" x="{left + 22:g}" y="{y:g}"><tspan class="who">{name}</tspan> {does}</text>\n'
        )
    path = f'<path class="way" d="M{left + 5:g} {top - 5:g}v{STEP * (len(FLOW) - 1)}"/>\n'
    return "".join([lines[0], path, *lines[1:]])


def _ports(chains: Sequence[Chain], at: Mapping[Spot, float]) -> dict[tuple[Chain, Spot], float]:
    """Where lines leave and meet a box: side by side, in the order of where they come from."""
    ports: dict[tuple[Chain, Spot], float] = {}
    for end, next_to in ((0, 1), (-1, -2)):
        boxes = {chain[end] for chain in chains}
        for box in boxes:
            lines = sorted((chain for chain in chains if chain[end] == box), key=lambda chain: at[chain[next_to]])
            step = min(20.0, (BOX - 30) / max(1, len(lines)))
            for number, chain in enumerate(lines):
                ports[chain, box] = round(at[box] + (number - (len(lines) - 1) / 2) * step, 1)
    return ports


def _line(
    chain: Chain, at: Mapping[Spot, float], tops: Sequence[float], row_of: Mapping[Spot, int],
    ports: Mapping[tuple[Chain, Spot], float],
) -> str:  # fmt: skip
    start, end = chain[0], chain[-1]
    x, y = ports[chain, start], tops[row_of[start]] + HIGH
    path = f"M{x:g} {y:g}"
    for spot in chain[1:]:
        to, top = ports.get((chain, spot), at[spot]), tops[row_of[spot]] - (6 if spot is end else 0)
        bend = (top - y) * 0.55
        path += f"C{x:g} {y + bend:g} {to:g} {top - bend:g} {to:g} {top:g}"
        x, y = to, top
        if spot is not end:
            y += HIGH
            path += f"V{y:g}"
    kind = " extra" if start.name in extras() else ""
    tip = f'<path class="tip{kind}" d="M{x:g} {y + 6:g}l-4 -8h8z"/>'
    return f'<g><title>{start.name} imports {end.name}</title><path class="line{kind}" d="{path}"/>{tip}</g>\n'


def _box(name: str, x: float, y: float) -> str:
    folder = read_folder(name)
    lines = _wrap(folder.gist)
    words = "".join(
        f'<text class="gist" x="{x:g}" y="{y + 41 + number * LINE - (len(lines) - 1) * 4:g}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    title = y + (25 if len(lines) == 1 else 21)
    kind = ' class="extra"' if name in extras() else ""
    return (
        f"<g{kind}><title>{escape(folder.about)}</title>"
        f'<rect class="box" x="{x - BOX / 2:g}" y="{y:g}" width="{BOX}" height="{HIGH}" rx="8"/>'
        f'<text class="name" x="{x:g}" y="{title:g}">{name}</text>{words}</g>\n'
    )


def _wrap(text: str, most: int = 24) -> list[str]:
    """A text in one line, or in two that are about as long."""
    words = text.split()
    if len(text) <= most:
        return [text]
    halves = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    return list(min(halves, key=lambda half: max(map(len, half))))


def table() -> str:
    """Every folder in the order of the layers, from the top down, as a table of a page."""
    rows = ["| folder | what it is | |", "|---|---|---|"]
    for layer in layers():
        for name in layer:
            folder = read_folder(name)
            shown = f"`{name}/`" if (ROOT / "src" / "holdfast" / name).is_dir() else f"`{name}.py`"
            rows.append(f"| {shown} | {folder.about} | {'extra' if name in extras() else ''} |")
    return "\n".join(rows)


def with_table(page: str) -> str:
    """A page whose table of folders is as the folders are."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}" if rest else page


def write() -> None:
    """Write the picture and the tables."""
    PICTURE.write_text(draw(), encoding="utf-8")
    for page in PAGES:
        page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
