"""The memories of another branch, read out of git: what differs there from where both branches parted."""

import os
import re
from collections.abc import Iterable, Mapping

from holdfast.check.git_diff import MOST_FILES, Git, TooMuchChanged, UnknownRevision
from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.home import FOLDER
from holdfast.core.memory import Entry, Memory, MemoryFile, Problem, Scope
from holdfast.core.value import Value
from holdfast.vault.file_stamps import PAGE
from holdfast.vault.parse_memory import parse

MEMORY = "memory/"
# So many files are held at once; each has two MiB at most.
AT_ONCE = 50
_REGULAR = frozenset({"100644", "100755"})
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


class BranchMemories(Value):
    """What a branch changed: its memories, the ids that it took away, and what of it cannot be read.

    `base` is the commit from which both branches come; where there is none, all of it is new.
    """

    entries: tuple[Entry, ...]
    deleted: frozenset[str]
    unread: tuple[Problem, ...]
    base: str


def read_branch(workspace: str, revision: str) -> BranchMemories:
    """What the memories of a revision are, where they differ. Raises NoRepository, UnknownRevision, TooMuchChanged."""
    if revision.startswith("-") or "\0" in revision:
        raise UnknownRevision(revision, "that is no name of one")
    git = Git(workspace)
    git.asked("rev-parse", "--git-dir")
    theirs = _decode_output(git.asked("rev-parse", "--verify", f"{revision}^{{commit}}", revision=revision))
    if not _COMMIT.fullmatch(theirs):
        raise UnknownRevision(revision, "it names no single commit")
    base = _base(git, theirs)
    prefix = _prefix(git)
    there, then = _files(git, theirs, prefix), _files(git, base, prefix) if base else {}
    changed = {path: blob for path, blob in there.items() if then.get(path) != blob}
    old = {path: blob for path, blob in then.items() if there.get(path) != blob}
    if len(changed) + len(old) > MOST_FILES:
        raise TooMuchChanged(len(changed) + len(old))
    new_files, before_files = _parse_files(git, changed), _parse_files(git, old)
    entries = tuple(entry for file in new_files for entry in file.entries)
    before = {entry.memory.id: entry.memory for file in before_files for entry in file.entries}
    return BranchMemories(
        entries=tuple(entry for entry in entries if before.get(entry.memory.id) != entry.memory),
        deleted=frozenset(before) - {entry.memory.id for entry in entries},
        unread=tuple(problem for file in new_files for problem in file.problems),
        base=base,
    )


def read_memories_at(workspace: str, commit: str, paths: Iterable[str]) -> dict[str, Memory]:
    """The memories that some files held in a commit, by id; paths as the index has them."""
    git, wanted = Git(workspace), set(paths)
    if not commit or not wanted:
        return {}
    then = _files(git, commit, _prefix(git))
    found = _parse_files(git, {path: blob for path, blob in then.items() if path in wanted})
    return {entry.memory.id: entry.memory for file in found for entry in file.entries}


def _base(git: Git, theirs: str) -> str:
    try:
        found = _decode_output(git.asked("merge-base", "HEAD", theirs))
    except (BadRequest, Unavailable):
        # No commit yet, no common one, or a clone without the history.
        return ""
    return found if _COMMIT.fullmatch(found) else ""


def _prefix(git: Git) -> str:
    """Where the workspace is in its repository."""
    return os.fsdecode(git.asked("rev-parse", "--show-prefix").rstrip(b"\n"))


def _files(git: Git, commit: str, prefix: str) -> dict[str, str]:
    """The memory files of a commit with their blobs; paths as the index has them."""
    top = f"{prefix}{FOLDER}/"
    found: dict[str, str] = {}
    for row in git.asked("ls-tree", "-r", "-z", "--full-tree", commit, "--", f"{top}{MEMORY}").split(b"\0"):
        head, _, name = row.partition(b"\t")
        parts = head.decode().split()
        path = os.fsdecode(name).removeprefix(top)
        if len(parts) == 3 and parts[0] in _REGULAR and path.endswith(".md") and path != f"{MEMORY}{PAGE}":
            found[path] = parts[2]
    return found


def _parse_files(git: Git, files: Mapping[str, str]) -> list[MemoryFile]:
    found: list[MemoryFile] = []
    names = sorted(files)
    for at in range(0, len(names), AT_ONCE):
        some = names[at : at + AT_ONCE]
        blobs = git.blobs(files[name] for name in some)
        found += [_file(name, blobs.get(files[name])) for name in some]
    return found


def _file(path: str, data: bytes | None) -> MemoryFile:
    if data is None:
        problem = Problem(path=path, reason="it is larger than 2 MiB, or not in this clone")
        return MemoryFile(path=path, sha256="", problems=(problem,))
    return parse(data, path=path, scope=Scope.WORKSPACE)


def _decode_output(raw: bytes) -> str:
    return raw.decode(errors="replace").strip()
