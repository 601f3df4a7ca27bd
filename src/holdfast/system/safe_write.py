"""Files that are whole or not there: temporary file, fsync, rename, fsync of the folder, under a lock."""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256

from holdfast.core.errors import Conflict, Unavailable
from holdfast.core.file_names import path_components
from holdfast.system.folders import (
    FolderExpected,
    LinkInVault,
    WritableFolder,
    exchange_files,
    open_folder,
    read_own_file,
    translate_os_errors,
)
from holdfast.system.written_sums import note_written

LOCK_NAME = ".lock"
TEMPORARY = ".holdfast-tmp-"
MAX_FILE = 64 * 1024 * 1024
PATIENCE = 30.0
_PAUSE = 0.003
# In a hook, what is left of the time that it may wait for locks, all of them together; empty in a command.
_waits: list[list[float]] = []
# Without O_NONBLOCK, opening a FIFO that somebody put there would wait for ever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS_HERE = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class LockHeld(Unavailable):
    """Another process keeps a folder to itself."""

    def __init__(self, root: str, seconds: float) -> None:
        super().__init__(
            f"Another process has held the lock of '{root}' for {seconds:g} s.",
            "wait for it, or end it; the lock goes with the process.",
        )


class MemoryFileTooLarge(Unavailable):
    """A file that no memory file can be."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(f"'{path}' has {size} bytes.", f"a memory file has at most {MAX_FILE}.")


class FileAlreadyThere(Conflict):
    """A new file would have replaced one."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' is there already.", "change that one, or take another id.")


class FileChangedSinceRead(Conflict):
    """A file is no longer what it was when it was read. `then` and `now` are sums; `now` empty: it is gone."""

    def __init__(self, path: str, then: str, now: str) -> None:
        super().__init__(f"'{path}' changed on disk since it was read.", "read it again and redo the change.")
        self.then = then
        self.now = now


@contextmanager
def lock_folder(place: WritableFolder, patience: float = PATIENCE) -> Iterator[None]:
    """Writers of one place take turns. The system releases the lock when a process dies."""
    with translate_os_errors(place.root), open_folder(place, (), make=True) as root:
        lock = os.open(LOCK_NAME, _LOCK, place.file_mode, dir_fd=root)
    try:
        if not hold_lock(lock, patience):
            raise LockHeld(place.root, patience)
        yield
    finally:
        os.close(lock)


def read_file(place: WritableFolder, path: str) -> bytes | None:
    """The bytes of a file; None when there is none. Links and special files count as none."""
    *folders, name = path_components(path)
    with translate_os_errors(path):
        try:
            with open_folder(place, folders) as folder:
                return _read_bytes(folder, name, path)
        except (FileNotFoundError, LinkInVault, FolderExpected):
            return None


def create_file(place: WritableFolder, path: str, data: bytes) -> None:
    """Make a new file, durable on return. Raises AlreadyThere rather than replace one. Hold the lock."""
    *folders, name = path_components(path)
    with translate_os_errors(path), open_folder(place, folders, make=True) as folder:
        temporary = _write_temporary(folder, data, place.file_mode)
        note_written(os.path.join(place.root, path), data)
        try:
            link_new_file(temporary, name, folder)
        except FileExistsError:
            raise FileAlreadyThere(path) from None
        finally:
            _drop_temporary(folder, temporary)
        os.fsync(folder)


def replace_file(place: WritableFolder, path: str, data: bytes, *, then: str) -> None:
    """Put new bytes in the place of a file whose sum is `then`, or raise Moved. Hold the lock."""
    *folders, name = path_components(path)
    with translate_os_errors(path), _open_known_folder(place, folders, path, then) as folder:
        _require_unmoved(folder, name, path, then)
        mode = stat.S_IMODE(os.lstat(name, dir_fd=folder).st_mode)
        temporary = _write_temporary(folder, data, mode, exactly=True)
        note_written(os.path.join(place.root, path), data)
        if not _exchange_file(folder, name, temporary, path, then):
            _replace_name(folder, name, temporary)


def swap_file(place: WritableFolder, path: str, data: bytes | None, *, then: str) -> None:
    """Put a file's bytes (None: remove it) where its sum is `then` (empty: there is none). Hold the lock.

    Raises Moved or AlreadyThere where it is otherwise.
    """
    if data is None:
        remove_file(place, path, then=then)
    elif then:
        replace_file(place, path, data, then=then)
    else:
        create_file(place, path, data)


