"""Taking our hook out of a client.

A file that is still as we left it gets back the bytes it had before us. In one that was changed since, only our part
goes. What the client itself noted about us goes too.
"""

import os
from collections.abc import Iterator, Mapping

from holdfast.clients.client_spec import Client, OwnFile
from holdfast.clients.install.install_plan import (
    ClientSetupPlan,
    InstallFileChange,
    find_client_places,
    list_file_parts,
    read_bytes_at,
)
from holdfast.clients.install.installed import InstalledFile, Manifest, original_of, read_manifest, sum_of
from holdfast.clients.install.our_parts import ClientFileNotUnderstood, fill_places, is_bare, put_part, remove_part
from holdfast.core.value import replace

# What Codex leaves of its notes about trusted hooks.
_HOLLOW = frozenset({b"", b"[hooks]", b"[hooks.state]"})


def plan_uninstall(client: Client, home: str, workspace: str, env: Mapping[str, str]) -> ClientSetupPlan:
    """What is to be written so that nothing of ours is left in a client. A file we no longer understand is noted."""
    manifest = read_manifest(home)
    places = find_client_places(client, home, workspace, env)
    changes, notes = list[InstallFileChange](), list[str]()
    for written in [each for each in manifest.values() if client.id in each.clients]:
        try:
            changes.append(plan_change_back(client, written, home))
        except ClientFileNotUnderstood as error:
            notes.append(str(error))
    changes += _find_unlisted(client, manifest, places)
    copies = [fill_places(each, places) for way in client.ways for each in way.copies]
    changes += _find_copies(copies, {change.path for change in changes})
    folders = [folder for top in copies for folder, _, _ in os.walk(top)]
    folders += [folder for change in changes for folder in folders_of(change, manifest)]
    return ClientSetupPlan(
        client=client.id,
        home=places["home"],
        changes=tuple(changes),
        folders=tuple(dict.fromkeys(folders)),
        notes=tuple(notes),
    )


def plan_change_back(client: Client, written: InstalledFile, home: str) -> InstallFileChange:
    """The change that takes a client's part out of a file; while others need the file, only the list changes."""
    now = read_bytes_at(written.path)
    others = tuple(each for each in written.clients if each != client.id)
    if others:
        kept = replace(written, clients=others)
        return InstallFileChange(path=written.path, before=now, after=now, why="others still need it", written=kept)
    after = None if now is None else _restore_bytes(written, now, original_of(home, written))
    why = "as it was" if sum_of(after) == written.before else "without our part"
    # Our own file, but with somebody's changes in it: a copy stays in the backups.
    changed = now if written.note["kind"] == "own" and sum_of(now) != written.after else None
    return InstallFileChange(path=written.path, before=now, after=after, why=why, original=changed)


def _restore_bytes(written: InstalledFile, now: bytes, original: bytes | None) -> bytes | None:
    as_left = sum_of(now) == written.after or written.note["kind"] == "own"
    if as_left and sum_of(original) == written.before:
        return original
    after = remove_part(written.path, written.note, now)
    if not written.before and is_bare(written.note, after):
        return None
    if original is not None and written.note["kind"] == "toml" and _words(after) == _words(original):
        return original
    return after


def _words(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if line.strip() not in _HOLLOW]


def _find_unlisted(client: Client, manifest: Manifest, places: Mapping[str, str]) -> Iterator[InstallFileChange]:
    """Our part in files that are not in the list: it was lost, or somebody copied the part by hand."""
    for part in (each for way in client.ways for each in list_file_parts(way, places)):
        path = os.path.realpath(fill_places(part.path, places))
        now = read_bytes_at(path)
        if now is None or path in manifest:
            continue
        try:
            wanted, note = put_part(part, now, places)
            after = None if isinstance(part, OwnFile) and wanted == now else now
            after = remove_part(path, note, now) if not isinstance(part, OwnFile) else after
        except ClientFileNotUnderstood:
            continue
        if after != now:
            yield InstallFileChange(path=path, before=now, after=after, why="without our part")


def _find_copies(folders: list[str], known: set[str]) -> Iterator[InstallFileChange]:
    """The client's own copies of our files."""
    for folder, _, names in (found for top in folders for found in os.walk(top)):
        for path in [os.path.join(folder, name) for name in names]:
            if path not in known and not os.path.islink(path):
                yield InstallFileChange(path=path, before=read_bytes_at(path), after=None, why="a copy")


def folders_of(change: InstallFileChange, manifest: Manifest) -> tuple[str, ...]:
    """The folders that were made for a file that goes."""
    gone = change.written is None and change.after is None and change.path in manifest
    return manifest[change.path].folders if gone else ()
