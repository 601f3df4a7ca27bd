"""The badge as prompts and status lines ask for it, many times an hour: next to nothing is loaded."""

import os
import sys

from holdfast.review.badge import read_badge

# As much as a status line's JSON can be.
MOST = 1024 * 1024


def quick(words: list[str]) -> bool:
    """Answer what prompts and status lines ask for, without the command line's own machinery; whether it was that."""
    if words not in ([], ["--claude"]) or (words and sys.stdin is not None and sys.stdin.isatty()):
        return False
    found = read_badge((claudes_folder() if words else "") or here())
    if found.words:
        print(found.words)
    return True


def claudes_folder() -> str:
    """The project that Claude Code speaks of on standard input."""
    import json

    try:
        said = json.loads(sys.stdin.buffer.read(MOST))
        place = said.get("workspace") or {}
        folder = place.get("project_dir") or place.get("current_dir") or said.get("cwd")
    except (ValueError, AttributeError, OSError, RecursionError):
        return ""
    return folder if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder else ""


def here() -> str:
    """This folder; the root where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep
