"""A process that has loaded libraries, and nothing of ours, and forks for each command (see tests/warm.py).

python warm_process.py SOCKET LIBRARY…      ends when its standard input does
"""

import atexit
import gc
import io
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

MODULE = "holdfast.cli.main"
SIZE = 8


class Forking:
    """Who asks, and the process of each."""

    def __init__(self, place: str) -> None:
        self._asking: dict[int, socket.socket] = {}
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(place)
        self._door.listen(64)
        self._ended, mark = os.pipe()
        os.set_blocking(mark, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(mark, warn_on_full_buffer=False)

    def work(self) -> None:
        """Fork for whoever comes, and tell them how it ended."""
        while 0 not in (ready := select.select([self._door.fileno(), self._ended, 0], [], [])[0]):
            if self._ended in ready:
                os.read(self._ended, 4096)
                self._tell()
            if self._door.fileno() in ready:
                self._take(self._door.accept()[0])

    def _take(self, made: socket.socket) -> None:
        head, streams, _, _ = socket.recv_fds(made, SIZE, 3)
        with made.makefile("rb") as rest:
            asked = json.loads(rest.read(int.from_bytes(head, "big")))
        child = os.fork()
        if child == 0:
            for each in (self._door, made, *self._asking.values()):
                each.close()
            become(asked, streams)
        for stream in streams:
            os.close(stream)
        self._asking[child] = made
        self._say(made, child)

    def _tell(self) -> None:
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                with self._asking.pop(found[0]) as made:
                    self._say(made, os.waitstatus_to_exitcode(found[1]))

    def _say(self, made: socket.socket, number: int) -> None:
        # Who does not wait for an answer needs none.
        with suppress(OSError):
            made.sendall(number.to_bytes(SIZE, "big", signed=True))


def become(asked: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    """What `python -m holdfast.cli.main …` is from here on."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    sys.stdin = sys.__stdin__ = reopened(0, sys.stdin)  # type: ignore[misc]  # a new process has its own
    sys.stdout = sys.__stdout__ = reopened(1, sys.stdout)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = reopened(2, sys.stderr)  # type: ignore[misc]
    sys.argv = ["-m", *asked["words"]]
    sys.path[0] = asked["cwd"]
    leave(ran())


def reopened(number: int, like: Any) -> io.TextIOWrapper:
    raw = io.FileIO(number, "rb" if number == 0 else "wb", closefd=False)
    held = io.BufferedReader(raw) if number == 0 else io.BufferedWriter(raw)
    kept = {name: getattr(like, name) for name in ("encoding", "errors", "line_buffering", "write_through")}
    return io.TextIOWrapper(held, **kept)


def ran() -> int:
    """The status, as Python would find it."""
    try:
        runpy.run_module(MODULE, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException as error:
        traceback.print_exc()
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def leave(status: int) -> NoReturn:
    """The end of an interpreter."""
    threading._shutdown()  # type: ignore[attr-defined]  # what Python itself waits for
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status & 0xFF)


def main() -> None:
    """Load, and be there."""
    place, *libraries = sys.argv[1:]
    for name in libraries:
        # What is not there could not be loaded by a command either.
        with suppress(ImportError):
            import_module(name)
    assert not any(name.partition(".")[0] == "holdfast" for name in sys.modules)
    forking = Forking(place)
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    forking.work()


if __name__ == "__main__":
    main()
