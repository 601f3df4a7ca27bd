"""Files and folders that may not be read: real rights, also where the tests run as root."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def closed(path: Path) -> Iterator[None]:
    """Nobody may read or write it, and root is nobody meanwhile."""
    before, mode = os.geteuid(), path.stat().st_mode
    path.chmod(0)
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)
        path.chmod(mode)


@contextmanager
def passable() -> Iterator[Path]:
    """A folder that everybody may pass through, so that what lies in it decides."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
