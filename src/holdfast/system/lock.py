"""One process at a time: a file that is locked while somebody works."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.system.folders import open_own_file, translate_os_errors
from holdfast.system.safe_write import hold_lock


@contextmanager
def try_lock(path: str) -> Iterator[int]:
    """The lock's file while this process has it to itself; -1 where another one has it. Nobody waits."""
    with translate_os_errors(path):
        fd = open_own_file(path, os.O_RDWR | os.O_CREAT)
    try:
        yield fd if hold_lock(fd) else -1
    finally:
        os.close(fd)
