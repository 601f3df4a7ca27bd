"""Gemini CLI's own memory of a project: an index and the pages beside it, in the form that Claude Code has too."""

import os

from holdfast.importers import claude_code_memory
from holdfast.importers.import_values import Importer


def detect(path: str) -> float:
    """Sure of a folder `memory` below Gemini CLI's own."""
    inside = f"{os.sep}.gemini{os.sep}tmp{os.sep}" in path
    return 0.97 if inside and os.path.isfile(os.path.join(path, "MEMORY.md")) else 0.0


GEMINI_MEMORY = Importer(
    name="gemini-memory",
    reads="Gemini CLI's memory of a project: MEMORY.md and its pages",
    lies="~/.gemini/tmp/<project>/memory",
    detect=detect,
    read=claude_code_memory.read,
)
