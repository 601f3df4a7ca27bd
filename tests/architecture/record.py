"""The terminal session of the README, as a picture: real commands in a real terminal, and what they printed.

`./do recording` plays it and writes `docs/pictures/session.svg`. A test plays it again and compares.
"""

import errno
import fcntl
import os
import pty
import re
import secrets
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from tests.conftest import CLIENT_MARKS
from tests.waiting import LONG

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "session.svg"
COLUMNS, ROWS = 104, 60
# A line of explanation, or what is typed.
SESSION = (
    "# you keep a decision, in your own words",
    'holdfast remember decision "Use SQLite for the job queue, never Redis, because it is one server less"',
    "# an agent proposes what it learned; it counts once you accept it",
    'holdfast propose failure "Connection pool ran dry under load" --root-cause "one session per request"',
    "holdfast accept CAND",
    "# weeks later, you or an agent asks",
    'holdfast search "which store for the job queue"',
    "# a change that breaks the decision is seen before the commit",
    "echo 'import redis' > jobs.py && git add jobs.py",
    "holdfast check --staged",
)
SHELL = "/bin/sh"
CODES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
LINE, LEFT, TOP, WIDE = 20, 18, 52, 8.43
BAR = re.compile(r"\w+ \[[# ]+\] \d+/\d+$")  # only a slow machine shows one
STYLE = """
svg { --page: #fcfcfd; --edge: #cbd5e1; --ink: #1c2430; --soft: #667085; --typed: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  svg { --page: #0f141b; --edge: #334155; --ink: #d5dbe5; --soft: #8b98ab; --typed: #93c5fd; } }
.page { fill: var(--page); stroke: var(--edge); } .dot { fill: var(--edge); }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink);
       white-space: pre; }
.said { fill: var(--soft); } .typed { fill: var(--typed); font-weight: 600; }
"""


class Line(NamedTuple):
    """A line on the screen: `said` explains, `typed` was typed, `shown` is what the command printed."""

    kind: str
    text: str


def play(folder: Path) -> list[Line]:
    """Type the session in a new project below a folder; the lines on the screen."""
    project = folder / "shop"
    project.mkdir()
    environment = _person(folder)
    for words in (["git", "init", "-q", "."], [*_holdfast(), "init", "--yes", "--client", "none"]):
        subprocess.run(words, cwd=project, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=LONG)
    lines: list[Line] = []
    for step in SESSION:
        if step.startswith("#"):
            lines += [Line("said", ""), Line("said", step)]
        else:
            lines += _fold(f"$ {step}")
            lines += [Line("shown", text) for text in _type(step, project, environment)]
    return lines[1:]


def draw(lines: list[Line]) -> str:
    """The picture: one text for each line, so that it can be read, searched and compared."""
    wide, high = round(2 * LEFT + COLUMNS * WIDE), TOP + LINE * len(lines) + 6
    texts = [
        f'<text x="{LEFT}" y="{TOP + LINE * row + 4}" class="{line.kind}" xml:space="preserve">'
        f"{escape(line.text, quote=False)}</text>"
        for row, line in enumerate(lines)
        if line.text
    ]
    dots = "".join(f'<circle class="dot" cx="{LEFT + 8 + 18 * n}" cy="20" r="6"/>' for n in range(3))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" role="img">',
            "<title>A terminal session with Holdfast</title>",
            "<!-- A recording of real commands: ./do recording -->",
            f"<style>{STYLE}</style>",
            f'<rect class="page" x="0.5" y="0.5" width="{wide - 1}" height="{high - 1}" rx="10"/>{dots}',
            *texts,
            "</svg>\n",
        ]
    )


def read_picture(svg: str) -> list[Line]:
    """The lines that a picture shows."""
    found = re.findall(r'<text [^>]*class="(\w+)"[^>]*>([^<]*)</text>', svg)
    return [Line(kind, unescape(text)) for kind, text in found]


def find_lasting(lines: list[Line]) -> list[Line]:
    """Lines without what differs from one run to the next: ids, days, and the figures of scores."""
    changed = ((r"\b([A-Z]{3,4})-[0-9A-Z]{6}\b", r"\1-…"), (r"\b\d{4}-\d\d-\d\d\b", "…"), (r"\b\d+\.\d+\b", "…"))
    lasting = []
    for kind, text in lines:
        for pattern, instead in changed:
            text = re.sub(pattern, instead, text)  # noqa: PLW2901  # each pattern sees what the one before left
        lasting += [Line(kind, text)] if text else []
    return lasting


def write() -> None:
    """Play the session, and write the picture."""
    with tempfile.TemporaryDirectory(prefix="holdfast-recording-") as folder:
        PICTURE.write_text(draw(play(Path(folder))), encoding="utf-8")
    print(f"written: {PICTURE.relative_to(ROOT)}")


def _type(command: str, project: Path, environment: Mapping[str, str]) -> list[str]:
    """What a command prints on a terminal of our size, as the screen shows it in the end."""
    child, screen = pty.fork()
    if not child:
        os.chdir(project)
        os.execve(SHELL, [SHELL, "-c", command], dict(environment))
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    try:
        printed = b"".join(_read(screen))
    finally:
        os.close(screen)
        os.waitpid(child, 0)
    text = CODES.sub("", printed.decode("utf-8").replace("\r\n", "\n"))
    shown = (line.rsplit("\r", 1)[-1].rstrip() for line in text.splitlines())
    return [line for line in shown if not BAR.match(line)]


def _read(screen: int) -> Iterator[bytes]:
    until = time.monotonic() + LONG
    while select.select([screen], [], [], max(0.0, until - time.monotonic()))[0]:
        try:
            some = os.read(screen, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # how Linux says that nobody writes there any more
                raise
            return
        if not some:
            return
        yield some
    raise TimeoutError("A command of the recording did not end.")


def _fold(typed: str) -> list[Line]:
    """What is typed, on as many lines as the terminal needs."""
    first, *rest = (typed[at : at + COLUMNS] for at in range(0, len(typed), COLUMNS))
    return [Line("typed", first), *(Line("typed", more) for more in rest)]


def _holdfast() -> list[str]:
    return [sys.executable, "-c", "from holdfast.cli.entry import main; main()"]


def _person(folder: Path) -> dict[str, str]:
    """The environment of a person whose `holdfast` is this one, and whose home is below the folder."""
    programs = folder / "bin"
    programs.mkdir()
    holdfast = programs / "holdfast"
    holdfast.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from holdfast.cli.entry import main; main()" "$@"\n', encoding="utf-8"
    )
    holdfast.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith((*CLIENT_MARKS, "GIT_"))}
    return kept | {
        "HOME": str(folder),
        "HOLDFAST_HOME": str(folder / "home"),
        "HOLDFAST_EMBEDDER": "none",  # the same hits wherever it is played
        "HOLDFAST_KEY": "hfpk_" + secrets.token_urlsafe(24),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))),
        "TERM": "xterm-256color",
    }


if __name__ == "__main__":
    write()
