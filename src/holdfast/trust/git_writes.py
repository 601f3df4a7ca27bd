"""Which memory files git brought: what it wrote last, what it holds the words of, what it is in the middle of merging.

A file that a person wrote by hand is one that git has not seen yet; and where git has another text of it, that one is
the user's: what a formatter or an editor made of a text of others is none of the user's. Git is never asked to convert
a file, for that may run programs that a repository names: where it would, a tracked file counts as git's.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from hashlib import new as new_hash
from hashlib import sha256

from holdfast.core.home import FOLDER
from holdfast.core.value import Value
from holdfast.system.git import ask_git_for_bytes, ask_git_with_input
from holdfast.trust.lens_bytes import LENSES
from holdfast.trust.tracked_files import GITLINK, find_git_folder, is_in_other_repository
from holdfast.workspace import App

CONVERTS = ("ident", "filter", "working-tree-encoding")
HASHES = ("sha1", "sha256")
MANY = 200
_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_WRITTEN = re.compile(r"^  mtime: (\d+):(\d+)$", re.MULTILINE)


class _Row(Value):
    """A file in git's index: whether others' words wait to be merged there, and when git last wrote or took it.

    `blob` is the name of the text that git has of it; empty for a repository inside this one.
    """

    unmerged: bool
    written: tuple[int, int]
    blob: str


def find_git_written(app: App, paths: Iterable[str], known: Collection[str]) -> set[str]:
    """Which of these files, by their path in the workspace, came by git; all where git does not answer.

    `known`: the sha256 of what the user wrote or allowed.
    """
    every = sorted(paths)
    inside = {path for path in every if is_in_other_repository(app.base, path)}
    asked = [path for path in every if path not in inside]
    if not asked or not find_git_folder(app.base):
        return inside
    rows = _rows(app)
    if rows is None:
        return set(every)
    found = {path for path in asked if _is_in_submodule(path, rows)}
    found |= {path for path in asked if path in rows and _is_git_written(app, path, rows[path])}
    found |= _find_held_by_git(app, [path for path in asked if path not in found])
    found |= _find_converted(app, [path for path in asked if path in rows and path not in found])
    left = {path: rows[path].blob for path in asked if path in rows and path not in found}
    return inside | found | _find_made_of_others(app, left, known)


def _rows(app: App) -> dict[str, _Row] | None:
    folders = (f"{FOLDER}/memory", f"{FOLDER}/{LENSES}")
    listed = ask_git_with_input(app.base, "ls-files", "--stage", "--debug", "-z", "--", *folders)
    if listed is None:
        return None
    # Each name ends with a NUL; what is told of it stands behind that, before the next one.
    found: dict[str, _Row] = {}
    head, *parts = listed.split("\0")
    for part in parts:
        stage, _, path = head.rpartition("\n")[2].partition("\t")
        times = _WRITTEN.search(part)
        written = (int(times[1]), int(times[2])) if times else (0, 0)
        mode, _, rest = stage.partition(" ")
        blob = "" if mode == GITLINK else rest.partition(" ")[0]
        found[path] = _Row(unmerged=not stage.endswith(" 0"), written=written, blob=blob)
        head = part
    return found


def _is_in_submodule(path: str, rows: dict[str, _Row]) -> bool:
    return any(not row.blob and path.startswith(f"{name}/") for name, row in rows.items())


def _is_git_written(app: App, path: str, row: _Row) -> bool:
    seconds, rest = divmod(os.lstat(os.path.join(app.base, path)).st_mtime_ns, 10**9)
    return row.unmerged or row.written in {(seconds, rest), (seconds, 0)}


def _find_held_by_git(app: App, paths: list[str]) -> set[str]:
    """Those whose words git holds, in whatever commit, stash or index."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        with open(os.path.join(app.base, path), "rb") as file:
            for name in _list_blob_names(file.read()):
                by_name.setdefault(name, []).append(path)
    told = ask_git_with_input(app.base, "cat-file", "--batch-check", given="".join(f"{name}\n" for name in by_name))
    if told is None:
        return set(paths)
    names = (line.split(" ") for line in told.splitlines())
    return {path for name, what, *_ in names if what == "blob" for path in by_name[name]}


def _list_blob_names(content: bytes) -> Iterator[str]:
    """The names git may have for some words: as they are, and as they were before git wrote them out."""
    forms = {content, content.replace(b"\r\n", b"\n")}
    for form in forms | {_IDENT.sub(b"$Id$", form) for form in forms}:
        for kind in HASHES:
            blob = new_hash(kind, usedforsecurity=False)
            blob.update(b"blob %d\0" % len(form) + form)
            yield blob.hexdigest()


def _find_made_of_others(app: App, paths: dict[str, str], known: Collection[str]) -> set[str]:
    """Those (path → git's name for its text of them) whose text at git is none that the user wrote or allowed."""
    asked = sorted(set(paths.values()))
    told = ask_git_for_bytes(app.base, "cat-file", "--batch", given="".join(f"{name}\n" for name in asked))
    if told is None:
        return set(paths)
    held = {name for name, content in _read_blobs(told) if not _list_sums(content).isdisjoint(known)}
    return {path for path, name in paths.items() if name not in held}


def _read_blobs(told: bytes) -> Iterator[tuple[str, bytes]]:
    """What `cat-file --batch` tells: a line with name, kind and size, that many bytes, and a newline."""
    at = 0
    while at < len(told):
        head, _, _ = told[at:].partition(b"\n")
        name, *rest = head.decode("ascii", "replace").split(" ")
        at += len(head) + 1
        if len(rest) == 2 and rest[1].isdigit():
            yield name, told[at : at + int(rest[1])]
            at += int(rest[1]) + 1


def _list_sums(content: bytes) -> set[str]:
    """The sums of a text as git has it, and as it writes it where lines end otherwise."""
    plain = content.replace(b"\r\n", b"\n")
    return {sha256(form).hexdigest() for form in (content, plain, plain.replace(b"\n", b"\r\n"))}


def _find_converted(app: App, paths: list[str]) -> set[str]:
    """Those that git writes out otherwise than it holds them."""
    found: set[str] = set()
    for at in range(0, len(paths), MANY):
        told = ask_git_with_input(app.base, "check-attr", "-z", *CONVERTS, "--", *paths[at : at + MANY])
        if told is None:
            return set(paths)
        fields = told.split("\0")
        found |= {
            path
            for path, value in zip(fields[::3], fields[2::3], strict=False)
            if value not in {"unspecified", "unset"}
        }
    return found
