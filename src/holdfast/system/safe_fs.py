"""Files below one folder, by descriptors: no link is followed on the way, so nothing swapped meanwhile leads out."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256

from holdfast.core.errors import BadRequest, Conflict, HoldfastError, NotFound, Refused
from holdfast.core.value import Value
from holdfast.system.folders import FOLDER_FLAGS, translate_os_errors
from holdfast.system.safe_write import TEMPORARY, link_new_file, write_all

LARGEST = 8 * 1024 * 1024
FILE, FOLDER, LINK, OTHER = "file", "folder", "link", "other"
# Without O_NONBLOCK, opening a FIFO that somebody put there would wait for ever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

Parts = tuple[str, ...]


class IsALink(Refused):
    """A link stands in the way."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' is a link; links are not followed.", "name the file or folder itself.")


class NotThere(NotFound):
    """Nothing is at a path."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is nothing at '{path}'.", "list its folder to see what is there.")


class PathNotFolder(BadRequest):
    """Something else stands where a folder should."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' is not a folder.", "list the folder above it to see what is there.")


class NotRegularFile(BadRequest):
    """What is at a path is no regular file."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"'{path}' is {what}, not a file.", "name a file.")


class FileOverLimit(BadRequest):
    """A file larger than is read or written."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(f"'{path}' has {size} bytes; at most {LARGEST} are taken.", "use a command on it instead.")


