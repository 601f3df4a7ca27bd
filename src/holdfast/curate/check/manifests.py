"""Manifests → the packages that they name, each with its line."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.curate.check.names import CARGO, GEM, GO, MAVEN, NPM, PYPI, Named, requirement
from holdfast.domain.value import Value

DEEPEST = 60
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


class Unreadable(ValueError):
    """A text that is not what its name says: why, and the line."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class Kind(Value):
    """A kind of manifest."""

    name: str
    ecosystem: str


def kind_of(path: str) -> Kind | None:
    """What kind of manifest a path is; None for other files."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    known = _BY_NAME.get(name)
    if known:
        return known
    if name.endswith(".gemspec"):
        return Kind(name="gemspec", ecosystem=GEM)
    in_folder = folder.rpartition("/")[2] == "requirements"
    if name.endswith((".txt", ".in")) and ("requirements" in name.lower() or in_folder):
        return Kind(name="requirements", ecosystem=PYPI)
    return None


def dependencies(path: str, text: str) -> tuple[Named, ...]:
    """The packages that a manifest names. Raises Unreadable; nothing for other files."""
    kind = kind_of(path)
    if kind is None or not text.strip():
        return ()
    found = _READERS[kind.name](text.removeprefix("\ufeff"))
    return tuple(dict.fromkeys(Named(name=name, ecosystem=kind.ecosystem, line=line) for name, line in found if name))


Found = Iterator[tuple[str, int]]


# Python


def _pyproject(text: str) -> Found:
    lines = _Lines(text)
    document = _toml(text)
    for section, listed in _requirement_lists(document):
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, str):
                yield requirement(each), lines.holding(section, each)
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
    return requirement(said)


# JavaScript


def _package_json(text: str) -> Found:
    document = _json(text)
    if not isinstance(document, _Object):
        raise Unreadable("it is no JSON object", 1)
    for key, held, _ in document.pairs:
        if key not in _GROUPS:
            continue
        if isinstance(held, _Object):
            for name, version, line in held.pairs:
                yield name, line
                if isinstance(version, str) and version.startswith("npm:"):
                    yield requirement(version[4:]), line
        elif isinstance(held, list):
            yield from ((name, line) for name, line in held if isinstance(name, str))


class _Object:
    """A JSON object with the line of each key, all of them where one comes twice."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: list[tuple[str, Any, int]] = []


_JSON_TOKEN = re.compile(
    r'[ \t\r\n]*(?:("(?:[^"\\\x00-\x1f]|\\.)*+")|([{}\[\]:,])|(-?\d[\d.eE+-]*|true|false|null))', re.DOTALL
)


