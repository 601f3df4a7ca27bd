"""A manifest → what it says of its project: the name, what it needs, where it starts. What is broken says nothing."""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.core.value import Value

LONGEST = 120
MOST = 2_000
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)")
_QUOTED = re.compile(r"""['"]([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;][^'"]*)?['"]""")
_SETUP_NAME = re.compile(r"""\bname\s*=\s*['"]([\w.-]+)['"]""")
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_GO_NEED = re.compile(r"^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]+/[\w./~+-]+)\s+v", re.MULTILINE)
_MAJOR = re.compile(r"^v\d+$")
_XML = re.compile(r"<(groupId|artifactId|mainClass|start-class)>\s*([^<\s]{1,200})\s*</\1>")
_XML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_XML_PARENT = re.compile(r"<(parent|dependencies|build|dependencyManagement)>.*?</\1>", re.DOTALL)
_GRADLE = re.compile(r"""['"]([\w.-]+)(?::([\w.-]+))?[^'"\n]*['"]""")
_GRADLE_NAME = re.compile(r"""rootProject\.name\s*=\s*['"]([^'"\n]+)['"]""")
_GRADLE_MAIN = re.compile(r"""mainClass(?:Name)?(?:\.set\(|\s*=\s*)\s*['"]([\w.$]+)['"]""")
_GEM = re.compile(r"""^\s*gem[\s(]+['"]([^'"\n]+)['"]""", re.MULTILINE)
_GEM_NEED = re.compile(r"""\.add_(?:runtime_|development_)?dependency[\s(]+['"]([^'"\n]+)['"]""")
_GEM_NAME = re.compile(r"""\.name\s*=\s*['"]([\w.-]+)['"]""")
_CMAKE_NAME = re.compile(r"^\s*project\s*\(\s*([\w.+-]+)", re.MULTILINE | re.IGNORECASE)
_CMAKE_NEED = re.compile(r"^\s*find_package\s*\(\s*([\w.+-]+)", re.MULTILINE | re.IGNORECASE)
_CMAKE_MADE = re.compile(r"^\s*add_executable\s*\(\s*([\w.+-]+)", re.MULTILINE | re.IGNORECASE)
_MESON_NAME = re.compile(r"""\bproject\s*\(\s*['"]([\w.+ -]+)['"]""")
_MESON_NEED = re.compile(r"""\bdependency\s*\(\s*['"]([\w.+-]+)['"]""")
_MESON_MADE = re.compile(r"""\bexecutable\s*\(\s*['"]([\w.+-]+)['"]""")
_AUTOCONF_NAME = re.compile(r"AC_INIT\(\s*\[?([\w.+ -]+?)\]?\s*[,)]")


class ProjectManifest(Value):
    """What one file says. `starts`: (where it starts, as its ecosystem writes it, what it is)."""

    path: str
    kind: str
    name: str = ""
    needs: frozenset[str] = frozenset()
    starts: tuple[tuple[str, str], ...] = ()
    typed: bool = False

    @property
    def folder(self) -> str:
        """The folder it stands in."""
        return self.path.rpartition("/")[0]


def kind_of(path: str) -> str:
    """The kind of project that a file speaks for; empty for one that is no manifest."""
    name = path.rpartition("/")[2]
    if name in _READERS:
        return _READERS[name][0]
    return _ENDINGS[name[name.rindex(".") :]][0] if name.endswith(tuple(_ENDINGS)) else ""


def read_manifest(path: str, text: str) -> ProjectManifest:
    """What a manifest says; of one that is broken, no more than that it is there."""
    name = path.rpartition("/")[2]
    _, reader = _READERS.get(name) or _ENDINGS.get(name[name.rfind(".") :]) or ("", _read_nothing)
    try:
        said = reader(text)
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError, configparser.Error):
        said = {}
    return ProjectManifest(
        path=path, kind=kind_of(path), name=_shorten_name(said.get("name")), needs=_names(said.get("needs", ())),
        starts=tuple((_shorten_name(where), _shorten_name(what)) for where, what in list(said.get("starts", ()))[:MOST]),
        typed=bool(said.get("typed")),
    )  # fmt: skip