class FileChangedMeanwhile(Conflict):
    """A file moved on between our look and our write."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' changed while it was being written.", "read it again and redo the change.")


class PathState(Value):
    """What stands at a path. `sha256` is empty for a file that was too large to be summed; `stamp` is then its own."""

    kind: str
    mode: int
    sha256: str = ""
    size: int = 0
    target: str = ""
    stamp: str = ""


class FileSnapshot(Value):
    """A file as it was read."""

    data: bytes
    state: PathState
    status: os.stat_result


class SafeFolder:
    """A folder and all below it. Paths are tuples of names; who may name what is decided elsewhere."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        # As it was named: a link on the way to it is the user's own.
        self.named = os.path.abspath(root)
        with translate_os_errors(self.root):
            self._root = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def close(self) -> None:
        """Close the folder."""
        if self._root >= 0:
            os.close(self._root)
            self._root = -1

    @contextmanager
    def folder(self, parts: Parts) -> Iterator[int]:
        """A descriptor of a folder. Raises NotThere, IsALink, NotAFolder."""
        opened = os.dup(self._root)
        try:
            for depth, name in enumerate(parts, start=1):
                inner = _enter_folder(opened, name, "/".join(parts[:depth]))
                os.close(opened)
                opened = inner
            yield opened
        finally:
            os.close(opened)

    def status(self, parts: Parts) -> os.stat_result | None:
        """What the system says of a path itself; None where nothing is."""
        if not parts:
            return os.fstat(self._root)
        with _translate_errors(parts):
            try:
                with self.folder(parts[:-1]) as folder:
                    return os.lstat(parts[-1], dir_fd=folder)
            except (NotThere, FileNotFoundError):
                return None

    def state(self, parts: Parts) -> PathState | None:
        """What stands at a path; None where nothing is."""
        found = self.status(parts)
        if found is None or not stat.S_ISREG(found.st_mode):
            return None if found is None else self._unread(parts, found)
        if found.st_size > LARGEST:
            return large_file_state(found)
        return self.read(parts).state

    def read(self, parts: Parts, most: int = LARGEST) -> FileSnapshot:
        """A file, whole. Raises NotThere, IsALink, NotAFile, TooLarge."""
        path = "/".join(parts)
        with _translate_errors(parts), self.folder(parts[:-1]) as folder:
            descriptor = _open_file(folder, parts[-1], path)
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                found = os.fstat(descriptor)
                if not stat.S_ISREG(found.st_mode):
                    raise NotRegularFile(path, _describe_mode(found.st_mode))
                if found.st_size > most:
                    raise FileOverLimit(path, found.st_size)
                data = file.read(most + 1) or b""
                if len(data) > most:
                    raise FileOverLimit(path, len(data))
                return FileSnapshot(data=data, state=file_state(data, found.st_mode), status=found)

    def names(self, parts: Parts) -> list[tuple[str, os.stat_result]]:
        """What is in a folder, each with its status, in order of names."""
        with _translate_errors(parts), self.folder(parts) as folder:
            found = []
            for name in sorted(os.listdir(folder)):
                with suppress(FileNotFoundError):
                    found.append((name, os.lstat(name, dir_fd=folder)))
            return found

    def missing(self, parts: Parts) -> list[Parts]:
        """The folders on the way to a folder that are not there, outermost first."""
        for depth in range(1, len(parts) + 1):
            found = self.status(parts[:depth])
            if found is None:
                return [parts[:end] for end in range(depth, len(parts) + 1)]
            if not stat.S_ISDIR(found.st_mode):
                path = "/".join(parts[:depth])
                raise IsALink(path) if stat.S_ISLNK(found.st_mode) else PathNotFolder(path)
        return []

    def make_folder(self, parts: Parts, mode: int | None = None) -> None:
        """Make one folder; one that is there is left as it is. `mode`: exactly this one."""
        with _translate_errors(parts), self.folder(parts[:-1]) as above:
            with suppress(FileExistsError):
                os.mkdir(parts[-1], 0o777 if mode is None else 0o700, dir_fd=above)
            os.fsync(above)
        if mode is not None:
            self.set_mode(parts, mode)

    def put(self, parts: Parts, data: bytes, *, mode: int | None = None, was: os.stat_result | None = None) -> None:
        """Put a file in its place, whole and durable. `was`: what it replaces, unmoved; None: nothing may be there."""
        temporary = self.stage(parts, data, mode=mode, was=was)
        try:
            self.place(parts, temporary, was=was)
        except BaseException:
            self.unstage(parts, temporary)
            raise

    def stage(self, parts: Parts, data: bytes, *, mode: int | None = None, was: os.stat_result | None = None) -> str:
        """Write a file's bytes beside its place; the name that they have there."""
        with _translate_errors(parts), self.folder(parts[:-1]) as folder:
            return _write_temporary(folder, data, mode, was)

    def place(self, parts: Parts, temporary: str, *, was: os.stat_result | None = None) -> None:
        """Put staged bytes in their place, in one step."""
        with _translate_errors(parts), self.folder(parts[:-1]) as folder:
            _move_into_place(folder, temporary, parts[-1], "/".join(parts), was)
            os.fsync(folder)

    def unstage(self, parts: Parts, temporary: str) -> None:
        """Drop staged bytes, if they are still there."""
        with suppress(OSError, HoldfastError), self.folder(parts[:-1]) as folder:
            os.unlink(temporary, dir_fd=folder)

    def drop_leftovers(self, parts: Parts) -> None:
        """Remove bytes that a process staged in a folder, and died before it put them in their place."""
        with suppress(OSError, HoldfastError), self.folder(parts) as folder:
            for name in os.listdir(folder):
                if name.startswith(TEMPORARY) and not _is_alive(name.removeprefix(TEMPORARY).partition("-")[0]):
                    os.unlink(name, dir_fd=folder)

    def put_link(self, parts: Parts, target: str) -> None:
        """Make a link where nothing is."""
        with _translate_errors(parts), self.folder(parts[:-1]) as folder:
            os.symlink(target, parts[-1], dir_fd=folder)
            os.fsync(folder)

    def remove(self, parts: Parts) -> None:
        """Remove what is no folder, or an empty folder."""
        with _translate_errors(parts), self.folder(parts[:-1]) as folder:
            found = os.lstat(parts[-1], dir_fd=folder)
            if stat.S_ISDIR(found.st_mode):
                os.rmdir(parts[-1], dir_fd=folder)
            else:
                os.unlink(parts[-1], dir_fd=folder)
            os.fsync(folder)

    def set_mode(self, parts: Parts, mode: int) -> None:
        """Give a file or folder its permissions."""
        with _translate_errors(parts), self.folder(parts[:-1]) as above:
            try:
                descriptor = os.open(parts[-1], _READ, dir_fd=above)
            except PermissionError:
                _set_mode_unread(above, parts[-1], mode)
                return
            try:
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _unread(self, parts: Parts, found: os.stat_result) -> PathState:
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISDIR(found.st_mode):
            return PathState(kind=FOLDER, mode=mode)
        if not stat.S_ISLNK(found.st_mode):
            return PathState(kind=OTHER, mode=mode)
        with _translate_errors(parts), self.folder(parts[:-1]) as folder:
            return link_state(os.readlink(parts[-1], dir_fd=folder))


