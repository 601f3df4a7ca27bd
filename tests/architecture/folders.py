"""The folders of src/holdfast: layers and extras by pyproject.toml, words by docstrings, imports by grimp."""

import ast
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import grimp

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdfast"
DOORS = ("Commands", "Routes", "Tools", "Library")


class Folder(NamedTuple):
    """A folder, or a module that stands beside the folders: what it is, and the doors that it names."""

    name: str
    about: str
    doors: Mapping[str, tuple[str, ...]]

    @property
    def gist(self) -> str:
        """What it is, in a few words: its line up to the first stop."""
        return re.split(r"[:.;(]", self.about)[0].strip()


def names_on_disk() -> set[str]:
    """Every folder of the package, and every module beside them."""
    modules = {path.stem for path in SOURCE.glob("*.py")}
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")} | modules - {"__init__"}


@cache
def layers() -> tuple[tuple[str, ...], ...]:
    """The layers from the top down, each with the folders that stand beside each other in it."""
    lines = next(each["layers"] for each in _contracts() if each["type"] == "layers")
    return tuple(tuple(name.strip() for name in line.split("|")) for line in lines)


@cache
def extras() -> frozenset[str]:
    """What core never imports."""
    named = next(each for each in _contracts() if each["name"] == "Core never imports an extra")
    return frozenset(name.rpartition(".")[2] for name in named["forbidden_modules"])


def _contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return contracts


def read_folder(name: str) -> Folder:
    """A folder by its docstring."""
    inside, beside = SOURCE / name / "__init__.py", SOURCE / f"{name}.py"
    tree = ast.parse((inside if inside.exists() else beside).read_text(encoding="utf-8"))
    # A line that is indented goes on with the one before.
    about, *rest = re.sub(r"\n  +", " ", ast.get_docstring(tree) or "").splitlines()
    return Folder(name, about, dict(_doors(rest)))


def _doors(lines: Iterable[str]) -> Iterable[tuple[str, tuple[str, ...]]]:
    for line in lines:
        kind, _, named = line.partition(": ")
        if kind in DOORS:
            yield kind, tuple(door for name in named.split(",") for door in _spell_out(name.strip()))


def _spell_out(door: str) -> Iterable[str]:
    """`show --history|--cites` is two doors of `show`."""
    command, space, forms = door.rpartition(" ")
    return (f"{command}{space}{form}" for form in forms.split("|"))


@cache
def imports() -> frozenset[tuple[str, str]]:
    """Which folder imports which: every import counts, also lazy ones and those for types alone."""
    graph = grimp.build_graph("holdfast", cache_dir=None)
    known = {name for layer in layers() for name in layer}
    found = {
        (_folder(module), _folder(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    return frozenset((above, below) for above, below in found if above != below and {above, below} <= known)


def _folder(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """The imports without those that follow from others: what is left draws the same order with the fewest arrows."""
    below: dict[str, set[str]] = {}
    for above, under in imports():
        below.setdefault(above, set()).add(under)
    return frozenset(
        (above, under)
        for above, under in imports()
        if not any(under in _reached(below, other) for other in below[above] - {under})
    )


def _reached(below: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = below.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen
