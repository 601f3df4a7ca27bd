"""Reading what others wrote: bounded, without following links, with the reason where it cannot be read."""

import codecs
import errno
import json
import os
import stat
from collections.abc import Iterator
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.importers.import_values import Rejected, Source

TEXT_LIMIT = 4 << 20
JSON_LIMIT = 64 << 20
LINE_LIMIT = 1 << 20
MOST_FILES = 20_000
DEEPEST = 12
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".obsidian", ".trash"})
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Unreadable(HoldfastError):
    """A file that gives no text. `line` is where it ends to do so, 0 for the whole file."""

    exit_status = 6

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason, "")
        self.line = line


class Found(Value):
    """A file below a source: where it is, and its path below the source."""

    path: str
    name: str


def files(source: Source, *ends: str, deepest: int = DEEPEST, hidden: bool = False) -> Iterator[Found | Rejected]:
    """The files of a source with these endings, by name; the source itself when it is a file."""
    if not os.path.isdir(source.path):
        yield Found(path=source.path, name="")
        return
    count = 0
    for found in _below(source, "", deepest, hidden):
        if isinstance(found, Found) and not found.name.lower().endswith(ends):
            continue
        count += 1
        if count > MOST_FILES:
            yield Rejected(place=source.label, reason=f"more than {MOST_FILES} files: the rest was not looked at")
            return
        yield found


def place(source: Source, name: str, line: int = 0) -> str:
    """`path:line` as people know it."""
    label = "" if source.label == "." else source.label
    path = "/".join(filter(None, (label, name))) or source.label
    return f"{path}:{line}" if line else path


def text(path: str, limit: int = TEXT_LIMIT) -> str:
    """The text of a file, newlines made plain. Raises Unreadable."""
    return decoded(data(path, limit)).replace("\r\n", "\n").replace("\r", "\n")


def data(path: str, limit: int = TEXT_LIMIT) -> bytes:
    """The bytes of a regular file. Raises Unreadable."""
    try:
        # Without O_NONBLOCK, opening a FIFO would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Unreadable(f"cannot be opened: {error.strerror or errno.errorcode.get(error.errno or 0, '?')}") from None
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("is no regular file")
        if found.st_size > limit:
            raise Unreadable(f"has {found.st_size:,} bytes; at most {limit:,} are read")
        try:
            return file.read(limit + 1) or b""
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror}") from None


def decoded(raw: bytes) -> str:
    """Bytes as text, by their mark or as UTF-8. Raises Unreadable."""
    coding, skip = next(((name, len(mark)) for mark, name in _MARKS if raw.startswith(mark)), ("utf-8", 0))
    try:
        return raw[skip:].decode(coding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start + skip) + 1
        raise Unreadable(f"is not UTF-8 (byte 0x{raw[error.start + skip]:02x})", line) from None


def document(path: str) -> Any:
    """The JSON of a file. Raises Unreadable."""
    try:
        return json.loads(text(path, JSON_LIMIT))
    except json.JSONDecodeError as error:
        raise Unreadable(f"is no JSON: {error.msg}", error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise Unreadable(f"is no JSON that can be read: {type(error).__name__}") from None


def lines_of_json(path: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The objects of a JSONL file with their lines; a text instead of an object says what is wrong with the line."""
    for number, line in enumerate(text(path, JSON_LIMIT).split("\n"), 1):
        if line.strip():
            yield number, _object(line)


def _object(line: str) -> dict[str, Any] | str:
    if len(line) > LINE_LIMIT:
        return f"a line of {len(line):,} characters; at most {LINE_LIMIT:,} are read"
    try:
        found = json.loads(line)
    except (RecursionError, ValueError) as error:
        return f"is no JSON: {getattr(error, 'msg', type(error).__name__)}"
    return found if isinstance(found, dict) else "is no JSON object"


def _below(source: Source, name: str, deepest: int, hidden: bool) -> Iterator[Found | Rejected]:
    folder = os.path.join(source.path, name) if name else source.path
    try:
        with os.scandir(folder) as inside:
            entries = sorted(inside, key=lambda entry: entry.name)
    except OSError as error:
        yield Rejected(place=place(source, name), reason=f"cannot be looked into: {error.strerror}")
        return
    for entry in entries:
        below = f"{name}/{entry.name}" if name else entry.name
        if entry.name in SKIPPED or (entry.name.startswith(".") and not hidden):
            continue
        yield from _one(source, entry, below, deepest, hidden)


def _one(source: Source, entry: os.DirEntry[str], below: str, deepest: int, hidden: bool) -> Iterator[Found | Rejected]:
    if entry.is_symlink():
        yield Rejected(place=place(source, below), reason="is a link: links are not followed")
    elif entry.is_dir(follow_symlinks=False):
        if below.count("/") + 1 < deepest:
            yield from _below(source, below, deepest, hidden)
        else:
            yield Rejected(place=place(source, below), reason=f"lies more than {deepest} folders deep")
    elif entry.is_file(follow_symlinks=False):
        yield Found(path=entry.path, name=below)
    else:
        yield Rejected(place=place(source, below), reason="is no regular file")


def read_all(source: Source, *ends: str, deepest: int = DEEPEST) -> Iterator[tuple[Found, str] | Rejected]:
    """The texts of a source's files; what cannot be read is rejected."""
    for file in files(source, *ends, deepest=deepest):
        if isinstance(file, Rejected):
            yield file
            continue
        try:
            yield file, text(file.path)
        except Unreadable as error:
            yield unreadable(source, file.name, error)


def unreadable(source: Source, name: str, error: Unreadable) -> Rejected:
    """A file that could not be read, as something rejected."""
    return Rejected(place=place(source, name, error.line), reason=str(error))


def only(source: Source, *names: str) -> Iterator[tuple[Found, str] | Rejected]:
    """The texts of those files of a source that are there, by their paths below it."""
    for name in names:
        path = os.path.join(source.path, name)
        if not os.path.lexists(path):
            continue
        if os.path.islink(path) or os.path.realpath(path) != os.path.join(os.path.realpath(source.path), name):
            yield Rejected(place=place(source, name), reason="is a link: links are not followed")
            continue
        try:
            yield Found(path=path, name=name), text(path)
        except Unreadable as error:
            yield unreadable(source, name, error)
