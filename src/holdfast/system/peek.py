"""Looking at files of others: bounded, never waiting, never writing. What is odd is told, not raised."""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from typing import Any

from holdfast.core.value import Value
from holdfast.system import jsonc

MOST_BYTES = 256 * 1024
MOST_NAMES = 5000
# Without O_NONBLOCK, opening a FIFO would wait for ever.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class FilePeek(Value):
    """The beginning of a file, and the size of all of it. `problem` says why there is no text."""

    path: str
    size: int = 0
    text: str = ""
    problem: str = ""


def peek_file(path: str, most: int = MOST_BYTES) -> FilePeek | None:
    """The beginning of a file; None where there is none. Links are followed, as the clients follow them."""
    try:
        with open(os.open(path, _READ), "rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(most) if stat.S_ISREG(status.st_mode) else None
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (OSError, ValueError):
        return FilePeek(path=path, problem="it cannot be read")
    if data is None:
        return None
    if b"\0" in data:
        return FilePeek(path=path, size=status.st_size, problem="it is no text")
    return FilePeek(path=path, size=status.st_size, text=data.decode("utf-8", "replace"))


def read_json_object(path: str) -> dict[str, Any]:
    """The JSON object in a file, comments allowed; empty where there is none."""
    seen = peek_file(path)
    try:
        found = jsonc.parse_jsonc(seen.text).value if seen else None
    except (jsonc.UnusableJsonText, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def list_names(folder: str) -> list[str]:
    """The names in a folder, so many at most; none where it cannot be looked into."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, MOST_NAMES))
    except (OSError, ValueError):
        return []


def find_newer_files(folder: str, endings: tuple[str, ...], since: float) -> Iterator[tuple[float, str]]:
    """The plain files of a folder that changed after a time, with that time."""
    for name in list_names(folder):
        path = os.path.join(folder, name)
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            continue
        if name.endswith(endings) and stat.S_ISREG(status.st_mode) and status.st_mtime > since:
            yield status.st_mtime, path
