"""Python files, parsed and never run: names, docstrings, quotes, typing, imports, errors, tests."""

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any

from holdfast.bootstrap.profile.frameworks import PYTHON
from holdfast.bootstrap.profile.name_styles import name_shape
from holdfast.bootstrap.profile.profile_values import TraitTallies

LIMITS = (79, 88, 100, 120)
LONGER = "longer"
# A limit is one when nearly all files keep it.
KEEPING = 0.95
# Names that a base class of somebody else's prescribes.
_PRESCRIBED = re.compile(r"(?:visit_|do_|test|setUp|tearDown|assert|depart_|as|get_queryset|run$)")
_GOOGLE = re.compile(r"^[ \t]*(?:Args|Arguments|Returns|Raises|Yields|Attributes):[ \t]*$", re.MULTILINE)
_NUMPY = re.compile(r"^[ \t]*(?:Parameters|Returns|Raises|Yields)\n[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_SPHINX = re.compile(r"^[ \t]*:(?:param|returns?|raises?|type|rtype)\b", re.MULTILINE)
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
_TEST_FOLDER = re.compile(r"(?:^|/)tests?/")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_test(path: str) -> bool:
    """Whether a file holds tests."""
    return bool(_TEST_FILE.search(path) or _TEST_FOLDER.search(path))


class PythonReader:
    """Takes files one after the other. `packages`: the names of the project's own."""

    def __init__(self, book: TraitTallies, packages: frozenset[str]) -> None:
        self._book, self._packages = book, packages
        self._classes: list[tuple[str, str, str, int]] = []
        self._inner: set[int] = set()
        self._tops: dict[str, int] = {}
        self._os_path = 0
        self._looks: dict[type[ast.AST], Callable[[Any, str, list[bytes]], None]] = {
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.JoinedStr: self._joined,
            ast.Constant: self._constant,
            ast.BinOp: self._percent,
            ast.Call: self._call,
            ast.ExceptHandler: self._handler,
            ast.Attribute: self._attribute,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
        }
        self._longest: list[tuple[str, int, int]] = []

    def read(self, path: str, source: str) -> bool:
        """Count what a file shows; whether it could be parsed."""
        tree = _parse_source(source)
        if tree is None:
            return False
        lines = source.encode("utf-8", "replace").split(b"\n")
        self._longest.append((path, *_longest_line(lines)))
        self._tests(path, tree)
        self._inner, self._tops, self._os_path = set(), {}, 0
        for node in ast.walk(tree):
            look = self._looks.get(type(node))
            if look:
                look(node, path, lines)
        self._files_use(path)
        return True

    def finish(self) -> None:
        """Count what only all files together show: whose child each exception class is, how long lines may be."""
        own = _exceptions({name: base for name, base, _, _ in self._classes})
        roots = {base for name, base, _, _ in self._classes if name in own}
        for name, base, path, line in self._classes:
            if name in own and name not in roots:
                answer = "own-hierarchy" if base in own else "built-in bases"
                self._book.file("python.errors", "exception classes", answer, path, line, f"class {name}({base})")
        lengths = [length for _, length, _ in self._longest]
        kept = (each for each in LIMITS if sum(length <= each for length in lengths) >= KEEPING * len(lengths))
        limit = next(kept, 0)
        for path, length, line in self._longest if limit else ():
            self._book.file("python.line-length", "files", str(limit) if length <= limit else LONGER, path, line)

    def _joined(self, node: ast.JoinedStr, path: str, lines: list[bytes]) -> None:
        self._inner.update(id(value) for value in node.values)
        self._book.case("python.formatting", "texts with values", "f-strings", path, node.lineno)
        self._quote(node, path, lines)

    def _constant(self, node: ast.Constant, path: str, lines: list[bytes]) -> None:
        if isinstance(node.value, str) and id(node) not in self._inner:
            self._quote(node, path, lines)

    def _percent(self, node: ast.BinOp, path: str, _: list[bytes]) -> None:
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            self._book.case("python.formatting", "texts with values", "percent", path, node.lineno)

    def _call(self, node: ast.Call, path: str, _: list[bytes]) -> None:
        match node.func:
            case ast.Attribute(value=ast.Constant(value=str()), attr="format"):
                self._book.case("python.formatting", "texts with values", "format", path, node.lineno)
            case _:
                return

    def _handler(self, node: ast.ExceptHandler, path: str, _: list[bytes]) -> None:
        answer = "never" if node.type is not None else "sometimes"
        self._book.case("python.bare-except", "handlers", answer, path, node.lineno, "except:" * (not node.type))

    def _attribute(self, node: ast.Attribute, _: str, __: list[bytes]) -> None:
        if node.attr == "path" and isinstance(node.value, ast.Name) and node.value.id == "os":
            self._os_path = self._os_path or node.lineno

    def _import(self, node: ast.Import, _: str, __: list[bytes]) -> None:
        for alias in node.names:
            self._tops.setdefault(alias.name.partition(".")[0], node.lineno)

    def _function(self, node: Function, path: str, lines: list[bytes]) -> None:
        dunder = node.name.startswith("__") and node.name.endswith("__")
        found = "" if dunder or _PRESCRIBED.match(node.name) else name_shape(node.name)
        if found:
            self._book.case("python.functions", "functions", found, path, node.lineno, f"def {node.name}")
        self._indent(node, path, lines)
        if is_test(path) or dunder:
            return
        answer = "annotated" if _is_annotated(node) else "bare"
        self._book.case("python.typing", "functions", answer, path, node.lineno, f"def {node.name}")
        if not node.name.startswith("_"):
            self._docstring(node, path)

    def _docstring(self, node: Function, path: str) -> None:
        text = ast.get_docstring(node, clean=False)
        presence = "written" if text else "missing"
        where = (path, node.lineno, f"def {node.name}")
        self._book.case("python.docstring-presence", "public functions", presence, *where)
        if text:
            self._book.case("python.docstrings", "docstrings of functions", _docstring_style(text), *where)

    def _class(self, node: ast.ClassDef, path: str, _: list[bytes]) -> None:
        found = name_shape(node.name)
        if found:
            self._book.case("python.classes", "classes", found, path, node.lineno, f"class {node.name}")
        base = _name(node.bases[0]) if node.bases else ""
        self._classes.append((node.name, base.rpartition(".")[2], path, node.lineno))

    def _quote(self, node: ast.expr, path: str, lines: list[bytes]) -> None:
        raw = lines[node.lineno - 1][node.col_offset :] if node.lineno <= len(lines) else b""
        bare = raw.lstrip(b"rbufRBUF")
        if len(raw) - len(bare) > 2 or bare[:3] in (b'"""', b"'''") or bare[:1] not in (b'"', b"'"):
            return
        other = "'" if bare[:1] == b'"' else '"'
        if isinstance(node, ast.Constant) and (other in str(node.value) or "\\" in str(node.value)):
            return
        self._book.case("python.quotes", "strings", "double" if other == "'" else "single", path, node.lineno)

    def _indent(self, node: Function, path: str, lines: list[bytes]) -> None:
        first = node.body[0]
        if first.lineno == node.lineno:
            return
        depth = first.col_offset - node.col_offset
        tab = lines[first.lineno - 1][:1] == b"\t"
        if tab or depth in {2, 4, 8}:
            self._book.case("python.indent", "functions", "tab" if tab else str(depth), path, node.lineno)

    def _import_from(self, node: ast.ImportFrom, path: str, _: list[bytes]) -> None:
        top = (node.module or "").partition(".")[0]
        if not node.level:
            self._tops.setdefault(top, node.lineno)
        if node.module == "os.path":
            self._os_path = self._os_path or node.lineno
        if node.level or top in self._packages:
            answer = "relative" if node.level else "absolute"
            text = f"from {'.' * node.level}{node.module or ''} import …"
            self._book.case("python.imports", "imports inside the project", answer, path, node.lineno, text)

    def _files_use(self, path: str) -> None:
        for top, line in self._tops.items():
            if top in PYTHON and top not in self._packages:
                self._book.file(f"python.framework.{top}", "files that import it", "used", path, line, f"import {top}")
        if "pathlib" in self._tops:
            self._book.file("python.paths", "files that handle paths", "pathlib", path, self._tops["pathlib"])
        elif self._os_path:
            self._book.file("python.paths", "files that handle paths", "os.path", path, self._os_path)

    def _tests(self, path: str, tree: ast.Module) -> None:
        if not _TEST_FILE.search(path) or path.endswith("conftest.py"):
            return
        self._book.file("python.test-layout", "test files", "tests/" if _TEST_FOLDER.search(path) else "beside", path)
        for node in tree.body:
            if isinstance(node, Function) and node.name.startswith("test"):
                self._book.file("python.tests", "test files", "pytest", path, node.lineno, f"def {node.name}")
                return
            if isinstance(node, ast.ClassDef):
                unit = any(_name(base).endswith("TestCase") for base in node.bases)
                answer = "unittest" if unit else "pytest classes"
                self._book.file("python.tests", "test files", answer, path, node.lineno, f"class {node.name}")
                return


def _parse_source(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _longest_line(lines: list[bytes]) -> tuple[int, int]:
    """The length of the longest line, and which it is."""
    return max(
        ((len(line.decode("utf-8", "replace").rstrip()), at) for at, line in enumerate(lines, 1)), default=(0, 1)
    )


def _is_annotated(node: Function) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    given = [each for each in arguments if each.arg not in {"self", "cls"}]
    return node.returns is not None and all(each.annotation is not None for each in given)


def _docstring_style(text: str) -> str:
    for style, mark in (("google", _GOOGLE), ("numpy", _NUMPY), ("sphinx", _SPHINX)):
        if mark.search(text):
            return style
    return "one line" if len(text.strip().splitlines()) == 1 else "plain"


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{_name(inner)}.{name}"
        case _:
            return ""


def _exceptions(bases: dict[str, str]) -> set[str]:
    """The classes whose line of parents, as far as names tell, ends in an exception."""

    def is_one(name: str) -> bool:
        seen = set()
        while name in bases and name not in seen:
            seen.add(name)
            name = bases[name]
        return name not in seen and name.endswith(("Error", "Exception"))

    return {name for name in bases if is_one(name)}
