"""What stands in a vault: stamps of its files, and what cannot be one. Reads no file."""

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator

from holdfast.core.memory import Problem
from holdfast.system.folders import FOLDER_FLAGS, FolderExpected, translate_os_errors

PAGE = "overview.md"
# A file may change again within the grain of its clock, and stamps of that time could miss it.
SETTLED_AFTER_NS = 2_000_000_000
_NO_WAY_IN = frozenset({errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


def read_stamps(root: str) -> dict[str, str]:
    """Every memory file below a root with a stamp that moves when it does; empty when it may move unseen."""
    settled_before = time.time_ns() - SETTLED_AFTER_NS
    found: dict[str, str] = {}
    for path, entry in _files(root):
        try:
            seen = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        found[path] = _stamp(seen, settled_before)
    found.pop(PAGE, None)
    return found


def stamps_of(root: str, wanted: Iterable[str]) -> dict[str, str]:
    """The stamps of some memory files below a root, as `stamps` has them; what is none, or gone, is left out."""
    settled_before = time.time_ns() - SETTLED_AFTER_NS
    with translate_os_errors(root):
        seen = {path: _stat_file(root, path) for path in wanted if path != PAGE}
    return {path: _stamp(each, settled_before) for path, each in seen.items() if each is not None}


def list_paths(root: str) -> Iterator[str]:
    """Every memory file below a root."""
    return (path for path, _ in _files(root) if path != PAGE)


def find_oddities(root: str) -> list[Problem]:
    """What stands below a root and cannot be a memory file: links, unreadable folders, left temporary files."""
    with translate_os_errors(root):
        top = _open_root(root)
        return [] if top is None else sorted(_odd_in_tree(top, ""), key=lambda problem: problem.path)


def _stamp(seen: os.stat_result, settled_before: int) -> str:
    changed, moved = seen.st_mtime_ns, seen.st_ctime_ns
    settled = changed < settled_before and moved < settled_before
    return f"{seen.st_size}.{changed}.{moved}.{seen.st_ino}" if settled else ""


def _stat_file(root: str, path: str) -> os.stat_result | None:
    """A file as a walk from the root would find it: over no link, and under no name that the walk passes by."""
    *folders, name = path.split("/")
    if not name.endswith(".md") or any(part[:1] in {"", "."} or not _is_text(part) for part in (*folders, name)):
        return None
    at = _open_root(root)
    try:
        for each in folders:
            above, at = at, None if at is None else _open_below(at, each)
            if above is not None:
                os.close(above)
        seen = None if at is None else os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None
    finally:
        if at is not None:
            os.close(at)
    return seen if seen is not None and stat.S_ISREG(seen.st_mode) else None


def _open_root(root: str) -> int | None:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise FolderExpected(root) from None


def _files(root: str) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    with translate_os_errors(root):
        top = _open_root(root)
        if top is not None:
            yield from _walk_folder(top, "")


def list_paths_named(root: str, start: str) -> list[str]:
    """The files whose names begin so, in any case; little is done for each of the others."""
    with translate_os_errors(root):
        top = _open_root(root)
        return _list_named(top, "", start.lower()) if top is not None else []


def _list_named(folder: int, prefix: str, start: str) -> list[str]:
    try:
        names = os.listdir(folder)
        found = [f"{prefix}{name}" for name in names if name.lower().startswith(start) and name.endswith(".md")]
        for name in names:
            if not name.endswith(".md") and name[0] != "." and (below := _open_below(folder, name)) is not None:
                found += _list_named(below, f"{prefix}{name}/", start)
        return found
    finally:
        os.close(folder)


def _walk_folder(folder: int, prefix: str) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    # Entries of an open folder are looked up by name alone, which is what makes 10,000 of them cheap.
    inner: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == "." or not (name.isascii() or _is_text(name)):
                    continue
                if name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    yield prefix + name, entry
                elif entry.is_dir(follow_symlinks=False):
                    inner.append(name)
        for name in inner:
            if (below := _open_below(folder, name)) is not None:
                yield from _walk_folder(below, f"{prefix}{name}/")
    finally:
        os.close(folder)


def _open_below(folder: int, name: str) -> int | None:
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_WAY_IN:
            return None
        raise


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _odd_in_tree(folder: int, prefix: str) -> Iterator[Problem]:
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
        for entry in entries:
            if problem := _odd_entry(entry, prefix):
                yield problem
            elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                yield from _odd_inside(folder, entry.name, prefix)
    finally:
        os.close(folder)


def _odd_inside(folder: int, name: str, prefix: str) -> Iterator[Problem]:
    below = _open_below(folder, name)
    if below is None:
        reason, hint = "folder cannot be read", "check who owns it; its memories are not seen"
        yield Problem(path=f"{prefix}{name}", reason=reason, hint=hint)
    else:
        yield from _odd_in_tree(below, f"{prefix}{name}/")


def _odd_entry(entry: "os.DirEntry[str]", prefix: str) -> Problem | None:
    name = entry.name
    path = prefix + name.encode(errors="replace").decode()
    if name.startswith("."):
        return None
    if not _is_text(name):
        return Problem(path=path, reason="its name is not UTF-8", hint="rename it")
    if entry.is_symlink():
        return Problem(path=path, reason="is a link; links are not followed", hint="put the real file or folder there")
    if name.endswith(".md") and not entry.is_file() and not entry.is_dir():
        return Problem(path=path, reason="is not a regular file", hint="remove it")
    return None
