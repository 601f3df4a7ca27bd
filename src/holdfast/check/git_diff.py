"""What git says has changed in a workspace: the files, what they were, what they are to be, and which lines are new."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from holdfast.check.file_change import ProposedFile
from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.memory import Problem
from holdfast.core.value import Value
from holdfast.ecosystems.manifest_readers import is_manifest, may_be_included
from holdfast.system.git import GIT, OFFLINE

SECONDS = 120
LARGEST = 2 * 1024 * 1024
MOST_FILES = 20_000
WORKING, INDEX = "working", "index"
_DIFF = (
    "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--find-renames", "--ignore-submodules=all",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_FILTER = re.compile(r"^filter\.(.+)\.(?:clean|smudge|process)$", re.DOTALL)
_REGULAR = ("100644", "100755")


class NoRepository(BadRequest):
    """A diff was asked for where git knows nothing."""

    def __init__(self, folder: str, said: str) -> None:
        super().__init__(
            f"{folder!r} is in no git repository that git will read: {said}.",
            "name files instead: holdfast check PATH…; or run `git init`.",
        )


class UnknownRevision(BadRequest):
    """A revision that git does not know."""

    def __init__(self, revision: str, said: str) -> None:
        super().__init__(
            f"Git knows no revision {revision!r}: {said}.",
            "`git log --oneline` lists them; in CI, fetch the history (fetch-depth: 0).",
        )


class TooMuchChanged(BadRequest):
    """A diff of too many files."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} files changed; a check looks at {MOST_FILES} at most.", "name a nearer revision.")


class GitDiffFailed(Unavailable):
    """Git did not do what it was asked."""

    def __init__(self, said: str) -> None:
        super().__init__(f"Git did not answer: {said}.", "run `git status` here to see why.")


class Diff(Value):
    """The changes, and what of them could not be read."""

    changes: tuple[ProposedFile, ...]
    unread: tuple[Problem, ...]


def read_diff(workspace: str, revision: str = "", *, staged: bool = False) -> Diff:
    """What changed since a revision, in a range, or what is staged. Raises NoRepository, UnknownRevision."""
    git = Git(workspace)
    if revision.startswith("-") or "\0" in revision:
        raise UnknownRevision(revision, "that is no name of one")
    # Outside a repository `git diff` would compare two files, and complain of something else.
    git.asked("rev-parse", "--git-dir")
    words = ["--cached"] if staged else [revision]
    raw = git.asked(*_DIFF, "--raw", "-z", "--no-abbrev", *words, "--", revision=revision)
    rows = list(_rows(raw))
    if len(rows) > MOST_FILES:
        raise TooMuchChanged(len(rows))
    added = _find_added_lines(git.asked(*_DIFF, "--unified=0", *words, "--", revision=revision))
    reader = _Reader(workspace, git, rows)
    changes = [change for row in rows if (change := reader.change(row, added)) is not None]
    if not staged and ".." not in revision:
        changes += reader.untracked()
    return Diff(changes=tuple(changes), unread=tuple(reader.unread))


def list_tracked_paths(workspace: str, where: str) -> list[str]:
    """Every path that git tracks in the working tree (with those that it does not ignore), or in its index."""
    git = Git(workspace)
    words = ["ls-files", "-z", "--cached"] + (["--others", "--exclude-standard"] if where == WORKING else [])
    names = [os.fsdecode(name) for name in git.asked(*words).split(b"\0") if name]
    return [name for name in names if where == INDEX or os.path.lexists(os.path.join(workspace, name))]


def read_committed(workspace: str, paths: Iterable[str]) -> Mapping[str, str | None] | None:
    """The text of files in git's newest commit, None for those that are not in it; None where there is no commit."""
    git = Git(workspace)
    try:
        listed = git.asked("ls-tree", "-r", "-z", "--full-name", "HEAD", "--", ".")
        prefix = os.fsdecode(git.asked("rev-parse", "--show-prefix").rstrip(b"\n"))
    except (BadRequest, Unavailable):
        return None
    blobs: dict[str, str] = {}
    for row in listed.split(b"\0"):
        head, _, name = row.partition(b"\t")
        parts = head.split()
        if len(parts) == 3 and parts[1] == b"blob":
            blobs[os.fsdecode(name).removeprefix(prefix)] = parts[2].decode()
    wanted = list(paths)
    texts = git.blobs({blobs[path] for path in wanted if path in blobs})
    return {path: _text(texts.get(blobs.get(path, ""), b"")) if path in blobs else None for path in wanted}


