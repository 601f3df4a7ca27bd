"""The lens files of a folder of ours, as bytes: the workspace's or the user's own."""

import os
from hashlib import sha256

from holdfast.core.home import FOLDER
from holdfast.system.folders import read_own_file
from holdfast.trust.lens_names import FOLDER as LENSES
from holdfast.trust.lens_names import LARGEST, parse_lens_name
from holdfast.workspace import App

__all__ = ["LENSES", "hash_lens_files", "read_lens_files"]

MOST = 100


def read_lens_files(folder: str) -> dict[str, bytes]:
    """The lenses in a folder of ours, by file name. Links, pipes and what is too large are none."""
    place = os.path.join(folder, LENSES)
    try:
        names = [] if os.path.islink(place) else sorted(filter(parse_lens_name, os.listdir(place)))
    except OSError:
        return {}
    found = {name: _read(os.path.join(place, name)) for name in names[:MOST]}
    return {name: data for name, data in found.items() if data is not None}


def hash_lens_files(app: App) -> dict[str, str]:
    """The workspace's lenses by their path in it, with the sha256 of each."""
    found = read_lens_files(app.folder) if app.workspace else {}
    return {f"{FOLDER}/{LENSES}/{name}": sha256(data).hexdigest() for name, data in found.items()}


def _read(path: str) -> bytes | None:
    data = read_own_file(path, LARGEST + 1)
    return data if data is not None and len(data) <= LARGEST else None
