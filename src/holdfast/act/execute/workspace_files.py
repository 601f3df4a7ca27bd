"""Files of the workspace for a model: which paths it may name, what it reads, and changes made all or not at all."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from holdfast.act.execute.edit_log import EditLog, PathEdit
from holdfast.act.execute.patches import FilePatch, apply_hunks, read_patch
from holdfast.act.execute.text_files import (
    Binary,
    DecodedText,
    diff,
    escape_controls,
    read_text,
    replace_piece,
    rewrite_text,
    to_bytes,
)
from holdfast.act.execute.tree_sums import OTHERS, SKIPPED
from holdfast.core.errors import BadRequest, Conflict, HoldfastError, Refused
from holdfast.core.value import Value
from holdfast.project.git_ignore import IgnoreRuleStack, rules_above, rules_in
from holdfast.system.safe_fs import (
    FOLDER,
    LARGEST,
    FileOverLimit,
    FileSnapshot,
    NotThere,
    Parts,
    PathState,
    SafeFolder,
    file_state,
)

MOST_LINES = 2000
MOST_CHARACTERS = 60_000
LONGEST_LINE = 2000
MOST_LISTED = 500
MOST_MATCHES = 200
MOST_SEARCHED = 20_000
SEARCHED_BYTES = 32 * 1024 * 1024
LARGEST_SEARCHED = 1024 * 1024
LONGEST_PATH = 4096
LINES_AT_ONCE = 50_000
_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_REST = "…"
_RESERVED = frozenset((".git", ".holdfast"))

# A pattern and lines → the places that match; None where it cannot be used, or takes too long.
Match = Callable[[str, Sequence[str]], Sequence[int] | None]


class PathLeavesWorkspace(Refused):
    """A path that does not stay in the workspace."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path[:200]!r} is not inside the workspace.", "name a path below the workspace's root, without '..'."
        )