def file_state(data: bytes, mode: int) -> PathState:
    """The state of a file with these bytes."""
    return PathState(kind=FILE, mode=stat.S_IMODE(mode), sha256=sha256(data).hexdigest(), size=len(data))


def link_state(target: str) -> PathState:
    """The state of a link. Its mode is the system's own."""
    return PathState(kind=LINK, mode=0o777, target=target)


def large_file_state(found: os.stat_result) -> PathState:
    """The state of a file whose bytes are not read."""
    stamp = f"{found.st_ino}-{found.st_mtime_ns}-{found.st_ctime_ns}"
    return PathState(kind=FILE, mode=stat.S_IMODE(found.st_mode), size=found.st_size, stamp=stamp)


def same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether nobody wrote between two looks."""
    return _mark(one) == _mark(other)


def _mark(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode


@contextmanager
def _translate_errors(parts: Sequence[str]) -> Iterator[None]:
    """Errors of the system, told as ours."""
    path = "/".join(parts) or "."
    with translate_os_errors(path):
        try:
            yield
        except FileNotFoundError:
            raise NotThere(path) from None
        except NotADirectoryError:
            raise PathNotFolder(path) from None
        except IsADirectoryError:
            raise NotRegularFile(path, "a folder") from None
        except FileExistsError:
            raise FileChangedMeanwhile(path) from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise IsALink(path) from None
            raise
        except ValueError:
            raise BadRequest(f"{path[:200]!r} is no path.", "use names without NUL.") from None


def _enter_folder(folder: int, name: str, path: str) -> int:
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        raise NotThere(path) from None
    except OSError as error:
        if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
            raise
        try:
            is_link = stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)
        except OSError:
            is_link = False
        raise (IsALink(path) if is_link else PathNotFolder(path)) from None


def _open_file(folder: int, name: str, path: str) -> int:
    try:
        return os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        # A socket, or a device without a driver.
        if error.errno == errno.ENXIO:
            raise NotRegularFile(path, "a special file") from None
        raise


def _set_mode_unread(folder: int, name: str, mode: int) -> None:
    """The same for what we may not read: by a descriptor that only names it."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if stat.S_ISLNK(os.fstat(descriptor).st_mode):
            raise OSError(errno.ELOOP, "a link", name)
        os.chmod(f"/proc/self/fd/{descriptor}", mode)
    finally:
        os.close(descriptor)


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _describe_mode(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "a special file"


def _write_temporary(folder: int, data: bytes, mode: int | None, was: os.stat_result | None) -> str:
    name = f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"
    wanted = stat.S_IMODE(was.st_mode) if mode is None and was is not None else mode
    descriptor = os.open(name, _NEW, 0o666 if wanted is None else 0o600, dir_fd=folder)
    try:
        write_all(descriptor, data)
        if was is not None and (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(OSError):
                os.fchown(descriptor, was.st_uid, was.st_gid)
        if wanted is not None:
            os.fchmod(descriptor, wanted)
        os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)
    return name


def _move_into_place(folder: int, temporary: str, name: str, path: str, was: os.stat_result | None) -> None:
    if was is not None:
        if not same_file(os.lstat(name, dir_fd=folder), was):
            raise FileChangedMeanwhile(path)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    link_new_file(temporary, name, folder)
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)
