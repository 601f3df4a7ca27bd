"""Small files of answers that can be rebuilt: read or not, written whole or not at all."""

import json
import os
from typing import Any

from holdfast.system.folders import open_own_file, read_own_file


def read_json_cache(path: str) -> dict[str, Any]:
    """The object in a file; nothing when there is none, or none that can be read."""
    try:
        found = json.loads(read_own_file(path) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json_cache(path: str, known: dict[str, Any]) -> None:
    """Keep an object, as far as the disk lets us; it is not worth waiting for."""
    temporary = f"{path}.{os.getpid()}"
    try:
        fd = open_own_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with open(fd, "w", encoding="utf-8") as file:
            json.dump(known, file)
        os.replace(temporary, path)
    except OSError:
        return
