"""Where bundles go to and come from: a file, a folder, a store; streams are the caller's own."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from holdfast.core.errors import BadRequest, Conflict, NotFound, Unavailable
from holdfast.core.value import Value
from holdfast.exchange.bundle_format.bundle_parts import LARGEST_PART, UploadResult, download, upload
from holdfast.exchange.bundle_format.bundle_values import SUFFIX
from holdfast.exchange.bundle_format.compression import BundleRecipients, looks_packed
from holdfast.exchange.bundle_format.tar_stream import BytesReader
from holdfast.exchange.bundles.apply_import import finish_imports
from holdfast.exchange.bundles.bundle_log import note_bundle
from holdfast.exchange.bundles.bundle_outbox import BUNDLE, STALE, TARGET, open_outbox
from holdfast.exchange.bundles.export_import import BundleExportResult, ExportRequest, export_bundle
from holdfast.exchange.bundles.share_key import read_signed, write_signed
from holdfast.exchange.object_store import Lost, Objects
from holdfast.exchange.open_store import is_address, join_address, open_store, split_address
from holdfast.system.folders import translate_os_errors
from holdfast.system.safe_write import TEMPORARY, link_new_file
from holdfast.workspace import App, need_person

STREAM = "-"
AGE, LOCKED = ".age", ".locked"
ENDINGS = (SUFFIX, SUFFIX + AGE, SUFFIX + LOCKED, ".tar.zst", ".tar.zst.age", ".tar.zst.locked")
FRESH = 3600
SUM_LENGTH = 12
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class WrittenBundle(Value):
    """A bundle in its place. `resumed`: an upload that was cut short went on; the bundle is of that time."""

    place: str
    report: dict[str, Any]
    sent: UploadResult | None = None
    resumed: bool = False


class ExportFileExists(Conflict):
    """A file that an export would replace."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is there already.", "name another file, or replace it with --force.")


class NoBundleThere(NotFound):
    """A place without a bundle."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"There is no bundle at {place!r}.", f"bundles end in {SUFFIX}; `holdfast export` writes them."
        )


class BundleUnreadable(Unavailable):
    """A file or folder that is there and not ours to read."""

    def __init__(self, place: str, error: OSError) -> None:
        super().__init__(
            f"{place!r} cannot be read: {error.strerror or error}.",
            "give yourself the right to read it, then run this again.",
        )


class ReadOnlyDestination(BadRequest):
    """A place that takes nothing."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place!r} can be read from and not written to.", "export to a file, a folder or s3://….")


def export_json(made: BundleExportResult) -> dict[str, Any]:
    """What a bundle is, for programs."""
    manifest = made.manifest
    return {
        "bundle": manifest.id, "created": manifest.created, "workspace": dict(manifest.workspace),
        "scopes": list(manifest.scopes), "contains": list(manifest.contains), "counts": dict(manifest.counts),
        "files": len(manifest.files), "redacted": dict(manifest.redaction),
        "left_out": [dict(each) for each in manifest.left_out], "sha256": made.sha256, "bytes": made.size,
    }  # fmt: skip


def export_to(
    app: App, place: str, asked: ExportRequest, locks: BundleRecipients, *, force: bool = False
) -> WrittenBundle:
    """Write a bundle to a file, a folder or a store; whole or not at all."""
    need_person(app, f"export {place}")
    if is_address(place):
        if place.startswith(("http://", "https://")):
            raise ReadOnlyDestination(place)
        store, name = _open_address(place)
        return export_into_store(app, store, asked, locks, StoreDestination(name=name, force=force))
    path = os.path.abspath(os.path.expanduser(place))
    if os.path.isdir(path) or place.endswith("/"):
        return _export_to_folder(app, path, asked, locks)
    if os.path.lexists(path) and not force:
        raise ExportFileExists(path)
    return _export_to_file(app, path, asked, locks, force=force)


