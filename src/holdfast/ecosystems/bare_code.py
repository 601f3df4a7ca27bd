"""Source code without its remarks, line for line."""

import re
from bisect import bisect_left

# A text that does not end goes on to the end of its line: so no line is gone over twice.
_TEXTS = r'"""(?:.*?"""|.*)|"(?:[^"\\\n]|\\.)*+"?|' + r"'(?:[^'\\\n]|\\.)*+'?"
_TEXT = re.compile(rf"{_TEXTS}|`(?:[^`\\]|\\.)*+`?", re.DOTALL)
_WITH_HASHES = frozenset(
    ["py", "pyi", "rb", "rake", "sh", "bash", "zsh", "yml", "yaml", "toml", "pl", "r", "ex", "exs"]
)
_WITH_SLASHES = frozenset([
    "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go", "rs", "java", "kt", "kts", "scala",
    "groovy", "cs", "fs", "dart", "swift", "c", "h", "cc", "cpp", "hpp", "proto", "css", "scss",
])  # fmt: skip
_DASHES = re.compile(r"('(?:[^'\n])*+'?)|--[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_SLASHES = re.compile(rf"({_TEXTS})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_HASHES = re.compile(rf"({_TEXTS})|#[^\n]*", re.DOTALL)
_BOTH = re.compile(rf"({_TEXTS})|//[^\n]*|/\*(?:.*?\*/|.*)|#(?!\[)[^\n]*", re.DOTALL)


def blank_slashes(text: str) -> str:
    """Code without `//` and `/* */`; every line keeps its number."""
    return _blank(_SLASHES, text)


def blank_hashes(text: str) -> str:
    """Code without `#` remarks; every line keeps its number."""
    return _blank(_HASHES, text)


def blank_both(text: str) -> str:
    """Code without remarks of both kinds, as PHP writes them; every line keeps its number."""
    return _blank(_BOTH, text)


def blank_remarks(path: str, text: str) -> str:
    """A file's code without its remarks, as its language writes them; other files as they are."""
    name = path.lower().rpartition("/")[2]
    ending = name.rpartition(".")[2]
    if ending == "sql":
        return _blank(_DASHES, text)
    if name.startswith(("dockerfile", "makefile", "containerfile")):
        return blank_hashes(text)
    if ending in _WITH_HASHES:
        return blank_hashes(text)
    if ending in _WITH_SLASHES:
        return blank_slashes(text)
    return blank_both(text) if ending == "php" else text


def blank_texts(path: str, text: str) -> str:
    """A file's code without its remarks and without what stands in its texts; every line keeps its number."""
    return _TEXT.sub(_empty_text, blank_remarks(path, text))


class LineCounter:
    """Tells the line of a place in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def line_at(self, place: int) -> int:
        """The number of the line that a place is on."""
        return bisect_left(self._ends, place) + 1


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: found[1] or "\n" * found[0].count("\n") or " ", text)


def _empty_text(found: re.Match[str]) -> str:
    mark = found[0][0]
    return mark + "\n" * found[0].count("\n") + mark
