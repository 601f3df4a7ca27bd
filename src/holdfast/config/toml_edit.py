"""Setting one key in a TOML file and leaving every other byte as it is."""

import re
import tomllib
from typing import Any

from holdfast.core.errors import BadRequest

_HEADER = re.compile(r"^\s*\[([^\[\]]+)\]\s*(#.*)?$")


class TomlNotEditable(BadRequest):
    """A file in which the key cannot be set by a small edit."""

    def __init__(self, key: str, path: str) -> None:
        super().__init__(f"Setting {key!r} cannot be set in {path!r} without rewriting it.", "edit the file by hand.")


def set_key(text: str, key: str, value: Any, path: str) -> str:
    """The text with `section.name` set to a value."""
    changed = _edit_line(text, key, f"{key.rpartition('.')[2]} = {_literal(value)}")
    return _check_edit(text, changed, key, value, path)


def unset_key(text: str, key: str, path: str) -> str:
    """The text without the key."""
    return _check_edit(text, _edit_line(text, key, None), key, None, path)


def _check_edit(before: str, after: str, key: str, value: Any, path: str) -> str:
    """The edited text, once it is sure that it says what it should and nothing else changed."""
    try:
        good = _read_key(after, key) == value and _is_same_but(before, after, key)
    except tomllib.TOMLDecodeError:
        good = False
    if not good:
        raise TomlNotEditable(key, path)
    return after


def _edit_line(text: str, key: str, line: str | None) -> str:
    section, _, name = key.rpartition(".")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    start, end = _section(lines, section)
    if start is None:
        return text if line is None else _add_section(text, section, line, newline)
    for at in range(start, end):
        if re.match(rf"\s*{re.escape(name)}\s*=", lines[at]):
            lines[at : at + 1] = [] if line is None else [line]
            break
    else:
        if line is not None:
            lines.insert(_last_filled(lines, start, end), line)
    return newline.join(lines) + newline if lines else ""


def _section(lines: list[str], section: str) -> tuple[int | None, int]:
    start: int | None = None if section else 0
    for at, line in enumerate(lines):
        header = _HEADER.match(line)
        if header and start is not None:
            return start, at
        if header and header[1].strip() == section:
            start = at + 1
    return start, len(lines)


def _last_filled(lines: list[str], start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _add_section(text: str, section: str, line: str, newline: str) -> str:
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}[{section}]{newline}{line}{newline}"


def _literal(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case _:
            text = str(value).replace("\\", "\\\\").replace('"', '\\"')
            return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text) + '"'


def _read_key(text: str, key: str) -> Any:
    table: Any = tomllib.loads(text)
    for part in key.split("."):
        table = table.get(part) if isinstance(table, dict) else None
    return table


def _is_same_but(before: str, after: str, key: str) -> bool:
    return _remove_key(tomllib.loads(before), key) == _remove_key(tomllib.loads(after), key)


def _remove_key(table: dict[str, Any], key: str) -> dict[str, Any]:
    section, _, name = key.rpartition(".")
    inner = table.get(section) if section else table
    if isinstance(inner, dict):
        inner.pop(name, None)
    return {name: value for name, value in table.items() if value != {}}
