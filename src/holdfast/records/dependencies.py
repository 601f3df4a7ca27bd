"""What a tool call brings into a project: packages it installs, imports it writes, names it puts into a manifest."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.core.value import Value
from holdfast.ecosystems.container_files import is_container_file, list_container_names
from holdfast.ecosystems.install_commands import read_installs
from holdfast.ecosystems.manifest_readers import is_manifest, list_names_in_piece, read_manifest
from holdfast.ecosystems.package_names import last_part, plain_name
from holdfast.ecosystems.source_imports import read_piece_imports
from holdfast.ecosystems.unreadable_text import Unreadable
from holdfast.guard.tool_edits import FileEdit, read_edits, read_scripts
from holdfast.guard.touched_paths import PATCH
from holdfast.records.tool_steps import ToolStep

INSTALLED, IMPORTED, WRITTEN = "installed", "imported", "written into a manifest"
LONGEST = 200_000


class AddedPackages(Value):
    """The names a call brings in, without marks between their parts (`redispy` for `redis-py`), and how.

    `unread`: manifests that it wrote whole and that cannot be read, so nothing can be said of what they bring in.
    """

    names: dict[str, str]
    unread: tuple[str, ...] = ()


class _Read(NamedTuple):
    """The names in a file's text, and whether that could be read."""

    names: tuple[str, ...]
    unread: bool = False


def find_added_packages(step: ToolStep, given: object) -> AddedPackages:
    """What a call brings in. `given`: the tool's input."""
    found: dict[str, str] = {}
    unread: list[str] = []
    for path, edit in _list_edits(step, given):
        written = _read_written(path, edit)
        found |= dict.fromkeys(written.names, WRITTEN)
        unread += [path] if written.unread else []
        found |= dict.fromkeys(_list_imported(path, edit), IMPORTED)
    found |= dict.fromkeys(_list_installed(given), INSTALLED)
    found.pop("", None)
    return AddedPackages(names=found, unread=tuple(dict.fromkeys(unread)))


def _list_edits(step: ToolStep, given: object) -> Iterator[tuple[str, FileEdit]]:
    """The edits of files of the workspace, each with the path from its root."""
    by_name = {path.rpartition("/")[2]: path for path in step.files}
    for edit in read_edits(given):
        path = by_name.get(edit.path.replace("\\", "/").rpartition("/")[2])
        if path:
            yield path, edit


def _read_written(path: str, edit: FileEdit) -> _Read:
    """The names that an edit puts into a manifest; of a piece, those that the piece before it had not."""
    if not (is_manifest(path) or is_container_file(path)):
        return _Read(())
    if not edit.whole:
        before = set(_spell(list_names_in_piece(path, edit.old[:LONGEST])))
        return _Read(
            tuple(name for name in _spell(list_names_in_piece(path, edit.new[:LONGEST])) if name not in before)
        )
    if len(edit.new) > LONGEST:
        return _Read((), unread=True)
    try:
        if is_manifest(path):
            return _Read(_spell(package.name for package in read_manifest(path, edit.new).packages))
        return _Read(_spell(list_container_names(path, edit.new)))
    except Unreadable:
        return _Read((), unread=True)


def _list_imported(path: str, edit: FileEdit) -> Iterator[str]:
    # A notebook's cell is given by itself, as code.
    source = f"{path}.py" if path.endswith(".ipynb") else path
    for each in read_piece_imports(source, edit.new[:LONGEST]):
        if not each.relative:
            yield from map(plain_name, each.names)


def _list_installed(given: object) -> tuple[str, ...]:
    scripts = (script[:LONGEST] for script in read_scripts(given) if PATCH not in script)
    return _spell(package.name for script in scripts for package in read_installs(script, everything=True))


def _spell(names: Iterable[str]) -> tuple[str, ...]:
    """The plain forms of names, also without who owns them."""
    return tuple(dict.fromkeys(plain_name(part) for name in names for part in (name, last_part(name))))
