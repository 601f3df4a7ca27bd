"""Source files → the modules that they import, each with its line."""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from holdfast.check.unreadable import UnreadableText
from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.ecosystems.js_tokens import NAME, STRING, ScriptToken, scan_tokens

PYTHON = (".py", ".pyi")
SCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
MARKUP = (".vue", ".svelte", ".astro")
# Between `import` and its source: `import { many, names } from "x"`.
MOST_NAMES = 4000
_SCRIPT_TAG = re.compile(r"<script\b[^>]{0,1000}>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_FRONT = re.compile(r"\A---\r?\n(.*?)^---", re.DOTALL | re.MULTILINE)
_DYNAMIC = frozenset({"__import__", "import_module"})
# What may stand between `import` or `export` and `from`.
_BETWEEN = frozenset({"{", "}", ",", "*"})


class ImportedModule(Value):
    """A module that a file imports. `relative`: resolved from the file's own place. `mark` parts its name."""

    module: str
    line: int
    relative: bool = False
    mark: str = "."

    @property
    def package(self) -> str:
        """The package that it is of: `lodash` of `lodash/fp`, `@a/b` of `@a/b/c`."""
        parts = self.module.split(self.mark)
        return self.mark.join(parts[: 2 if self.module.startswith("@") else 1])

    def is_below(self, rule: str) -> bool:
        """Whether it is a module or something below it; a relative one also by what its path ends in."""
        parts, wanted = self.module.split(self.mark), rule.strip(self.mark).split(self.mark)
        starts = range(len(parts)) if self.relative else range(1)
        return any(parts[start : start + len(wanted)] == wanted for start in starts)


def reads_imports(path: str) -> bool:
    """Whether the imports of such a file can be read."""
    return path.lower().endswith((*PYTHON, *SCRIPT, *MARKUP))


def find_imports(path: str, text: str) -> tuple[ImportedModule, ...]:
    """The modules that a file imports. Raises Unreadable; nothing for files of other languages."""
    low = path.lower()
    if low.endswith(PYTHON):
        found = _python(path, text)
    elif low.endswith(SCRIPT):
        found = _script(path, text, 0)
    elif low.endswith(MARKUP):
        found = _markup(path, text)
    else:
        return ()
    return tuple(dict.fromkeys(found))


# Python


def _python(path: str, text: str) -> Iterator[ImportedModule]:
    for node in ast.walk(_parse_python(text)):
        match node:
            case ast.Import(names=names):
                yield from (ImportedModule(module=name.name, line=_line(name, node)) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                yield from _from_imports(path, module or "", names, level, node)
            case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_]) if _called_name(func) in _DYNAMIC:
                if module and not module.startswith("."):
                    yield ImportedModule(module=module, line=node.lineno)
            case _:
                continue


def _parse_python(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # An odd escape in somebody's text is not ours to warn of.
            warnings.simplefilter("ignore")
            return ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        raise UnreadableText(f"it is no Python that can be parsed: {error.msg}", error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableText(f"it is no Python that can be parsed: {error or 'it is nested too deeply'}") from error


def _from_imports(
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
            yield ImportedModule(module=whole, line=_line(name, node), relative=bool(level))


def _line(name: ast.alias, node: ast.stmt) -> int:
    return getattr(name, "lineno", None) or node.lineno


def _called_name(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


# JavaScript and TypeScript


def _markup(path: str, text: str) -> Iterator[ImportedModule]:
    """The scripts of a page, and what stands between the dashes at the start of an Astro file."""
    parts = [*_SCRIPT_TAG.finditer(text)]
    if path.lower().endswith(".astro"):
        parts += _FRONT.finditer(text)
    for part in parts:
        yield from _script(path, part[1], text.count("\n", 0, part.start(1)))


def _script(path: str, text: str, above: int) -> Iterator[ImportedModule]:
    found = list(scan_tokens(text))
    for at, token in enumerate(found):
        if token.kind != NAME or token.text not in {"import", "export", "require"} or _is_member(found, at):
            continue
        source = _call_source(found, at) if token.text != "export" else None
        if source is None and token.text != "require":
            source = _source(found, at)
        if source is not None:
            module, relative = _resolve_module(path, source.text[1:-1])
            if module:
                yield ImportedModule(module=module, line=source.line + above, relative=relative, mark="/")


def _is_member(found: Sequence[ScriptToken], at: int) -> bool:
    """`x.import`, `{import: 1}`, and a name that something is declared by, are none; `...require()` is one."""
    before = found[at - 1].text if at else ""
    after = found[at + 1].text if at + 1 < len(found) else ""
    return before in {".", "?.", "function"} or (after in {":", "="} and found[at].text != "require")


def _call_source(found: Sequence[ScriptToken], at: int) -> ScriptToken | None:
    """The text in `require("x")` and `import("x")`; also where options follow."""
    ahead = found[at + 1 : at + 4]
    if len(ahead) == 3 and ahead[0].text == "(" and _is_text(ahead[1]) and ahead[2].text in {")", ","}:
        return ahead[1]
    return None


def _source(found: Sequence[ScriptToken], at: int) -> ScriptToken | None:
    """The text of `import "x"`, `import … from "x"` and `export … from "x"`; None where the statement is another."""
    for place in range(at + 1, min(at + MOST_NAMES, len(found))):
        token = found[place]
        if token.kind == STRING:
            bare = place == at + 1 and found[at].text == "import"
            return token if bare or found[place - 1].text == "from" else _source_after_name(found, place)
        if token.kind != NAME and token.text not in _BETWEEN:
            return None
        if token.kind == NAME and token.text in _ELSE and found[place - 1].text != "as":
            return None
    return None


def _source_after_name(found: Sequence[ScriptToken], place: int) -> ScriptToken | None:
    """`import { "odd name" as x } from "y"`: the text is a name, and the source comes later."""
    if place + 1 < len(found) and found[place + 1].text == "as":
        return _source(found, place)
    return None


_ELSE = word_set("const let var function class enum interface namespace async abstract import export")


def _is_text(token: ScriptToken) -> bool:
    return token.kind == STRING or (token.kind == "template" and token.text.endswith("`") and len(token.text) > 1)


def _resolve_module(path: str, source: str) -> tuple[str, bool]:
    """A module by its name; a relative one by the path it means in the workspace."""
    if not source or len(source) > 1000 or "\n" in source:
        return "", False
    if not source.startswith("."):
        return source.removeprefix("node:"), False
    parts = path.replace("\\", "/").split("/")[:-1]
    for part in source.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return re.sub(r"\.[mc]?[jt]sx?$", "", "/".join(parts)), True
