"""A folder as a store: a volume, a disk that is mounted, a folder that something else carries away."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.exchange.object_store import ABSENT, ANY, SMALL, ByteSource, Lost, Stored, Unreachable, read_whole

TEMPORARY = ".holdfast-tmp-"
LOCK = ".holdfast-lock"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NameOutsideStore(BadRequest):
    """A name that leads out of the store."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:200]!r} is no name in a store.", "use letters, digits, `-`, `_`, `.` and `/`.")


class FolderUnusable(Unreachable):
    """A folder that cannot be read or written now."""

    def __init__(self, root: str, error: OSError) -> None:
        reason = error.strerror or str(error)
        Unavailable.__init__(self, f"The folder {root!r} does not serve as a store: {reason}.", _hint(error))


class FolderObjects:
    """Objects as files below a folder that only the user may read."""

    def __init__(self, root: str) -> None:
        self._root = os.path.abspath(root)

    @property
    def url(self) -> str:
        """The folder."""
        return self._root

    def get(self, name: str, most: int = SMALL) -> tuple[bytes, str] | None:
        """A small object and its tag: its sum."""
        source = self.open(name)
        if source is None:
            return None
        data = read_whole(source, name, most)
        return data, _hash_bytes(data)

    def open(self, name: str) -> ByteSource | None:
        """An object to read in turn."""
        with self._told():
            try:
                fd = os.open(self._path(name), _READ)
            except FileNotFoundError:
                return None
            except NotADirectoryError:
                if os.path.isdir(self._root):
                    return None
                raise
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                os.close(fd)
                return None
            return _OpenObject(fd)

    def put(self, name: str, data: bytes, tag: str | None = ANY) -> str:
        """Keep bytes: beside, then under their name."""
        path = self._path(name)
        with self._told():
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with self._alone():
                if tag is not None:
                    self._require(name, tag)
                _write(path, data)
        return _hash_bytes(data)

    def list(self, prefix: str) -> Sequence[Stored]:
        """The objects whose names begin so."""
        with self._told():
            return sorted(self._below(prefix), key=lambda each: each.name)

    def delete(self, names: Sequence[str]) -> None:
        """Take objects away, with what writers left that were killed, and folders that are empty then."""
        with self._told():
            self._sweep()
            for name in names:
                path = self._path(name)
                with suppress(FileNotFoundError):
                    os.unlink(path)
                with suppress(OSError):
                    os.removedirs(os.path.dirname(path))

    def _sweep(self) -> None:
        """Who writes is alone: what is not under its name now, nobody writes any more."""
        if not os.path.exists(os.path.join(self._root, LOCK)):
            return
        with self._alone():
            for folder, _, files in os.walk(self._root, onerror=_raise_unless_missing):
                for file in files:
                    if file.startswith(TEMPORARY):
                        os.unlink(os.path.join(folder, file))

    def _below(self, prefix: str) -> Iterator[Stored]:
        for folder, _, files in os.walk(self._root, onerror=_raise_unless_missing):
            for file in files:
                path = os.path.join(folder, file)
                name = os.path.relpath(path, self._root).replace(os.sep, "/")
                if name.startswith(prefix) and not file.startswith((TEMPORARY, LOCK)):
                    seen = os.lstat(path)
                    if stat.S_ISREG(seen.st_mode):
                        when = datetime.fromtimestamp(seen.st_mtime, UTC).isoformat(timespec="seconds")
                        yield Stored(name=name, size=seen.st_size, modified=when)

    def _require(self, name: str, tag: str) -> None:
        source = self.open(name)
        if (ABSENT if source is None else _hash_source(source)) != tag:
            raise Lost(name)

    def _path(self, name: str) -> str:
        parts = name.split("/")
        if any(part in {"", ".", ".."} or "\0" in part or part.startswith((TEMPORARY, LOCK)) for part in parts):
            raise NameOutsideStore(name)
        return os.path.join(self._root, *parts)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        fd = os.open(os.path.join(self._root, LOCK), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FolderUnusable(self._root, error) from error


class _OpenObject:
    """An open file that closes itself: at its end, or when nobody holds it any more."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        if self._fd < 0:
            return b""
        piece = os.read(self._fd, size if size >= 0 else 1 << 20)
        if not piece and size:
            self._close()
        return piece

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        os.close(fd)

    def __del__(self) -> None:
        if self._fd >= 0:
            self._close()


def _hint(error: OSError) -> str:
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        where = f": {os.fsdecode(error.filename)!r}" if error.filename and TEMPORARY not in str(error.filename) else ""
        return f"give yourself the right to read and write there{where}, or name another folder."
    if isinstance(error, NotADirectoryError | FileExistsError):
        return "mount the disk that belongs there, or name another folder."
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "make room there, then run this again: what was written is not written twice."
    return "look at the disk, then run this again."


def _raise_unless_missing(error: OSError) -> None:
    """A folder that is not there holds nothing; one that cannot be read is no empty one."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _write(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}")
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _hash_source(source: ByteSource) -> str:
    held = sha256()
    while piece := source.read(1 << 20):
        held.update(piece)
    return held.hexdigest()


def _hash_bytes(data: bytes) -> str:
    return sha256(data).hexdigest()
