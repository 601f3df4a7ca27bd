"""Commands: run for a bounded time with bounded output, without the user's secrets, and ended with all they started."""

import os
import re
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from holdfast.act.execute import process_tree
from holdfast.act.execute.text_files import escape_controls
from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.redact import clean as redact
from holdfast.redact.secret_names import kind_of
from holdfast.workspace import MARKS

SECONDS, MOST_SECONDS = 120, 3600
HEAD, TAIL = 16 * 1024, 32 * 1024
MOST_OUTPUT = 256 * 1024 * 1024
MOST_PROCESSES = 512
GRACE = 2.0
BETWEEN_LOOKS = 0.1
TIMEOUT, CANCELLED, OUTPUT, PROCESSES = "timeout", "cancelled", "output", "processes"
# Toolchains need these. All else stays away, and of these whatever names or holds a secret.
_PASSED = word_set(
    "PATH HOME USER LOGNAME LANG LANGUAGE TZ SHELL TMPDIR PWD HOLDFAST_HOME VIRTUAL_ENV JAVA_HOME ANDROID_HOME GOPATH "
    "GOROOT GOCACHE GOFLAGS GOMODCACHE GOPROXY CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS "
    "NODE_PATH NODE_ENV NODE_OPTIONS NVM_DIR NVM_BIN PNPM_HOME YARN_CACHE_FOLDER PYTHONPATH PYTHONHOME PYENV_ROOT "
    "PYTHONDONTWRITEBYTECODE PIPENV_VENV_IN_PROJECT POETRY_VIRTUALENVS_IN_PROJECT UV_CACHE_DIR UV_PYTHON RBENV_ROOT "
    "GEM_HOME GEM_PATH BUNDLE_PATH GRADLE_USER_HOME MAVEN_OPTS M2_HOME DOTNET_ROOT DENO_DIR BUN_INSTALL CC CXX CFLAGS "
    "CXXFLAGS CPPFLAGS LDFLAGS LD_LIBRARY_PATH PKG_CONFIG_PATH MAKEFLAGS CMAKE_PREFIX_PATH SSL_CERT_FILE SSL_CERT_DIR "
    "REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE CONDA_PREFIX CI "
    "COLUMNS LINES XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME SOURCE_DATE_EPOCH"
)
_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]{0,4096}\x1b\\|\x1b[@-Z\\-_]"
)
_CREDENTIALS = re.compile(r"://[^/\s@]*:[^/\s@]+@")


class CommandResult(Value):
    """What a command left. `ended`: why we ended it, if we did; `cut`: bytes of output that were left out."""

    status: int
    text: str
    seconds: float
    ended: str = ""
    cut: int = 0

    @property
    def good(self) -> bool:
        """Whether it ended by itself, and well."""
        return self.status == 0 and not self.ended


def build_environment(environment: Mapping[str, str], *, boxed: bool = False) -> dict[str, str]:
    """What a command sees of the environment. It is marked as an agent's, so that it cannot act for the person."""
    found = {
        name: value
        for name, value in environment.items()
        if (name in _PASSED or name.startswith("LC_")) and not _is_secret(name, value)
    }
    own = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
    # Git must not write to look; and nobody is there to fill in an editor.
    own |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_EDITOR": "true", "EDITOR": "true", "DEBIAN_FRONTEND": "noninteractive"}
    own |= {MARKS["an agent"][0]: "holdfast"}
    if boxed:
        own |= {"TMPDIR": "/tmp", "XDG_CACHE_HOME": "/tmp/.cache"}  # noqa: S108  # the box's own
    return found | own


def _is_secret(name: str, value: str) -> bool:
    if kind_of(name) or _CREDENTIALS.search(value):
        return True
    cleaned = redact.clean({name: value}).value
    return cleaned != {name: value}


def run(  # noqa: PLR0913  # a command and its bounds
    words: Sequence[str],
    cwd: str | int,
    environment: Mapping[str, str],
    seconds: float,
    halt: threading.Event,
    processes: int = MOST_PROCESSES,
    *,
    given: str = "",
    room: int = 1,
) -> CommandResult:
    """Run a command to its end, or to ours: the time, `halt`, too much output, too many processes.

    `cwd` may be a descriptor of a folder; `given`: a file that it reads as its input; `room`: so many times the usual
    output is kept. Blocks; all that the command started is gone on return.
    """
    begun = time.monotonic()
    place = _place(cwd)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", process_tree.__file__, str(GRACE), str(processes), given, *words],
        cwd=place,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    kept = _Kept(HEAD * room, TAIL * room)
    try:
        ended = _watch_process(process, process.stdout, kept, begun + seconds, halt)
    finally:
        status = _end(process)
        kept.read_rest(process.stdout)
        process.stdout.close()
    if status == process_tree.TOO_MANY:
        ended = PROCESSES
    return CommandResult(status=status, text=kept.text(), seconds=time.monotonic() - begun, ended=ended, cut=kept.cut)


def _place(cwd: str | int) -> str:
    if isinstance(cwd, str):
        return cwd
    # By its descriptor: what is swapped at its path meanwhile does not count.
    named = f"/proc/self/fd/{cwd}"
    return named if os.path.exists(named) else f"/dev/fd/{cwd}"


def _watch_process(
    process: "subprocess.Popen[bytes]", out: IO[bytes], kept: "_Kept", deadline: float, halt: threading.Event
) -> str:
    os.set_blocking(out.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        while True:
            ready = selector.select(BETWEEN_LOOKS)
            if ready and not kept.read(out):
                # Nobody prints any more; the command may go on without.
                with suppress(subprocess.TimeoutExpired):
                    process.wait(BETWEEN_LOOKS)
            if process.poll() is not None:
                return ""
            if halt.is_set():
                return CANCELLED
            if time.monotonic() > deadline:
                return TIMEOUT
            if kept.size > MOST_OUTPUT:
                return OUTPUT


def _end(process: "subprocess.Popen[bytes]") -> int:
    """Tell the keeper that it is over, and wait until all is gone."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        return process.wait(GRACE + 15)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


class _Kept:
    """Output: its beginning and its end, and how much there was."""

    def __init__(self, head: int, tail: int) -> None:
        self._first, self._last = head, tail
        self._head, self._tail = bytearray(), bytearray()
        self.size = 0

    @property
    def cut(self) -> int:
        """How many bytes were left out."""
        return self.size - len(self._head) - min(len(self._tail), self._last)

    def read(self, out: IO[bytes]) -> bool:
        """Take what is there; whether there may be more."""
        try:
            data = os.read(out.fileno(), 65536)
        except BlockingIOError:
            return True
        self._add(data)
        return bool(data)

    def read_rest(self, out: IO[bytes]) -> None:
        """Take what is left in the pipe."""
        with suppress(OSError):
            os.set_blocking(out.fileno(), False)
            for _ in range(64):
                data = os.read(out.fileno(), 65536)
                self._add(data)
                if not data:
                    return

    def _add(self, data: bytes) -> None:
        self.size += len(data)
        room = self._first - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._last:
            del self._tail[: -self._last]

    def text(self) -> str:
        """The output, fit to be read and kept."""
        tail = self._tail[-self._last :]
        if not self.cut:
            return clean_output(bytes(self._head + tail))
        return f"{clean_output(bytes(self._head))}\n[… {self.cut} bytes left out …]\n{clean_output(bytes(tail))}"


def clean_output(data: bytes) -> str:
    """Output without escape codes, overwritten lines and secrets."""
    plain = _CODES.sub("", data.decode("utf-8", "replace").replace("\r\n", "\n"))
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n")]
    return str(redact.clean(escape_controls("\n".join(lines))).value)