def put_file(path: str, data: bytes, *, private: bool = True, mode: int | None = None) -> None:
    """Put a file of our own in its place, whole and durable, whether or not one was there; with `mode`, exactly so."""
    folder_path, name = os.path.split(os.path.abspath(path))
    place = WritableFolder(root=folder_path, private=private)
    with translate_os_errors(path), open_folder(place, (), make=True) as folder:
        wanted = place.file_mode if mode is None else mode
        temporary = _write_temporary(folder, data, wanted, exactly=mode is not None)
        note_written(path, data)
        _replace_name(folder, name, temporary)


def put_file_if_changed(path: str, data: bytes) -> None:
    """Put a private file of our own in its place; it stays untouched where it holds this already."""
    if read_own_file(path) != data:
        put_file(path, data)


def remove_file(place: WritableFolder, path: str, *, then: str) -> None:
    """Remove a file whose sum is `then`, or raise Moved. Hold the lock."""
    *folders, name = path_components(path)
    with translate_os_errors(path), _open_known_folder(place, folders, path, then) as folder:
        _require_unmoved(folder, name, path, then)
        os.unlink(name, dir_fd=folder)
        os.fsync(folder)


def share_waits(waits: list[float]) -> None:
    """Have waits for locks here be taken off a hook's time for them."""
    _waits[:] = [waits]


def hold_lock(lock: int, patience: float = 0.0) -> bool:
    """Whether this process has the lock of an open file to itself, after waiting so many seconds at most."""
    if _try_lock(lock):
        return True
    began, patience = time.monotonic(), min([patience, *(left for waits in _waits for left in waits)])
    while not (held := _try_lock(lock)) and time.monotonic() - began < patience:
        time.sleep(_PAUSE)
    for waits in _waits:
        waits[:] = [left - (time.monotonic() - began) for left in waits]
    return held


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _open_known_folder(place: WritableFolder, folders: Sequence[str], path: str, then: str) -> Iterator[int]:
    try:
        with open_folder(place, folders) as folder:
            yield folder
    except FileNotFoundError:
        raise FileChangedSinceRead(path, then, "") from None


def _require_unmoved(folder: int, name: str, path: str, then: str) -> None:
    data = _read_bytes(folder, name, path)
    now = "" if data is None else sha256(data).hexdigest()
    if now != then:
        raise FileChangedSinceRead(path, then, now)


def _read_bytes(folder: int, name: str, path: str) -> bytes | None:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        # A link gives ELOOP, a socket or a device without a driver ENXIO.
        if error.errno in {errno.ELOOP, errno.ENXIO}:
            return None
        raise
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        if found.st_size > MAX_FILE:
            raise MemoryFileTooLarge(path, found.st_size)
        return file.readall()


def _write_temporary(folder: int, data: bytes, mode: int, *, exactly: bool = False) -> str:
    name = f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"
    descriptor = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        if exactly:
            os.fchmod(descriptor, mode)
        write_all(descriptor, data)
        os.fsync(descriptor)
    except BaseException:
        _drop_temporary(folder, name)
        raise
    finally:
        os.close(descriptor)
    return name


def write_all(descriptor: int, data: bytes) -> None:
    """Write bytes to their end: the system may take a part of them at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _exchange_file(folder: int, name: str, temporary: str, path: str, then: str) -> bool:
    """Put a file in the place of another in one step, and see what was there: a save in between is given back.

    False where the system cannot exchange two files; nothing happened then.
    """
    if not exchange_files(folder, name, temporary):
        return False
    data = _read_bytes(folder, temporary, path)
    now = "" if data is None else sha256(data).hexdigest()
    if now != then:
        exchange_files(folder, name, temporary)
        _drop_temporary(folder, temporary)
        raise FileChangedSinceRead(path, then, now)
    _drop_temporary(folder, temporary)
    os.fsync(folder)
    return True


def _replace_name(folder: int, name: str, temporary: str) -> None:
    try:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _drop_temporary(folder, temporary)
        raise
    os.fsync(folder)


def link_new_file(temporary: str, name: str, folder: int | None = None) -> None:
    """Give a file of our own a name that nobody has, or raise FileExistsError. It may keep its first name too."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS_HERE:
            raise
        # A file system without hard links: an empty file that is surely ours holds the name.
        os.close(os.open(name, _NEW, dir_fd=folder))
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _drop_temporary(folder: int, temporary: str) -> None:
    with suppress(OSError):
        os.unlink(temporary, dir_fd=folder)
