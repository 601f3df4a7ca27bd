"""Whether the code that a memory cites still stands as it stood: read at the moment somebody is told of it."""

import json
import os
from stat import S_ISREG

from holdfast.core.memory import Citation, Entry, Scope
from holdfast.recall.citations.citation import LARGEST, span_of
from holdfast.recall.citations.drift import STALE, CitationState, find_drift_in_file

MOST_LOOKED = 16
FOLLOWED = os.path.join(".holdfast", "state", "followed.json")


class NotLookedAt(Exception):
    """Why a file is not looked at."""


def describe_drift(root: str, entry: Entry, base: str = "") -> str:
    """What became of the code that a memory of the workspace at `root` cites, in words; none where it stands.

    Lines that only moved are as they were. What cannot be looked at is not called changed. `base`: the folder around
    our files, where they are not in the workspace.
    """
    if not root or entry.scope is not Scope.WORKSPACE:
        return ""
    found = {_describe_citation_drift(root, citation, base or root) for citation in entry.memory.cites[:MOST_LOOKED]}
    return next((words for words in STALE.values() if words in found), "")


def _describe_citation_drift(root: str, citation: Citation, base: str) -> str:
    try:
        words = _describe_drift_in(root, citation, citation.path)
    except NotLookedAt:
        return ""
    went = load_moves(base).get(citation_name(citation)) if words else None
    if not went:
        return words
    try:
        return _describe_drift_in(root, citation, went)
    except NotLookedAt:
        return words


def _describe_drift_in(root: str, citation: Citation, path: str) -> str:
    content = read_cited_file(root, path)
    if content is None:
        return STALE[CitationState.MISSING]
    if not citation.sha256 or (citation.lines and span_of(citation.lines) is None):
        return ""
    return STALE.get(find_drift_in_file(citation, content).state, "")


def citation_name(citation: Citation) -> str:
    """What a citation is known by among those that were followed."""
    return f"{citation.sha256}:{citation.path}"


def load_moves(root: str) -> dict[str, str]:
    """Where code was found that is not in its file any more, by its citation's name; nothing where nobody looked.

    Looking through all files is too slow for every recall: who did look wrote it down here, and it is checked again.
    """
    try:
        kept = json.loads(read_cited_file(root, FOLLOWED) or b"{}")
    except (NotLookedAt, ValueError, RecursionError):
        return {}
    return {str(name): str(path) for name, path in kept.items()} if isinstance(kept, dict) else {}


def read_cited_file(root: str, path: str) -> bytes | None:
    """What a cited file holds; None when it is not there. Raises Unread."""
    inside = os.path.realpath(root)
    try:
        target = os.path.realpath(os.path.join(inside, path))
    except ValueError as error:
        raise NotLookedAt("its path is no path") from error
    if not target.startswith(inside + os.sep):
        raise NotLookedAt("it is outside the workspace")
    try:
        # Without O_NONBLOCK, a FIFO that somebody put there would have us wait for ever.
        fd = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise NotLookedAt(f"it cannot be read: {error.strerror}") from error
    try:
        seen = os.fstat(fd)
        if not S_ISREG(seen.st_mode):
            raise NotLookedAt("it is no file")
        if seen.st_size > LARGEST:
            raise NotLookedAt(f"it is larger than {LARGEST // 1024 // 1024} MiB")
        with open(fd, "rb", closefd=False) as file:
            return file.read(LARGEST)
    finally:
        os.close(fd)
