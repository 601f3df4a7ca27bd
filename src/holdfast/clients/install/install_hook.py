"""Putting our hook into a client: first a plan that shows every byte, then the doing. The way back is in `uninstall`.

Run twice, it changes nothing the second time. Files of ours that several clients share (the hook, the plugin) are
listed once, with all of them.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress

from holdfast.clients.client_spec import Client, JsonPart, Leftover, OwnFile, OwnFolder
from holdfast.clients.client_table import CLIENTS
from holdfast.clients.install.install_plan import (
    ClientSetupPlan,
    InstallFileChange,
    find_client_places,
    list_file_parts,
    read_bytes_at,
    way_of,
)
from holdfast.clients.install.installed import (
    InstalledFile,
    Manifest,
    forget_original,
    keep_original,
    original_of,
    read_manifest,
    sum_of,
    write_manifest,
)
from holdfast.clients.install.our_parts import FilePart, Note, fill_places, put_part, remove_part
from holdfast.clients.install.shim import RUNNABLE, build_shim
from holdfast.clients.install.uninstall_hook import folders_of, plan_change_back
from holdfast.core.value import replace
from holdfast.system.folders import WritableFolder, translate_os_errors
from holdfast.system.package_files import package_root
from holdfast.system.safe_write import create_file, lock_folder, remove_file, replace_file

_OWN: Note = {"kind": "own"}


def find_clients(env: Mapping[str, str], workspace: str = "") -> list[Client]:
    """The clients that seem to be installed: by their programs, or by the folders they keep."""
    return [client for client in CLIENTS if _has_traces(client, env, workspace) or _has_program(client, env)]


def plan_install(
    client: Client, home: str, workspace: str, env: Mapping[str, str], *, way: str = ""
) -> ClientSetupPlan:
    """What is to be written so that a client runs our hook. Raises NotUnderstood for a file it cannot change safely."""
    places, manifest, chosen = (
        find_client_places(client, home, workspace, env),
        read_manifest(home),
        way_of(client, way),
    )
    changes, notes = list[InstallFileChange](), list(client.notes)
    if any(isinstance(part, OwnFile | OwnFolder | JsonPart) for part in chosen.parts):
        changes.append(_own_change(client, places["hook"], _shim(), manifest, runnable=True))
    for part in list_file_parts(chosen, places):
        path = os.path.realpath(fill_places(part.path, places))
        if isinstance(part, OwnFile) and part.shy and _is_anothers(path, part, manifest, places):
            notes.append(f"{path!r} is a hook of your own and was left alone: let it run {places['command']} too.")
        else:
            changes += _changes_for(client, path, part, manifest, places, home)
    changes += [_watch_leftover(client, leftover, manifest, places) for leftover in chosen.leftovers]
    outdated = _plan_outdated(client, manifest, {change.path for change in changes}, home)
    news = [change for change in changes if _is_new_change(change, manifest)]
    return ClientSetupPlan(
        client=client.id,
        home=places["home"],
        changes=(*news, *outdated),
        folders=tuple(folder for change in outdated for folder in folders_of(change, manifest)),
        notes=tuple(notes),
    )


def apply_plan(plan: ClientSetupPlan) -> None:
    """Do it: each file whole or not at all. The list of written files is ahead of the files: no crash loses track."""
    if not plan.changes and not plan.folders:
        return
    with lock_folder(WritableFolder(root=os.path.join(plan.home, "backups"), private=True)):
        manifest = read_manifest(plan.home)
        for change in plan.changes:
            _apply_one(plan, change, manifest)
        _remove_empty(plan)


# Planning


def _has_traces(client: Client, env: Mapping[str, str], workspace: str) -> bool:
    places = find_client_places(client, "", workspace, env)
    folders = [places["client"]] if client.folder != "{user}" else []
    marks = [fill_places(mark, places) for mark in client.marks if workspace or "{workspace}" not in mark]
    return any(os.path.exists(path) for path in folders + marks)


def _has_program(client: Client, env: Mapping[str, str]) -> bool:
    folders = [folder for folder in env.get("PATH", "").split(os.pathsep) if folder]
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in folders for name in client.executables)


def _shim() -> bytes:
    return build_shim(sys.executable, package_root())


def _plan_outdated(client: Client, manifest: Manifest, wanted: set[str], home: str) -> list[InstallFileChange]:
    """What an older release wrote, or another way of setting the client up. Other workspaces keep theirs."""
    ours = [each for each in manifest.values() if client.id in each.clients and each.path not in wanted]
    local = [part.path.partition("{workspace}")[2] for way in client.ways for part in way.parts]
    endings = tuple(ending for ending in local if ending)
    return [plan_change_back(client, each, home) for each in ours if not (endings and each.path.endswith(endings))]


def _is_anothers(path: str, part: OwnFile, manifest: Manifest, places: Mapping[str, str]) -> bool:
    now = read_bytes_at(path)
    return now is not None and path not in manifest and now != put_part(part, None, places)[0]


def _changes_for(
    client: Client, path: str, part: FilePart, manifest: Manifest, places: Mapping[str, str], home: str
) -> list[InstallFileChange]:
    if isinstance(part, OwnFile):
        return [_own_change(client, path, put_part(part, None, places)[0], manifest, runnable=part.executable)]
    now, known = read_bytes_at(path), manifest.get(path)
    after, note = put_part(part, now, places)
    if known is None:
        return [] if after == now else [_change(client, path, now, after, note, base=now)]
    if after == now and _strip_original_state(known.note) == _strip_original_state(note):
        return [_repeat_change(client, path, now, known)]
    # Once more from the file without us, so that nothing stays that an older release wrote.
    base = original_of(home, known) if sum_of(now) == known.after or now is None else remove_part(path, known.note, now)
    after, note = put_part(part, base, places)
    fresh = _change(client, path, now, after, note, base=base)
    return [_share_change(fresh, known)]


def _own_change(client: Client, path: str, after: bytes, manifest: Manifest, *, runnable: bool) -> InstallFileChange:
    now, known = read_bytes_at(path), manifest.get(path)
    # A file that is what we would write counts as ours, whoever put it there.
    base = None if now == after or known is not None else now
    change = replace(_change(client, path, now, after, _OWN, base=base), runnable=runnable, why="ours alone")
    return change if known is None else _share_change(change, replace(known, after=sum_of(after)))


def _change(
    client: Client, path: str, now: bytes | None, after: bytes, note: Note, *, base: bytes | None
) -> InstallFileChange:
    """The change of a file that is `base` without us."""
    written = InstalledFile(
        path=path,
        clients=(client.id,),
        before=sum_of(base),
        after=sum_of(after),
        note=note,
        folders=_missing_folders(path),
    )
    why = "made for our part" if now is None else "our part, in a file of yours"
    return InstallFileChange(path=path, before=now, after=after, why=why, written=written, original=base)


def _share_change(change: InstallFileChange, known: InstalledFile) -> InstallFileChange:
    """The change of a file that is in the list: with the clients and folders it is listed with."""
    fresh = change.written
    assert fresh is not None, "an install lists what it writes"
    own = known.note["kind"] == "own"
    written = replace(
        fresh,
        clients=tuple(sorted({*known.clients, *fresh.clients})),
        folders=tuple(dict.fromkeys([*known.folders, *fresh.folders])),
        before=known.before if own else fresh.before,
        original=known.original if own or known.before == fresh.before else "",
    )
    return replace(change, written=written)


def _repeat_change(client: Client, path: str, now: bytes | None, known: InstalledFile) -> InstallFileChange:
    written = replace(known, clients=tuple(sorted({*known.clients, client.id})))
    return InstallFileChange(path=path, before=now, after=now, why="is there", written=written)


def _watch_leftover(
    client: Client, leftover: Leftover, manifest: Manifest, places: Mapping[str, str]
) -> InstallFileChange:
    """A file that the client will write about us: listed now, so that we know later whether it was there before."""
    path = os.path.realpath(fill_places(leftover.path, places))
    now = read_bytes_at(path)
    if path in manifest:
        return _repeat_change(client, path, now, manifest[path])
    members = [list(member) for member in leftover.members]
    note: Note = {"kind": "json", "bare": dict(leftover.bare), "members": members, "lists": [], "made": []}
    written = InstalledFile(path=path, clients=(client.id,), before=sum_of(now), note={**note, "command": ""})
    return InstallFileChange(path=path, before=now, after=now, why="its own notes about us", written=written)


def _strip_original_state(note: Note) -> Note:
    """A note without what depends on how the file was: two such of one release are the same."""
    return {key: value for key, value in note.items() if key != "made"}


def _is_new_change(change: InstallFileChange, manifest: Manifest) -> bool:
    return change.before != change.after or change.written != manifest.get(change.path)


def _missing_folders(path: str) -> tuple[str, ...]:
    missing, folder = list[str](), os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


# Doing


def _apply_one(plan: ClientSetupPlan, change: InstallFileChange, manifest: Manifest) -> None:
    written, before = change.written, manifest.get(change.path)
    if change.original is not None and (written is None or not written.original):
        kept = keep_original(plan.home, plan.client, change.path, change.original)
        written = replace(written, original=kept) if written is not None else None
    if written is not None:
        manifest[change.path] = written
        write_manifest(plan.home, manifest)
    if change.before != change.after:
        _write(change, private=change.path.startswith(plan.home + os.sep))
    if written is None and before is not None:
        del manifest[change.path]
        write_manifest(plan.home, manifest)
        forget_original(plan.home, before)


def _write(change: InstallFileChange, *, private: bool) -> None:
    folder, name = os.path.split(change.path)
    place = WritableFolder(root=folder, private=private)
    if change.after is None:
        remove_file(place, name, then=sum_of(change.before))
        return
    if change.before is None:
        create_file(place, name, change.after)
    else:
        replace_file(place, name, change.after, then=sum_of(change.before))
    if change.runnable:
        with translate_os_errors(change.path):
            os.chmod(change.path, RUNNABLE)


def _remove_empty(plan: ClientSetupPlan) -> None:
    """Folders that were made for files which are gone; one that holds anything else stays."""
    for folder in sorted(set(plan.folders), key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)