class _Row(Value):
    """One line of `git diff --raw`."""

    status: str
    path: str
    old_path: str
    mode: str
    old_blob: str
    blob: str


class Git:
    """Git in one folder. No filter of the repository's own settings runs: only the user's may."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._off: tuple[str, ...] | None = None

    def asked(self, *words: str, revision: str = "") -> bytes:
        """What it prints. Raises NoRepository, UnknownRevision, GitFailed."""
        done = self._run([*GIT, *self._filters_off(), "-C", self._folder, *words], b"")
        if done.returncode == 0:
            return bytes(done.stdout)
        said = _first_error_line(done.stderr)
        if "not a git repository" in said.lower() or "dubious ownership" in said:
            raise NoRepository(self._folder, said)
        if revision:
            raise UnknownRevision(revision, said)
        raise GitDiffFailed(said)

    def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """Blobs by their names; those over the limit, or missing, are not there."""
        wanted = sorted(set(names) - {""})
        if not wanted:
            return {}
        sized = self._batch("--batch-check", wanted)
        fitting = [line.split()[0].decode() for line in sized.splitlines() if _fits(line)]
        found: dict[str, bytes] = {}
        out = self._batch("--batch", fitting)
        at = 0
        for name in fitting:
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[2])
            found[name] = out[end + 1 : end + 1 + size]
            at = end + 2 + size
        return found

    def _batch(self, how: str, names: list[str]) -> bytes:
        done = self._run([*GIT, "-C", self._folder, "cat-file", how], "".join(f"{n}\n" for n in names).encode())
        if done.returncode:
            raise GitDiffFailed(_first_error_line(done.stderr))
        return bytes(done.stdout)

    def _filters_off(self) -> tuple[str, ...]:
        if self._off is None:
            self._off = ()
            local = self._run([*GIT, "-C", self._folder, "config", "--local", "-z", "--name-only", "--list"], b"")
            names = {found[1] for key in local.stdout.split(b"\0") if (found := _FILTER.match(os.fsdecode(key)))}
            self._off = tuple(
                word
                for name in sorted(names)
                for key in ("clean", "process", "smudge")
                for word in ("-c", f"filter.{name}.{key}=")
            ) + tuple(word for name in sorted(names) for word in ("-c", f"filter.{name}.required=false"))
        return self._off

    def _run(self, command: list[str], given: bytes) -> Any:
        subprocess = import_module("subprocess")
        env = {**os.environ, **OFFLINE, "LC_ALL": "C"}
        try:
            return subprocess.run(command, input=given, capture_output=True, timeout=SECONDS, env=env)
        except FileNotFoundError as error:
            raise NoRepository(self._folder, "git is not installed") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitDiffFailed(str(error)) from error


class _Reader:
    """Turns rows into changes; each text is read once, and what cannot be read is noted."""

    def __init__(self, workspace: str, git: Git, rows: list[_Row]) -> None:
        self._workspace, self._git = workspace, git
        self.unread: list[Problem] = []
        old = {row.old_blob for row in rows if _is_compared(row.path) or _is_compared(row.old_path)}
        # In the working tree the new text is a file, and its blob is written as zeros.
        new = {row.blob for row in rows if row.status != "D" and row.mode in _REGULAR}
        self._blobs = git.blobs(name for name in old | new if name.strip("0"))

    def change(self, row: _Row, added: Mapping[str, frozenset[int]]) -> ProposedFile | None:
        """One file's change; None for what is no file (a link, a submodule)."""
        if row.status == "D":
            return ProposedFile(path=row.path, after=None, before=self._before(row), deleted=True)
        if row.mode not in _REGULAR:
            return None
        raw = self._blobs.get(row.blob) if row.blob.strip("0") else self._file(row.path)
        text = self._read(row.path, raw)
        new = row.status in {"A", "C", "R"}
        return ProposedFile(
            path=row.path, after=text, before=self._before(row), added=added.get(row.path, frozenset()), new=new
        )

    def untracked(self) -> Iterator[ProposedFile]:
        """Files that git neither knows nor ignores."""
        listed = self._git.asked("ls-files", "-z", "--others", "--exclude-standard")
        names = [os.fsdecode(name) for name in listed.split(b"\0") if name and not name.endswith(b"/")]
        if len(names) > MOST_FILES:
            raise TooMuchChanged(len(names))
        for name in names:
            if not os.path.islink(os.path.join(self._workspace, name)):
                yield ProposedFile(path=name, after=self._read(name, self._file(name)), new=True)

    def _before(self, row: _Row) -> str | None:
        return _text(self._blobs[row.old_blob]) if row.old_blob in self._blobs else None

    def _file(self, path: str) -> bytes | None:
        try:
            return read_file_within(self._workspace, path)
        except UnreadFile as error:
            self.unread.append(Problem(path=path, reason=str(error)))
            return None

    def _read(self, path: str, raw: bytes | None) -> str | None:
        if raw is None:
            if not any(problem.path == path for problem in self.unread):
                self.unread.append(Problem(path=path, reason=_TOO_LARGE))
            return None
        text = _text(raw)
        if text is None and (is_manifest(path) or b"\0" not in raw[:8000]):
            self.unread.append(Problem(path=path, reason="it is not UTF-8 text"))
        return text


