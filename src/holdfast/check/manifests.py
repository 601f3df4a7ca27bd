"""Manifests → the packages that they name, each with its line."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.check.json_lines import JsonObject, parse_json_lines
from holdfast.check.package_names import CARGO, GEM, GO, MAVEN, NPM, PYPI, NamedPackage, requirement_name
from holdfast.check.pom import read_pom
from holdfast.check.unreadable import UnreadableText
from holdfast.core.value import Value

_HEADER = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_GROUPS = (
    "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "bundleDependencies",
    "bundledDependencies",
)  # fmt: skip
_CARGO_TABLES = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
_GEM = re.compile(r"""^\s*gem[\s(]+['"]([^'"\n]+)['"]""")
_SPEC_GEM = re.compile(r"""\.add_(?:runtime_|development_)?dependency[\s(]+['"]([^'"\n]+)['"]""")
_GO_MODULE = re.compile(r"^[\w.~-]+(?:/[\w.~+-]+)*$")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][\w.-]*)")


class ManifestKind(Value):
    """A kind of manifest."""

    name: str
    ecosystem: str


def kind_of(path: str) -> ManifestKind | None:
    """What kind of manifest a path is; None for other files."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    known = _BY_NAME.get(name)
    if known:
        return known
    if name.endswith(".gemspec"):
        return ManifestKind(name="gemspec", ecosystem=GEM)
    in_folder = folder.rpartition("/")[2] == "requirements"
    if name.endswith((".txt", ".in")) and ("requirements" in name.lower() or in_folder):
        return ManifestKind(name="requirements", ecosystem=PYPI)
    return None


def find_dependencies(path: str, text: str) -> tuple[NamedPackage, ...]:
    """The packages that a manifest names. Raises Unreadable; nothing for other files."""
    kind = kind_of(path)
    said = text.removeprefix("\ufeff")
    if kind is None or not said.strip():
        return ()
    found = _READERS[kind.name](said)
    return tuple(
        dict.fromkeys(NamedPackage(name=name, ecosystem=kind.ecosystem, line=line) for name, line in found if name)
    )


Found = Iterator[tuple[str, int]]


# Python


def _pyproject(text: str) -> Found:
    lines = _Lines(text)
    document = _toml(text)
    for section, listed in _requirement_lists(document):
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, str):
                yield requirement_name(each), lines.holding(section, each)
    poetry = _table(document, "tool", "poetry")
    tables = [("tool.poetry.dependencies", poetry.get("dependencies"))]
    tables += [("tool.poetry.dev-dependencies", poetry.get("dev-dependencies"))]
    for name, group in _items(poetry.get("group")):
        tables.append((f"tool.poetry.group.{name}.dependencies", _mapping(group).get("dependencies")))
    for section, table in tables:
        for name in _mapping(table):
            if name.lower() != "python":
                yield name, lines.keyed(section, name)


def _requirement_lists(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    project = _mapping(document.get("project"))
    yield "project", project.get("dependencies")
    yield "build-system", _table(document, "build-system").get("requires")
    for _, listed in _items(project.get("optional-dependencies")):
        yield "project.optional-dependencies", listed
    for _, listed in _items(document.get("dependency-groups")):
        yield "dependency-groups", listed
    yield "tool.uv", _table(document, "tool", "uv").get("dev-dependencies")
    for _, listed in _items(_table(document, "tool", "pdm").get("dev-dependencies")):
        yield "tool.pdm.dev-dependencies", listed
    for name, held in _items(_table(document, "tool", "hatch").get("envs")):
        for key in ("dependencies", "extra-dependencies"):
            yield f"tool.hatch.envs.{name}", _mapping(held).get(key)


def _requirements(text: str) -> Found:
    joined = ""
    start = 1
    for number, line in enumerate(text.split("\n"), start=1):
        start = start if joined else number
        joined += line.rstrip("\r")
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        yield _one_requirement(joined), start
        joined = ""
    if joined:
        yield _one_requirement(joined), start


def _one_requirement(line: str) -> str:
    said = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
    egg = _EGG.search(said)
    if egg:
        return egg[1]
    if not said or said.startswith(("-", ".", "/")) or re.match(r"[A-Za-z][\w+.-]*://|git\+", said):
        return ""
    return requirement_name(said)


# JavaScript


def _package_json(text: str) -> Found:
    document = parse_json_lines(text)
    if not isinstance(document, JsonObject):
        raise UnreadableText("it is no JSON object", 1)
    for key, held, _ in document.pairs:
        if key not in _GROUPS:
            continue
        if isinstance(held, JsonObject):
            for name, version, line in held.pairs:
                yield name, line
                if isinstance(version, str) and version.startswith("npm:"):
                    yield requirement_name(version[4:]), line
        elif isinstance(held, list):
            yield from ((name, line) for name, line in held if isinstance(name, str))


# Rust, Go, Ruby, Java


def _cargo(text: str) -> Found:
    lines = _Lines(text)
    document = _toml(text)
    for prefix, held in (("", document), ("workspace.", _mapping(document.get("workspace")))):
        yield from _crates(lines, prefix, held)
    for target, held in _items(document.get("target")):
        yield from _crates(lines, f"target.{target}.", _mapping(held))


def _crates(lines: "_Lines", prefix: str, held: Mapping[str, Any]) -> Found:
    for table in _CARGO_TABLES:
        for name, how in _items(held.get(table)):
            line = lines.keyed(f"{prefix}{table}", name)
            renamed = _mapping(how).get("package")
            yield (renamed if isinstance(renamed, str) else name), line


def _go_mod(text: str) -> Found:
    block = ""
    for number, raw in enumerate(text.split("\n"), start=1):
        line, _, remark = raw.partition("//")
        words = line.split()
        if words[1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        elif words:
            verb, said = (block, words) if block else (words[0], words[1:])
            yield _go_required(verb, said, remark), number


def _go_required(verb: str, said: list[str], remark: str) -> str:
    if verb == "replace" and "=>" in said:
        put = said[said.index("=>") + 1 :]
        found = put[0] if put else ""
        return found if not found.startswith(".") and _GO_MODULE.match(found) else ""
    if verb not in {"require", "tool"} or not said or remark.strip().startswith("indirect"):
        return ""
    name = said[0].strip('"`')
    return name if _GO_MODULE.match(name) else ""


def _gemfile(text: str) -> Found:
    for number, line in enumerate(text.split("\n"), start=1):
        found = _GEM.match(line)
        if found:
            yield found[1], number


def _gemspec(text: str) -> Found:
    for number, line in enumerate(text.split("\n"), start=1):
        found = _SPEC_GEM.search(line.partition("#")[0])
        if found:
            yield found[1], number


# What they share


class _Lines:
    """Where things stand in a TOML text, which its parser does not say."""

    def __init__(self, text: str) -> None:
        self._rows: list[tuple[str, str]] = []
        section = ""
        for line in text.split("\n"):
            header = _HEADER.match(line)
            section = _strip_quotes(header[1]) if header else section
            self._rows.append((section, line))

    def holding(self, section: str, said: str) -> int:
        """The line of a section, or below it, that holds a quoted text; else any line that does."""
        quoted = (f'"{said}"', f"'{said}'")
        return self._first(section, lambda line: any(each in line for each in quoted)) or 1

    def keyed(self, section: str, key: str) -> int:
        """The line of a table on which a key stands; a table of its own (`[dependencies.serde]`) counts."""
        header = f"{section}.{key}"
        for number, (name, line) in enumerate(self._rows, start=1):
            if name == _strip_quotes(header) and _HEADER.match(line):
                return number
        said = re.compile(rf"""(?:^|[\s{{,.])["']?{re.escape(key)}["']?\s*[.=]""")
        return self._first(section, lambda line: bool(said.search(line))) or 1

    def _first(self, section: str, fits: Callable[[str], bool]) -> int:
        wanted = _strip_quotes(section)
        near = 0
        for number, (name, line) in enumerate(self._rows, start=1):
            if not fits(line):
                continue
            if name == wanted or name.startswith(f"{wanted}."):
                return number
            near = near or number
        return near


def _strip_quotes(section: str) -> str:
    return re.sub(r"[\s\"']", "", section)


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise UnreadableText(f"it is no TOML: {error}", int(line[1]) if line else None) from error
    except RecursionError as error:
        raise UnreadableText("it is nested too deeply") from error


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _table(document: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        document = _mapping(document.get(key))
    return document


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(_mapping(value).items())


_READERS: Mapping[str, Callable[[str], Found]] = {
    "pyproject": _pyproject, "requirements": _requirements, "package.json": _package_json, "cargo": _cargo,
    "go.mod": _go_mod, "gemfile": _gemfile, "gemspec": _gemspec, "pom": read_pom,
}  # fmt: skip
_BY_NAME: Mapping[str, ManifestKind] = {
    "pyproject.toml": ManifestKind(name="pyproject", ecosystem=PYPI),
    "package.json": ManifestKind(name="package.json", ecosystem=NPM),
    "Cargo.toml": ManifestKind(name="cargo", ecosystem=CARGO),
    "go.mod": ManifestKind(name="go.mod", ecosystem=GO),
    "Gemfile": ManifestKind(name="gemfile", ecosystem=GEM),
    "gems.rb": ManifestKind(name="gemfile", ecosystem=GEM),
    "pom.xml": ManifestKind(name="pom", ecosystem=MAVEN),
}
