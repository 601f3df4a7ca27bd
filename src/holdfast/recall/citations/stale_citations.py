"""Whether the code that a memory cites still stands as it stood: read at the moment somebody is told of it."""

import json
import os
from stat import S_ISREG

from holdfast.core.memory import Citation, Entry, Scope
from holdfast.recall.citations.citation import LARGEST, span_of
from holdfast.recall.citations.drift import STALE, State, within

MOST_LOOKED = 16
FOLLOWED = os.path.join(".holdfast", "state", "followed.json")


class Unread(Exception):
    """Why a file is not looked at."""


def is_stale(root: str, entry: Entry) -> bool:
    """Whether code that a memory of the workspace at `root` cites was changed or is gone."""
    return bool(drifted(root, entry))


def drifted(root: str, entry: Entry) -> str:
    """What became of the code that a memory of the workspace at `root` cites, in words; none where it stands.

    Lines that only moved are as they were. What cannot be looked at is not called changed.
    """
    if not root or entry.scope is not Scope.WORKSPACE:
        return ""
    found = {_drifted(root, citation) for citation in entry.memory.cites[:MOST_LOOKED]}
    return next((words for words in STALE.values() if words in found), "")


def _drifted(root: str, citation: Citation) -> str:
    try:
        words = _in_file(root, citation, citation.path)
    except Unread:
        return ""
    went = followed(root).get(name_of(citation)) if words else None
    if not went:
        return words
    try:
        return _in_file(root, citation, went)
    except Unread:
        return words


def _in_file(root: str, citation: Citation, path: str) -> str:
    content = read(root, path)
    if content is None:
        return STALE[State.GONE]
    if not citation.sha256 or (citation.lines and span_of(citation.lines) is None):
        return ""
    return STALE.get(within(citation, content).state, "")


def name_of(citation: Citation) -> str:
    """What a citation is known by among those that were followed."""
    return f"{citation.sha256}:{citation.path}"


def followed(root: str) -> dict[str, str]:
    """Where code was found that is not in its file any more, by its citation's name; nothing where nobody looked.

    Looking through all files is too slow for every recall: who did look wrote it down here, and it is checked again.
    """
    try:
        kept = json.loads(read(root, FOLLOWED) or b"{}")
    except (Unread, ValueError, RecursionError):
        return {}
    return {str(name): str(path) for name, path in kept.items()} if isinstance(kept, dict) else {}


def read(root: str, path: str) -> bytes | None:
    """What a cited file holds; None when it is not there. Raises Unread."""
    inside = os.path.realpath(root)
    try:
        target = os.path.realpath(os.path.join(inside, path))
    except ValueError as error:
        raise Unread("its path is no path") from error
    if not target.startswith(inside + os.sep):
        raise Unread("it is outside the workspace")
    try:
        # Without O_NONBLOCK, a FIFO that somebody put there would have us wait for ever.
        fd = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unread(f"it cannot be read: {error.strerror}") from error
    try:
        seen = os.fstat(fd)
        if not S_ISREG(seen.st_mode):
            raise Unread("it is no file")
        if seen.st_size > LARGEST:
            raise Unread(f"it is larger than {LARGEST // 1024 // 1024} MiB")
        with open(fd, "rb", closefd=False) as file:
            return file.read(LARGEST)
    finally:
        os.close(fd)
