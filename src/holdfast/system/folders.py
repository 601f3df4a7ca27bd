"""The disk below a folder of ours: walked without following links, its errors told as ours.

Below a workspace's `.holdfast` no link is followed at any depth, wherever a writer's own root lies: whoever can put a
link there would else have us write what was captured to a place of theirs.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from holdfast.core.errors import BadRequest, Refused, Unavailable
from holdfast.core.home import FOLDER, find_home
from holdfast.core.value import Value

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PRIVATE_MODE, SHARED_MODE = 0o700, 0o777
_EXCHANGE = 2
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_ALLOWED = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


class DiskFull(Unavailable):
    """The disk did not take what was to be written."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"'{path}' could not be written: {reason}.", "free some space; nothing that was there is lost."
        )


class NoAccess(Unavailable):
    """The system does not let us read or write here."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"'{path}' cannot be used: {reason}.", "check who owns it, and whether its disk is read-only.")


class DiskError(Unavailable):
    """The disk answered with an error."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"'{path}' cannot be used: {reason}.", "check the disk; nothing that was there is lost.")


class FolderExpected(BadRequest):
    """Something else stands where a folder should."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' is not a folder.", "move it away, or name another folder.")


class LinkInVault(Refused):
    """A link stands in the way; what it points to is not ours to write."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' is a link; links in a vault are not followed.", "put the real thing in its place.")


class WritableFolder(Value):
    """A folder whose files we write. `private`: nobody but the user may read them."""

    root: str
    private: bool = False

    @property
    def file_mode(self) -> int:
        """Permissions of new files, before the user's umask."""
        return 0o600 if self.private else 0o666

    @property
    def folder_mode(self) -> int:
        """Permissions of new folders, before the user's umask."""
        return PRIVATE_MODE if self.private else SHARED_MODE


@contextmanager
def translate_os_errors(path: str) -> Iterator[None]:
    """Errors of the system, told as ours."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in _NO_SPACE:
            raise DiskFull(path, reason) from error
        if error.errno in _NOT_ALLOWED:
            raise NoAccess(path, reason) from error
        if error.errno == errno.ELOOP:
            raise LinkInVault(path) from error
        raise DiskError(path, reason) from error


@contextmanager
def open_folder(place: WritableFolder, folders: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of a folder below a place, reached without following a link."""
    top, inside = split_at_own_folder(place.root)
    if make:
        _make_root(top, place.folder_mode)
    try:
        folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except NotADirectoryError:
        raise FolderExpected(top) from None
    mode = place.folder_mode if make else None
    try:
        for depth, name in enumerate((*inside, *folders), start=1):
            own = depth <= len(inside)
            path = os.path.join(top, *inside[:depth]) if own else "/".join(folders[: depth - len(inside)])
            inner = _find_or_make(folder, name, path, mode) if own else _enter_folder(folder, name, path, mode)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def split_at_own_folder(path: str) -> tuple[str, tuple[str, ...]]:
    """A path up to the folder around a workspace's `.holdfast`, and the rest: there no link is followed.

    The user's own home may be linked as they like.
    """
    whole = os.path.abspath(path)
    parts = whole.split(os.sep)
    at = len(parts) - 1 - parts[::-1].index(FOLDER) if FOLDER in parts else 0
    if not at or os.sep.join(parts[: at + 1]) == find_home():
        return whole, ()
    return os.sep.join(parts[:at]) or os.sep, tuple(parts[at:])


def make_folder(path: str, mode: int = PRIVATE_MODE) -> None:
    """Make a folder of ours, and those above it."""
    place = WritableFolder(root=path, private=mode == PRIVATE_MODE)
    with open_folder(place, (), make=True):
        pass


def open_own_file(path: str, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a file of ours: no link is followed, no FIFO waited for; folders are made for a new file.

    Its errors are the system's own.
    """
    folder_path, name = os.path.split(os.path.abspath(path))
    try:
        with open_folder(WritableFolder(root=folder_path, private=True), (), make=bool(flags & os.O_CREAT)) as folder:
            fd = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode, dir_fd=folder)
    except LinkInVault:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path) from None
    except FolderExpected:
        raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "not a regular file", path)


def read_own_file(path: str, most: int = -1) -> bytes | None:
    """The bytes of a file of ours, so many at most; None where there is none, or a link, a FIFO or a device."""
    try:
        with open(open_own_file(path, os.O_RDONLY), "rb") as file:
            return file.read(most)
    except OSError:
        return None


def _find_or_make(parent: int, name: str, path: str, mode: int | None) -> int:
    """The same as below, for what is most likely there: nothing is flushed then."""
    try:
        return _enter_folder(parent, name, path, None)
    except FileNotFoundError:
        if mode is None:
            raise
        return _enter_folder(parent, name, path, mode)


def _enter_folder(parent: int, name: str, path: str, mode: int | None) -> int:
    if mode is not None:
        with suppress(FileExistsError):
            os.mkdir(name, mode, dir_fd=parent)
        # Even if it was there: its maker may have been killed before this. On a clean folder it costs next to nothing.
        os.fsync(parent)
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=parent)
    except OSError as error:
        if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
            raise
        is_link = stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode)
        raise (LinkInVault(path) if is_link else FolderExpected(path)) from None


def _make_root(root: str, mode: int) -> None:
    missing: list[str] = []
    path = os.path.abspath(root)
    while not os.path.isdir(path):
        # Another process may have made it since the question above.
        if os.path.lexists(path) and not os.path.isdir(path):
            raise FolderExpected(path)
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder, mode)
        _fsync_folder(os.path.dirname(folder))


def _fsync_folder(path: str) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def exchange_files(folder: int, one: str, other: str) -> bool:
    """Have two files of a folder change their names in one step; whether the system could. Linux only."""
    if sys.platform != "linux":
        return False
    # Few commands replace a file, and this costs them some milliseconds.
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    done: int = rename(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE)
    return done == 0
