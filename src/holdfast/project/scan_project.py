"""One look at a folder: all that is known of it before any memory is asked."""

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from holdfast.core.value import Value, as_dict
from holdfast.project.entry_points import find_entry_points
from holdfast.project.file_tree import FolderListing, draw_tree, escape_name, list_folder
from holdfast.project.key_files import Preview, find_key_files
from holdfast.project.manifest_facts import ProjectManifest, kind_of
from holdfast.project.project_kind import UNKNOWN, ProjectPart, project_of

VERSION = 1
MOST_STAMPED = 80


class WorkspaceScan(Value):
    """What a folder is. `notes`: what could not be found out, in words."""

    name: str
    type: str = UNKNOWN
    framework: str | None = None
    parts: tuple[ProjectPart, ...] = ()
    key_files: tuple[Preview, ...] = ()
    entry_points: tuple[str, ...] = ()
    tree: str = ""
    notes: tuple[str, ...] = ()
    stamped: tuple[str, ...] = ()


def scan_workspace(root: str) -> WorkspaceScan:
    """What a folder is. Whatever cannot be read gives a plain answer instead of an error."""
    found = list_folder(root)
    project = project_of(root, found, os.path.basename(os.path.abspath(root)))
    entries = find_entry_points(found, project)
    return WorkspaceScan(
        name=project.name,
        type=project.type,
        framework=project.framework,
        parts=project.parts,
        key_files=tuple(find_key_files(root, found, project, entries)),
        entry_points=tuple(map(str, entries)),
        tree=draw_tree(found),
        notes=(*_notes(found), *_notes_on_manifests(project.manifests)),
        stamped=_list_stamped(found),
    )


def stamp_of(root: str, stamped: tuple[str, ...]) -> list[str]:
    """What moves when the files and folders that a look rests on do: cheap, and no repository knows it before."""
    return [f"{path} {_stamp(os.path.join(root, path))}" for path in ("", *stamped)]


def scan_to_json(workspace: WorkspaceScan) -> dict[str, Any]:
    """A look as JSON."""
    form = as_dict(workspace)
    return form | {"parts": [as_dict(part) for part in workspace.parts]}


def scan_from_json(form: Mapping[str, Any]) -> WorkspaceScan | None:
    """The look that JSON holds; None for what is none."""
    try:
        return WorkspaceScan(
            name=str(form["name"]), type=str(form["type"]), framework=_text_or_none(form["framework"]),
            parts=tuple(ProjectPart(**part) for part in form["parts"]),
            key_files=tuple((str(path), str(text)) for path, text in form["key_files"]),
            entry_points=tuple(map(str, form["entry_points"])), tree=str(form["tree"]),
            notes=tuple(map(str, form["notes"])), stamped=tuple(map(str, form["stamped"])),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return None


def _text_or_none(found: Any) -> str | None:
    return None if found is None else str(found)


def _list_stamped(found: FolderListing) -> tuple[str, ...]:
    """The root's own files that tell what it is, the other manifests, and the folders at its top."""
    manifests = islice(found.named(kind_of), MOST_STAMPED)
    tops = found.in_folder("").folders[:MOST_STAMPED]
    return tuple(path for path in (*manifests, *tops) if path.isprintable())


def _stamp(path: str) -> str:
    try:
        seen = os.lstat(path)
    except (OSError, ValueError):
        return "-"
    return f"{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}.{seen.st_ctime_ns}"


def _notes(found: FolderListing) -> list[str]:
    unread = [path for path, folder in found.folders.items() if folder.unread]
    notes = [f"{escape_name(path) or 'the folder itself'} cannot be read" for path in unread[:3]]
    if len(unread) > 3:
        notes.append(f"{len(unread) - 3} more folders cannot be read")
    return [*notes, "only a part of the folder was looked at: it is large"] if found.cut else notes


def _notes_on_manifests(manifests: Iterable[ProjectManifest]) -> list[str]:
    unread = [manifest for manifest in manifests if manifest.unread]
    notes = [
        f"{escape_name(each.path)} could not be read, so nothing can be said of it: {each.unread}"
        for each in unread[:3]
    ]
    return [*notes, f"{len(unread) - 3} more manifests could not be read"] if len(unread) > 3 else notes
