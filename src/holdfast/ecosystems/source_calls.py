"""Source files → what they call, each with its line. Python by its own parser, other languages by their code."""

import re
from collections.abc import Iterator

from holdfast.ecosystems.bare_code import LineCounter, blank_texts
from holdfast.ecosystems.called_names import CalledName
from holdfast.ecosystems.python_calls import read_python_calls
from holdfast.ecosystems.unreadable_text import Unreadable

_CALL = re.compile(r"(?<![\w$@#])((?:[A-Za-z_$][\w$]*(?:\.|::|->|\?\.)){0,8}[A-Za-z_$][\w$]*!?)\s*\((\s*\))?")
_PARTS = re.compile(r"::|->|\?\.")
# Where one is declared, and what only looks like a call.
_DECLARES = re.compile(r"\b(?:def|function|func|fn|fun|sub|class)\s+$")
_SYNTAX = frozenset(
    ["if", "for", "while", "switch", "catch", "return", "function", "match", "elif", "not", "and", "or"]
)
_ENDINGS = (
    ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".go", ".rs", ".rb", ".java",
    ".kt",
    ".kts", ".scala", ".groovy", ".php", ".cs", ".fs", ".dart", ".swift", ".ex", ".exs", ".c", ".h", ".cc", ".cpp",
    ".hpp",
    ".lua", ".sh", ".bash",
)  # fmt: skip


def reads_calls(path: str) -> bool:
    """Whether the calls of such a file can be read."""
    return path.lower().endswith((".py", ".pyi", *_ENDINGS))


def read_calls(path: str, text: str) -> tuple[CalledName, ...]:
    """What a file calls. Raises Unreadable; nothing for files of other languages."""
    if not reads_calls(path):
        return ()
    if path.lower().endswith((".py", ".pyi")):
        return tuple(read_python_calls(text))
    return tuple(_read_code(path, text))


def read_piece_calls(path: str, text: str) -> tuple[CalledName, ...]:
    """What a piece of code calls: where it is no whole file, by its words alone."""
    try:
        return read_calls(path, text)
    except Unreadable:
        return tuple(_read_code(path, text))


def _read_code(path: str, text: str) -> Iterator[CalledName]:
    code = blank_texts(path, text)
    lines = LineCounter(code)
    for found in _CALL.finditer(code):
        # A method of what an expression gives: `connect().execute`.
        owned = "." if code[max(0, found.start() - 1) : found.start()] == "." else ""
        name = owned + _PARTS.sub(".", found[1])
        if name not in _SYNTAX and not _DECLARES.search(code, max(0, found.start() - 20), found.start()):
            yield CalledName(name=name, line=lines.line_at(found.start()), empty=found[2] is not None)
