"""Every command, route, tool and name of the library is named by one folder's `__init__`: there a stranger finds it."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import ModuleType

import pytest
from tests.architecture.folders import DOORS, SOURCE, Folder, layers, read_folder

import holdfast
from holdfast.cli.parse import load_command
from holdfast.cli.table import calls
from holdfast.server.mcp.tool_table import TOOLS

ROUTES = SOURCE / "server" / "http" / "routes"
FOLDERS = [read_folder(name) for layer in layers() for name in layer]


def _existing() -> Mapping[str, Iterable[str]]:
    routes = {path.stem for path in ROUTES.glob("*.py")} - {"__init__", "route_parts"}
    return {"Commands": calls(), "Routes": routes, "Tools": TOOLS, "Library": holdfast.__all__}


@pytest.mark.parametrize("kind", DOORS)
def test_each_door_is_named_by_exactly_one_folder(kind: str) -> None:
    named = Counter(door for folder in FOLDERS for door in folder.doors.get(kind, ()))

    assert {door: count for door, count in named.items() if count > 1} == {}
    assert sorted(named) == sorted(_existing()[kind])


def test_a_command_stands_at_the_folder_of_its_name_or_of_a_verb_that_it_calls() -> None:
    for folder in FOLDERS:
        for call in folder.doors.get("Commands", ()):
            module = load_command(call)
            assert isinstance(module, ModuleType)
            assert folder.name in {"cli", *re.findall(r"\w+", call)} | _imported(str(module.__file__)), (
                folder.name,
                call,
            )


def test_a_route_stands_at_a_folder_whose_verbs_it_calls() -> None:
    for folder in FOLDERS:
        for route in folder.doors.get("Routes", ()):
            assert folder.name in {route, "server"} | _imported(str(ROUTES / f"{route}.py")), (folder.name, route)


def _imported(path: str) -> set[str]:
    """The folders that a module imports from, also lazily."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {module.split(".")[1] for module in modules if module.startswith("holdfast.")}


def test_doors_take_three_lines_at_most() -> None:
    assert {folder.name: len(folder.doors) for folder in FOLDERS if len(folder.doors) > 3} == {}


def test_the_cold_path_pays_for_docstrings_alone() -> None:
    for name in ("hook", "journal", "redact", "clients"):
        tree = ast.parse((SOURCE / name / "__init__.py").read_text(encoding="utf-8"))
        assert len(tree.body) == 1, f"{name}/__init__.py is on the hook's way: a docstring and no more"


def test_what_is_named_can_be_read_off_a_docstring() -> None:
    assert Folder("recall", "Search: lanes, ranking.", {}).gist == "Search"
    assert read_folder("recall").doors["Routes"] == ("find",)
    assert {"show --cites", "show --related"} <= set(read_folder("recall").doors["Commands"])