def _export_to_folder(app: App, folder: str, asked: ExportRequest, locks: BundleRecipients) -> WrittenBundle:
    with translate_os_errors(folder):
        os.makedirs(folder, exist_ok=True)
        with _open_beside(folder) as (file, temporary):
            made = export_bundle(app, file, asked, locks)
            path = os.path.join(folder, file_name(app, made, locks))
            note_bundle(app, path, made.sha256)
            _publish_file(file, temporary, path, force=True)
    return WrittenBundle(place=path, report=export_json(made))


def _export_to_file(
    app: App, path: str, asked: ExportRequest, locks: BundleRecipients, *, force: bool
) -> WrittenBundle:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise NotFound(f"There is no folder {folder!r}.", "make it first, or name another.")
    with translate_os_errors(path), _open_beside(folder) as (file, temporary):
        made = export_bundle(app, file, asked, locks)
        note_bundle(app, path, made.sha256)
        _publish_file(file, temporary, path, force=force)
    return WrittenBundle(place=path, report=export_json(made))


def file_name(app: App, made: BundleExportResult, locks: BundleRecipients) -> str:
    """A name that tells whose memory it is, when it was, and its sum."""
    return f"{owner_name(app)}-{stamp_name(made.manifest.created, made.sha256, locks)}"


def stamp_name(created: str, digest: str, locks: BundleRecipients) -> str:
    """The part of a name that tells time and sum."""
    ending = AGE if locks.recipients else LOCKED if locks.passphrase else ""
    return f"{created.replace('-', '').replace(':', '')}-{digest[:SUM_LENGTH]}{SUFFIX}{ending}"


def owner_name(app: App) -> str:
    """The workspace's name as part of a file's: letters, digits, dots and dashes."""
    name = os.path.basename(app.workspace) if app.workspace else "user"
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    return plain.strip(".-")[:60] or "workspace"


@contextmanager
def _open_beside(folder: str) -> Iterator[tuple[BinaryIO, str]]:
    """A file of our own in a folder; gone afterwards unless it got a name."""
    _sweep(folder)
    temporary = os.path.join(folder, f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}")
    with os.fdopen(os.open(temporary, _NEW, 0o600), "w+b") as file:
        try:
            yield file, temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _publish_file(file: BinaryIO, temporary: str, path: str, *, force: bool) -> None:
    file.flush()
    os.fsync(file.fileno())
    if not force:
        _take_name(temporary, path)
    else:
        os.replace(temporary, path)
    fd = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _take_name(temporary: str, path: str) -> None:
    """Give a file a name that nobody has. Of two who saw it free at the same time, the second is told."""
    try:
        link_new_file(temporary, path)
    except FileExistsError:
        raise ExportFileExists(path) from None


def _sweep(folder: str) -> None:
    """Take away what exports left that were killed long ago."""
    with suppress(OSError), os.scandir(folder) as inside:
        for entry in inside:
            if entry.name.startswith(TEMPORARY) and time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE:
                os.unlink(entry.path)


# Stores


class StoreDestination(Value):
    """Where in a store a bundle goes: under a name, or under one with time and sum in a folder.

    `force`: in the place of what is there. `fresh`: never one that was made before and not wholly sent.
    """

    name: str = ""
    folder: str = ""
    force: bool = False
    fresh: bool = False


def export_into_store(
    app: App, store: Objects, asked: ExportRequest, locks: BundleRecipients, aim: StoreDestination
) -> WrittenBundle:
    """Put a bundle into a store. One that was made and not wholly sent within the hour goes on."""
    target = f"{store.url}\n{aim.folder}\n{aim.name}\n{asked}"
    with open_outbox(app, store.url, target) as box:
        resumed = not aim.fresh and _is_fresh(app, box, target)
        if not resumed:
            _make_bundle(app, box, target, asked, locks, aim)
        held = read_signed(app, os.path.join(box, TARGET)) or {}
        note_bundle(app, held["name"], held["told"]["sha256"], store.url, sending=True)
        try:
            with open(os.path.join(box, BUNDLE), "rb") as file:
                sent = upload(
                    store, held["name"], file, held["told"]["bytes"], app.progress, replace=aim.force,
                    part_bytes=_part_bytes(app),
                )  # fmt: skip
        except Lost:
            shutil.rmtree(box, ignore_errors=True)
            raise ExportFileExists(join_address(store.url, held["name"])) from None
        note_bundle(app, held["name"], held["told"]["sha256"], store.url)
        shutil.rmtree(box, ignore_errors=True)
    place = join_address(store.url, held["name"])
    return WrittenBundle(place=place, report=held["told"], sent=sent, resumed=resumed)


