"""The merge driver at work: three files of git, merged as memory where they are memory, else line by line."""

import os
from importlib import import_module
from typing import Any

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.value import Value
from holdfast.vault.merge_files import LineMerge, NotMergeable, merge_texts

LARGEST = 64 * 1024 * 1024
SECONDS = 120
# Git's own word for "this cannot be merged at all".
FAILED = 255
# A style with the base between the sides is for people who read code; a memory's two sides are enough.
_MERGE = ("git", "-c", "merge.conflictStyle=merge", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs")


class MergeImpossible(Unavailable):
    """Not even line by line."""

    def __init__(self, path: str, said: str) -> None:
        super().__init__(
            f"{path!r} cannot be merged: {said}.",
            "your side stands in the file; `git checkout --theirs` takes the other one.",
        )


class UnreadSide(BadRequest):
    """A side that is not there or is no file."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path!r} cannot be read: {why}.", "git calls this by itself; by hand: BASE OURS THEIRS.")


class GitMergeResult(Value):
    """How a merge ended: clean or with markers, and whether it was one of memory."""

    clean: bool
    as_memory: bool


def merge_files(base: str, ours: str, theirs: str, marker: int, path: str) -> GitMergeResult:
    """Merge into `ours`, as git asks of a driver. Whatever goes wrong, both sides' text stays."""
    sides = [_read(side) for side in (base, ours, theirs)]
    try:
        then, mine, other = (side.decode() for side in sides)
        merged = merge_texts(then, mine, other, make_line_merge(marker), marker)
    except (NotMergeable, UnicodeDecodeError, RecursionError):
        return GitMergeResult(clean=_merge_plainly(base, ours, theirs, marker, path), as_memory=False)
    _write(ours, merged.text.encode())
    return GitMergeResult(clean=merged.clean, as_memory=True)


def make_line_merge(marker: int) -> LineMerge:
    """Git's own merge of lines."""

    def merged(base: str, ours: str, theirs: str) -> tuple[str, bool]:
        tempfile = import_module("tempfile")
        with tempfile.TemporaryDirectory(prefix="holdfast-merge-") as folder:
            names = [os.path.join(folder, name) for name in ("ours", "base", "theirs")]
            for name, text in zip(names, (ours, base, theirs), strict=True):
                _write(name, text.encode())
            done = _run([*_MERGE, "-p", f"--marker-size={marker}", *names])
        if done.returncode >= FAILED or done.returncode < 0:
            raise NotMergeable("Git could not merge the lines.")
        return done.stdout.decode(), done.returncode == 0

    return merged


def _merge_plainly(base: str, ours: str, theirs: str, marker: int, path: str) -> bool:
    done = _run([*_MERGE, f"--marker-size={marker}", ours, base, theirs])
    if done.returncode >= FAILED or done.returncode < 0:
        raise MergeImpossible(path, done.stderr.decode(errors="replace").strip()[:300] or "git gave no reason")
    return int(done.returncode) == 0


def _run(command: list[str]) -> Any:
    subprocess = import_module("subprocess")
    try:
        return subprocess.run(command, capture_output=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MergeImpossible(command[-2], f"git did not run: {error}") from error


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UnreadSide(path, error.strerror or str(error)) from error
    if len(data) > LARGEST:
        raise UnreadSide(path, "it is larger than 64 MiB")
    return data


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
