"""The proof of a purge: every file that we keep is searched, and what nobody here can reach is named."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from holdfast.core.home import FOLDER
from holdfast.core.value import Value
from holdfast.forget.removal_query import ForgetQuery
from holdfast.system.git import ask_git
from holdfast.workspace import App

INDEX = "index.db"
# In an index, numbers and pieces of words stand side by side: something shorter is there by accident.
SHORTEST_IN_INDEX = 8
# What lies in the home folder and is not the user's own memory: workspaces and teams, each looked at by itself.
OTHERS = ("config.toml", "mirrors", "teams")
PIECE = 1 << 20


class PurgeProof(Value):
    """What was searched afterwards, and what was still found there."""

    files: int
    size: int
    found: tuple[str, ...]
    unreachable: tuple[str, ...]


def prove_files(app: App, sought: ForgetQuery, found: Sequence[str] = ()) -> PurgeProof:
    """Search every file of a workspace, or of the user's own memory."""
    # The index was thrown away and rebuilt from the files searched here: pages and what SQLite keeps beside them.
    indexed = min(map(len, sought.needles), default=0) >= SHORTEST_IN_INDEX
    paths = [path for path in list_kept_files(app) if indexed or not os.path.basename(path).startswith(INDEX)]
    still = [_display_file(app, path) for path in find_holding_files(paths, sought)]
    still += [path for path in found if path not in still]
    size = sum(os.path.getsize(path) for path in paths if os.path.exists(path))
    return PurgeProof(
        files=len(paths), size=size, found=tuple(still), unreachable=tuple(_search_git_history(app, sought))
    )


def _display_file(app: App, path: str) -> str:
    """A file by its place below the folder; of a team's, that in the team's."""
    if app.team and not path.startswith(app.folder + os.sep):
        return f"the team's {os.path.relpath(path, app.team.root)}"
    return os.path.relpath(path, app.folder)


def list_kept_files(app: App) -> Iterator[str]:
    """Every file of the folder that this app keeps, and of the team's where it lies elsewhere."""
    for path in list_files_below(app.folder):
        top = os.path.relpath(path, app.folder).split(os.sep)[0]
        if app.workspace or top not in OTHERS:
            yield path
    if app.team and not app.team.root.startswith(app.folder + os.sep):
        yield from (path for path in list_files_below(app.team.root) if f"{os.sep}.git{os.sep}" not in path)


def find_holding_files(paths: Iterable[str], sought: ForgetQuery) -> Iterator[str]:
    """Those of some files that hold the words; one that went meanwhile holds nothing."""
    for path in paths:
        try:
            with open(path, "rb") as file:
                held = sought.in_pieces(_read_pieces(file))
        except FileNotFoundError:
            continue
        if held:
            yield path


def _read_pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def list_files_below(folder: str) -> Iterator[str]:
    """Every plain file below a folder, in order; links are not followed."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _search_git_history(app: App, sought: ForgetQuery) -> Iterator[str]:
    """What git still has; taking it out of there is the repository's owner's to do."""
    if not app.workspace or not sought.needles:
        return
    places = [(app.base, FOLDER, "git history")]
    places += [(app.team.root, ".", "the team's git history")] if app.team and os.path.isdir(app.team.root) else []
    for folder, part, name in places:
        words = (
            "log",
            "--all",
            "--oneline",
            "--no-ext-diff",
            "--no-textconv",
            "-i",
            "--pickaxe-regex",
            f"-S{_build_git_pattern(sought)}",
            "--",
            part,
        )
        logged = ask_git(folder, *words) if _can_pass_to_git(words) else None
        if logged is None:
            yield f"{name} could not be searched"
        elif commits := logged.splitlines():
            first = commits[-1].split()[0]
            many = f"{len(commits)} commits" if len(commits) > 1 else "1 commit"
            yield f"{name} still holds it, in {many} from {first} on (`git filter-repo` rewrites it)"


def _can_pass_to_git(words: Sequence[str]) -> bool:
    """Whether a program can be given these words at all."""
    try:
        return all(b"\0" not in os.fsencode(word) for word in words)
    except UnicodeEncodeError:
        return False


def _build_git_pattern(sought: ForgetQuery) -> str:
    if not sought.subject:
        return re.sub(r"([^\w\s])", r"\\\1", sought.needles[0])
    return "[[:space:]_-]+".join(re.sub(r"([^\w])", r"\\\1", word) for word in sought.subject.split())
