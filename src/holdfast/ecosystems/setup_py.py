"""setup.py, as far as it can be read without being run."""

import ast
from collections.abc import Iterator, Mapping

from holdfast.ecosystems.manifest_contents import ManifestContents, ManifestGap
from holdfast.ecosystems.package_names import PYPI, list_packages, read_requirement
from holdfast.ecosystems.python_manifests import list_commands
from holdfast.ecosystems.python_syntax import called_name, parse_python

_LISTS = frozenset({"install_requires", "setup_requires", "tests_require", "extras_require"})
_COMMANDS = frozenset({"console_scripts", "gui_scripts"})
# How many names may stand for one another before a list is given up.
DEEPEST = 20
MOST_STEPS = 20_000


def read_setup_py(text: str) -> ManifestContents:
    """What the call of `setup` is given in so many words; what code makes of it is a gap. Nothing is run."""
    reader = _SetupReader(parse_python(text))
    return ManifestContents(
        packages=list_packages(PYPI, reader.found), name=reader.name, starts=tuple(list_commands(reader.commands)),
        gaps=tuple(dict.fromkeys(reader.gaps)),
    )  # fmt: skip


class _SetupReader:
    """Reads the calls of `setup` in a file."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[str, int]] = []
        self.gaps: list[ManifestGap] = []
        self.commands: list[str] = []
        self.name = ""
        self._steps = self._unpacked = 0
        self._assigned: Mapping[str, ast.expr] = _list_assigned(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called_name(node.func) == "setup":
                for keyword in node.keywords:
                    self._take(keyword.arg, keyword.value)

    def _take(self, key: str | None, value: ast.expr) -> None:
        if key is None:
            self._take_all(value)
        elif key in _LISTS:
            for text, line in self._walk_texts(value, key):
                self.found += [(read_requirement(each.partition(" #")[0]), line) for each in text.split("\n")]
        elif key == "name" and isinstance(value, ast.Constant) and isinstance(value.value, str):
            self.name = value.value
        elif key == "entry_points" and isinstance(value, ast.Dict):
            for group, held in zip(value.keys, value.values, strict=True):
                if isinstance(group, ast.Constant) and group.value in _COMMANDS:
                    self.commands += [text for text, _ in self._walk_texts(held, f"{group.value}")]

    def _take_all(self, value: ast.expr) -> None:
        """What `**options` gives."""
        self._unpacked += 1
        match self._resolve(value) if self._unpacked < DEEPEST else value:
            case ast.Dict(keys=keys, values=values):
                for key, held in zip(keys, values, strict=True):
                    self._take_pair(key, held)
            case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                for keyword in keywords:
                    self._take(keyword.arg, keyword.value)
            case _:
                self._miss("what setup() is given", value)

    def _take_pair(self, key: ast.expr | None, value: ast.expr) -> None:
        match key:
            case ast.Constant(value=str(name)):
                self._take(name, value)
            case None:
                self._take_all(value)
            case _:
                self._miss("what setup() is given", value)

    def _walk_texts(self, node: ast.expr, key: str, depth: int = 0) -> Iterator[tuple[str, int]]:
        node = self._resolve(node)
        self._steps += 1
        inner: list[ast.expr] | None = None
        match node:
            case ast.Constant(value=str(text)):
                yield text, node.lineno
                return
            case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner) | ast.Dict(values=inner):
                pass
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                inner = [left, right]
            case ast.Starred(value=value):
                inner = [value]
            case ast.Constant(value=None):
                inner = []
        if inner is None or depth > DEEPEST or self._steps > MOST_STEPS:
            self._miss(f"`{key}`", node)
            return
        for each in inner:
            yield from self._walk_texts(each, key, depth + 1)

    def _resolve(self, node: ast.expr) -> ast.expr:
        for _ in range(DEEPEST):
            if not isinstance(node, ast.Name) or node.id not in self._assigned:
                return node
            node = self._assigned[node.id]
        return node

    def _miss(self, what: str, node: ast.expr) -> None:
        self.gaps.append(ManifestGap(reason=f"{what} is made by code, which is not run", line=node.lineno))


def _list_assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """What names at the top of a file stand for; one that is given twice stands for nothing certain."""
    found: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                twice |= {name} & found.keys()
                found[name] = value
            case ast.AugAssign(target=ast.Name(id=name)):
                twice.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" | "insert" | "update")):
                twice.add(name)
            case _:
                continue
    return {name: value for name, value in found.items() if name not in twice}
