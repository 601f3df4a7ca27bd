"""The beginning of files that others wrote: bounded, never waited for, never outside the folder."""

import codecs
import os
import stat

# So much of a text may be bytes that are no text.
ODD_SHARE = 0.1
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ODD = ("\ufffd", "\ufffe", "\uffff", "\ufeff")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe would wait for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def text_of(root: str, path: str, limit: int) -> str | None:
    """The first bytes of a file below a folder as text; None where there is no such file, or it holds no text."""
    data = head_of(root, path, limit)
    return None if data is None else decode_text(data)


def head_of(root: str, path: str, limit: int, *, links: bool = True) -> bytes | None:
    """The first bytes of a regular file below a folder; None where there is none. A link may point inside alone."""
    try:
        parts = _resolve_inside(root, path) if links else path.split("/")
        return _read(root, parts, limit) if parts else None
    except (OSError, ValueError):
        return None


def decode_text(data: bytes) -> str | None:
    """Bytes as text, newlines made plain; None for what is none."""
    coding, skip = next(((name, len(mark)) for mark, name in _MARKS if data.startswith(mark)), ("utf-8", 0))
    if coding == "utf-8" and b"\0" in data:
        return None
    text = data[skip:].decode(coding, "replace")
    if sum(map(text.count, _ODD)) > len(text) * ODD_SHARE + 1:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _resolve_inside(root: str, path: str) -> list[str]:
    """The parts of the real path below the root; none for one that lies outside it."""
    top = os.path.realpath(root)
    relative = os.path.relpath(os.path.realpath(os.path.join(top, path)), top)
    parts = relative.split(os.sep)
    return [] if parts[0] in (os.pardir, os.curdir) else parts


def _read(root: str, parts: list[str], limit: int) -> bytes | None:
    """Each step without following a link: what was looked at cannot be swapped for a way out."""
    folder = os.open(os.path.realpath(root), _FOLDER)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        file = os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    with open(file, "rb", buffering=0) as opened:
        return opened.read(limit) if stat.S_ISREG(os.fstat(file).st_mode) else None
