"""What is in a folder: looked at from the top down, within bounds, without what git leaves out and without links."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from holdfast.core.plain_text import one_line
from holdfast.core.value import Value
from holdfast.project.git_ignore import NAME, IgnoreRuleStack, rules_above, rules_in

# Made by tools, and large: looked into by nobody, whether or not git leaves them out.
SKIPPED = frozenset({
    ".git", ".hg", ".svn", ".jj", ".holdfast", "node_modules", "bower_components", ".venv", "venv", "__pycache__",
    ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".tox", ".nox", ".gradle", ".idea", ".next",
    ".nuxt", ".svelte-kit", ".turbo", ".terraform", ".DS_Store", ".eggs", ".cache",
})  # fmt: skip
# What stands here shows or tests something; it is not what the project is.
ASIDE = frozenset({
    "test", "tests", "testing", "testdata", "__tests__", "spec", "fixtures", "example", "examples", "sample", "samples",
    "demo", "demos", "doc", "docs", "template", "templates", "vendor", "third_party", "thirdparty", "external", "deps",
    "bench", "benches", "benchmark", "benchmarks", "build", "dist", "target", "out",
})  # fmt: skip
LONGEST_NAME = 120
# After so many names the clock is looked at.
IN_TIME = 100


class ScanLimits(Value):
    """How far one looks. `seconds` is there for disks that hang; the others come first on those that do not."""

    folders: int = 1_200
    entries: int = 30_000
    in_folder: int = 20_000
    inner: int = 100
    depth: int = 8
    seconds: float = 0.6


class ScannedFolder(Value):
    """What one folder holds, by name. `cut`: there was more; `unread`: it could not be read."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    cut: bool = False
    unread: bool = False


class FolderListing(Value):
    """The folders looked into, by their path from the root, which is an empty text; nearest first."""

    folders: Mapping[str, ScannedFolder]
    cut: bool = False

    def named(self, wanted: Callable[[str], object], *, aside: bool = True) -> Iterator[str]:
        """The paths of files whose names are wanted, nearest first; `aside`: also of those that stand aside."""
        for path, folder in self.folders.items():
            if aside or not is_supporting_file(f"{path}/"):
                yield from (f"{path}/{name}" if path else name for name in folder.files if wanted(name))

    def has(self, path: str) -> bool:
        """Whether a file was seen."""
        folder, _, name = path.rpartition("/")
        return folder in self.folders and name in self.folders[folder].files

    def in_folder(self, path: str) -> ScannedFolder:
        """What a folder holds; nothing where it was not looked into."""
        return self.folders.get(path, ScannedFolder())


DEFAULT = ScanLimits()


def list_folder(root: str, bounds: ScanLimits = DEFAULT) -> FolderListing:
    """What a folder holds, breadth first and by name."""
    walk = _Walk(root, bounds)
    return FolderListing(folders=walk.found, cut=walk.cut)


class _Walk:
    """One look at a folder, with what is left of its bounds."""

    def __init__(self, root: str, bounds: ScanLimits) -> None:
        self.found: dict[str, ScannedFolder] = {}
        self.cut = False
        self._root = os.path.realpath(root)
        self._bounds = bounds
        self._entries = 0
        self._end = time.monotonic() + bounds.seconds
        waiting = deque([("", 0, rules_above(self._root))])
        while waiting:
            path, depth, ignored = waiting.popleft()
            if len(self.found) >= bounds.folders or self._entries >= bounds.entries or time.monotonic() > self._end:
                self.cut = True
                return
            folder, here = self._look(path, ignored)
            self.found[path] = folder
            inner = folder.folders[: bounds.inner] if depth < bounds.depth else ()
            self.cut = self.cut or len(inner) < len(folder.folders) or folder.cut
            waiting.extend((f"{path}/{name}" if path else name, depth + 1, here) for name in inner)

    def _look(self, path: str, ignored: IgnoreRuleStack) -> tuple[ScannedFolder, IgnoreRuleStack]:
        try:
            names, cut = self._names(path)
        except OSError:
            return ScannedFolder(unread=True), ignored
        if NAME in names:
            ignored = ignored.below(path, rules_in(self._root, path))
        kept: dict[bool, list[str]] = {True: [], False: []}
        for number, name in enumerate(sorted(names)):
            is_folder = names[name]
            if number % IN_TIME == IN_TIME - 1 and time.monotonic() > self._end:
                cut = True
                break
            if not ignored(f"{path}/{name}" if path else name, folder=is_folder):
                kept[is_folder].append(name)
        return ScannedFolder(folders=tuple(kept[True]), files=tuple(kept[False]), cut=cut), ignored

    def _names(self, path: str) -> tuple[dict[str, bool], bool]:
        """The names in a folder, each with whether it is a folder. Links and special files are none of ours."""
        names: dict[str, bool] = {}
        with os.scandir(os.path.join(self._root, path)) as inside:
            for entry in islice(inside, self._bounds.in_folder):
                self._entries += 1
                if entry.name in SKIPPED or len(entry.name) > LONGEST_NAME * 2:
                    continue
                if (is_folder := _is_folder(entry)) is not None:
                    names[entry.name] = is_folder
            return names, next(inside, None) is not None


