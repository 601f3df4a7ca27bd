"""What git remembers: the versions of a memory, followed by its id, and where files went."""

import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from typing import Any

from holdfast.core.memory import Entry, Memory, Scope
from holdfast.core.value import Value, replace
from holdfast.system.git import GIT, OFFLINE
from holdfast.vault.parse_memory import parse

SECONDS = 20
MOST_COMMITS = 5_000
MOST_VERSIONS = 500
MOST_FILES = 2_000
LARGEST = 2 * 1024 * 1024
MOST_HOPS = 5
_LOG = (
    "log", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
    "--encoding=UTF-8", "--no-notes", "--no-decorate", "--no-abbrev", "-z",
)  # fmt: skip
_FORM = "--format=%H%x1f%cI%x1f%aI%x1f%an%x1f%s"
_ROW_END = 2


class MemoryVersion(Value):
    """A memory as a commit left it; None where the commit took it away, or `held_back`. `sha256` is its file's."""

    commit: str
    committed: str
    authored: str
    author: str
    subject: str
    path: str = ""
    sha256: str = ""
    memory: Memory | None = None
    held_back: bool = False


class MemoryVersions(Value):
    """What git knows of a memory, newest first. `why`: it could not be asked, or knows less than there was."""

    found: tuple[MemoryVersion, ...] = ()
    why: str = ""


class _Row(Value):
    """What a commit did to one file."""

    status: str
    path: str
    old: tuple[str, ...]
    new: str


class _Commit(Value):
    """A commit and the files that it touched."""

    head: Sequence[str]
    rows: tuple[_Row, ...]


class Repository:
    """Git in one folder, asked so that no setting, hook or driver of the repository can run or fetch anything."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def files(self, most: int) -> list[str] | None:
        """The files that git tracks or does not ignore; None where git cannot be asked."""
        listed = self._asked("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        if listed is None:
            return None
        return list(dict.fromkeys(os.fsdecode(name) for name in listed.split(b"\0") if name))[:most]

    def renamed(self, path: str) -> str:
        """Where a file that is gone went by the commits that renamed it; an empty text when none did."""
        at = path
        for _ in range(MOST_HOPS):
            gone = self._asked(*_LOG, "-n1", "--diff-filter=D", "--no-renames", "--format=%H", "--", at)
            commit = (gone or b"").split(b"\0")[0].strip().decode("ascii", "replace")
            if not commit:
                break
            rows = self._asked(
                "diff-tree",
                "-r",
                "-z",
                "-M",
                "--relative",
                "--diff-filter=R",
                "--name-status",
                "--no-commit-id",
                commit,
            )
            after = _new_name(rows or b"", at)
            if not after:
                break
            at = after
            if os.path.lexists(os.path.join(self._folder, at)):
                return at
        return ""

    def versions(self, memory_id: str, path: str, below: str) -> MemoryVersions:
        """Every version of a memory that git has, wherever its entry stood below a folder. `path`: where it is now."""
        if self._asked("rev-parse", "--git-dir") is None:
            return MemoryVersions(why="there is no git repository here, or git is not installed")
        words = (*_LOG, _FORM, "--relative", "-c", "--raw", "--no-renames", f"-n{MOST_COMMITS}", "--", below)
        logged = self._asked(*words)
        if logged is None:
            unborn = self._asked("rev-parse", "--verify", "--quiet", "HEAD") is None
            return MemoryVersions(why="nothing is committed yet" if unborn else "git did not answer")
        commits = list(_commits(logged))
        known = {path, *self._of_now(memory_id, below, commits)}
        found = _MemoryFollower(self, memory_id, known).versions(commits)
        return MemoryVersions(found=tuple(found[:MOST_VERSIONS]), why=self._less(found))

    def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """Blobs by their names; those that are too large, or not here, are left out."""
        wanted = [name for name in dict.fromkeys(names) if name.strip("0")]
        sized = self._asked("cat-file", "--batch-check", given=_lines(wanted)) or b""
        fitting = [line.split()[0].decode() for line in sized.splitlines() if _fits(line)]
        out = self._asked("cat-file", "--batch", given=_lines(fitting)) or b"" if fitting else b""
        found: dict[str, bytes] = {}
        at = 0
        for name in fitting:
            end = out.find(b"\n", at)
            if end < 0:
                break
            size = int(out[at:end].split()[2])
            found[name] = out[end + 1 : end + 1 + size]
            at = end + size + _ROW_END
        return found

    def _of_now(self, memory_id: str, below: str, commits: Sequence[_Commit]) -> set[str]:
        """The files that are or were named for the id; where there is none, those of the newest commit that hold it."""
        begin = memory_id.casefold()
        paths = {row.path for commit in commits for row in commit.rows}
        named = {path for path in paths if _stem(path) == begin or _stem(path).startswith(f"{begin}-")}
        if named:
            return named
        listed = self._asked("ls-tree", "-r", "-z", "HEAD", "--", below) or b""
        rows = [row.partition(b"\t") for row in listed.split(b"\0") if row][:MOST_FILES]
        blobs = {os.fsdecode(name): head.split()[2].decode() for head, _, name in rows if b" blob " in head}
        texts = self.blobs(blobs.values())
        return {path for path, blob in blobs.items() if holds_id(texts.get(blob, b""), memory_id)}

    def _less(self, found: Sequence[MemoryVersion]) -> str:
        if len(found) > MOST_VERSIONS:
            return f"only the last {MOST_VERSIONS} versions are shown"
        shallow = (self._asked("rev-parse", "--is-shallow-repository") or b"").strip() == b"true"
        return "the clone is shallow: older versions are not here (`git fetch --unshallow`)" if shallow else ""

    def _asked(self, *words: str, given: bytes = b"") -> bytes | None:
        """What git prints; None when it is not there, does not know, or does not answer."""
        subprocess = import_module("subprocess")
        env = {**os.environ, **OFFLINE, "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
        command = [*GIT, "--no-pager", "-C", self._folder, *words]
        try:
            done: Any = subprocess.run(command, input=given, capture_output=True, timeout=SECONDS, env=env)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None
        return bytes(done.stdout) if done.returncode == 0 else None


class _MemoryFollower:
    """One memory, followed back through commits: an entry that came from another file is followed there."""

    def __init__(self, git: Repository, memory_id: str, known: set[str]) -> None:
        self._git, self._id, self._known = git, memory_id, known

    def versions(self, commits: Sequence[_Commit]) -> list[MemoryVersion]:
        """Its versions, newest first, each different from the one before it."""
        touched = [(commit, rows) for commit in commits if (rows := self._rows(commit))]
        texts = self._git.blobs(row.new for _, rows in touched for row in rows)
        found: list[MemoryVersion] = []
        for commit, rows in reversed(touched):
            version = self._version(commit, rows, texts)
            before = found[-1] if found else None
            if before is None and version.memory is None:
                continue
            if before is None or (version.memory, version.path) != (before.memory, before.path):
                found.append(version)
        return found[::-1]

    def _rows(self, commit: _Commit) -> list[_Row]:
        rows = [row for row in commit.rows if row.path in self._known]
        if any("A" in row.status for row in rows):
            rows += self._came_from(commit)
        return rows

    def _came_from(self, commit: _Commit) -> list[_Row]:
        """The other files of a commit that held the entry before it."""
        others = [row for row in commit.rows if row.path not in self._known and "A" not in row.status]
        texts = self._git.blobs(blob for row in others[:MOST_FILES] for blob in row.old)
        held = [row for row in others if any(holds_id(texts.get(blob, b""), self._id) for blob in row.old)]
        self._known.update(row.path for row in held)
        return held

    def _version(self, commit: _Commit, rows: Sequence[_Row], texts: dict[str, bytes]) -> MemoryVersion:
        name, committed, authored, author, subject = commit.head
        gone = MemoryVersion(commit=name, committed=committed, authored=authored, author=author, subject=subject)
        for row in rows:
            text = texts.get(row.new)
            entry = find_entry_in(text, row.path, self._id) if text is not None else None
            if text is not None and entry is not None:
                return replace(gone, path=row.path, sha256=sha256(text).hexdigest(), memory=entry.memory)
        return gone


def find_entry_in(text: bytes, path: str, memory_id: str) -> Entry | None:
    """The entry with an id in a file's text."""
    file = parse(text, path=path, scope=Scope.WORKSPACE)
    return next((entry for entry in file.entries if entry.memory.id == memory_id), None)


