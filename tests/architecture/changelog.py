"""CHANGELOG.md, out of the fragments in changes/unreleased: one file for each change."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FRAGMENTS = ROOT / "changes" / "unreleased"
PAGE = ROOT / "CHANGELOG.md"
# In the order of Keep a Changelog. A fragment whose first line is none of them stands before all.
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
HEAD = """\
# Changelog

What changed for those who use Holdfast, in the form of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).
Written by `./do changelog` from `changes/unreleased`; a test fails when it is behind. How to write a fragment:
[CONTRIBUTING](CONTRIBUTING.md#a-change).

## Unreleased
"""


class Fragment(NamedTuple):
    """A change: its kind (empty where it says none), its name, and what it says, in statements."""

    kind: str
    name: str
    statements: tuple[str, ...]


def read_fragment(path: Path) -> Fragment:
    """A fragment by its file."""
    first, _, rest = path.read_text(encoding="utf-8").strip().partition("\n")
    kind = first.strip().rstrip(":").capitalize()
    text, kind = (rest, kind) if kind in KINDS else (f"{first}\n{rest}", "")
    name = path.stem.replace("-", " ")
    return Fragment(kind, name[:1].upper() + name[1:], tuple(_statements(text)))


def _statements(text: str) -> Iterator[str]:
    """Statements begin at a dash, at `Before`, and after an empty line; all other lines go on with what they follow."""
    parts = re.split(r"\n(?=- |Before\b)|\n\s*\n", text)
    for part in parts:
        if words := " ".join(part.removeprefix("- ").split()):
            # Links of a fragment begin where it lies; the page is two folders up.
            yield words.replace("](../../", "](")


def changelog() -> str:
    """The whole page."""
    fragments = [read_fragment(path) for path in sorted(FRAGMENTS.glob("*.md"))]
    parts = [HEAD]
    for kind in ("", *KINDS):
        lines = [line for fragment in fragments if fragment.kind == kind for line in _lines(fragment)]
        if lines:
            parts += [f"\n### {kind}\n" if kind else "", "\n", *lines]
    return "".join(parts)


def _lines(fragment: Fragment) -> Iterator[str]:
    if len(fragment.statements) == 1:
        yield f"- **{fragment.name}.** {fragment.statements[0]}\n"
        return
    yield f"- **{fragment.name}.**\n"
    for statement in fragment.statements:
        yield f"  - {statement}\n"


if __name__ == "__main__":
    PAGE.write_text(changelog(), encoding="utf-8")
