"""Sums of the records that we wrote, by path: so that a damaged one is told from one that is as it was written.

One file of lines below `.holdfast/state`, added to before each write. A line names no path but its hash, so that no
word of a name stays here. Losing the file loses the sums, and nothing else.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from holdfast.core.value import Value

FILE = "state/sums"
# Records that a program reads, or that are there for people to read and to believe.
KEPT = ("work/", "learning/", "research/", "runs/", "log/", "security/", "context/", "state/progress/")
KEPT_FILES = (
    "briefing.json", "state/buffer.json", "state/streaks.json", "state/current-work.json", "state/algorithm-state.json",
    "state/trending-cache.json",
)  # fmt: skip
# In these, people may write too.
EDITED = ("log/", "context/todo.md", "context/overview.md")
LARGEST = 4 << 20
LARGEST_RECORD = 64 << 20
# A write and the clock of its file system may be so far apart.
SLACK = 5.0
CANDIDATES = 3
_MARK = "/.holdfast/"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class WrittenPiece(Value):
    """What was written to one file: all of it, or a piece at its end."""

    whole: bool
    begin: int
    end: int
    sum: str
    at: float


class ChangedRecord(Value):
    """A record that is not what we wrote. `edited`: a person may have, and its time says so."""

    path: str
    edited: bool


def note_written(path: str, data: bytes, begin: int = -1) -> None:
    """Note what is about to be written to a file: all of it, or from a byte on. Where that fails, there is no sum."""
    root, mark, name = os.path.abspath(path).rpartition(_MARK)
    if not mark or not _is_kept(name):
        return
    root += mark[:-1]
    kind, start = ("W", 0) if begin < 0 else ("A", begin)
    line = f"{kind} {_hash(name.encode())} {start} {start + len(data)} {_hash(data)} {time.time():.0f}\n"
    try:
        if os.path.isdir(os.path.join(root, "state")):
            _add_line(os.path.join(root, FILE), line.encode())
    except OSError:
        return


def find_changed_records(root: str) -> Iterator[ChangedRecord]:
    """The records below a folder of ours that are not what we wrote there."""
    known = _read_pieces(os.path.join(root, FILE))
    for name in _list_records(root) if known else ():
        pieces = known.get(_hash(name.encode()))
        data = _read_record(os.path.join(root, name)) if pieces else None
        if pieces and data is not None and not _is_as_written(data, pieces):
            later = os.path.getmtime(os.path.join(root, name)) > pieces[-1].at + SLACK
            yield ChangedRecord(path=name, edited=later and name.startswith(EDITED))


def _is_kept(name: str) -> bool:
    return (name.startswith(KEPT) or name in KEPT_FILES) and "/.holdfast-tmp-" not in f"/{name}"


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=12).hexdigest()


def _add_line(path: str, line: bytes) -> None:
    while True:
        fd = os.open(path, _FLAGS, 0o600)
        try:
            _try_lock(fd)
            found = os.fstat(fd)
            if not found.st_nlink:
                # Somebody made it shorter meanwhile: this one is gone.
                continue
            os.write(fd, line)
            if found.st_size > LARGEST:
                _shorten(path)
            return
        finally:
            os.close(fd)


def _try_lock(fd: int) -> None:
    """A moment alone with the file. Who holds it for longer is stopped, and writes no more than a line either."""
    for _ in range(20):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.002)
        else:
            return


def _shorten(path: str) -> None:
    """Only what counts of each file. The caller has the lock."""
    rows: dict[str, list[list[str]]] = {}
    with open(path, encoding="ascii", errors="replace") as file:
        for row in map(str.split, file):
            if len(row) == 6:
                rows.setdefault(row[1], []).append(row)
    fresh = f"{path}.{os.getpid()}"
    with open(os.open(fresh, _FLAGS | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        for each in rows.values():
            wholes = [at for at, row in enumerate(each) if row[0] == "W"]
            begin = wholes[-CANDIDATES] if len(wholes) >= CANDIDATES else 0
            file.writelines(" ".join(row) + "\n" for row in each[begin:])
    os.replace(fresh, path)


def _read_pieces(path: str) -> dict[str, list[WrittenPiece]]:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), encoding="ascii") as file:
            rows = [line.split() for line in file]
    except (OSError, UnicodeDecodeError):
        return {}
    found: dict[str, list[WrittenPiece]] = {}
    for row in rows:
        if len(row) == 6 and row[0] in "WA" and all(each.isdigit() for each in (row[2], row[3], row[5])):
            piece = WrittenPiece(whole=row[0] == "W", begin=int(row[2]), end=int(row[3]), sum=row[4], at=float(row[5]))
            found.setdefault(row[1], []).append(piece)
    return found


def _list_records(root: str) -> Iterator[str]:
    for top in (*KEPT, *KEPT_FILES):
        path = os.path.join(root, top)
        if os.path.isfile(path):
            yield top
        for parent, folders, names in os.walk(path):
            folders.sort()
            yield from (os.path.relpath(os.path.join(parent, name), root) for name in sorted(names))


def _read_record(path: str) -> bytes | None:
    """The bytes of a record; None where it is none any more, or cannot be read at once."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read() if os.fstat(file.fileno()).st_size <= LARGEST_RECORD else None
    except OSError:
        return None


def _is_as_written(data: bytes, pieces: list[WrittenPiece]) -> bool:
    """Whether it is what was written last; or before that, for a kill may have come between a note and its write."""
    begins = [at for at, piece in enumerate(pieces) if piece.whole][-CANDIDATES:] or [0]
    ends = [*begins[1:], len(pieces)]
    return any(_fits(data, pieces[begin:end]) for begin, end in zip(begins, ends, strict=True))


def _fits(data: bytes, pieces: Iterable[WrittenPiece]) -> bool:
    *sure, last = pieces
    torn = not last.whole and len(data) < last.end
    whole = len(data) == last.end and _holds(data, last)
    return (torn or whole) and all(_holds(data, piece) for piece in sure)


def _holds(data: bytes, piece: WrittenPiece) -> bool:
    return _hash(data[piece.begin : piece.end]) == piece.sum
