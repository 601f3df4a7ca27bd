"""One word per thing: what docs/words.md says about names holds in the code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/holdfast"
WORDS = ROOT / "docs/words.md"

# Names that are part of a format: a file, an answer over HTTP or MCP, or what a command prints as JSON.
FORMATS = {
    "LoggedBundle.gone": "a row of share/bundles/*.jsonl, docs/formats/bundle.md",
    "LaneReport.brought": "JSON of how a search was made",
    "HealthPart.mend": "JSON and HTTP of the curator, docs/formats/curate.md",
    "KeptFinding.mended": "state file of the doctor, docs/formats/doctor.md",
    "ModelListing.trouble": "JSON of the models, docs/formats/models.md",
    "InjectedMemory.told": "a line of the use file, docs/formats/use.md",
    "TrackedSession.told": "state file of the records",
    "MeanDifference.told": "JSON and HTTP of the stats, docs/formats/use.md",
    "MeanDifference.told_mean": "JSON and HTTP of the stats, docs/formats/use.md",
    "UseReport.told": "JSON and HTTP of the stats, docs/formats/use.md",
    "WeeklyUse.told": "JSON and HTTP of the stats, docs/formats/use.md",
}
# Modules that change with the command they belong to.
COMMANDS = {"cli/said.py": "what `search --in sessions` runs"}
# Their fields are the HTTP API itself, docs/openapi.json.
FORMAT_FOLDERS = ("server/http/shapes",)


class Named(NamedTuple):
    """A public name, where it stands, and with its class if it has one."""

    name: str
    place: str
    full: str


def test_no_two_public_classes_have_one_name() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in _sources():
        for node in _parse(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(_place(path))

    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_file_name_is_in_more_than_two_folders() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in _sources():
        if path.name not in {"__init__.py", "__main__.py"}:
            found[path.name].append(str(path.relative_to(SOURCE).parent))

    assert {name: folders for name, folders in found.items() if len(folders) > 2} == {}


def test_no_public_name_has_a_word_that_is_avoided() -> None:
    avoided = list(_read_avoided())
    assert avoided, "docs/words.md has no table of avoided words"

    wrong = [
        f"{named.place}: {named.full} has {' '.join(words)!r}; use: {instead}"
        for named in _public_names()
        for words, alone, instead in avoided
        if _has_words(_split(named.name), words, alone=alone) and named.full not in FORMATS | COMMANDS
    ]

    assert not wrong, "words that docs/words.md avoids:\n" + "\n".join(wrong)


def test_the_exceptions_are_still_there() -> None:
    known = {named.full for named in _public_names()}

    assert [name for name in FORMATS if name not in known] == []


def test_every_folder_has_its_word_and_every_word_its_folder() -> None:
    words = {cells[0]: cells[2].strip("`") for cells in _read_table("word")}
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}

    missing = [name for name in sorted(folders) if words.get(name, words.get(name.removesuffix("s"))) != name]
    assert not missing, f"folders whose word docs/words.md does not explain: {', '.join(missing)}"
    nowhere = [f"{word} ({folder})" for word, folder in words.items() if folder and folder not in folders]
    assert not nowhere, f"words of docs/words.md that live in no folder of src/holdfast: {', '.join(nowhere)}"


def test_no_word_is_explained_twice() -> None:
    words = [cells[0] for cells in _read_table("word")]

    assert sorted(words) == sorted(set(words))


def _read_table(head: str) -> Iterator[list[str]]:
    """The rows of the table whose first column has this head, without the head itself."""
    inside = False
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[0] == head:
            inside = True
        elif inside and not set(cells[0]) <= set("-: "):
            yield cells


def _read_avoided() -> Iterator[tuple[list[str], bool, str]]:
    """The avoided words, whether only a whole name counts, and what to use."""
    for avoided, instead in _read_table("avoided"):
        for match in re.finditer(r"`([^`]+)`( alone)?", avoided):
            yield match[1].split(), bool(match[2]), instead


def _public_names() -> Iterator[Named]:
    for path in _sources():
        place = _place(path)
        yield Named(path.stem, place, place)
        for node in _parse(path).body:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if not name.startswith("_"):
                    yield Named(name, place, name)
                case ast.ClassDef(name=name) if not name.startswith("_"):
                    yield Named(name, place, name)
                    if not place.startswith(FORMAT_FOLDERS):
                        for member in sorted(set(_members(node))):
                            yield Named(member, place, f"{name}.{member}")


def _members(node: ast.ClassDef) -> Iterator[str]:
    """The public methods, fields and enum members of a class, and what `__init__` sets."""
    for part in node.body:
        match part:
            case ast.FunctionDef(name="__init__"):
                yield from (
                    each.attr for each in ast.walk(part) if isinstance(each, ast.Attribute) and _is_set_on_self(each)
                )
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if not name.startswith("_"):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                yield name
            case ast.Assign(targets=targets):
                yield from (each.id for each in targets if isinstance(each, ast.Name) and each.id[0] != "_")


def _is_set_on_self(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("_")
    )


def _split(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def _has_words(words: list[str], wanted: list[str], *, alone: bool) -> bool:
    if alone:
        return words == wanted
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()
