"""Files of models: where an installed package keeps them, a mark that tells versions apart, tensors inside them."""

import json
import os
import zlib
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from holdfast.core.embedder import Floats

BLOCK = 4096
BLOCKS = 64
KINDS: Mapping[str, str] = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def find_package_folder(package: str) -> str:
    """The folder of an installed package, or an empty text. It is not imported: that would load what it depends on."""
    spec = find_spec(package)
    return next(iter(spec.submodule_search_locations or ()), "") if spec else ""


def fingerprint_files(*paths: str) -> str:
    """Eight hexadecimal digits from these files: their sizes and blocks spread over each, not every byte."""
    found = 0
    for path in paths:
        size = os.path.getsize(path)
        found = zlib.crc32(size.to_bytes(8, "little"), found)
        with open(path, "rb", buffering=0) as opened:
            for place in range(0, size, max(BLOCK, size // BLOCKS)):
                opened.seek(place)
                found = zlib.crc32(opened.read(BLOCK), found)
    return f"{found:08x}"


def map_table(path: str) -> "np.ndarray[Any, np.dtype[Any]]":
    """The one tensor of a safetensors file, as it lies there: nothing is read before a row is wanted."""
    (found,) = _map_tensors(path).values()
    return found


def load_tensors(path: str) -> dict[str, Floats]:
    """The tensors of a safetensors file that hold fractions, by name."""
    return {name: _widen(value) for name, value in _map_tensors(path).items()}


def _map_tensors(path: str) -> dict[str, "np.ndarray[Any, np.dtype[Any]]"]:
    held = np.memmap(path, np.uint8, "r")
    length = int.from_bytes(held[:8].tobytes(), "little")
    header = json.loads(held[8 : 8 + length].tobytes())
    body = held[8 + length :]
    found = {}
    for name, about in header.items():
        if about.get("dtype") in KINDS:
            start, end = about["data_offsets"]
            found[name] = body[start:end].view(KINDS[about["dtype"]]).reshape(about["shape"])
    return found


def _widen(value: "np.ndarray[Any, np.dtype[Any]]") -> Floats:
    if value.dtype == np.uint16:
        # bfloat16 is the upper half of a float32.
        return (value.astype(np.uint32) << 16).view(np.float32)
    return value.astype(np.float32)
