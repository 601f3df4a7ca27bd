"""What the kernel tells of folders (inotify): which names in them moved. Where it cannot, everything may have."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator

MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF = 2, 4, 8, 64, 128, 256, 512, 1024
TOLD_OF = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF
# More was told than the kernel keeps, or a folder itself came, moved or went: names do not say what that means.
OVERFLOW, IGNORED, IS_FOLDER = 0x4000, 0x8000, 0x40000000
NO_NAMES = DELETE_SELF | OVERFLOW | IGNORED | IS_FOLDER
AT_ONCE = 1 << 16
HEAD = struct.Struct("iIII")


class Notices:
    """What the kernel tells of folders. Where it cannot, everything may have moved."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
        self._file = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC) if self._libc else -1
        self._folders: dict[int, str] = {}

    def watch(self, folders: Iterable[str], of: int = TOLD_OF) -> None:
        """Have changes in these folders told; a folder that cannot be watched leaves all in doubt."""
        if self._libc is None or self._file < 0:
            return
        for folder in folders:
            number = self._libc.inotify_add_watch(self._file, os.fsencode(folder), of)
            if number >= 0:
                self._folders[number] = folder
            elif os.path.isdir(folder):
                self.close()
                return

    def moved(self) -> set[str] | None:
        """The paths that something was told of since the last call; None where it may be any."""
        if self._file < 0:
            return None
        found: set[str] = set()
        known = True
        for number, mask, name in self._told():
            folder = self._folders.get(number)
            if mask & NO_NAMES or folder is None or not name:
                known = False
            else:
                found.add(f"{folder}/{name}")
        return found if known else None

    def close(self) -> None:
        """Listen no more."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _told(self) -> Iterator[tuple[int, int, str]]:
        while True:
            try:
                told = os.read(self._file, AT_ONCE)
            except BlockingIOError:
                return
            at = 0
            while at < len(told):
                number, mask, _, length = HEAD.unpack_from(told, at)
                at += HEAD.size
                yield number, mask, os.fsdecode(told[at : at + length].rstrip(b"\0"))
                at += length