Said = dict[str, Any]
PYTHON, NODE, RUST, GO, JAVA, RUBY, C, PHP, CSHARP, ELIXIR, SWIFT, DART = (
    "python", "node", "rust", "go", "java", "ruby", "c", "php", "csharp", "elixir", "swift", "dart",
)  # fmt: skip


def _read_nothing(_: str) -> Said:
    return {}


def _pyproject(text: str) -> Said:
    document = tomllib.loads(text)
    project, poetry = _table(document, "project"), _table(document, "tool", "poetry")
    needs = {*map(_parse_requirement, _texts(project.get("dependencies"))), *_table(poetry, "dependencies")}
    scripts = {
        **_table(poetry, "scripts"), **_table(project, "scripts"), **_table(project, "gui-scripts"),
    }  # fmt: skip
    starts = [(str(target), f"command {name}") for name, target in scripts.items() if isinstance(target, str)]
    return {"name": project.get("name") or poetry.get("name"), "needs": needs, "starts": starts}


def _requirements(text: str) -> Said:
    return {"needs": {_parse_requirement(line) for line in text.splitlines()}}


def _pipfile(text: str) -> Said:
    document = tomllib.loads(text)
    return {"needs": {*_table(document, "packages")}}


def _setup_py(text: str) -> Said:
    name = _SETUP_NAME.search(text)
    return {"name": name[1] if name else "", "needs": set(_QUOTED.findall(text))}


def _setup_cfg(text: str) -> Said:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    needs = parser.get("options", "install_requires", fallback="").splitlines()
    scripts = parser.get("options.entry_points", "console_scripts", fallback="").splitlines()
    pairs = [line.partition("=") for line in scripts if "=" in line]
    return {
        "name": parser.get("metadata", "name", fallback=""),
        "needs": {_parse_requirement(line) for line in needs},
        "starts": [(target.strip(), f"command {name.strip()}") for name, _, target in pairs],
    }


def _package_json(text: str) -> Said:
    document = json.loads(text)
    needs: set[str] = set()
    for group in ("dependencies", "devDependencies", "peerDependencies"):
        needs |= {*_table(document, group)}
    starts = [(path, f"command {name}") for name, path in _bins(document).items()]
    starts += [(document[key], "main") for key in ("main", "module") if isinstance(document.get(key), str)][:1]
    scripts = _table(document, "scripts")
    starts += [
        (f"npm run {name}", str(scripts[name]))
        for name in ("start", "dev", "serve")
        if isinstance(scripts.get(name), str)
    ]
    return {"name": document.get("name"), "needs": needs, "starts": starts, "typed": "typescript" in needs}


def _bins(document: Mapping[str, Any]) -> dict[str, str]:
    found = document.get("bin")
    if isinstance(found, str):
        return {str(document.get("name") or "bin").rpartition("/")[2]: found}
    return {str(name): path for name, path in _table(document, "bin").items() if isinstance(path, str)}


def _deno(text: str) -> Said:
    return {"typed": True, "name": json.loads(text).get("name")}


def _cargo(text: str) -> Said:
    document = tomllib.loads(text)
    needs: set[str] = {*_table(document, "workspace", "dependencies")}
    for group in ("dependencies", "dev-dependencies", "build-dependencies"):
        needs |= {*_table(document, group)}
    bins = [each for each in _list(document.get("bin")) if isinstance(each, dict)]
    starts = [(str(each["path"]), f"command {each.get('name', '')}") for each in bins if each.get("path")]
    return {"name": _table(document, "package").get("name"), "needs": needs, "starts": starts}


def _go_mod(text: str) -> Said:
    module = _GO_MODULE.search(text)
    parts = module[1].strip("\"'/").split("/") if module else [""]
    name = parts[-2] if len(parts) > 1 and _MAJOR.match(parts[-1]) else parts[-1]
    return {"name": name, "needs": set(_GO_NEED.findall(text))}