def _part_bytes(app: App) -> int:
    return min(int(app.settings["share.part_mb"]) << 20, LARGEST_PART)


def _make_bundle(
    app: App, box: str, target: str, asked: ExportRequest, locks: BundleRecipients, aim: StoreDestination
) -> None:
    path = os.path.join(box, BUNDLE)
    with suppress(FileNotFoundError):
        os.unlink(path)
    with translate_os_errors(path), os.fdopen(os.open(path, _NEW, 0o600), "w+b") as file:
        made = export_bundle(app, file, asked, locks)
        file.flush()
        os.fsync(file.fileno())
    chosen = aim.name or f"{aim.folder or owner_name(app)}/{stamp_name(made.manifest.created, made.sha256, locks)}"
    held = {"target": target, "name": chosen, "at": time.time(), "told": export_json(made)}
    write_signed(app, os.path.join(box, TARGET), held)


def _is_fresh(app: App, box: str, target: str) -> bool:
    held = read_signed(app, os.path.join(box, TARGET)) or {}
    same = held.get("target") == target and os.path.exists(os.path.join(box, BUNDLE))
    return same and 0 <= time.time() - float(held.get("at", 0)) < FRESH


def _open_address(place: str) -> tuple[Objects, str]:
    """A store, and the name in it where the address ends in one."""
    folder, name = split_address(place)
    return (open_store(folder), name) if name.endswith(ENDINGS) else (open_store(place), "")


# Sources


def is_bundle(place: str) -> bool:
    """Whether a place is one that bundles come from, and no other tool's memory. Raises CannotRead."""
    if place == STREAM or is_address(place):
        return True
    path = os.path.expanduser(place)
    if os.path.isdir(path):
        return bool(_list_bundles_in(path))
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return looks_packed(file.read(64)) or path.endswith(ENDINGS)
    except PermissionError as error:
        raise BundleUnreadable(place, error) from error
    except OSError:
        return False


@contextmanager
def open_source(app: App, place: str) -> Iterator[tuple[BytesReader, str]]:
    """A bundle's bytes, and the place they really come from: of a folder, the newest one in it."""
    finish_imports(app)
    if place == STREAM:
        yield sys.stdin.buffer, "standard input"
        return
    if is_address(place):
        yield _open_from_store(place)
        return
    path = os.path.expanduser(place)
    if os.path.isdir(path):
        path = os.path.join(path, max(_list_bundles_in(path))[1])
    with translate_os_errors(path), open(path, "rb") as file:
        yield file, path


def _open_from_store(place: str) -> tuple[BytesReader, str]:
    store, name = _open_address(place)
    if not name and not place.startswith(("http://", "https://")):
        there = [each for each in store.list("") if each.name.endswith(ENDINGS)]
        name = max(there, key=lambda each: (each.modified, each.name)).name if there else ""
    found = download(store, name) if name else None
    if found is None:
        raise NoBundleThere(place)
    return found, join_address(store.url, name)


def _list_bundles_in(folder: str) -> list[tuple[float, str]]:
    try:
        with os.scandir(folder) as inside:
            return [
                (entry.stat(follow_symlinks=False).st_mtime, entry.name)
                for entry in inside
                if entry.name.endswith(ENDINGS) and entry.is_file(follow_symlinks=False)
            ]
    except PermissionError as error:
        raise BundleUnreadable(folder, error) from error
    except OSError:
        return []