def _is_folder(entry: os.DirEntry[str]) -> bool | None:
    try:
        if entry.is_dir(follow_symlinks=False):
            return True
        return False if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return None


def is_supporting_file(path: str) -> bool:
    """Whether a file stands among tests, examples, documents or other people's code."""
    return any(part.lower() in ASIDE for part in path.split("/")[:-1])


class TreeDrawLimits(Value):
    """How much of a listing is drawn: lines in all, and in one folder by how deep it lies."""

    lines: int = 160
    by_depth: tuple[int, ...] = (60, 16, 12, 8)


SHOWN = TreeDrawLimits()


def draw_tree(found: FolderListing, shown: TreeDrawLimits = SHOWN) -> str:
    """A listing as an indented tree: what is nearest gets its lines first, sources before tests and documents."""
    rows = _choose_rows(found, shown)
    lines: list[str] = []
    _draw(found, rows, "", 0, lines)
    return "\n".join(lines)


def _choose_rows(found: FolderListing, shown: TreeDrawLimits) -> dict[str, tuple[int, int]]:
    """How many folders and files of each folder are drawn."""
    chosen: dict[str, tuple[int, int]] = {}
    left = shown.lines
    waiting = deque([("", 0)])
    while waiting and left > 0:
        path, depth = waiting.popleft()
        folder = found.in_folder(path)
        room = min(left, shown.by_depth[depth])
        folders = min(len(folder.folders), max(room - len(folder.files), room * 2 // 3))
        files = min(len(folder.files), room - folders)
        chosen[path] = (folders, files)
        left -= folders + files
        if depth + 1 < len(shown.by_depth):
            inner = sorted(folder.folders[:folders], key=lambda name: (name.lower() in ASIDE, name.startswith(".")))
            waiting.extend((f"{path}/{name}" if path else name, depth + 1) for name in inner)
    return chosen


def _draw(found: FolderListing, rows: Mapping[str, tuple[int, int]], path: str, depth: int, lines: list[str]) -> None:
    if path not in rows:
        return
    folder, (folders, files), indent = found.in_folder(path), rows[path], "  " * depth
    for name in folder.folders[:folders]:
        inner = f"{path}/{name}" if path else name
        lines.append(f"{indent}{escape_name(name)}/{_describe_folder(found, rows, inner)}")
        _draw(found, rows, inner, depth + 1, lines)
    lines.extend(f"{indent}{escape_name(name)}" for name in folder.files[:files])
    more = len(folder.folders) + len(folder.files) - folders - files
    if more or folder.cut:
        lines.append(f"{indent}… {more:,} more" if not folder.cut else f"{indent}… many more")


def _describe_folder(found: FolderListing, rows: Mapping[str, tuple[int, int]], path: str) -> str:
    """What is said of a folder whose inside is not drawn."""
    if path in rows and not found.in_folder(path).unread:
        return ""
    if path not in found.folders:
        return " …"
    folder = found.folders[path]
    if folder.unread:
        return " (cannot be read)"
    return f" ({len(folder.folders) + len(folder.files):,} inside)"


def escape_name(name: str) -> str:
    """A name that stays on its line and steers nothing."""
    plain = one_line(name)
    return plain if len(plain) <= LONGEST_NAME else f"{plain[:LONGEST_NAME]}…"
