"""The command in processes of their own, which find the libraries loaded.

    done = run(["remember", "learning", "…"], folder, env, stdin=b"")     as subprocess.run would have it

Most of what a short command takes goes into loading libraries. One process of each worker has loaded them, and nothing
of ours, and forks for each command; Holdfast itself is loaded by each as ever. Where a command is given what Python
reads when it starts (`PYTHONPATH`, a locale), and where this system cannot fork safely, it is started from nothing.
"""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread
from typing import IO

from tests.waiting import LONG

COMMAND = (sys.executable, "-m", "holdfast.cli.main")
# What an interpreter or a library reads when it starts.
EARLY = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "OPENBLAS", "OMP_", "MKL_")
# What short commands load besides Holdfast; and the server that speaks MCP.
LIBRARIES = (
    "apsw", "argparse", "asyncio", "configparser", "csv", "ctypes", "dataclasses", "difflib", "email.message",
    "fractions", "getpass", "http.client", "ipaddress", "logging", "numpy", "shlex", "ssl", "statistics", "Stemmer",
    "subprocess", "tempfile", "tomllib", "urllib.request", "yaml", "zipfile", "zstandard",
)  # fmt: skip
SPEAKING = (*LIBRARIES, "mcp.server.lowlevel", "mcp.server.stdio")
HERE = Path(__file__).parent
SIZE = 8


def _early(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(EARLY)}


BEGUN = _early(os.environ)


def run(
    words: Sequence[str], folder: Path, env: Mapping[str, str], stdin: bytes = b"", timeout: float = LONG
) -> subprocess.CompletedProcess[bytes]:
    """Run the command; its status and what it printed."""
    if not _can_be_warm(env):
        return subprocess.run(
            [*COMMAND, *words], cwd=folder, env=dict(env), input=stdin, capture_output=True, timeout=timeout
        )
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(_door())
        made.settimeout(timeout)
        return _Asked(made, words, folder, env).done(stdin, timeout)


def told(
    words: Sequence[str], folder: Path, env: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """The same, in text."""
    done = run(words, folder, env, stdin.encode())
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def command(env: Mapping[str, str], libraries: tuple[str, ...] = SPEAKING) -> list[str]:
    """How others start the command: `[*command(env), "mcp"]`."""
    if not _can_be_warm(env):
        return list(COMMAND)
    return [sys.executable, "-IS", str(HERE / "warm_shim.py"), _door(libraries)]


def _can_be_warm(env: Mapping[str, str]) -> bool:
    return sys.platform == "linux" and _early(env) == BEGUN


@cache
def _door(libraries: tuple[str, ...] = LIBRARIES) -> str:
    """Where the warm process of this worker is asked; it is started by the first who asks, and ends with the worker."""
    folder = tempfile.mkdtemp(prefix="hf-warm-")
    place = os.path.join(folder, "door")
    env = {"PATH": os.environ.get("PATH", os.defpath), **BEGUN, "OPENBLAS_NUM_THREADS": "1"}
    words = [sys.executable, str(HERE / "warm_process.py"), place, *libraries]
    process = subprocess.Popen(words, env=env, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end() -> None:
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return place


class _Asked:
    """A command under way."""

    def __init__(self, made: socket.socket, words: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self._made, self._words = made, list(words)
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        body = json.dumps({"words": self._words, "cwd": str(folder), "env": dict(env)}).encode()
        socket.send_fds(made, [len(body).to_bytes(SIZE, "big")], theirs)
        made.sendall(body)
        made.shutdown(socket.SHUT_WR)
        for each in theirs:
            os.close(each)
        self._stdin = os.fdopen(pipes[0][1], "wb")
        self._outs = [os.fdopen(pipe[0], "rb") for pipe in pipes[1:]]
        self._process = self._number()

    def done(self, stdin: bytes, timeout: float) -> subprocess.CompletedProcess[bytes]:
        said: list[bytes] = [b"", b""]
        threads = [Thread(target=_read, args=(out, said, at)) for at, out in enumerate(self._outs)]
        threads.append(Thread(target=_write, args=(self._stdin, stdin)))
        for thread in threads:
            thread.start()
        try:
            status = self._number()
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(self._words, timeout) from None
        for thread in threads:
            thread.join()
        return subprocess.CompletedProcess(self._words, status, *said)

    def _number(self) -> int:
        found = b""
        while len(found) < SIZE:
            part = self._made.recv(SIZE - len(found))
            assert part, "the warm process is gone"
            found += part
        return int.from_bytes(found, "big", signed=True)


def _read(out: IO[bytes], said: list[bytes], at: int) -> None:
    with out:
        said[at] = out.read()


def _write(stdin: IO[bytes], words: bytes) -> None:
    # Who does not read its input is no trouble of ours.
    with suppress(BrokenPipeError), stdin:
        stdin.write(words)
