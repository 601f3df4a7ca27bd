"""How far each transcript was read. Derived: its loss only means reading again."""

import json
import os
from collections.abc import Mapping
from typing import Any, BinaryIO

from holdfast.harvest.transcript_lines import file_marks
from holdfast.system.safe_write import put_file

VERSION = 1


class TranscriptCursors:
    """The cursors of one workspace, in one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._files: dict[str, dict[str, Any]] = _load_cursors(path)
        self._changed = False

    def state(self, path: str, file: BinaryIO) -> Mapping[str, Any]:
        """What an earlier reading of a file left; nothing where it was never read, or is another file now."""
        cursor = self._files.get(path, {})
        state = cursor.get("state")
        offset = cursor.get("offset")
        if not isinstance(state, dict) or not isinstance(offset, int) or state.get("offset") != offset:
            return {}
        size = file.seek(0, os.SEEK_END)
        if size < offset or file_marks(file, offset) != (cursor.get("head"), cursor.get("tail")):
            return {}
        return state

    def offset(self, path: str) -> int:
        """How far a file was read."""
        found = self._files.get(path, {}).get("offset")
        return found if isinstance(found, int) else 0

    def lines(self, path: str) -> int:
        """How many lines of a file were read."""
        found = self._files.get(path, {}).get("lines")
        return found if isinstance(found, int) else 0

    def is_read(self, path: str, size: int, inode: int, changed: float) -> bool:
        """Whether nothing happened to a file since it was read to its end."""
        cursor = self._files.get(path, {})
        same = cursor.get("size") == size and cursor.get("inode") == inode and cursor.get("changed") == changed
        return same and cursor.get("offset") == size

    def keep(self, path: str, file: BinaryIO, state: Mapping[str, Any], lines: int, status: os.stat_result) -> None:
        """Note how far a file was read."""
        offset = int(state["offset"])
        head, tail = file_marks(file, offset)
        self._files[path] = {
            "offset": offset, "size": status.st_size, "inode": status.st_ino, "changed": status.st_mtime,
            "head": head, "tail": tail, "lines": lines, "state": dict(state),
        }  # fmt: skip
        self._changed = True

    def stamp(self, name: str) -> int:
        """The newest change of an OpenCode session that was read."""
        found = self._files.get(name, {}).get("stamp")
        return found if isinstance(found, int) else 0

    def keep_stamp(self, name: str, stamp: int) -> None:
        """Note the newest change of an OpenCode session that was read."""
        self._files[name] = {"stamp": stamp}
        self._changed = True

    def save(self) -> None:
        """Put the cursors on disk, if any changed."""
        if self._changed:
            text = json.dumps({"v": VERSION, "files": self._files}, ensure_ascii=False)
            put_file(self._path, text.encode("utf-8", "surrogateescape"))
            self._changed = False


def _load_cursors(path: str) -> dict[str, dict[str, Any]]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    files = found.get("files") if isinstance(found, dict) and found.get("v") == VERSION else None
    if not isinstance(files, dict):
        return {}
    return {name: cursor for name, cursor in files.items() if isinstance(cursor, dict)}
