"""What we wrote where: HOLDFAST_HOME/installed.json, and the files as they were before, in HOLDFAST_HOME/backups/."""

import json
import os
from contextlib import suppress
from hashlib import sha256
from typing import Any

from holdfast.core.errors import Damaged
from holdfast.core.value import Value, as_dict
from holdfast.system.safe_write import put_file

VERSION = 1


class ManifestDamaged(Damaged):
    """The list of what we wrote cannot be read."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r}, the list of what was written for clients, cannot be read.",
            "move it away; `holdfast uninstall` then still finds our part in the clients' files.",
        )


class InstalledFile(Value):
    """A file we wrote: for which clients, its sums before ('' when there was none) and after, and what of it is ours.

    `folders` are those made for it. `original` is the name of the backup.
    """

    path: str
    clients: tuple[str, ...]
    before: str = ""
    after: str = ""
    note: Any = None
    folders: tuple[str, ...] = ()
    original: str = ""


Manifest = dict[str, InstalledFile]


def sum_of(data: bytes | None) -> str:
    """The sha256 of a file's bytes; empty for no file."""
    return "" if data is None else sha256(data).hexdigest()


def manifest_path(home: str) -> str:
    """Where the list is."""
    return os.path.join(home, "installed.json")


def read_manifest(home: str) -> Manifest:
    """All that we wrote and have not taken back, by path."""
    path = manifest_path(home)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        return {each["path"]: _parse_installed(each) for each in found["files"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError):
        raise ManifestDamaged(path) from None


def write_manifest(home: str, manifest: Manifest) -> None:
    """Put the list in place, or take it away when it is empty."""
    path = manifest_path(home)
    if not manifest:
        if os.path.exists(path):
            os.unlink(path)
        return
    files = [as_dict(written) for _, written in sorted(manifest.items())]
    put_file(path, json.dumps({"v": VERSION, "files": files}, indent=1, ensure_ascii=False).encode("utf-8") + b"\n")


def keep_original(home: str, client: str, path: str, data: bytes) -> str:
    """Keep a file's bytes before we change it; the name to find them by."""
    name = os.path.join(client, f"{sum_of(data)[:16]}-{os.path.basename(path)}")
    put_file(os.path.join(home, "backups", name), data)
    return name


def original_of(home: str, written: InstalledFile) -> bytes | None:
    """The file as it was before us, if the backup still holds it."""
    if not written.original:
        return None
    try:
        with open(os.path.join(home, "backups", written.original), "rb") as file:
            data = file.read()
    except OSError:
        return None
    return data if sum_of(data) == written.before else None


def forget_original(home: str, written: InstalledFile) -> None:
    """Drop a backup that is no longer needed."""
    if written.original:
        path = os.path.join(home, "backups", written.original)
        with suppress(OSError):
            os.unlink(path)
            os.rmdir(os.path.dirname(path))


def _parse_installed(each: dict[str, Any]) -> InstalledFile:
    return InstalledFile(**{**each, "clients": tuple(each["clients"]), "folders": tuple(each["folders"])})
