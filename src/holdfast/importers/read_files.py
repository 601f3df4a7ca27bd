"""Reading what others wrote: bounded, without following links, with the reason where it cannot be read."""

import codecs
import errno
import json
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.importers.import_values import ImportSource, Read, RejectedItem
from holdfast.importers.stable_keys import ImportKeys

TEXT_LIMIT = 4 << 20
JSON_LIMIT = 64 << 20
LINE_LIMIT = 1 << 20
MOST_FILES = 20_000
DEEPEST = 12
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".obsidian", ".trash"})
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class FileUnreadable(HoldfastError):
    """A file that gives no text. `line` is where it ends to do so, 0 for the whole file."""

    exit_status = 6

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason, "")
        self.line = line


class ImportFile(Value):
    """A file below a source: where it is, and its path below the source."""

    path: str
    name: str


def find_files(
    source: ImportSource, *ends: str, deepest: int = DEEPEST, hidden: bool = False
) -> Iterator[ImportFile | RejectedItem]:
    """The files of a source with these endings, by name; the source itself when it is a file."""
    if not os.path.isdir(source.path):
        yield ImportFile(path=source.path, name="")
        return
    count = 0
    for found in _find_below(source, "", deepest, hidden):
        if isinstance(found, ImportFile) and not found.name.lower().endswith(ends):
            continue
        count += 1
        if count > MOST_FILES:
            yield RejectedItem(place=source.label, reason=f"more than {MOST_FILES} files: the rest was not looked at")
            return
        yield found


def read_each(
    source: ImportSource, read_one: Callable[[ImportSource, ImportFile, ImportKeys], Read], *ends: str,
    deepest: int = DEEPEST,
) -> Read:  # fmt: skip
    """What a reader makes of each file; of one that cannot be read, why."""
    keys = ImportKeys()
    for file in find_files(source, *ends, deepest=deepest):
        if isinstance(file, RejectedItem):
            yield file
            continue
        try:
            yield from read_one(source, file, keys)
        except FileUnreadable as error:
            yield reject_unreadable(source, file.name, error)


def format_place(source: ImportSource, name: str, line: int = 0) -> str:
    """`path:line` as people know it."""
    label = "" if source.label == "." else source.label
    path = "/".join(filter(None, (label, name))) or source.label
    return f"{path}:{line}" if line else path


def read_text(path: str, limit: int = TEXT_LIMIT) -> str:
    """The text of a file, newlines made plain. Raises Unreadable."""
    return decode_text(read_bytes(path, limit)).replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: str, limit: int = TEXT_LIMIT) -> bytes:
    """The bytes of a regular file. Raises Unreadable."""
    try:
        # Without O_NONBLOCK, opening a FIFO would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FileUnreadable(
            f"cannot be opened: {error.strerror or errno.errorcode.get(error.errno or 0, '?')}"
        ) from None
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise FileUnreadable("is no regular file")
        if found.st_size > limit:
            raise FileUnreadable(f"has {found.st_size:,} bytes; at most {limit:,} are read")
        try:
            return file.read(limit + 1) or b""
        except OSError as error:
            raise FileUnreadable(f"cannot be read: {error.strerror}") from None


def decode_text(raw: bytes) -> str:
    """Bytes as text, by their mark or as UTF-8. Raises Unreadable."""
    coding, skip = next(((name, len(mark)) for mark, name in _MARKS if raw.startswith(mark)), ("utf-8", 0))
    try:
        return raw[skip:].decode(coding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start + skip) + 1
        raise FileUnreadable(f"is not UTF-8 (byte 0x{raw[error.start + skip]:02x})", line) from None


def read_json(path: str) -> Any:
    """The JSON of a file. Raises Unreadable."""
    try:
        return json.loads(read_text(path, JSON_LIMIT))
    except json.JSONDecodeError as error:
        raise FileUnreadable(f"is no JSON: {error.msg}", error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise FileUnreadable(f"is no JSON that can be read: {type(error).__name__}") from None


def read_json_lines(path: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The objects of a JSONL file with their lines; a text instead of an object says what is wrong with the line."""
    for number, line in enumerate(read_text(path, JSON_LIMIT).split("\n"), 1):
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


def _find_below(source: ImportSource, name: str, deepest: int, hidden: bool) -> Iterator[ImportFile | RejectedItem]:
    folder = os.path.join(source.path, name) if name else source.path
    try:
        with os.scandir(folder) as inside:
            entries = sorted(inside, key=lambda entry: entry.name)
    except OSError as error:
        yield RejectedItem(place=format_place(source, name), reason=f"cannot be looked into: {error.strerror}")
        return
    for entry in entries:
        below = f"{name}/{entry.name}" if name else entry.name
        if entry.name in SKIPPED or (entry.name.startswith(".") and not hidden):
            continue
        yield from _find_entry(source, entry, below, deepest, hidden)


def _find_entry(
    source: ImportSource, entry: os.DirEntry[str], below: str, deepest: int, hidden: bool
) -> Iterator[ImportFile | RejectedItem]:
    if entry.is_symlink():
        yield RejectedItem(place=format_place(source, below), reason="is a link: links are not followed")
    elif entry.is_dir(follow_symlinks=False):
        if below.count("/") + 1 < deepest:
            yield from _find_below(source, below, deepest, hidden)
        else:
            yield RejectedItem(place=format_place(source, below), reason=f"lies more than {deepest} folders deep")
    elif entry.is_file(follow_symlinks=False):
        yield ImportFile(path=entry.path, name=below)
    else:
        yield RejectedItem(place=format_place(source, below), reason="is no regular file")


def read_all(
    source: ImportSource, *ends: str, deepest: int = DEEPEST
) -> Iterator[tuple[ImportFile, str] | RejectedItem]:
    """The texts of a source's files; what cannot be read is rejected."""
    for file in find_files(source, *ends, deepest=deepest):
        if isinstance(file, RejectedItem):
            yield file
            continue
        try:
            yield file, read_text(file.path)
        except FileUnreadable as error:
            yield reject_unreadable(source, file.name, error)


def reject_unreadable(source: ImportSource, name: str, error: FileUnreadable) -> RejectedItem:
    """A file that could not be read, as something rejected."""
    return RejectedItem(place=format_place(source, name, error.line), reason=str(error))


def read_named(source: ImportSource, *names: str) -> Iterator[tuple[ImportFile, str] | RejectedItem]:
    """The texts of those files of a source that are there, by their paths below it."""
    for name in names:
        path = os.path.join(source.path, name)
        if not os.path.lexists(path):
            continue
        if os.path.islink(path) or os.path.realpath(path) != os.path.join(os.path.realpath(source.path), name):
            yield RejectedItem(place=format_place(source, name), reason="is a link: links are not followed")
            continue
        try:
            yield ImportFile(path=path, name=name), read_text(path)
        except FileUnreadable as error:
            yield reject_unreadable(source, name, error)
