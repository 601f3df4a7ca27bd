"""What the manifests of a workspace name now, and the files that its requirements take in."""

import os
from collections import deque
from collections.abc import Iterable

from holdfast.check.git_diff import UnreadFile, read_file_within, text_of
from holdfast.core.memory import Problem
from holdfast.core.value import Value
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.manifest_readers import is_manifest, may_include, read_manifest
from holdfast.ecosystems.package_names import plain_name
from holdfast.ecosystems.unreadable_text import Unreadable

MOST_INCLUDED = 200
NO_TEXT = "it is not UTF-8 text"


class WorkspacePackages(Value):
    """The plain names of the packages that a workspace has, and the manifests that could not be read."""

    names: frozenset[str]
    unread: tuple[Problem, ...]


class ReadFile(Value):
    """A file and its text; None where it has none. `included`: a file of requirements takes it in.

    `asked`: it was asked for by itself.
    """

    path: str
    text: str | None
    included: bool = False
    asked: bool = True


def read_workspace_packages(root: str) -> WorkspacePackages:
    """The packages that the manifests at the top of a workspace name, with what their requirements take in."""
    unread: list[Problem] = []
    found: set[str] = set()
    names = [name for name in sorted(os.listdir(root)) if is_manifest(name)] if os.path.isdir(root) else []
    for file in read_with_included(root, names, unread):
        try:
            contents = read_manifest(file.path, file.text or "", included=file.included)
        except Unreadable as error:
            unread.append(Problem(path=file.path, reason=error.reason, line=error.line))
            continue
        found |= {plain_name(package.name) for package in contents.packages}
    return WorkspacePackages(names=frozenset(found), unread=tuple(dict.fromkeys(unread)))


def read_with_included(root: str, names: Iterable[str], unread: list[Problem]) -> list[ReadFile]:
    """Some files of a workspace, and the files that requirements among them take in."""
    asked = list(names)
    texts: dict[str, str | None] = {}
    included: set[str] = set()
    waiting = deque(asked)
    while waiting:
        path = waiting.popleft()
        if path not in texts:
            texts[path] = read_text(root, path, unread)
        for other in list_included(path, texts[path] or "", unread, included=path in included):
            if other not in included and len(included) < MOST_INCLUDED:
                included.add(other)
                waiting.append(other)
    given = set(asked)
    return [
        ReadFile(path=path, text=text, included=path in included, asked=path in given) for path, text in texts.items()
    ]


def list_included(path: str, text: str, unread: list[Problem], *, included: bool = False) -> list[str]:
    """The files of the workspace that a file of requirements takes in, as the workspace knows them."""
    if not (included or may_include(path)):
        return []
    found: list[str] = []
    for each in _read_quietly(path, text, included).includes:
        inside = os.path.normpath(os.path.join(os.path.dirname(path), each.path)).replace(os.sep, "/")
        if inside.startswith(("../", "/")) or "\0" in inside:
            reason = f"it takes in {each.path[:100]!r}, which is not in the workspace"
            unread.append(Problem(path=path, reason=reason, line=each.line))
        else:
            found.append(inside)
    return found


def read_text(root: str, name: str, unread: list[Problem]) -> str | None:
    """A file's text; None where it has none. That is noted, but for what is binary and no manifest."""
    try:
        raw = read_file_within(root, name)
    except UnreadFile as error:
        unread.append(Problem(path=name, reason=str(error)))
        return None
    text = text_of(raw)
    if text is None and (is_manifest(name) or b"\0" not in raw[:8000]):
        unread.append(Problem(path=name, reason=NO_TEXT))
    return text


def _read_quietly(path: str, text: str, included: bool) -> ManifestContents:
    try:
        return read_manifest(path, text, included=included)
    except Unreadable:
        # Whoever reads it for its packages says so.
        return ManifestContents()
