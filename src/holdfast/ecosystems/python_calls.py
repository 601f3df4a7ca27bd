"""What Python calls, by its own parser: by the name that it was imported from."""

import ast
from collections.abc import Iterator, Mapping

from holdfast.ecosystems.called_names import CalledName
from holdfast.ecosystems.python_syntax import parse_python


def read_python_calls(text: str) -> Iterator[CalledName]:
    """What a Python file calls: `sleep(2)` after `from time import sleep` is `time.sleep`. Raises Unreadable."""
    tree = parse_python(text)
    known = _read_known_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _name_called(node.func, known)):
            yield CalledName(name=name, line=node.lineno, empty=not node.args and not node.keywords)


def _read_known_names(tree: ast.Module) -> dict[str, str]:
    """Names of the file → what they were imported from."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                known |= {each.asname: each.name for each in names if each.asname}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                known |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
            case _:
                continue
    return known


def _name_called(func: ast.expr, known: Mapping[str, str]) -> str:
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.insert(0, func.attr)
        func = func.value
    match func:
        case ast.Name(id=name):
            return ".".join([known.get(name, name), *parts])
        case _:
            # A method of what an expression gives: `connect().execute`.
            return ".".join(["", *parts]) if parts else ""
