"""The whole tree as it stands, by sums: what a command changed is what differs from what was expected."""

import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.project.git_ignore import IgnoreRuleStack, rules_above, rules_in
from holdfast.system.safe_fs import (
    FILE,
    FOLDER,
    LARGEST,
    Parts,
    PathState,
    SafeFolder,
    file_state,
    large_file_state,
    link_state,
)
from holdfast.system.safe_write import TEMPORARY

MOST_ENTRIES = 100_000
DEEPEST = 100
MOST_KEPT = 256 * 1024 * 1024
CACHE = "cache"
# What belongs to others, and folders that tools fill and can fill again.
OTHERS = frozenset((".git", ".holdfast", ".hg", ".svn"))
SKIPPED = frozenset((
    "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache"
))  # fmt: skip
# Clocks of file systems tick this slowly at worst: a file that is younger may change and keep its times.
_TICK = 0.05

_CACHE = PathState(kind=CACHE, mode=0)

Keep = Callable[[bytes, str], None]
Mark = tuple[int, ...]


class TreeTooLarge(HoldfastError):
    """A tree that is not looked through."""

    def __init__(self) -> None:
        super().__init__(f"The workspace has more than {MOST_ENTRIES} files.", "commands in it cannot be undone.")


class PathDifference(Value):
    """What stood at a path and what stands there now."""

    path: str
    before: PathState | None
    after: PathState | None


class Tree:
    """What is expected at every path, and the folders that are not looked into, for as long as a run lasts."""

    def __init__(self, below: SafeFolder, keep: Keep) -> None:
        self._below, self._keep = below, keep
        self.expected: dict[str, PathState] = {}
        self.skipped: set[str] = set()
        self.begun = False
        self._marks: dict[str, Mark] = {}
        self._folders: set[str] = set()
        self._kept = 0
        self._full = False

    @property
    def notes(self) -> list[str]:
        """What could not be kept, in words."""
        said = (
            f"the workspace has more than {MOST_KEPT >> 20} MiB: not every file that a command changes can be restored"
        )
        return [said] if self._full else []

    def load(self, expected: Mapping[str, PathState], skipped: Iterable[str]) -> None:
        """Go on from what was expected before a break."""
        self.expected, self.skipped, self.begun = dict(expected), set(skipped), True

    def set(self, path: str, state: PathState | None) -> None:
        """Expect something else at a path: we put it there."""
        if not self.begun:
            return
        self._marks.pop(path, None)
        if state is None:
            self.expected.pop(path, None)
        else:
            self.expected[path] = state

    def differences(self) -> list[PathDifference]:
        """What differs from what was expected, and is from now on. The first look finds nothing. Raises TooMany."""
        found: dict[str, PathState] = {}
        self._folders = {path for path, state in self.expected.items() if state.kind == FOLDER}
        self._walk(found)
        before, first, self.begun = self.expected, not self.begun, True
        # What is newly left out did not vanish.
        for path, state in before.items() if self.skipped else ():
            if path not in found and self._left_out(path.rpartition("/")[0]):
                found[path] = state
        self.expected = found
        if first:
            return []
        paths = sorted(compare_trees(before, found))
        return [PathDifference(path=path, before=before.get(path), after=found.get(path)) for path in paths]

    def _left_out(self, path: str) -> bool:
        parts = path.split("/") if path else []
        return any("/".join(parts[:end]) in self.skipped for end in range(1, len(parts) + 1))

    def _walk(self, found: dict[str, PathState]) -> None:
        left: list[tuple[Parts, IgnoreRuleStack]] = [((), rules_above(self._below.root))]
        while left:
            parts, ignored = left.pop()
            here = "/".join(parts)
            names = self._names(parts, here)
            rules = ignored.below(here, rules_in(self._below.root, here)) if names else ignored
            for name, status in names:
                if name.startswith(TEMPORARY):
                    continue
                path = f"{here}/{name}" if here else name
                if len(found) > MOST_ENTRIES:
                    raise TreeTooLarge
                if not stat.S_ISDIR(status.st_mode):
                    state = self._state((*parts, name), path, status)
                    if state is not None:
                        found[path] = state
                elif name not in OTHERS:
                    skips = self._skips(path, name, rules)
                    found[path] = _CACHE if skips else PathState(kind=FOLDER, mode=stat.S_IMODE(status.st_mode))
                    left += [] if skips else [((*parts, name), rules)]

    def _names(self, parts: Parts, here: str) -> list[tuple[str, os.stat_result]]:
        try:
            return self._below.names(parts) if len(parts) <= DEEPEST else []
        except HoldfastError:
            # Gone meanwhile, or not ours to read: what is in it stays out of this run's account.
            self.skipped.add(here)
            return []

    def _skips(self, path: str, name: str, rules: IgnoreRuleStack) -> bool:
        # A folder that was looked into once stays so, whatever is ignored later; and the other way round.
        ignored = path not in self._folders and rules(path, folder=True)
        if name in SKIPPED or ignored:
            self.skipped.add(path)
        return path in self.skipped

    def _state(self, parts: Parts, path: str, status: os.stat_result) -> PathState | None:
        mark = _mark(status)
        known = self.expected.get(path)
        if known is not None and self._marks.get(path) == mark:
            return known
        self._marks.pop(path, None)
        if not stat.S_ISREG(status.st_mode):
            return self._below.state(parts)
        if status.st_size > LARGEST:
            return large_file_state(status)
        try:
            read = self._below.read(parts)
        except HoldfastError:
            return large_file_state(status) if self._below.status(parts) is not None else None
        if _mark(read.status) == mark and time.time() - status.st_ctime > _TICK:
            self._marks[path] = mark
        state = file_state(read.data, read.status.st_mode)
        if known is None or known.sha256 != state.sha256:
            self._keep_bytes(read.data, state)
        return state

    def _keep_bytes(self, data: bytes, state: PathState) -> None:
        if self._kept + len(data) > MOST_KEPT:
            self._full = True
            return
        self._kept += len(data)
        self._keep(data, state.sha256)


def compare_trees(one: Mapping[str, PathState], other: Mapping[str, PathState]) -> list[str]:
    """The paths at which two trees differ. Most states are the very same object: that is looked at first."""
    gone = [path for path in one if path not in other]
    return gone + [
        path for path, state in other.items() if (had := one.get(path)) is not state and (had is None or had != state)
    ]


def state_json(state: PathState | None) -> dict[str, object] | None:
    """A state for the log."""
    if state is None:
        return None
    form: dict[str, object] = {"kind": state.kind, "mode": f"{state.mode:04o}"}
    if state.kind == FILE:
        form |= {"size": state.size, **({"sha256": state.sha256} if state.sha256 else {"stamp": state.stamp})}
    return form | ({"target": state.target} if state.target else {})


def parse_state(form: object) -> PathState | None:
    """A state from the log. Raises ValueError for what is none."""
    if form is None:
        return None
    if not isinstance(form, dict):
        raise ValueError(form)
    if form["kind"] == "link":
        return link_state(str(form["target"]))
    return PathState(
        kind=str(form["kind"]), mode=int(str(form["mode"]), 8), sha256=str(form.get("sha256", "")),
        size=int(form.get("size", 0)), stamp=str(form.get("stamp", "")),
    )  # fmt: skip


def _mark(status: os.stat_result) -> Mark:
    return (
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode
    )  # fmt: skip
