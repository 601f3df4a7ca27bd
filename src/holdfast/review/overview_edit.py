"""An accepted edit of the people's own page: one line of it gets another status, the rest stays byte for byte."""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.core.errors import Conflict
from holdfast.core.memory import Memory

KEY = "overview"
_BOX = re.compile(r"^(\s*[-*+]\s+)\[ \](\s)")
_STATUS = re.compile(r"(\s*(?:[-–—:]\s*|\())(?:active|paused|done)(\)?\s*)$", re.IGNORECASE)


class LineMissing(Conflict):
    """The page does not hold the line any more."""

    def __init__(self, line: str, candidate: str) -> None:
        super().__init__(
            f"overview.md no longer holds the line {line!r}.",
            f"edit the page by hand, and `holdfast reject {candidate} --because done`.",
        )


def edit_of(memory: Memory) -> Mapping[str, Any] | None:
    """The edit that a candidate asks for; None for one that is a memory."""
    found = memory.extra.get(KEY)
    return found if isinstance(found, Mapping) and found.get("line") else None


def apply_page_edit(page: str, memory: Memory) -> str:
    """The page with the edit in it. Raises LineMissing."""
    edit = edit_of(memory) or {}
    wanted, status = str(edit.get("line", "")), str(edit.get("status", ""))
    lines = page.splitlines(keepends=True)
    place = next((at for at, line in enumerate(lines) if line.strip() == wanted), None)
    if place is None:
        raise LineMissing(wanted, memory.id)
    words, end = lines[place].rstrip("\r\n"), lines[place][len(lines[place].rstrip("\r\n")) :]
    lines[place] = _set_line_status(words, status) + end
    return "".join(lines)


def _set_line_status(words: str, status: str) -> str:
    if status == "done" and _BOX.match(words):
        return _BOX.sub(r"\1[x]\2", words)
    if _STATUS.search(words):
        return _STATUS.sub(rf"\g<1>{status}\g<2>", words)
    return f"{words.rstrip()} ({status})"
