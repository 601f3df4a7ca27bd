"""A person at a terminal: a real pseudo-terminal of 80 by 24, keys, and what is to be read there."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path

from tests.waiting import LONG

ESCAPE = re.compile(rb"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]")


class Terminal:
    """The command in a terminal of its own."""

    def __init__(
        self, folder: Path, *words: str, env: Mapping[str, str] | None = None, size: tuple[int, int] = (80, 24)
    ) -> None:
        self._master, slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        self.raw = b""
        self._slave = slave
        self._pressed = 0
        given = {**os.environ, "TERM": "xterm", "COLUMNS": "", "LINES": "", **(env or {})}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "holdfast.cli.main", *words],
            cwd=folder, env={name: value for name, value in given.items() if value},
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        self._pressed = len(self.raw)
        os.write(self._master, keys.encode())

    def see(self, words: str) -> None:
        """Wait until some words are drawn, after the last keys."""
        end = time.monotonic() + LONG
        while words not in (shown := self.shown()):
            assert time.monotonic() < end, f"{words!r} was not drawn; this was: {shown[-2000:]}"
            self._read(0.2)

    def shown(self) -> str:
        """What was drawn since the last keys, without the codes."""
        return ESCAPE.sub(b"", self.raw[self._pressed :]).decode("utf-8", "replace")

    def end(self) -> int:
        """Wait for the command to end; its status."""
        end = time.monotonic() + LONG
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it did not end; drawn: {self.shown()[-2000:]}"
            self._read(0.1)
        self._read(0.1)
        return self.process.returncode

    def restored(self) -> bool:
        """Whether the terminal is as it was: line by line, with echo and a cursor, on its first screen."""
        same = termios.tcgetattr(self._slave)[:4] == self.before[:4]
        return (
            same and self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h") and b"\x1b[?25h" in self.raw[-400:]
        )

    def _read(self, seconds: float) -> None:
        while select.select([self._master], [], [], seconds)[0]:
            try:
                self.raw += os.read(self._master, 65536)
            except OSError:
                return
            seconds = 0.02

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)
        os.close(self._slave)
