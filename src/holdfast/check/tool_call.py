"""A tool call before it runs → the files as they are to be, and the packages that it installs."""

import os
from collections import Counter
from collections.abc import Callable

from holdfast.check.file_change import ProposedFile
from holdfast.ecosystems.install_commands import read_installs
from holdfast.ecosystems.package_names import NamedPackage
from holdfast.guard.tool_edits import apply_edit, read_edits, read_scripts
from holdfast.guard.touched_paths import PATCH

MOST_FILES = 40
LONGEST = 2_000_000
LONGEST_SCRIPT = 20_000

# The text of a file of the workspace; None where there is none that can be read.
Read = Callable[[str], str | None]


def find_call_installs(given: object) -> tuple[NamedPackage, ...]:
    """The packages that a call installs."""
    scripts = (script[:LONGEST_SCRIPT] for script in read_scripts(given) if PATCH not in script)
    return tuple(package for script in scripts for package in read_installs(script))


def find_written_files(given: object, cwd: str, workspace: str, read: Read) -> tuple[ProposedFile, ...]:
    """The files that a call writes, as they will be."""
    texts: dict[str, str | None] = {}
    for edit in read_edits(given):
        path = _path_in_workspace(edit.path, cwd, workspace)
        if not path or len(texts) >= MOST_FILES:
            continue
        before = texts[path] if path in texts else read(path)
        after = apply_edit(edit, before)
        if after is not None and len(after) <= LONGEST:
            texts[path] = after
    return tuple(_change(path, after, read(path)) for path, after in texts.items() if after is not None)


def _path_in_workspace(name: str, cwd: str, workspace: str) -> str:
    if not name or "\0" in name or len(name) > 4096 or name[0] in "$~":
        return ""
    inside = os.path.relpath(os.path.normpath(os.path.join(cwd, name)), workspace).replace(os.sep, "/")
    return "" if inside in {".", ".."} or inside.startswith("../") else inside


def _change(path: str, after: str, before: str | None) -> ProposedFile:
    """A file that is to be; its new lines are those that did not stand in it before."""
    had = Counter((before or "").split("\n"))
    added: set[int] = set()
    for number, line in enumerate(after.split("\n"), start=1):
        if had[line]:
            had[line] -= 1
        else:
            added.add(number)
    return ProposedFile(path=path, after=after, before=before, added=frozenset(added), new=before is None)
