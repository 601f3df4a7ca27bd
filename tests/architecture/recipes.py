"""The recipes of CONTRIBUTING.md, carried out on a copy of the repository as they stand there."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
# What a copy needs: the package with its compiled files, and what the recipes change or their tests ask for.
COPIED = ("src", "docs/formats", "integrations", "pyproject.toml", "tests/*.py")
_BLOCK = re.compile(r"^`(?P<path>[\w./-]+)`\n\n```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of a recipe: a file as it is to be, or a change to one."""

    path: str
    is_change: bool
    text: str


def recipe(title: str) -> list[Block]:
    """The blocks of a recipe, in order."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n### {title}\n")
    section = re.split(r"^#{2,3} ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return [Block(found["path"], found["kind"] == "diff", found["text"]) for found in _BLOCK.finditer(section)]


def titles() -> list[str]:
    """The recipes there are."""
    _, _, recipes = PAGE.read_text(encoding="utf-8").partition("\n## Recipes\n")
    return re.findall(r"^### (.+)$", recipes, re.MULTILINE)


def copy_repository(folder: Path) -> None:
    """What recipes are carried out on."""
    for found in (found for name in COPIED for found in ROOT.glob(name)):
        to = folder / found.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        if found.is_dir():
            # With their times, so that compiled modules stay good.
            shutil.copytree(found, to, ignore=shutil.ignore_patterns("page"))
        else:
            shutil.copy2(found, to)


def carry_out(blocks: list[Block], folder: Path) -> None:
    """Write every file and make every change of a recipe."""
    for block in blocks:
        path = folder / block.path
        if block.is_change:
            path.write_text(change(path.read_text(encoding="utf-8"), block), encoding="utf-8")
        else:
            assert not path.exists(), f"{block.path} is there already"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")


def change(text: str, block: Block) -> str:
    """A text with the change of a block: its lines without those added must stand there once."""
    old = "".join(_lines(block, " -"))
    assert text.count(old) == 1, f"{block.path}: what the recipe changes stands there {text.count(old)} times:\n{old}"
    return text.replace(old, "".join(_lines(block, " +")))


def _lines(block: Block, marks: str) -> Iterator[str]:
    for line in block.text.splitlines(keepends=True):
        assert line[0] in " +-\n", f"{block.path}: a line of a diff begins with a space, + or -: {line}"
        if line[0] in marks:
            yield line[1:]
        elif line == "\n":
            yield line