class Reserved(Refused):
    """A path that belongs to git or to Holdfast."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"'{path[:200]}' belongs to git or Holdfast; tools leave it alone.",
            "use the memory tool for memory, and a git command for git.",
        )


class WriteProtected(Refused):
    """A file that nobody may write."""

    def __init__(self, path: str, mode: int) -> None:
        super().__init__(f"'{path}' is read-only (mode {mode:04o}).", "leave it, or ask the user.")


class NoChange(BadRequest):
    """A change that changes nothing."""

    def __init__(self, path: str) -> None:
        super().__init__(f"'{path}' would stay as it is.", "check that the new text differs from the old one.")


class SlowPattern(BadRequest):
    """A pattern that cannot be searched for."""

    def __init__(self, pattern: str) -> None:
        super().__init__(
            f"The pattern {pattern[:100]!r} cannot be used, or takes too long.", "use a simpler regular expression."
        )


class PlannedWrite(Value):
    """One path as it is to be. `found`: the file that it replaces; `after` None: it goes; `mode` None: as it was."""

    path: str
    found: FileSnapshot | None
    after: bytes | None
    mode: int | None = None

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return diff(self.path, self.found.data if self.found else None, self.after)


class Files:
    """The files of one workspace."""

    def __init__(self, below: SafeFolder, log: EditLog, match: Match) -> None:
        self._below, self._log, self._match = below, log, match

    def parts(self, path: str, *, root: bool = False) -> Parts:
        """The names in a path that a model gave. Raises Outside, Reserved."""
        named = next((name for name in (self._below.named, self._below.root) if _is_below(path, name)), "")
        return parts_of(path, named or self._below.root, root=root)

    def read(self, path: str, offset: int = 1, limit: int = MOST_LINES) -> str:
        """Some lines of a file, numbered."""
        parts = self.parts(path)
        text = read_text(self._below.read(parts).data, "/".join(parts))
        lines = text.text.split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        shown, room = [], MOST_CHARACTERS
        for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], start=offset):
            cut = f"{line[:LONGEST_LINE]}… ({len(line)} characters)" if len(line) > LONGEST_LINE else line
            shown.append(f"{number}\t{escape_controls(cut)}")
            room -= len(shown[-1]) + 1
            if room <= 0:
                break
        if not shown:
            return f"(it has {len(lines)} lines)" if lines else "(the file is empty)"
        rest = len(lines) - (offset - 1 + len(shown))
        more = f"\n({rest} more lines; go on with offset {offset + len(shown)})" if rest > 0 else ""
        return "\n".join(shown) + more

    def listed(self, path: str = ".", depth: int = 1) -> str:
        """What is in a folder, folders with a `/`."""
        parts = self.parts(path, root=True)
        self._below.missing(parts)
        shown: list[str] = []
        for name, status in self._walk(parts, depth):
            if len(shown) >= MOST_LISTED:
                shown.append(f"(more than {MOST_LISTED}; name an inner folder)")
                break
            mode = status.st_mode
            mark = "/" if stat.S_ISDIR(mode) else "@" if stat.S_ISLNK(mode) else ""
            size = f"  {status.st_size} bytes" if stat.S_ISREG(mode) else "" if mark else "  (special)"
            shown.append(f"{_make_printable(name)}{mark}{size}")
        return "\n".join(shown) or "(empty)"

    def grep(self, pattern: str, path: str = ".", glob: str = "", *, ignore_case: bool = False) -> str:
        """Lines that match a regular expression, as `file:line: text`. Ignored files are not searched."""
        parts = self.parts(path, root=True)
        asked = f"(?i){pattern}" if ignore_case else pattern
        # Most patterns are plain words: they need no engine that might run away.
        plain = not ignore_case and not _SPECIAL.search(pattern)
        places: list[tuple[str, int, str]] = []
        left_out: list[str] = []
        for batch in self._batches(parts, glob, left_out):
            lines = [line for _, _, line in batch]
            found = _find_lines(pattern, lines) if plain else self._match(asked, lines)
            if found is None:
                raise SlowPattern(pattern)
            places += [batch[at] for at in found]
            if len(places) >= MOST_MATCHES:
                break
        lines = [
            f"{_make_printable(name)}:{number}: {escape_controls(text)[:400]}"
            for name, number, text in places[:MOST_MATCHES]
        ]
        more = [f"(the first {MOST_MATCHES}; narrow the pattern or the path)"] if len(places) >= MOST_MATCHES else []
        return "\n".join([*(lines or ["(nothing matches)"]), *more, *_describe_skipped(left_out)])

    # Changes

    def edited(self, path: str, old: str, new: str, *, every: bool = False) -> PlannedWrite:
        """A piece of a file replaced."""
        parts = self.parts(path)
        name = "/".join(parts)
        found = self._there(parts)
        text = replace_piece(read_text(found.data, name), old, new, name, every=every)
        return self._planned(name, found, to_bytes(text, name))

    def written(self, path: str, content: str, *, executable: bool | None = None) -> PlannedWrite:
        """A whole file, new or in the place of one."""
        parts = self.parts(path)
        name = "/".join(parts)
        found = self._writable(parts)
        old = read_text(found.data, name) if found is not None else DecodedText(text="")
        mode = None
        if executable is not None:
            had = found.state.mode if found is not None else _new_mode()
            mode = (had | (had & 0o444) >> 2) if executable else had & ~0o111
        return self._planned(name, found, to_bytes(rewrite_text(old, content), name), mode)

    def patched(self, text: str) -> tuple[PlannedWrite, ...]:
        """All files of a patch, as they are to be."""
        planned: dict[str, PlannedWrite] = {}
        for patch in read_patch(text):
            for each in self._of_patch(patch):
                if each.path in planned:
                    raise BadRequest(f"The patch names '{each.path}' twice.", "give one part for each file.")
                planned[each.path] = each
        return tuple(planned.values())

    def commit(self, planned: Sequence[PlannedWrite], *, task: str = "", tool: str = "", call: str = "") -> None:
        """Make changes: written down first, then made; all of them or none."""
        with self._log.turn:
            folders = self._new_folders(planned)
            changes = [_change(each) for each in planned]
            numbers = self._log.record([*folders, *changes], task=task, tool=tool, call=call)
            made: list[PathEdit] = []
            staged: dict[str, str] = {}
            try:
                for folder in folders:
                    self._below.make_folder(_parts(folder.path), folder.after.mode if folder.after else None)
                    made.append(folder)
                # All bytes are on the disk before the first file changes: a full disk shows here.
                for each, change in zip(planned, changes, strict=True):
                    if each.after is not None and change.after is not None:
                        staged[each.path] = self._below.stage(
                            _parts(each.path), each.after, mode=change.after.mode, was=_status_before(each)
                        )
                for each, change in zip(planned, changes, strict=True):
                    self._make(each, staged)
                    made.append(change)
            except BaseException:
                for path, temporary in staged.items():
                    self._below.unstage(_parts(path), temporary)
                self._take_back(made)
                self._log.void(numbers, [*folders, *changes])
                raise

    def _make(self, each: PlannedWrite, staged: dict[str, str]) -> None:
        parts = _parts(each.path)
        if each.after is None:
            self._unmoved(parts, each)
            self._below.remove(parts)
        else:
            self._below.place(parts, staged.pop(each.path), was=_status_before(each))

    def _unmoved(self, parts: Parts, each: PlannedWrite) -> None:
        if self._below.state(parts) != (each.found.state if each.found else None):
            raise Conflict(f"'{each.path}' changed meanwhile.", "read it again and redo the change.")

    def _take_back(self, made: Sequence[PathEdit]) -> None:
        for change in reversed(made):
            parts = _parts(change.path)
            if change.before is None:
                self._below.remove(parts)
            elif change.old is not None:
                self._below.put(parts, change.old, mode=change.before.mode, was=self._below.status(parts))

    def _new_folders(self, planned: Sequence[PlannedWrite]) -> list[PathEdit]:
        found: dict[str, PathEdit] = {}
        for each in planned:
            if each.after is not None and each.found is None:
                for parts in self._below.missing(_parts(each.path)[:-1]):
                    path = "/".join(parts)
                    found[path] = PathEdit(
                        path=path, before=None, after=PathState(kind=FOLDER, mode=_new_mode(folder=True))
                    )
        return list(found.values())

    def _of_patch(self, patch: FilePatch) -> Iterator[PlannedWrite]:
        if not patch.path:
            yield self._of_new(patch)
            return
        name = "/".join(self.parts(patch.path))
        found = self._there(self.parts(patch.path))
        if not patch.new_path:
            yield PlannedWrite(path=name, found=found, after=None)
            return
        to = "/".join(self.parts(patch.new_path))
        after = found.data
        if patch.hunks:
            text = read_text(found.data, name)
            new = apply_hunks(text.text, patch)
            after = to_bytes(DecodedText(text=new, encoding=text.encoding, mark=text.mark), name)
        mode = patch.mode
        if to == name:
            yield self._planned(name, found, after, mode)
            return
        if self._below.status(self.parts(to)) is not None:
            raise Conflict(f"'{to}' is there already.", "move the file to another name.")
        yield PlannedWrite(path=name, found=found, after=None)
        yield PlannedWrite(path=to, found=None, after=after, mode=found.state.mode if mode is None else mode)

    def _of_new(self, patch: FilePatch) -> PlannedWrite:
        parts = self.parts(patch.new_path)
        name = "/".join(parts)
        if self._below.status(parts) is not None:
            raise Conflict(f"'{name}' is there already.", "update it instead of adding it.")
        text = apply_hunks("", patch)
        mode = None if patch.mode is None else patch.mode & _new_mode(folder=True)
        return self._planned(name, None, to_bytes(DecodedText(text=text), name), mode)

    def _planned(self, name: str, found: FileSnapshot | None, after: bytes, mode: int | None = None) -> PlannedWrite:
        if len(after) > LARGEST:
            raise FileOverLimit(name, len(after))
        if found is not None and after == found.data and mode in {None, found.state.mode}:
            raise NoChange(name)
        return PlannedWrite(path=name, found=found, after=after, mode=mode)

    def _writable(self, parts: Parts) -> FileSnapshot | None:
        """The file that is to be written, or None where nothing is."""
        self._below.missing(parts[:-1])
        if self._below.status(parts) is None:
            return None
        found = self._below.read(parts)
        if not found.state.mode & 0o222:
            raise WriteProtected("/".join(parts), found.state.mode)
        return found

    def _there(self, parts: Parts) -> FileSnapshot:
        """The same, for a file that must be there."""
        found = self._writable(parts)
        if found is None:
            raise NotThere("/".join(parts))
        return found

    # Looking around

    def _walk(self, parts: Parts, depth: int) -> Iterator[tuple[str, os.stat_result]]:
        for name, status in self._below.names(parts):
            if name in OTHERS and stat.S_ISDIR(status.st_mode):
                continue
            yield name, status
            if stat.S_ISDIR(status.st_mode) and depth > 1 and name not in SKIPPED:
                for inner, inner_status in self._walk((*parts, name), depth - 1):
                    yield f"{name}/{inner}", inner_status

    def _batches(self, parts: Parts, glob: str, left_out: list[str]) -> Iterator[list[tuple[str, int, str]]]:
        """The lines of all files that are searched, so many at a time. What is not searched is named."""
        batch: list[tuple[str, int, str]] = []
        read = 0
        for name in self._searched(parts, left_out):
            if glob and not (fnmatchcase(name, glob) or PurePosixPath(name).match(glob)):
                continue
            text = self._text(name)
            if text is None:
                left_out.append(name)
                continue
            read += len(text)
            batch += [(name, number, line[:LONGEST_LINE]) for number, line in enumerate(text.split("\n"), start=1)]
            if len(batch) >= LINES_AT_ONCE:
                yield batch
                batch = []
            if read > SEARCHED_BYTES:
                left_out.append(_REST)
                break
        if batch:
            yield batch

    def _text(self, name: str) -> str | None:
        try:
            return read_text(self._below.read(_parts(name), LARGEST_SEARCHED).data, name).text
        except Binary:
            return ""
        except HoldfastError:
            return None

    def _searched(self, parts: Parts, left_out: list[str]) -> Iterator[str]:
        status = self._below.status(parts)
        if status is not None and stat.S_ISREG(status.st_mode):
            yield "/".join(parts)
            return
        rules = rules_above(self._below.root)
        for depth in range(len(parts)):
            above = "/".join(parts[:depth])
            rules = rules.below(above, rules_in(self._below.root, above))
        left: list[tuple[Parts, IgnoreRuleStack]] = [(parts, rules)]
        seen = 0
        while left:
            folder, ignored = left.pop()
            here = "/".join(folder)
            inner = ignored.below(here, rules_in(self._below.root, here))
            folders = []
            for name, found in self._below.names(folder):
                path = f"{here}/{name}" if here else name
                is_folder = stat.S_ISDIR(found.st_mode)
                if name in OTHERS or (is_folder and name in SKIPPED) or inner(path, folder=is_folder):
                    continue
                seen += 1
                if seen > MOST_SEARCHED:
                    left_out.append(_REST)
                    return
                if is_folder:
                    folders.append(((*folder, name), inner))
                elif stat.S_ISREG(found.st_mode):
                    yield path
            left += reversed(folders)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _describe_skipped(left_out: Sequence[str]) -> list[str]:
    """What was not searched, in one line."""
    names = [name for name in left_out if name != _REST]
    said = [f"not searched, too large or unreadable: {', '.join(map(_make_printable, names[:5]))}"] if names else []
    said += ["there are too many files: only a part was searched; name a folder"] if _REST in left_out else []
    return [f"({'; '.join(said)})"] if said else []


def _find_lines(word: str, lines: Sequence[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if word in line]


def parts_of(path: str, workspace: str, *, root: bool = False) -> Parts:
    """The names in a path below a workspace. Raises Outside, Reserved."""
    if not isinstance(path, str) or not path or "\0" in path or len(path) > LONGEST_PATH:
        raise PathLeavesWorkspace(str(path))
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise PathLeavesWorkspace(path.encode("ascii", "replace").decode()) from None
    inside = path
    if path.startswith("/"):
        if not _is_below(path, workspace):
            raise PathLeavesWorkspace(path)
        inside = path[len(workspace) :]
    found = tuple(part for part in inside.split("/") if part not in {"", "."})
    if ".." in found or (not found and not root):
        raise PathLeavesWorkspace(path)
    if any(part.casefold() in _RESERVED for part in found):
        raise Reserved(path)
    return found


def _parts(path: str) -> Parts:
    return tuple(path.split("/"))


def _status_before(each: PlannedWrite) -> os.stat_result | None:
    return each.found.status if each.found is not None else None


def _change(each: PlannedWrite) -> PathEdit:
    before = each.found.state if each.found is not None else None
    after = None
    if each.after is not None:
        had = before.mode if before is not None else _new_mode()
        after = file_state(each.after, had if each.mode is None else each.mode)
    return PathEdit(
        path=each.path, before=before, after=after, old=each.found.data if each.found else None, new=each.after
    )


_UMASK = re.compile(r"^Umask:\s*([0-7]+)", re.MULTILINE)


def _new_mode(*, folder: bool = False) -> int:
    """The permissions of a new file or folder: the user's umask counts."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            found = _UMASK.search(file.read())
    except OSError:
        found = None
    umask = int(found[1], 8) if found else 0o022
    return (0o777 if folder else 0o666) & ~umask


def _make_printable(name: str) -> str:
    return escape_controls(name.encode("utf-8", "replace").decode()).replace("\n", "\\n")
