"""Backups: bundles of everything, in a store that the user names, kept as long as the settings say."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.value import Value
from holdfast.exchange.bundle_format.bundle_parts import download, owner_of, parts_prefix
from holdfast.exchange.bundle_format.bundle_values import MB
from holdfast.exchange.bundle_format.tar_stream import BytesReader
from holdfast.exchange.bundles.backup_age import STATE, BackupAge, read_backup_age
from holdfast.exchange.bundles.bundle_outbox import drop_for_other_stores
from holdfast.exchange.bundles.bundle_places import (
    ENDINGS,
    StoreDestination,
    WrittenBundle,
    export_into_store,
    owner_name,
)
from holdfast.exchange.bundles.export_import import ALL, BundleImportResult, build_export_request, locks_from
from holdfast.exchange.object_store import Objects, Stored
from holdfast.exchange.open_store import join_address, open_store, split_address
from holdfast.system.safe_write import put_file
from holdfast.vault.entry_json import now, parse_moment
from holdfast.workspace import App, need_person

__all__ = [
    "BackupAge",
    "PrunedBackups",
    "StoredBackup",
    "backup_folder",
    "drop_stale_backups",
    "list_backup_folders",
    "list_backups",
    "note_backup",
    "note_restored",
    "open_backup",
    "prune_backups",
    "read_backup_age",
    "write_backup",
]

LATEST = "latest"
SHORT_ID = 8
ABANDONED = timedelta(days=1)


class NoBackupStore(BadRequest):
    """No place for backups is set."""

    def __init__(self) -> None:
        super().__init__(
            "No store for backups is set.",
            "holdfast config backup.store s3://BUCKET/PATH (or a folder), in a terminal of your own.",
        )


class NoSuchBackup(NotFound):
    """A backup that is not in the store."""

    def __init__(self, wanted_name: str, url: str, others: Sequence[str] = ()) -> None:
        which = "backup" if wanted_name == LATEST else f"backup {wanted_name!r}"
        hint = "`holdfast backup list` shows them."
        if others:
            hint = f"it has some of {', '.join(others[:8])}: `holdfast backup restore {others[0]}/{LATEST}`."
        super().__init__(f"There is no {which} of this workspace in {url!r}.", hint)


class AmbiguousBackup(BadRequest):
    """The beginning of several names."""

    def __init__(self, wanted_name: str, names: Sequence[str]) -> None:
        super().__init__(f"{wanted_name!r} could be any of {', '.join(names[:4])}.", "give more of the name.")


class StoredBackup(Value):
    """A bundle in the store: its name there without the folder, its size with all parts, when it came."""

    name: str
    size: int
    modified: str


class PrunedBackups(Value):
    """What went, or would go: backups by name, and the number of parts that no backup has."""

    names: tuple[str, ...]
    parts: int
    freed: int


def write_backup(app: App) -> WrittenBundle:
    """Write everything to the store: memory of the workspace and the user's own, records, events."""
    need_person(app, "backup now")
    store = _open_backup_store(app)
    asked = build_export_request(app, ALL, conversations=True)
    done = export_into_store(app, store, asked, locks_from(app, (), ""), StoreDestination(folder=backup_folder(app)))
    note_backup(app, store.url, done)
    return done


def drop_stale_backups(app: App) -> list[str]:
    """Drop backups that wait for a store which is not the one in the settings any more; where they should go.

    Parts of them may lie there: a purge still looks for those.
    """
    need_person(app, "backup prune")
    return drop_for_other_stores(app, backup_folder(app), _open_backup_store(app).url)


def note_backup(app: App, url: str, done: WrittenBundle) -> None:
    """Remember when the last backup was, for those who look without the network."""
    held = {"store": url, "at": now(app), "name": split_address(done.place)[1], **_summarise_written(done)}
    put_file(os.path.join(app.folder, STATE), json.dumps(held).encode())


def note_restored(app: App, place: str, found: BundleImportResult) -> None:
    """Remember a backup of this workspace that came back as its last, unless a later one is known."""
    folder, name = split_address(place)
    created = found.manifest.created
    if folder != join_address(_open_backup_store(app).url, backup_folder(app)) or read_backup_age(app).last >= created:
        return
    few = {"sha256": found.sha256, "bytes": found.size, "created": created}
    held = {"store": _open_backup_store(app).url, "at": created, "name": name, **few}
    put_file(os.path.join(app.folder, STATE), json.dumps(held).encode())


