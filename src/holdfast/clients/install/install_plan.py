"""A plan: which files will change for a client, and how. Making one reads, and writes nothing."""

import os
import shlex
from collections.abc import Iterator, Mapping

from holdfast.clients.client_spec import Client, OwnFile, OwnFolder, Way
from holdfast.clients.install.installed import Written
from holdfast.clients.install.our_parts import FilePart, fill
from holdfast.clients.install.shim import hook_path
from holdfast.core.errors import BadRequest
from holdfast.core.value import Value
from holdfast.system.folders import told_as_ours
from holdfast.system.package_files import files_below


class UnknownWay(BadRequest):
    """A client cannot be set up like that."""

    def __init__(self, client: str, way: str, known: list[str]) -> None:
        super().__init__(f"{client} cannot be set up by {way!r}.", f"the ways are {', '.join(known)}.")


class FileChange(Value):
    """One file: its bytes now and then (None: no file), why, and what the list of written files will say of it.

    `original` are the bytes to keep for the way back.
    """

    path: str
    before: bytes | None
    after: bytes | None
    why: str
    written: Written | None = None
    original: bytes | None = None
    runnable: bool = False


class Plan(Value):
    """What will be done for a client. `changes` may hold some that change only the list of written files.

    `folders` go at the end, where they are empty then. `notes` are for the user.
    """

    client: str
    home: str
    changes: tuple[FileChange, ...] = ()
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files whose bytes will change."""
        return tuple(change.path for change in self.changes if change.before != change.after)


def places_for(client: Client, home: str, workspace: str, env: Mapping[str, str]) -> dict[str, str]:
    """Where the places named in a client's row are for this user."""
    user = env.get("HOME") or os.path.expanduser("~")
    folder = fill(client.folder, {"user": user})
    moved = env.get(client.folder_variable, "") if client.folder_variable else ""
    if moved:
        folder = os.path.join(moved, client.folder_below) if client.folder_below else moved
    hook = hook_path(os.path.abspath(home))
    return {
        "user": user,
        "home": os.path.abspath(home),
        "client": os.path.abspath(folder),
        "workspace": os.path.abspath(workspace) if workspace else "",
        "hook": hook,
        "command": shlex.quote(hook),
    }


def way_of(client: Client, name: str) -> Way:
    """The way of that name; without one, the way we like best."""
    for way in client.ways:
        if name in {"", way.name}:
            return way
    raise UnknownWay(client.title, name, [way.name for way in client.ways])


def file_parts(way: Way, places: Mapping[str, str]) -> Iterator[FilePart]:
    """The parts of a way that can be put in now, folders taken apart into their files."""
    for part in way.parts:
        if "{workspace}" in part.path and not places["workspace"]:
            continue
        if isinstance(part, OwnFolder):
            for name in files_below(part.source):
                yield OwnFile(path=f"{part.path}/{name}", source=f"{part.source}/{name}")
        else:
            yield part


def bytes_at(path: str) -> bytes | None:
    """The bytes of a file; None when there is none."""
    with told_as_ours(path):
        try:
            with open(path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
