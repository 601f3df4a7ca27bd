"""Manifests of Python projects: pyproject.toml, requirements, Pipfile, setup.cfg."""

import re
from collections.abc import Iterable, Iterator

from holdfast.ecosystems.conda_manifests import list_pixi_packages
from holdfast.ecosystems.ini_with_lines import IniEntry, read_ini
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import PYPI, list_packages, read_requirement
from holdfast.ecosystems.requirement_lines import read_requirement_lines
from holdfast.ecosystems.toml_with_lines import TomlDocument

_PIPFILE_SETTINGS = frozenset({"source", "requires", "scripts", "pipenv"})
_CFG_LISTS = frozenset({"install_requires", "setup_requires", "tests_require"})
# Not a requirement: the condition of one, or a file to take them from.
_MARKER = re.compile(r"(?:python_|sys_|os_|platform_|implementation_|extra\b)\w*\s*(?:[<>=!~]|in\b|not\b)|file:|attr:")
Found = Iterator[tuple[str, int]]


def read_pyproject(text: str) -> ManifestContents:
    """pyproject.toml, with the tables of Poetry, uv, PDM, Hatch, Flit, Rye and Pixi."""
    document = TomlDocument(text)
    required = [(read_requirement(each), line) for each, line in _walk_lists(document)]
    scripts = {
        **document.table("tool", "poetry", "scripts"), **document.table("project", "scripts"),
        **document.table("project", "gui-scripts"),
    }  # fmt: skip
    return ManifestContents(
        packages=(
            *list_packages(PYPI, [*required, *_walk_poetry(document)]), *list_pixi_packages(document, "tool", "pixi"),
        ),
        name=document.text("project", "name") or document.text("tool", "poetry", "name"),
        starts=tuple((target, f"command {name}") for name, target in scripts.items() if isinstance(target, str)),
        gaps=tuple(document.gaps),
    )  # fmt: skip


def read_requirements(text: str) -> ManifestContents:
    """A file for `pip install -r`, with the files that it takes in."""
    lines = read_requirement_lines(text)
    return ManifestContents(packages=list_packages(PYPI, lines.found), includes=lines.includes, gaps=lines.gaps)


def read_pipfile(text: str) -> ManifestContents:
    """A Pipfile: its packages, those for development, and those of other groups."""
    document = TomlDocument(text)
    groups = [key for key in document.tables if key not in _PIPFILE_SETTINGS]
    found = [(name, line) for group in groups for name, _, line in document.walk_names(group)]
    return ManifestContents(packages=list_packages(PYPI, found), gaps=tuple(document.gaps))


def read_setup_cfg(text: str) -> ManifestContents:
    """setup.cfg; what it takes out of other files is read there."""
    entries = read_ini(text)
    commands = [entry for entry in entries if (entry.section, entry.key) == ("options.entry_points", "console_scripts")]
    return ManifestContents(
        packages=list_packages(PYPI, _walk_cfg(entries)), name=_name_in_cfg(entries),
        starts=tuple(list_commands(line for entry in commands for line, _ in entry.lines)),
    )  # fmt: skip


def list_commands(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Where each of some commands starts: `name = module:function`."""
    for line in lines:
        name, equals, target = line.partition("=")
        if equals:
            yield target.strip(), f"command {name.strip()}"


def _walk_lists(document: TomlDocument) -> Found:
    yield from document.walk_texts("project", "dependencies")
    yield from document.walk_texts("build-system", "requires")
    for tool in ("uv", "rye"):
        yield from document.walk_texts("tool", tool, "dev-dependencies")
    for key in ("requires", "dev-requires"):
        yield from document.walk_texts("tool", "flit", "metadata", key)
    groups = (
        ("project", "optional-dependencies"), ("dependency-groups",), ("tool", "pdm", "dev-dependencies"),
        ("tool", "flit", "metadata", "requires-extra"),
    )  # fmt: skip
    for keys in groups:
        for name, _, _ in document.walk_names(*keys):
            yield from document.walk_texts(*keys, name)
    for name in document.table("tool", "hatch", "envs"):
        for key in ("dependencies", "extra-dependencies"):
            yield from document.walk_texts("tool", "hatch", "envs", name, key)


def _walk_poetry(document: TomlDocument) -> Found:
    poetry = ("tool", "poetry")
    tables: list[tuple[str, ...]] = [
        (*poetry, "dependencies"),
        (*poetry, "dev-dependencies"),
        (*poetry, "requires-plugins"),
    ]
    tables += [(*poetry, "group", name, "dependencies") for name in document.table(*poetry, "group")]
    for keys in tables:
        yield from ((name, line) for name, _, line in document.walk_names(*keys) if name.lower() != "python")


def _walk_cfg(entries: Iterable[IniEntry]) -> Found:
    for entry in entries:
        listed = entry.section == "options" and entry.key in _CFG_LISTS
        if listed or entry.section == "options.extras_require":
            yield from ((read_requirement(text), line) for text, line in _split_cfg(entry) if not _MARKER.match(text))


def _split_cfg(entry: IniEntry) -> Found:
    """The requirements of an entry: one a line or, all on one line, between semicolons."""
    for text, line in entry.lines:
        said = text.partition(" #")[0]
        yield from ((part.strip(), line) for part in (said.split(";") if len(entry.lines) == 1 else [said]))


def _name_in_cfg(entries: Iterable[IniEntry]) -> str:
    named = (entry for entry in entries if (entry.section, entry.key) == ("metadata", "name") and entry.lines)
    return next((entry.lines[0][0] for entry in named), "")
