"""Settings in the form of setup.cfg, with the lines of what they list."""

import re

from holdfast.core.value import Value
from holdfast.ecosystems.unreadable_text import Unreadable

_SECTION = re.compile(r"^\[([^\]]+)\]\s*(?:[#;].*)?$")
_ENTRY = re.compile(r"^([^\s=:#;][^=:]*?)\s*[=:]\s*(.*)$")


class IniEntry(Value):
    """A key of a section, and the lines of its value, each with its number."""

    section: str
    key: str
    lines: tuple[tuple[str, int], ...]


def read_ini(text: str) -> list[IniEntry]:
    """The entries of a text in their order. Raises Unreadable."""
    found: list[IniEntry] = []
    section, key = "", ""
    held: list[tuple[str, int]] = []
    for number, line in enumerate([*text.split("\n"), "[end]"], start=1):
        said = line.strip()
        if not said or said.startswith(("#", ";")):
            continue
        if line[0] in " \t":
            if not key:
                raise Unreadable("a line goes on that none began", number)
            held.append((said, number))
            continue
        if key:
            found.append(IniEntry(section=section, key=key, lines=tuple(held)))
        section, key, held = _begin(said, section, number)
    return found


def _begin(said: str, section: str, number: int) -> tuple[str, str, list[tuple[str, int]]]:
    """The section, key and first line of a value that a line begins."""
    head = _SECTION.match(said)
    if head:
        return head[1].strip(), "", []
    entry = _ENTRY.match(said)
    if entry is None or not section:
        raise Unreadable("a line is neither a section nor an entry of one", number)
    return section, entry[1].lower(), [(entry[2], number)] if entry[2] else []
