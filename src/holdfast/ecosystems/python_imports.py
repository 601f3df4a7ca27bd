"""What Python imports, by its own parser."""

import ast
from collections.abc import Iterator

from holdfast.ecosystems.imported_modules import ImportedModule
from holdfast.ecosystems.python_syntax import called_name, parse_python

_DYNAMIC = frozenset({"__import__", "import_module"})


def read_python_imports(path: str, text: str) -> Iterator[ImportedModule]:
    """The modules that a Python file imports, by a text given to `import_module` too. Raises Unreadable."""
    for node in ast.walk(parse_python(text)):
        match node:
            case ast.Import(names=names):
                yield from (ImportedModule(module=name.name, line=_line_of(name, node)) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                yield from _read_from(path, module or "", names, level, node)
            case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_]) if called_name(func) in _DYNAMIC:
                if module and not module.startswith("."):
                    yield ImportedModule(module=module, line=node.lineno)
            case _:
                continue


def _read_from(
    path: str, module: str, names: list[ast.alias], level: int, node: ast.ImportFrom
) -> Iterator[ImportedModule]:
    """`from a import b` imports `a`, and may import `a.b`."""
    base = module
    if level:
        folders = path.replace("\\", "/").split("/")[:-1]
        above = folders[: len(folders) - (level - 1)] if level - 1 <= len(folders) else []
        base = ".".join([*above, *filter(None, [module])])
    if base:
        yield ImportedModule(module=base, line=node.lineno, relative=bool(level))
    for name in names:
        if name.name != "*":
            whole = f"{base}.{name.name}" if base else name.name
            yield ImportedModule(module=whole, line=_line_of(name, node), relative=bool(level))


def _line_of(name: ast.alias, node: ast.stmt) -> int:
    return getattr(name, "lineno", None) or node.lineno
