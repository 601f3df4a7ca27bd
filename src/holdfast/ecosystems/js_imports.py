"""What JavaScript and TypeScript import, by their tokens; also what the scripts of pages do."""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.word_lists import word_set
from holdfast.ecosystems.imported_modules import ImportedModule, resolve_path
from holdfast.ecosystems.js_tokens import NAME, STRING, ScriptToken, scan_tokens

# Between `import` and its source: `import { many, names } from "x"`.
MOST_NAMES = 4000
LONGEST_SOURCE = 1000
_SCRIPT_TAG = re.compile(r"<script\b[^>]{0,1000}>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_FRONT = re.compile(r"\A---\r?\n(.*?)^---", re.DOTALL | re.MULTILINE)
# What may stand between `import` or `export` and `from`.
_BETWEEN = frozenset({"{", "}", ",", "*"})
_ELSE = word_set("const let var function class enum interface namespace async abstract import export")


def read_markup_imports(path: str, text: str) -> Iterator[ImportedModule]:
    """The scripts of a page, and what stands between the dashes at the start of an Astro file."""
    parts = [*_SCRIPT_TAG.finditer(text)]
    if path.lower().endswith(".astro"):
        parts += _FRONT.finditer(text)
    for part in parts:
        yield from read_script_imports(path, part[1], text.count("\n", 0, part.start(1)))


def read_script_imports(path: str, text: str, above: int = 0) -> Iterator[ImportedModule]:
    """The modules that a script imports. `above`: the lines before it in its file."""
    found = list(scan_tokens(text))
    for at, token in enumerate(found):
        if token.kind != NAME or token.text not in {"import", "export", "require"} or _is_member(found, at):
            continue
        source = _find_called(found, at) if token.text != "export" else None
        if source is None and token.text != "require":
            source = _find_source(found, at)
        if source is not None:
            module, relative = _resolve_source(path, source.text[1:-1])
            if module:
                yield ImportedModule(module=module, line=source.line + above, relative=relative, mark="/")


def _is_member(found: Sequence[ScriptToken], at: int) -> bool:
    """`x.import`, `{import: 1}`, and a name that something is declared by, are none; `...require()` is one."""
    before = found[at - 1].text if at else ""
    after = found[at + 1].text if at + 1 < len(found) else ""
    return before in {".", "?.", "function"} or (after in {":", "="} and found[at].text != "require")


def _find_called(found: Sequence[ScriptToken], at: int) -> ScriptToken | None:
    """The text in `require("x")` and `import("x")`; also where options follow."""
    ahead = found[at + 1 : at + 4]
    if len(ahead) == 3 and ahead[0].text == "(" and _is_text(ahead[1]) and ahead[2].text in {")", ","}:
        return ahead[1]
    return None


def _find_source(found: Sequence[ScriptToken], at: int) -> ScriptToken | None:
    """The text of `import "x"`, `import … from "x"` and `export … from "x"`; None where the statement is another."""
    for place in range(at + 1, min(at + MOST_NAMES, len(found))):
        token = found[place]
        if token.kind == STRING:
            bare = place == at + 1 and found[at].text == "import"
            return token if bare or found[place - 1].text == "from" else _skip_named(found, place)
        if token.kind != NAME and token.text not in _BETWEEN:
            return None
        if token.kind == NAME and token.text in _ELSE and found[place - 1].text != "as":
            return None
    return None


def _skip_named(found: Sequence[ScriptToken], place: int) -> ScriptToken | None:
    """`import { "odd name" as x } from "y"`: the text is a name, and the source comes later."""
    if place + 1 < len(found) and found[place + 1].text == "as":
        return _find_source(found, place)
    return None


def _is_text(token: ScriptToken) -> bool:
    return token.kind == STRING or (token.kind == "template" and token.text.endswith("`") and len(token.text) > 1)


def _resolve_source(path: str, source: str) -> tuple[str, bool]:
    """A module by its name; a relative one by the path it means in the workspace."""
    if not source or len(source) > LONGEST_SOURCE or "\n" in source:
        return "", False
    if not source.startswith("."):
        return source.removeprefix("node:"), False
    return re.sub(r"\.[mc]?[jt]sx?$", "", resolve_path(path, source)), True
