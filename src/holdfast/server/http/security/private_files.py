"""Files that nobody but their owner may read: made so, and refused where they are not."""

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager

from holdfast.core.errors import Refused
from holdfast.system.folders import WritableFolder, open_folder, translate_os_errors
from holdfast.system.safe_write import FileAlreadyThere, create_file, lock_folder, put_file

FOLDER = "serve"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS = 0o077
MOST_BYTES = 1_000_000


class NotPrivate(Refused):
    """A secret that others could read, or have put there."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path!r} {reason}: whoever can read or replace it has your memory.",
            "think who could have read it, then remove it: the next start makes a new one.",
        )


class PrivateFolder:
    """`HOLDFAST_HOME/serve`: 0700, its files 0600, none of them a link."""

    def __init__(self, home: str) -> None:
        self.path = os.path.join(home, FOLDER)
        self._place = WritableFolder(root=self.path, private=True)

    def make(self) -> None:
        """Have the folder, checked."""
        if os.path.lexists(self.path):
            _check(os.lstat(self.path), self.path, stat.S_ISDIR, "is no folder of its own")
        with translate_os_errors(self.path), open_folder(self._place, (), make=True):
            pass
        _check(os.lstat(self.path), self.path, stat.S_ISDIR, "is no folder of its own")

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, checked; None when there is none."""
        path = os.path.join(self.path, name)
        try:
            file = os.open(path, _READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise NotPrivate(path, f"cannot be opened as a file ({error.strerror})") from error
        try:
            _check(os.fstat(file), path, stat.S_ISREG, "is no plain file")
            return os.read(file, MOST_BYTES)
        finally:
            os.close(file)

    def stamp(self, name: str) -> tuple[int, int, int]:
        """What changes when the file does, or who may read it."""
        try:
            found = os.lstat(os.path.join(self.path, name))
        except OSError:
            return (0, 0, 0)
        return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns)

    def names(self, beginning: str) -> list[str]:
        """The files whose names begin so."""
        try:
            return [name for name in os.listdir(self.path) if name.startswith(beginning)]
        except FileNotFoundError:
            return []

    def locked(self) -> AbstractContextManager[None]:
        """Processes that change a file take turns."""
        self.make()
        return lock_folder(self._place)

    def put(self, name: str, data: bytes) -> None:
        """Put a file in its place, whole, whether or not one was there."""
        self.make()
        put_file(os.path.join(self.path, name), data)

    def create(self, name: str, data: bytes) -> bool:
        """Make a new file; whether it was we who made it."""
        self.make()
        try:
            create_file(self._place, name, data)
        except FileAlreadyThere:
            return False
        return True

    def take(self, name: str) -> float | None:
        """Remove a file; when it was written, or None where there was none. Of many who take, one succeeds."""
        path = os.path.join(self.path, name)
        try:
            written = os.lstat(path).st_mtime
            os.unlink(path)
        except FileNotFoundError:
            return None
        return written


def _check(found: os.stat_result, path: str, kind: Callable[[int], bool], otherwise: str) -> None:
    if not kind(found.st_mode):
        raise NotPrivate(path, otherwise)
    if found.st_uid != os.geteuid():
        raise NotPrivate(path, "belongs to another user")
    if found.st_mode & _OTHERS:
        raise NotPrivate(path, f"is open to other users (mode {stat.S_IMODE(found.st_mode):04o})")
