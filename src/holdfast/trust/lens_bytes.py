"""The lens files of a folder of ours, as bytes: the workspace's or the user's own."""

import os
from hashlib import sha256
from stat import S_ISREG

from holdfast.core.home import FOLDER
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
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(fd, "rb") as file:
        seen = os.fstat(fd)
        return file.read(LARGEST) if S_ISREG(seen.st_mode) and seen.st_size <= LARGEST else None
