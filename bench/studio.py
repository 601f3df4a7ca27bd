"""Whether Studio stays smooth: a graph of 5,000 memories, a list of 100,000, in a real browser on a real server.

Frames are counted by requestAnimationFrame while the mouse and the keys do what a reader does. The same gestures in the
same run on a small graph and a short list are the baseline: this says what size costs, whatever the machine draws with.

python -m bench.studio [--nodes N] [--rows N] [--seconds N] [--pictures FOLDER]
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, expect, sync_playwright
from tests.browser.conftest import FLAGS, Server, Studio, chromium
from tests.browser.seeds import Project
from tests.journeys.moulds import being, environment, set_up

from bench.made import Generator
from bench.table import Row, table
from holdfast import PersistentMemory

NODES, FEW_NODES = 5_000, 100
ROWS, FEW_ROWS = 100_000, 1_000
SECONDS = 4.0
ROUNDS = 2
# The first answer of a large workspace is waited for, not measured.
PATIENCE = 180_000
BEAT = 0.016
# Where a bar begins below its arrow, in pixels.
ARROW = 22
VIEW = {"width": 1280, "height": 800}
HEAD = ("what", "frame p50 · p95 · max, ms", "longest task, ms", "baseline p50 · p95 · max", "ratio p50 · p95 · max")
WAITS = ("what", "many", "baseline")
TYPES = {
    "decision": ("DEC", 5), "learning": ("LEARN", 8), "failure": ("FAIL", 3), "invariant": ("INV", 1),
    "pattern": ("PAT", 2), "assumption": ("ASM", 1),
}  # fmt: skip
METER = """() => {
  const meter = (window.meter = { frames: [], tasks: [], on: false, last: 0 })
  const frame = now => {
    if (meter.on && meter.last) meter.frames.push(now - meter.last)
    meter.last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  new PerformanceObserver(list => {
    if (meter.on) meter.tasks.push(...list.getEntries().map(each => each.duration))
  }).observe({ type: 'longtask' })
}"""
BEGIN = "() => Object.assign(window.meter, { frames: [], tasks: [], on: true })"
END = "() => ((window.meter.on = false), { frames: window.meter.frames, tasks: window.meter.tasks })"


class Smooth:
    """The frames of a gesture, in milliseconds, and its tasks of more than 50 ms."""

    def __init__(self, frames: Sequence[float], tasks: Sequence[float]) -> None:
        self._frames, self.longest = sorted(frames), max(tasks, default=0.0)

    @property
    def figures(self) -> tuple[float, float, float]:
        """What half, what 95 of 100 and what all of them did not exceed."""
        frames = self._frames or [0.0]
        return frames[len(frames) // 2], frames[int(0.95 * (len(frames) - 1))], frames[-1]


class Look:
    """A view of Studio under a reader's hands."""

    def __init__(self, page: Page, seconds: float, picture: str) -> None:
        self.page, self._seconds, self._picture = page, seconds, picture
        page.evaluate(METER)
        self.seen: dict[str, Smooth] = {}
        self.waits: dict[str, float] = {}

    def end(self) -> None:
        """Leave it, with a picture of what stands there."""
        if self._picture:
            self.page.screenshot(path=self._picture)
        self.page.context.close()

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """The frames of what is done within."""
        self.page.evaluate(BEGIN)
        yield
        # What the last move caused belongs to it.
        time.sleep(0.4)
        found: dict[str, Any] = self.page.evaluate(END)
        smooth = Smooth(found["frames"], found["tasks"])
        before = self.seen.get(name)
        self.seen[name] = min(before, smooth, key=lambda each: each.figures[1:]) if before else smooth

    @contextmanager
    def awaited(self, name: str) -> Iterator[None]:
        """How long what is done within takes."""
        begun = time.monotonic()
        yield
        self.waits[name] = time.monotonic() - begun

    def beats(self, share: float = 1.0) -> Iterator[int]:
        """One number for every move, sixty in a second at most, until the time is up."""
        begun, number = time.monotonic(), 0
        while time.monotonic() - begun < share * self._seconds:
            next_one = time.monotonic() + BEAT
            yield number
            number += 1
            time.sleep(max(0.0, next_one - time.monotonic()))


def main(nodes: int = NODES, rows: int = ROWS, seconds: float = SECONDS, pictures: str = "") -> None:
    """Print the tables."""
    with Bench(seconds, pictures) as bench:
        few, many = bench.graph(FEW_NODES), bench.graph(nodes)
        in_turns(few, many, (pans, zooms, points, chooses, leaves_out, sharpens))
        print(_both(f"Graph: {nodes:,} memories beside {FEW_NODES:,}", many, few), flush=True)
        short, long = bench.list(FEW_ROWS), bench.list(rows)
        in_turns(short, long, (wheels, drags, types))
        print(_both(f"List: {rows:,} memories beside {FEW_ROWS:,}", long, short), flush=True)


def in_turns(few: Look, many: Look, gestures: Sequence[Callable[[Look], None]]) -> None:
    """Each gesture on both, one after the other and again, so that both see the same load; the better round counts."""
    for gesture in gestures:
        for look in (few, many) * ROUNDS:
            look.page.bring_to_front()
            gesture(look)
    for look in (few, many):
        look.end()


def _both(title: str, many: Look, few: Look) -> str:
    rows = [_row(name, many.seen[name], few.seen[name]) for name in few.seen]
    waits = [(name, f"{many.waits[name]:.2f} s", f"{few.waits[name]:.2f} s") for name in few.waits]
    return "\n".join([table(title, HEAD, rows), *([table("Waits", WAITS, waits)] if waits else [])])


def _row(name: str, many: Smooth, few: Smooth) -> Row:
    ratios = [large / small for large, small in zip(many.figures, few.figures, strict=True)]
    return name, _told(many.figures), f"{many.longest:.0f}", _told(few.figures), _told(ratios, 1, " ×")


def _told(figures: Sequence[float], digits: int = 0, unit: str = "") -> str:
    return " · ".join(f"{each:.{digits}f}{unit}" for each in figures)


class Bench:
    """A server, a browser, and workspaces of any size."""

    def __init__(self, seconds: float, pictures: str) -> None:
        self._seconds, self._pictures = seconds, pictures
        self._stack = ExitStack()

    def __enter__(self) -> "Bench":
        path = chromium()
        if not path:
            raise SystemExit("error: no Chromium.\nhint: install `chromium`, or name one in HOLDFAST_CHROMIUM.")
        folder = tempfile.TemporaryDirectory(prefix="holdfast-bench-")
        self._top = Path(self._stack.enter_context(folder))
        self._home = self._top / "home"
        self._home.mkdir()
        self._stack.enter_context(being(environment(self._home)))
        self._server = Server(self._home)
        self._stack.callback(self._server.stop)
        playwright = self._stack.enter_context(sync_playwright())
        # The bar of a list is there to be dragged.
        self._browser = playwright.chromium.launch(
            executable_path=path, args=list(FLAGS), ignore_default_args=["--hide-scrollbars"]
        )
        self._stack.callback(self._browser.close)
        self._studio = Studio(self._browser, self._server)
        self._stack.callback(self._studio.end)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def graph(self, count: int) -> Look:
        """What a graph of so many memories does under a reader's hands."""
        project = self._made(f"graph-{count}", count)
        page = self._studio.tab(viewport=VIEW, reduced_motion="no-preference")
        page.set_default_timeout(PATIENCE)
        page.set_default_navigation_timeout(PATIENCE)
        self._studio.go(page, project)
        look = Look(page, self._seconds, self._picture(f"graph-{count}"))
        with look.measured("lays out"), look.awaited("the graph is there and has settled"):
            # Within the page: a new address would end the count of frames.
            page.evaluate(GO, f"/w/{project.id}/memory/graph")
            expect(page.locator("[data-moving=false] canvas").first).to_be_visible(timeout=PATIENCE)
        return look

    def list(self, count: int) -> Look:
        """What a list of so many memories does."""
        project = self._made(f"list-{count}", count)
        page = self._studio.tab(viewport=VIEW, reduced_motion="no-preference")
        page.set_default_timeout(PATIENCE)
        page.set_default_navigation_timeout(PATIENCE)
        self._studio.go(page, project, "memory")
        expect(_box(page).get_by_role("option").first).to_be_visible(timeout=PATIENCE)
        return Look(page, self._seconds, self._picture(f"list-{count}"))

    def _made(self, name: str, count: int) -> Project:
        folder = self._top / name
        folder.mkdir()
        set_up(folder)
        write(folder / ".holdfast/memory", count)
        PersistentMemory.load(folder)
        return Project(folder, self._home)

    def _picture(self, name: str) -> str:
        return str(Path(self._pictures, f"{name}.png")) if self._pictures else ""


GO = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')) }"


def middle(page: Page) -> tuple[float, float, float, float]:
    """The middle of the picture and its size."""
    box = page.get_by_role("application").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"], box["height"]


def pans(look: Look) -> None:
    """Drag the picture about, close enough that some of it lies outside."""
    x, y, wide, high = middle(look.page)
    look.page.get_by_role("button", name="Closer").click()
    time.sleep(0.6)
    with look.measured("pans"):
        look.page.mouse.move(x, y)
        look.page.mouse.down()
        for at in look.beats():
            way = (at % 40) / 40 if at % 80 < 40 else 1 - (at % 40) / 40
            look.page.mouse.move(x + way * wide * 0.3, y + way * high * 0.2)
        look.page.mouse.up()


def zooms(look: Look) -> None:
    """In and out by the wheel."""
    x, y, _, _ = middle(look.page)
    look.page.mouse.move(x, y)
    with look.measured("zooms"):
        for at in look.beats():
            look.page.mouse.wheel(0, -120 if at % 24 < 12 else 120)
            time.sleep(0.03)
    look.page.get_by_role("button", name="Show all").click()
    time.sleep(0.6)


def points(look: Look) -> None:
    """Across the nodes."""
    x, y, wide, high = middle(look.page)
    with look.measured("points at nodes"):
        for at in look.beats():
            way = (at % 120) / 60 - 1
            look.page.mouse.move(x + way * wide * 0.35, y + 0.3 * high * (way * way - 0.5))


def chooses(look: Look) -> None:
    """One after the other, by the search."""
    field = look.page.get_by_label("Find a memory in the graph")
    words = [str(word) for word in Generator().memory(0)[1].split() if len(word) > 3] or ["the"]
    with look.measured("finds and opens"):
        for word in (words * 3)[:3]:
            field.press_sequentially(word[:4], delay=60)
            field.press("ArrowDown")
            field.press("Enter")
            time.sleep(0.8)
    close = look.page.get_by_role("button", name="Close", exact=True)
    if close.count():
        close.click()


def leaves_out(look: Look) -> None:
    """Types and edges off and on."""
    boxes = look.page.get_by_role("checkbox")
    with look.measured("leaves out"):
        for at in (0, 1, 0, 1):
            boxes.nth(at).click()
            time.sleep(0.5)
        boxes.last.click()
        time.sleep(0.5)
        boxes.last.click()


def sharpens(look: Look) -> None:
    """A zoom is shown at once by the picture that was there; how long until it is drawn anew, the glide included."""
    with look.awaited("drawn anew after a zoom"):
        look.page.get_by_role("button", name="Closer").click()
        for sharp in ("false", "true"):
            look.page.wait_for_function("sharp => !!document.querySelector(`[data-sharp=${sharp}]`)", arg=sharp)


def wheels(look: Look) -> None:
    """Down the list and up again."""
    box = _listed(look.page)
    look.page.mouse.move(box["x"] + 100, box["y"] + box["height"] / 2)
    with look.measured("scrolls by the wheel"):
        for at in look.beats():
            look.page.mouse.wheel(0, 240 if at % 60 < 40 else -240)


def drags(look: Look) -> None:
    """The bar to the end and back, again and again; then it stays at the end."""
    box = _listed(look.page)
    x, top, way = box["x"] + box["width"] - 5, box["y"] + ARROW, box["height"] - 2 * ARROW
    _box(look.page).evaluate("box => (box.scrollTop = 0)")
    time.sleep(0.5)
    with look.measured("drags the bar"):
        look.page.mouse.move(x, top)
        look.page.mouse.down()
        for at in look.beats():
            look.page.mouse.move(x, top + way * abs((at / 80 + 1) % 2 - 1))
        look.page.mouse.move(x, top + way)
        look.page.mouse.up()
    reached: float = _box(look.page).evaluate("box => box.scrollTop / (box.scrollHeight - box.clientHeight)")
    if reached < 0.9:
        raise SystemExit(f"error: the list's bar was not dragged (to {reached:.2f}); its figures would say nothing.")


def types(look: Look) -> None:
    """A question, letter by letter."""
    field = look.page.get_by_label("Search memory")
    asked = Generator(then=3)
    with look.measured("searches while typing"):
        field.press_sequentially(" ".join(asked.words(6))[:30], delay=90)
        time.sleep(1)
    field.fill("")


def _box(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Memories")


def _listed(page: Page) -> FloatRect:
    box = _box(page).bounding_box()
    assert box
    return box


def write(memory: Path, count: int) -> None:
    """Memories as a project grows them: parts with files and names of their own, decisions that replace others."""
    make, chance = Generator(), random.Random(5)
    kinds = list(TYPES)
    weights = [share for _, share in TYPES.values()]
    last: dict[int, str] = {}
    for number in range(count):
        kind = chance.choices(kinds, weights)[0]
        part = min(chance.randrange(max(2, count // 25)), chance.randrange(max(2, count // 25)))
        own = f"{TYPES[kind][0]}-{number:06}"
        lines = [f"id: {own}", f"type: {kind}", f"title: {' '.join(make.words(7))}", f"updated: {_day(number, count)}"]
        paths = {f"src/part{part}/file{chance.randrange(4)}.py" for _ in range(chance.randrange(3))}
        if chance.random() < 0.05:
            paths.add(f"src/part{chance.randrange(max(2, count // 25))}/file0.py")
        if paths:
            lines += ["paths:", *(f"  - {path}" for path in sorted(paths))]
        if kind == "decision" and chance.random() < 0.15 and part in last:
            lines.append(f"supersedes: [{last[part]}]")
        if kind == "decision":
            last[part] = own
        folder = memory / f"{kind}s"
        folder.mkdir(parents=True, exist_ok=True)
        head = "\n".join(lines)
        # Names that a part's memories share.
        names = (f"part{part}_step{chance.randrange(12)}" for _ in range(2))
        body = " ".join([*make.words(30), *names])
        (folder / f"{own}.md").write_text(f"---\n{head}\n---\n{body}\n", encoding="utf-8")


def _day(number: int, count: int) -> str:
    day = 400 * number // count
    return f"{2025 + day // 336}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each gesture")
    parser.add_argument("--pictures", default="", help="a folder for pictures of what stood there at the end")
    given = parser.parse_args()
    main(given.nodes, given.rows, given.seconds, given.pictures)