class _Json:
    """Reads JSON and keeps the lines. Lists hold pairs of value and line."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self._counted = text, 0, 1, 0

    def value(self, depth: int = 0) -> Any:
        token = self.next()
        if depth > DEEPEST:
            raise Unreadable("it is nested too deeply", self.line)
        if token == "{":
            return self._object(depth)
        if token == "[":
            return self._list(depth)
        if token in {"}", "]", ":", ","}:
            raise Unreadable(f"{token!r} stands where a value belongs", self.line)
        return _text_of(token) if token.startswith('"') else None

    def _object(self, depth: int) -> _Object:
        made = _Object()
        token = self.next()
        while token != "}":
            if not token.startswith('"'):
                raise Unreadable(f"{token[:20]!r} stands where a name belongs", self.line)
            line = self.line
            if self.next() != ":":
                raise Unreadable("a colon is missing", self.line)
            made.pairs.append((_text_of(token), self.value(depth + 1), line))
            token = self.next()
            if token == ",":
                token = self.next()
                if token == "}":
                    raise Unreadable("a comma stands before the end", self.line)
            elif token != "}":
                raise Unreadable("a comma is missing", self.line)
        return made

    def _list(self, depth: int) -> list[tuple[Any, int]]:
        made: list[tuple[Any, int]] = []
        if self._peek() == "]":
            self.next()
            return made
        while True:
            held = self.value(depth + 1)
            made.append((held, self.line))
            token = self.next()
            if token == "]":
                return made
            if token != ",":
                raise Unreadable("a comma is missing", self.line)

    def _peek(self) -> str:
        found = _JSON_TOKEN.match(self.text, self.at)
        return next(filter(None, found.groups()), "") if found else ""

    def next(self) -> str:
        found = _JSON_TOKEN.match(self.text, self.at)
        if found is None:
            rest = self.text[self.at :].strip()
            raise Unreadable(f"{rest[:20]!r} is no JSON" if rest else "it ends too early", self._line_at(self.at))
        self.at = found.end()
        self.line = self._line_at(found.start(found.lastindex or 0))
        return next(filter(None, found.groups()))

    def _line_at(self, place: int) -> int:
        self.line += self.text.count("\n", self._counted, place)
        self._counted = max(self._counted, place)
        return self.line


def _text_of(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    escapes = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
    return re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else escapes.get(found[2], found[2]),
        token[1:-1],
    )


def _json(text: str) -> Any:
    reader = _Json(text)
    found = reader.value()
    if text[reader.at :].strip():
        raise Unreadable("something stands after its end", reader.line)
    return found


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


def _pom(text: str) -> Found:
    """By expat itself, which keeps lines; a document type could blow up, and no pom needs one."""
    from xml.parsers.expat import ExpatError, ParserCreate

    reader = _Pom()
    parser = ParserCreate()
    parser.StartElementHandler = lambda name, _: reader.start(name, parser.CurrentLineNumber)
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text

    def refuse(*_: object) -> None:
        raise Unreadable("it has a document type, which is not read", parser.CurrentLineNumber)

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except ExpatError as error:
        raise Unreadable(f"it is no XML: {error}", error.lineno) from error
    yield from reader.found


class _Pom:
    """The dependencies and plugins of a pom, as its elements come; what they exclude is not among them."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []
        self._path: list[str] = []
        self._parts: dict[str, str] = {}
        self._line = 1

    def start(self, name: str, line: int) -> None:
        """An element begins."""
        plain = name.rpartition(":")[2]
        self._path.append(plain)
        if len(self._path) > DEEPEST:
            raise Unreadable("it is nested too deeply", line)
        if plain in {"dependency", "plugin"}:
            self._parts, self._line = {}, line

    def text(self, data: str) -> None:
        """Text inside an element."""
        if len(self._path) > 1 and self._path[-2] in {"dependency", "plugin"}:
            self._parts[self._path[-1]] = (self._parts.get(self._path[-1], "") + data)[:400]

    def end(self, name: str) -> None:
        """An element ends."""
        plain = name.rpartition(":")[2]
        artifact = self._parts.get("artifactId", "").strip()
        if plain in {"dependency", "plugin"} and artifact:
            group = self._parts.get("groupId", "").strip() or ("org.apache.maven.plugins" if plain == "plugin" else "")
            self.found.append((f"{group}:{artifact}" if group else artifact, self._line))
            self._parts = {}
        if self._path:
            self._path.pop()


# What they share


class _Lines:
    """Where things stand in a TOML text, which its parser does not say."""

    def __init__(self, text: str) -> None:
        self._rows: list[tuple[str, str]] = []
        section = ""
        for line in text.split("\n"):
            header = _HEADER.match(line)
            section = _plain(header[1]) if header else section
            self._rows.append((section, line))

    def holding(self, section: str, said: str) -> int:
        """The line of a section, or below it, that holds a quoted text; else any line that does."""
        quoted = (f'"{said}"', f"'{said}'")
        return self._first(section, lambda line: any(each in line for each in quoted)) or 1

    def keyed(self, section: str, key: str) -> int:
        """The line of a table on which a key stands; a table of its own (`[dependencies.serde]`) counts."""
        header = f"{section}.{key}"
        for number, (name, line) in enumerate(self._rows, start=1):
            if name == _plain(header) and _HEADER.match(line):
                return number
        said = re.compile(rf"""(?:^|[\s{{,.])["']?{re.escape(key)}["']?\s*[.=]""")
        return self._first(section, lambda line: bool(said.search(line))) or 1

    def _first(self, section: str, fits: Callable[[str], bool]) -> int:
        wanted = _plain(section)
        near = 0
        for number, (name, line) in enumerate(self._rows, start=1):
            if not fits(line):
                continue
            if name == wanted or name.startswith(f"{wanted}."):
                return number
            near = near or number
        return near


def _plain(section: str) -> str:
    return re.sub(r"[\s\"']", "", section)


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Unreadable(f"it is no TOML: {error}", int(line[1]) if line else None) from error
    except RecursionError as error:
        raise Unreadable("it is nested too deeply") from error


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
    "go.mod": _go_mod, "gemfile": _gemfile, "gemspec": _gemspec, "pom": _pom,
}  # fmt: skip
_BY_NAME: Mapping[str, Kind] = {
    "pyproject.toml": Kind(name="pyproject", ecosystem=PYPI),
    "package.json": Kind(name="package.json", ecosystem=NPM),
    "Cargo.toml": Kind(name="cargo", ecosystem=CARGO),
    "go.mod": Kind(name="go.mod", ecosystem=GO),
    "Gemfile": Kind(name="gemfile", ecosystem=GEM),
    "gems.rb": Kind(name="gemfile", ecosystem=GEM),
    "pom.xml": Kind(name="pom", ecosystem=MAVEN),
}
