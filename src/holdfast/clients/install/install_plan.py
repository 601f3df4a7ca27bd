"""A plan: which files will change for a client, and how. Making one reads, and writes nothing."""

import os
import shlex
from collections.abc import Iterator, Mapping

from holdfast.clients.client_spec import Client, InstallWay, OwnFile, OwnFolder
from holdfast.clients.install.installed import InstalledFile
from holdfast.clients.install.our_parts import FilePart, fill_places
from holdfast.clients.install.shim import hook_path
from holdfast.core.errors import BadRequest
from holdfast.core.value import Value
from holdfast.system.folders import translate_os_errors
from holdfast.system.package_files import list_source_files


class UnknownInstallWay(BadRequest):
    """A client cannot be set up like that."""

    def __init__(self, client: str, way: str, known: list[str]) -> None:
        super().__init__(f"{client} cannot be set up by {way!r}.", f"the ways are {', '.join(known)}.")


class InstallFileChange(Value):
    """One file: its bytes now and then (None: no file), why, and what the list of written files will say of it.

    `original` are the bytes to keep for the way back.
    """

    path: str
    before: bytes | None
    after: bytes | None
    why: str
    written: InstalledFile | None = None
    original: bytes | None = None
    runnable: bool = False


class ClientSetupPlan(Value):
    """What will be done for a client. `changes` may hold some that change only the list of written files.

    `folders` go at the end, where they are empty then. `notes` are for the user.
    """

    client: str
    home: str
    changes: tuple[InstallFileChange, ...] = ()
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files whose bytes will change."""
        return tuple(change.path for change in self.changes if change.before != change.after)


def find_client_places(client: Client, home: str, workspace: str, env: Mapping[str, str]) -> dict[str, str]:
    """Where the places named in a client's row are for this user."""
    user = env.get("HOME") or os.path.expanduser("~")
    folder = fill_places(client.folder, {"user": user})
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


def way_of(client: Client, name: str) -> InstallWay:
    """The way of that name; without one, the way we like best."""
    for way in client.ways:
        if name in {"", way.name}:
            return way
    raise UnknownInstallWay(client.title, name, [way.name for way in client.ways])


def list_file_parts(way: InstallWay, places: Mapping[str, str]) -> Iterator[FilePart]:
    """The parts of a way that can be put in now, folders taken apart into their files."""
    for part in way.parts:
        if "{workspace}" in part.path and not places["workspace"]:
            continue
        if isinstance(part, OwnFolder):
            for name in list_source_files(part.source):
                yield OwnFile(path=f"{part.path}/{name}", source=f"{part.source}/{name}")
        else:
            yield part


def read_bytes_at(path: str) -> bytes | None:
    """The bytes of a file; None when there is none."""
    with translate_os_errors(path):
        try:
            with open(path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