def _is_compared(path: str) -> bool:
    """Whether it matters what a file said before."""
    return is_manifest(path) or may_be_included(path)


class UnreadFile(Exception):
    """Why a file is not read."""


_TOO_LARGE = f"it is larger than {LARGEST // 1024 // 1024} MiB"


def read_file_within(workspace: str, path: str) -> bytes:
    """What a file of the workspace holds. Raises UnreadFile: too large, no file, or by a link elsewhere."""
    whole = os.path.join(workspace, path)
    real, root = os.path.realpath(whole), os.path.realpath(workspace)
    if real != root and not real.startswith(root.rstrip(os.sep) + os.sep):
        raise UnreadFile("it is a link that leads out of the workspace")
    try:
        fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadFile(f"it cannot be read: {error.strerror}") from error
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadFile("it is no regular file")
        if found.st_size > LARGEST:
            raise UnreadFile(_TOO_LARGE)
        return file.read(LARGEST)


def text_of(raw: bytes) -> str | None:
    """Bytes as text; None for what is no UTF-8 text."""
    return _text(raw)


def _text(raw: bytes) -> str | None:
    if b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _rows(raw: bytes) -> Iterator[_Row]:
    parts = iter(raw.split(b"\0"))
    for head in parts:
        if not head.startswith(b":"):
            continue
        _, mode, old_blob, blob, status = head[1:].decode().split()
        path = os.fsdecode(next(parts))
        old_path = path
        if status[0] in "RC":
            path = os.fsdecode(next(parts))
        if status[0] == "R":
            # What was renamed is gone from where it was.
            yield _Row(status="D", path=old_path, old_path=old_path, mode="", old_blob=old_blob, blob="")
        yield _Row(status=status[0], path=path, old_path=old_path, mode=mode, old_blob=old_blob, blob=blob)


def _find_added_lines(patch: bytes) -> dict[str, frozenset[int]]:
    """The numbers of the new lines of each file, by counting through the hunks: no line's text can pass for a head."""
    found: dict[str, set[int]] = {}
    path = ""
    lines = iter(patch.split(b"\n"))
    for line in lines:
        hunk = _HUNK.match(line)
        if line.startswith(b"diff --git "):
            path = ""
        elif line.startswith(b"+++ ") and not path:
            path = _unquote_path(line[4:].rstrip(b"\r\t"))
            found.setdefault(path, set())
        elif hunk and path:
            removed, start, many = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            found[path].update(range(start, start + many))
            left = removed + many
            while left:
                left -= not next(lines, b"").startswith(b"\\")
    return {name: frozenset(numbers) for name, numbers in found.items()}


_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def _unquote_path(name: bytes) -> str:
    """A path as git writes it after `+++ `: plain, or in quotes with C's escapes."""
    if name.startswith(b'"') and name.endswith(b'"'):
        name = re.sub(
            rb"\\([0-7]{3}|.)",
            lambda found: bytes([int(found[1], 8)]) if len(found[1]) == 3 else _ESCAPES.get(found[1], found[1]),
            name[1:-1],
        )
    return os.fsdecode(name.removeprefix(b"b/"))


def _fits(line: bytes) -> bool:
    parts = line.split()
    return len(parts) == 3 and parts[1] == b"blob" and int(parts[2]) <= LARGEST


def _first_error_line(raw: bytes) -> str:
    first = next(iter(raw.decode(errors="replace").strip().splitlines()), "no reason given")
    return first.removeprefix("fatal: ").removeprefix("warning: ").rstrip(".")[:300]
