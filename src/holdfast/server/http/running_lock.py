"""Which server runs: `HOLDFAST_HOME/serve/running.json`, locked by that server as long as it lives.

A lock goes with its process, however that ends. So what the file says is believed only while it is locked. Loads no
web library.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from holdfast.server.http.security.private_files import PrivateFolder
from holdfast.system.safe_write import hold_lock

NAME = "running.json"
_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 3


@contextmanager
def announce_server(home: str, url: str) -> Iterator[None]:
    """Tell that a server runs, until it ends. Where another has told so already, that one stays."""
    folder = PrivateFolder(home)
    folder.make()
    path = os.path.join(folder.path, NAME)
    file = _open_locked(path)
    if file is None:
        yield
        return
    try:
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps({"url": url, "pid": os.getpid()}).encode(), 0)
        yield
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
        os.close(file)


def find_running_server(home: str) -> str:
    """The address of the server that runs, or an empty text."""
    folder = PrivateFolder(home)
    try:
        file = os.open(os.path.join(folder.path, NAME), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    try:
        if hold_lock(file):
            return ""
        kept = folder.read(NAME)
        return str(json.loads(kept)["url"]) if kept else ""
    except (ValueError, TypeError, KeyError):
        return ""
    finally:
        os.close(file)


def _open_locked(path: str) -> int | None:
    """The file, locked; None where another holds it. One that was removed as we waited is none."""
    for _ in range(_TRIES):
        file = os.open(path, _OPEN, 0o600)
        if not hold_lock(file):
            os.close(file)
            return None
        if os.fstat(file).st_nlink:
            return file
        os.close(file)
    return None
