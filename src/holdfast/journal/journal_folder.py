"""Names, files and the lock of a journal folder. On the hot path: imports nothing that is slow to load.

`posix` is what `os` wraps; a fresh Python has it already, and `os` would cost a hook an eighth of its time.
"""

import errno
import fcntl
import posix as os
import time

FOLDER_MODE = 0o700
FILE_MODE = 0o600
PATIENCE = 30.0
# In a hook all waits for locks together: its client waits too. Empty in a command; see `limit_waits`.
WAITS: list[float] = []
_DIGITS = 8
_SEGMENT = ".jsonl"
_KIND, _REGULAR = 0o170000, 0o100000
_NEVER_FOLLOW = os.O_NOFOLLOW | os.O_CLOEXEC
# On macOS fsync stops at the drive's cache; this goes through it.
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)


class Writing:
    """A `with` that turns the disk's refusal into JournalUnwritable."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            from holdfast.journal.journal_errors import JournalUnwritable

            raise JournalUnwritable(str(error.filename or self._folder), error.strerror or str(error)) from error


class Lock:
    """The journal's lock, for a `with`. Makes the folder if it must."""

    def __init__(self, folder: str, patience: float = PATIENCE, name: str = "lock") -> None:
        self._folder = folder
        self._path = folder + "/" + name
        self._patience = patience
        self._fd = -1

    def __enter__(self) -> None:
        try:
            self._fd = open_file(self._path, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:
            make_folder(self._folder)
            self._fd = open_file(self._path, os.O_RDWR | os.O_CREAT)
        try:
            if not flock(self._fd, fcntl.LOCK_EX, self._patience):
                from holdfast.journal.journal_errors import JournalBusy

                raise JournalBusy(self._path, self._patience)
        except BaseException:
            os.close(self._fd)
            raise

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        os.close(self._fd)


def limit_waits(seconds: float) -> None:
    """Have this process wait for locks so long at most, all of them together: it is a hook."""
    WAITS[:] = [seconds]


def flock(fd: int, kind: int, patience: float) -> bool:
    """Wait for a lock, but not for ever: a stopped process may hold it. False when patience ran out."""
    if _try_lock(fd, kind):
        return True
    began, pause = time.monotonic(), 0.0001
    patience = min(patience, *WAITS) if WAITS else patience
    while not (held := _try_lock(fd, kind)) and time.monotonic() - began < patience:
        time.sleep(pause)
        pause = min(pause * 2, 0.001)
    WAITS[:] = [left - (time.monotonic() - began) for left in WAITS]
    return held


def _try_lock(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_all(fd: int) -> bytes:
    """Everything in an open file."""
    parts: list[bytes] = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def open_file(path: str, flags: int) -> int:
    """Open one of the journal's files; a link, a pipe or a device in its place is refused, and not waited for."""
    fd = os.open(path, flags | _NEVER_FOLLOW | os.O_NONBLOCK, FILE_MODE)
    if os.fstat(fd).st_mode & _KIND != _REGULAR:
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return fd


def make_folder(folder: str) -> None:
    """Make the journal's folder, durably, for its owner alone."""
    parent = folder.rpartition("/")[0] or ("/" if folder.startswith("/") else ".")
    try:
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_folder(parent)
        make_folder(folder)
        return
    sync_folder(parent)


def sync(fd: int) -> None:
    """Have the file on the disk itself before returning."""
    if _FULL_SYNC is None:
        os.fsync(fd)
    else:
        fcntl.fcntl(fd, _FULL_SYNC)


def sync_folder(folder: str) -> None:
    """Have the folder's names on the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write everything by one write; a short one is tried on, so that the system says why it was short."""
    written = os.write(fd, data)
    while written < len(data):
        written += os.write(fd, memoryview(data)[written:])


def replace_file(path: str, data: bytes, *, derived: bool = False) -> None:
    """Put a whole file in place; on disk, but for its name, unless it is derived and knows its own damage."""
    fresh = path + ".new"
    fd = open_file(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(fd, data)
        if not derived:
            sync(fd)
    finally:
        os.close(fd)
    os.rename(fresh, path)


def segment_name(number: int) -> str:
    """The file name of a segment."""
    return f"{number:08d}{_SEGMENT}"


def segment_path(folder: str, number: int) -> str:
    """The path of a segment."""
    return f"{folder}/{number:08d}{_SEGMENT}"


def keys_path(folder: str, number: int) -> str:
    """The path of a segment's keys."""
    return f"{folder}/{number:08d}.keys"


def numbers(folder: str) -> list[int]:
    """The numbers of the segments, in order; none when there is no folder."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    ours = [name[:_DIGITS] for name in names if name.endswith(_SEGMENT) and len(name) == _DIGITS + len(_SEGMENT)]
    return sorted(int(digits) for digits in ours if digits.isdigit())