def holds_id(text: bytes, memory_id: str) -> bool:
    """Whether a file's text holds an entry with an id."""
    return memory_id.encode() in text and find_entry_in(text, "", memory_id) is not None


def _commits(logged: bytes) -> Iterator[_Commit]:
    """The commits of `git log --raw -z`: a head, then each row and its path, all ended by NUL."""
    head: Sequence[str] = ()
    rows: list[_Row] = []
    parts = iter(logged.split(b"\0"))
    for part in parts:
        text = part.lstrip(b"\n")
        if text.startswith(b":"):
            rows.append(_row(text, os.fsdecode(next(parts, b""))))
        elif text:
            if head:
                yield _Commit(head=head, rows=tuple(rows))
            head, rows = _head(text), []
    if head:
        yield _Commit(head=head, rows=tuple(rows))


def _head(text: bytes) -> Sequence[str]:
    found = text.decode("utf-8", "replace").split("\x1f", 4)
    return found + [""] * (5 - len(found))


def _row(text: bytes, path: str) -> _Row:
    """A row: a colon for each parent, the modes, the blobs (the new one last), the status."""
    parents = len(text) - len(text.lstrip(b":"))
    words = text[parents:].decode("ascii", "replace").split()
    blobs = words[parents + 1 : -1]
    return _Row(status=words[-1], path=path, old=tuple(blobs[:-1]), new=blobs[-1] if blobs else "")


def _new_name(rows: bytes, path: str) -> str:
    parts = iter(rows.lstrip(b"\n").split(b"\0"))
    for status in parts:
        if status.lstrip(b"\n").startswith(b"R"):
            old, new = os.fsdecode(next(parts, b"")), os.fsdecode(next(parts, b""))
            if old == path:
                return new
    return ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md").casefold()


def _lines(names: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


def _fits(line: bytes) -> bool:
    parts = line.split()
    return len(parts) == 3 and parts[1] == b"blob" and int(parts[2]) <= LARGEST