def _summarise_written(done: WrittenBundle) -> dict[str, object]:
    return {name: done.report[name] for name in ("sha256", "bytes", "created")}


def list_backups(app: App, folder: str = "") -> list[StoredBackup]:
    """The backups of this workspace that the store has, or those in another folder of it; oldest first."""
    prefix = f"{folder}/" if folder else _prefix(app)
    return _list_from_rows(_open_backup_store(app).list(prefix), prefix)


def list_backup_folders(app: App) -> dict[str, int]:
    """Whose backups the store has, and how many: each machine and path has a folder of its own."""
    names = [
        row.name for row in _open_backup_store(app).list("") if row.name.endswith(ENDINGS) and row.name.count("/") == 1
    ]
    return dict(Counter(name.partition("/")[0] for name in names))


def _list_from_rows(rows: Sequence[Stored], prefix: str) -> list[StoredBackup]:
    found = []
    for row in rows:
        if row.name.endswith(ENDINGS):
            size = sum(each.size for each in rows if each.name.startswith(parts_prefix(row.name)))
            name = row.name.removeprefix(prefix)
            found.append(StoredBackup(name=name, size=row.size + size, modified=row.modified))
    return sorted(found, key=lambda each: each.name)


@contextmanager
def open_backup(app: App, name: str) -> Iterator[tuple[BytesReader, str]]:
    """A backup's bytes, by its name, the beginning of it, or `latest`; in another folder as FOLDER/NAME."""
    store = _open_backup_store(app)
    folder, _, wanted_name = name.rpartition("/")
    found = [each.name for each in list_backups(app, folder)]
    fitting = found[-1:] if wanted_name == LATEST else [each for each in found if each.startswith(wanted_name)]
    if not fitting:
        raise NoSuchBackup(name, store.url, [] if folder or found else sorted(list_backup_folders(app)))
    if len(fitting) > 1 and wanted_name not in fitting:
        raise AmbiguousBackup(name, fitting)
    chosen = f"{folder or backup_folder(app)}/{wanted_name if wanted_name in fitting else fitting[0]}"
    data = download(store, chosen)
    if data is None:
        raise NoSuchBackup(name, store.url)
    yield data, join_address(store.url, chosen)


def prune_backups(app: App, *, dry_run: bool = False) -> PrunedBackups:
    """Take away what the settings do not keep: by count, by age, by size; never the newest."""
    need_person(app, "backup prune")
    store, prefix = _open_backup_store(app), _prefix(app)
    rows = store.list(prefix)
    found = _list_from_rows(rows, prefix)
    going = _find_surplus(app, found)
    names = {prefix + each.name for each in going}
    parts = [row for row in rows if owner_of(row.name) in names or _is_abandoned(app, row, rows)]
    if not dry_run:
        # The list goes first: parts without it are nothing, a list without parts is damage.
        store.delete(sorted(names))
        store.delete([row.name for row in parts])
    lists = sum(row.size for row in rows if row.name in names)
    return PrunedBackups(
        names=tuple(each.name for each in going), parts=len(parts), freed=lists + sum(row.size for row in parts)
    )


def _find_surplus(app: App, found: list[StoredBackup]) -> list[StoredBackup]:
    keep, days, most = (int(app.settings[f"backup.{name}"]) for name in ("keep", "keep_days", "max_mb"))
    newest_first, size = list(reversed(found)), 0
    going = []
    for count, each in enumerate(newest_first):
        size += each.size
        when = parse_moment(each.modified)
        old = days and when is not None and app.clock.now() - when > timedelta(days=days)
        if count and ((keep and count >= keep) or old or (most and size > most * MB)):
            going.append(each)
    return going


def _is_abandoned(app: App, row: Stored, rows: Sequence[Stored]) -> bool:
    """Whether a part is of an upload that nobody finished in a day."""
    owner, when = owner_of(row.name), parse_moment(row.modified)
    if not owner or when is None or app.clock.now() - when < ABANDONED:
        return False
    return all(each.name != owner for each in rows)


def _open_backup_store(app: App) -> Objects:
    url = str(app.settings["backup.store"])
    if not url:
        raise NoBackupStore
    return open_store(url)


def backup_folder(app: App) -> str:
    """Where a workspace's backups lie in a store: two of one name do not meet."""
    return f"{owner_name(app)}-{app.workspace_id[:SHORT_ID]}" if app.workspace else "user"


def _prefix(app: App) -> str:
    return f"{backup_folder(app)}/"
