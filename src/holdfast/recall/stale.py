"""Whether the code that a memory cites still stands as it stood: read at the moment somebody is told of it."""

import os
from hashlib import sha256
from stat import S_ISREG

from holdfast.domain.memory import Citation, Entry, Scope

LARGEST = 4 * 1024 * 1024
MOST_WINDOWS = 20_000


def is_stale(root: str, entry: Entry) -> bool:
    """Whether lines that a memory of the workspace at `root` cites were changed or are gone.

    Lines that only moved within their file are as they were. What cannot be looked at is not called stale.
    """
    if not root or entry.scope is not Scope.WORKSPACE:
        return False
    return any(_changed(root, citation) for citation in entry.memory.cites)


def _changed(root: str, citation: Citation) -> bool:
    if "\0" in citation.path:
        return False
    inside = os.path.realpath(root)
    target = os.path.realpath(os.path.join(inside, citation.path))
    if not target.startswith(inside + os.sep):
        return False
    if not os.path.lexists(target):
        return True
    content = _read(target)
    if content is None or not citation.sha256:
        return False
    return not _stands(content.splitlines(keepends=True), citation)


def _read(path: str) -> bytes | None:
    """The bytes of a file; None for what is no file, too large, or not to be read."""
    try:
        # Without O_NONBLOCK, a FIFO that somebody put there would have us wait for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    seen = os.fstat(fd)
    if not S_ISREG(seen.st_mode) or seen.st_size > LARGEST:
        os.close(fd)
        return None
    with open(fd, "rb") as file:
        return file.read(LARGEST)


def _stands(lines: list[bytes], citation: Citation) -> bool:
    """Whether the cited lines stand at their place, or as they are at another."""
    if not citation.lines:
        return _is(lines, citation.sha256)
    first, _, last = citation.lines.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        return True
    begin, count = int(first) - 1, int(last or first) - int(first) + 1
    if begin < 0 or count < 1 or count > len(lines):
        return False
    if _is(lines[begin : begin + count], citation.sha256):
        return True
    places = range(min(len(lines) - count + 1, MOST_WINDOWS // count))
    return any(_is(lines[place : place + count], citation.sha256) for place in places)


def _is(lines: list[bytes], digest: str) -> bool:
    """Whether lines have a sum; line ends that git turned over do not count."""
    content = b"".join(lines)
    if sha256(content).hexdigest() == digest:
        return True
    return b"\r\n" in content and sha256(content.replace(b"\r\n", b"\n")).hexdigest() == digest
