"""One process at a time: a file that is locked while somebody works."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.system.folders import translate_os_errors

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def try_lock(path: str) -> Iterator[int]:
    """The lock's file while this process has it to itself; -1 where another one has it. Nobody waits."""
    with translate_os_errors(path):
        fd = os.open(path, _FLAGS, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield -1
        else:
            yield fd
    finally:
        os.close(fd)
