"""Arrays in one file, mapped and not read: what takes long to make of a model's file is made once."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from holdfast.core.errors import HoldfastError
from holdfast.system.safe_write import put_file

Arrays = Mapping[str, "np.ndarray[Any, Any]"]

MAGIC = b"HFARRAY1"
LENGTH = 8
# Matrices begin where the processor likes them to.
ALIGN = 64


def save_arrays(path: str, arrays: Arrays, about: Mapping[str, Any]) -> None:
    """Keep arrays with what is to be known of them; a folder that cannot be written is no error, only slower."""
    places: dict[str, Any] = {}
    parts: list[bytes] = []
    size = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        places[name] = [size, list(array.shape), array.dtype.str]
        parts.append(data + b"\0" * (-len(data) % ALIGN))
        size += len(parts[-1])
    head = json.dumps({"arrays": places, "about": about}).encode()
    head += b" " * (-(len(MAGIC) + LENGTH + len(head)) % ALIGN)
    with suppress(HoldfastError, OSError):
        put_file(path, b"".join([MAGIC, len(head).to_bytes(LENGTH, "little"), head, *parts]))


def map_arrays(path: str) -> tuple[Arrays, Mapping[str, Any]] | None:
    """The arrays of a file and what is known of them; None where there is no such file, or a broken one."""
    try:
        held: np.ndarray[Any, np.dtype[np.uint8]] = np.memmap(path, np.uint8, "r")
        start = len(MAGIC) + LENGTH
        if held[: len(MAGIC)].tobytes() != MAGIC:
            return None
        body = start + int.from_bytes(held[len(MAGIC) : start].tobytes(), "little")
        head = json.loads(held[start:body].tobytes())
        found = {}
        for name, (place, shape, kind) in head["arrays"].items():
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            found[name] = held[body + place : body + place + size].view(kind).reshape(shape)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found, head["about"]


def arrays_path(environment: Mapping[str, str], name: str) -> str:
    """Where the arrays of a model are kept: in the user's cache, once for all homes; empty where there is none."""
    cache = environment.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "holdfast", "models", f"{name}.arrays") if os.path.isabs(cache) else ""