def _pom(text: str) -> Said:
    bare = _XML_COMMENT.sub("", text)
    found = _XML.findall(bare)
    own = [value for tag, value in _XML.findall(_XML_PARENT.sub("", bare)) if tag == "artifactId"]
    return {
        "name": own[0] if own else "",
        "needs": {value for tag, value in found if tag in {"groupId", "artifactId"}},
        "starts": [(value, "main class") for tag, value in found if tag in {"mainClass", "start-class"}],
    }


def _gradle(text: str) -> Said:
    needs = {part for found in _GRADLE.findall(text) for part in found if part}
    main = [(found, "main class") for found in _GRADLE_MAIN.findall(text)]
    name = _GRADLE_NAME.search(text)
    return {"name": name[1] if name else "", "needs": needs, "starts": main}


def _gemfile(text: str) -> Said:
    return {"needs": set(_GEM.findall(text))}


def _gemspec(text: str) -> Said:
    name = _GEM_NAME.search(text)
    return {"name": name[1] if name else "", "needs": set(_GEM_NEED.findall(text))}


def _cmake(text: str) -> Said:
    name = _CMAKE_NAME.search(text)
    made = [(found, "program") for found in _CMAKE_MADE.findall(text)]
    return {"name": name[1] if name else "", "needs": set(_CMAKE_NEED.findall(text)), "starts": made}


def _meson(text: str) -> Said:
    name = _MESON_NAME.search(text)
    made = [(found, "program") for found in _MESON_MADE.findall(text)]
    return {"name": name[1] if name else "", "needs": set(_MESON_NEED.findall(text)), "starts": made}


def _autoconf(text: str) -> Said:
    name = _AUTOCONF_NAME.search(text)
    return {"name": name[1] if name else ""}


def _composer(text: str) -> Said:
    document = json.loads(text)
    return {"name": document.get("name"), "needs": {*_table(document, "require"), *_table(document, "require-dev")}}


_Reader = Callable[[str], Said]
_READERS: Mapping[str, tuple[str, _Reader]] = {
    "pyproject.toml": (PYTHON, _pyproject), "setup.py": (PYTHON, _setup_py), "setup.cfg": (PYTHON, _setup_cfg),
    "requirements.txt": (PYTHON, _requirements), "requirements.in": (PYTHON, _requirements),
    "Pipfile": (PYTHON, _pipfile), "package.json": (NODE, _package_json), "deno.json": (NODE, _deno),
    "Cargo.toml": (RUST, _cargo), "go.mod": (GO, _go_mod), "pom.xml": (JAVA, _pom), "build.gradle": (JAVA, _gradle),
    "build.gradle.kts": (JAVA, _gradle), "settings.gradle": (JAVA, _gradle), "settings.gradle.kts": (JAVA, _gradle),
    "Gemfile": (RUBY, _gemfile), "CMakeLists.txt": (C, _cmake), "meson.build": (C, _meson),
    "configure.ac": (C, _autoconf), "configure": (C, _read_nothing), "composer.json": (PHP, _composer),
    "mix.exs": (ELIXIR, _read_nothing), "Package.swift": (SWIFT, _read_nothing), "pubspec.yaml": (DART, _read_nothing),
}  # fmt: skip
_ENDINGS: Mapping[str, tuple[str, _Reader]] = {".gemspec": (RUBY, _gemspec), ".csproj": (CSHARP, _read_nothing)}


def _table(document: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _texts(found: Any) -> list[str]:
    return [each for each in _list(found) if isinstance(each, str)]


def _parse_requirement(line: str) -> str:
    found = _REQUIREMENT.match(line)
    return found[1] if found else ""


def _names(found: Iterable[Any]) -> frozenset[str]:
    """What is needed, in one case, `_` as `-`."""
    return frozenset(str(each).lower().replace("_", "-") for each in list(found)[:MOST] if each)


def _shorten_name(found: Any) -> str:
    """A name on one line, and not a long one."""
    words = " ".join(found.split()) if isinstance(found, str) else ""
    return "".join(character if character.isprintable() else "?" for character in words)[:LONGEST]
