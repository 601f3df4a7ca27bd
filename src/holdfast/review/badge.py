"""How much waits for review, for a status line: counted from the files themselves, in a cold process, within moments.

No index is opened and next to nothing imported. The count is kept in `state/badge` for as long as the folder of
candidates does not change. Memories that contradict each other were found by `status` and `check`: a pair of
`state/conflicts/files` counts while both of its files are as they were then.
"""

import os
import time

from holdfast.core.home import FOLDER, find_workspace

CACHE = os.path.join("state", "badge")
CONFLICTS = os.path.join("state", "conflicts", "files")
EXPIRED = os.path.join("state", "expired")
MOST_FILES = 2000
MOST_BYTES = 16 * 1024
# A folder that changed this lately may change again within the same tick of the clock.
SETTLED_NS = 2_000_000_000
_WAITS = (b"status: candidate", b'status: "candidate"', b"status: 'candidate'")


class ReviewBadge:
    """What waits in a workspace, whose path is empty outside any; `more`: there were too many files to count.

    `conflicts`: pairs of memories that contradict each other.
    """

    __slots__ = ("conflicts", "more", "waiting", "workspace")

    def __init__(self, workspace: str = "", waiting: int = 0, *, more: bool = False, conflicts: int = 0) -> None:
        self.workspace, self.waiting, self.more, self.conflicts = workspace, waiting, more, conflicts

    @property
    def words(self) -> str:
        """`3 to review, 1 conflict`; nothing when nothing waits."""
        waiting = f"{self.waiting}{'+' if self.more else ''} to review" if self.waiting else ""
        clashing = f"{self.conflicts} conflict{'s' if self.conflicts > 1 else ''}" if self.conflicts else ""
        return ", ".join(filter(None, (waiting, clashing)))


def read_badge(start: str) -> ReviewBadge:
    """What waits in the workspace around a folder. Never raises: a prompt must come whatever happens."""
    try:
        workspace = find_workspace(start)
        if not workspace:
            return ReviewBadge()
        folder = os.path.join(workspace, FOLDER)
        waiting, more = _count_waiting(folder)
        return ReviewBadge(workspace, waiting, more=more, conflicts=_count_conflicts(folder))
    except Exception:  # see above
        return ReviewBadge()


def save_conflicts(folder: str, pairs: list[tuple[str, str]]) -> None:
    """Note the files of memories that contradict each other, two a line, each with its stamp."""
    lines = [f"{_stamp(one)}\t{_stamp(other)}\n" for one, other in pairs if not set("\t\n") & set(one + other)]
    _keep(os.path.join(folder, CONFLICTS), os.fsencode("".join(lines)))


def save_expired(folder: str, paths: list[str]) -> None:
    """Note the files of candidates that left the queue by their time, each with its stamp."""
    lines = sorted(f"{_stamp(os.path.join(folder, path))}\n" for path in paths if not set("\t\n") & set(path))
    told = os.fsencode("".join(lines))
    if told != _read(os.path.join(folder, EXPIRED)):
        _keep(os.path.join(folder, EXPIRED), told)
        # The count that is kept was made with the ones noted before.
        _keep(os.path.join(folder, CACHE), b"")


def _read_expired(folder: str) -> frozenset[str]:
    return frozenset(os.fsdecode(_read(os.path.join(folder, EXPIRED))).split("\n")[:-1])


def _count_conflicts(folder: str) -> int:
    lines = os.fsdecode(_read(os.path.join(folder, CONFLICTS))).split("\n")[:-1]
    return sum(all(_stamp(each.split(" ", 2)[-1]) == each for each in line.split("\t")) for line in lines)


def _stamp(path: str) -> str:
    try:
        found = os.lstat(path)
    except OSError:
        return f"- - {path}"
    return f"{found.st_mtime_ns} {found.st_size} {path}"


def _count_waiting(folder: str) -> tuple[int, bool]:
    place = os.path.join(folder, "candidates")
    try:
        stamp = os.lstat(place)
    except OSError:
        return 0, False
    key = f"{stamp.st_ino} {stamp.st_mtime_ns}"
    kept = _read(os.path.join(folder, CACHE)).split(b"\n")
    if len(kept) > 2 and kept[0] == key.encode() and kept[1].isdigit():
        return int(kept[1]), kept[2] == b"+"
    count, more = _count_candidates(place)
    if time.time_ns() - stamp.st_mtime_ns > SETTLED_NS:
        _keep(os.path.join(folder, CACHE), f"{key}\n{count}\n{'+' if more else ''}\n".encode())
    return count, more


def _count_candidates(place: str) -> tuple[int, bool]:
    """Entries of status `candidate` in the files of a folder, and whether there were too many to look at."""
    left = _read_expired(os.path.dirname(place))
    with os.scandir(place) as inside:
        names = [each.name for each in inside if each.name.endswith(".md") and each.name[0] not in "._"]
    names = [name for name in names if _stamp(os.path.join(place, name)) not in left]
    return sum(_count_waiting_entries(os.path.join(place, name)) for name in names[:MOST_FILES]), len(
        names
    ) > MOST_FILES


def _count_waiting_entries(path: str) -> int:
    """How many entries of a file wait: by the lines of its frontmatter, where each begins and ends with `---`."""
    waiting, inside = 0, False
    for line in _read(path).split(b"\n"):
        bare = line.rstrip()
        if bare == b"---":
            inside = not inside
        elif inside and bare.startswith(_WAITS):
            waiting += 1
    return waiting


def _read(path: str) -> bytes:
    """The beginning of a file; nothing for a link, or where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, MOST_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _keep(path: str, data: bytes) -> None:
    """Put the count beside, whole; without it, the next look only takes longer."""
    temporary = f"{path}.{os.getpid()}"
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except OSError:
        return
