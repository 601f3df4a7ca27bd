"""Paths and listings as the Claude API's memory tool has them: which paths are taken, and how text is shown."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from holdfast.core.errors import BadRequest

ROOT = "/memories"
MOST_LINES = 999_999
LONGEST_PATH = 1_024
MOST_PARTS = 20
LARGEST = 102_400
_ENCODED = re.compile(r"%[0-9a-fA-F]{2}")


class ToolCommandRefused(BadRequest):
    """A command that cannot be carried out, in the words that the tool's models know."""


def place_of(path: object) -> str:
    """A path below the root, without the root; empty for the root itself. Raises Wrong for any other."""
    if not isinstance(path, str) or not (path == ROOT or path.startswith(f"{ROOT}/")):
        raise ToolCommandRefused(f"Path must start with {ROOT}, got: {path}")
    rest = path[len(ROOT) + 1 :].removesuffix("/")
    parts = rest.split("/") if rest else []
    if any(part in {"", ".", ".."} for part in parts) or "\\" in rest or _ENCODED.search(rest):
        raise ToolCommandRefused(f"Path {path} would escape {ROOT} directory")
    if any(_is_odd(character) for character in rest) or unicodedata.normalize("NFC", rest) != rest:
        raise ToolCommandRefused(f"Path {path!a} has characters that no path may have")
    if any(part.startswith((".", " ")) or part.endswith(" ") for part in parts):
        raise ToolCommandRefused(f"Path {path} names a hidden item")
    if len(parts) > MOST_PARTS or len(path.encode("utf-8", "replace")) > LONGEST_PATH:
        raise ToolCommandRefused(f"Path is longer than {LONGEST_PATH} bytes or {MOST_PARTS} parts: {path[:60]}…")
    return rest


def _is_odd(character: str) -> bool:
    """Controls, invisible marks, private and unassigned characters, and other separators than a blank."""
    return unicodedata.category(character)[0] == "C" or (character != " " and unicodedata.category(character)[0] == "Z")


def text_of(value: object) -> str:
    """Text of a size that a file may have."""
    if not isinstance(value, str):
        raise ToolCommandRefused(f"Text is needed, not {type(value).__name__}")
    if len(value.encode("utf-8", "replace")) > LARGEST:
        raise ToolCommandRefused(f"The text is larger than {LARGEST} bytes")
    return value


def number_lines(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """Lines with their numbers; of a range, those alone. A range that ends in -1 goes to the end."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise ToolCommandRefused(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = view_range if view_range and len(view_range) == 2 else (1, -1)
    start = max(1, first) - 1
    shown = lines[start : None if last == -1 else max(0, last)]
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(shown, start + 1))


def find_lines(text: str, words: str) -> list[int]:
    """The numbers of the lines in which some words begin."""
    found, at = [], text.find(words)
    while at >= 0:
        found.append(text[:at].count("\n") + 1)
        at = text.find(words, at + 1)
    return found


def list_parents(path: str) -> Iterator[str]:
    """The folders above a path, below the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def format_size(size: int) -> str:
    """A number of bytes as the tool writes it: 0B, 820B, 1.5K, 4K."""
    power = min(3, max(0, size.bit_length() - 1) // 10)
    number = size / 1024**power
    return f"{int(number)}{'BKMG'[power]}" if number == int(number) else f"{number:.1f}{'BKMG'[power]}"
