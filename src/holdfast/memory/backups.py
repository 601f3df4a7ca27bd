"""Backups: bundles of everything, in a store that the user names, kept as long as the settings say."""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from holdfast.domain.errors import BadRequest, NotFound
from holdfast.domain.value import Value
from holdfast.memory.backup_age import STATE, Age, age
from holdfast.memory.bundle_places import ENDINGS, Aim, Written, export_into, owner_name
from holdfast.memory.bundles import ALL, locks_from, wanted
from holdfast.memory.forms import moment, now
from holdfast.memory.open import need_person
from holdfast.ports.objects import Objects, Stored
from holdfast.share.parts import download, parts_of
from holdfast.share.tar import Readable
from holdfast.share.values import MB
from holdfast.vault.write import put_file
from holdfast.wiring.app import App
from holdfast.wiring.stores import open_store

__all__ = [
    "SCHEDULES", "Age", "Backup", "Pruned", "age", "backup_named", "backup_now", "backups", "note_backup", "prune",
    "schedule",
]  # fmt: skip

PARTS = ".parts/"
LATEST = "latest"
SHORT_ID = 8
ABANDONED = timedelta(days=1)
SCHEDULES = ("cron", "systemd")


class NoStore(BadRequest):
    """No place for backups is set."""

    def __init__(self) -> None:
        super().__init__(
            "No store for backups is set.",
            "holdfast config backup.store s3://BUCKET/PATH (or a folder), in a terminal of your own.",
        )


class NoBackup(NotFound):
    """A backup that is not in the store."""

    def __init__(self, wanted_name: str, url: str) -> None:
        which = "backup" if wanted_name == LATEST else f"backup {wanted_name!r}"
        super().__init__(f"There is no {which} of this workspace in {url!r}.", "`holdfast backup list` shows them.")


class ManyBackups(BadRequest):
    """The beginning of several names."""

    def __init__(self, wanted_name: str, names: Sequence[str]) -> None:
        super().__init__(f"{wanted_name!r} could be any of {', '.join(names[:4])}.", "give more of the name.")


class Backup(Value):
    """A bundle in the store: its name there without the folder, its size with all parts, when it came."""

    name: str
    size: int
    modified: str


class Pruned(Value):
    """What went, or would go: backups by name, and the number of parts that no backup has."""

    names: tuple[str, ...]
    parts: int
    freed: int


def backup_now(app: App) -> Written:
    """Write everything to the store: memory of the workspace and the user's own, records, events."""
    need_person(app, "backup now")
    store = _store(app)
    asked = wanted(app, ALL, conversations=True)
    done = export_into(app, store, asked, locks_from(app, (), ""), Aim(folder=_folder(app)))
    note_backup(app, store.url, done)
    return done


def note_backup(app: App, url: str, done: Written) -> None:
    """Remember when the last backup was, for those who look without the network."""
    held = {"store": url, "at": now(app), "name": done.place.rpartition("/")[2], **_few(done)}
    put_file(os.path.join(app.folder, STATE), json.dumps(held).encode())


def _few(done: Written) -> dict[str, object]:
    return {name: done.told[name] for name in ("sha256", "bytes", "created")}


def backups(app: App) -> list[Backup]:
    """The backups of this workspace that the store has, oldest first."""
    return _listed(_store(app).list(_prefix(app)), _prefix(app))


def _listed(rows: Sequence[Stored], prefix: str) -> list[Backup]:
    found = []
    for row in rows:
        if row.name.endswith(ENDINGS):
            size = sum(each.size for each in rows if each.name.startswith(parts_of(row.name)))
            name = row.name.removeprefix(prefix)
            found.append(Backup(name=name, size=row.size + size, modified=row.modified))
    return sorted(found, key=lambda each: each.name)


@contextmanager
def backup_named(app: App, name: str) -> Iterator[tuple[Readable, str]]:
    """A backup's bytes, by its name, the beginning of it, or `latest`."""
    store = _store(app)
    found = [each.name for each in backups(app)]
    fitting = found[-1:] if name == LATEST else [each for each in found if each.startswith(name)]
    if not fitting:
        raise NoBackup(name, store.url)
    if len(fitting) > 1 and name not in fitting:
        raise ManyBackups(name, fitting)
    chosen = name if name in fitting else fitting[0]
    data = download(store, _prefix(app) + chosen)
    if data is None:
        raise NoBackup(name, store.url)
    yield data, f"{store.url}/{_prefix(app)}{chosen}"


def prune(app: App, *, dry_run: bool = False) -> Pruned:
    """Take away what the settings do not keep: by count, by age, by size; never the newest."""
    need_person(app, "backup prune")
    store, prefix = _store(app), _prefix(app)
    rows = store.list(prefix)
    found = _listed(rows, prefix)
    going = _too_many(app, found)
    names = {prefix + each.name for each in going}
    parts = [row for row in rows if _owner(row.name) in names or _is_abandoned(app, row, rows)]
    if not dry_run:
        # The list goes first: parts without it are nothing, a list without parts is damage.
        store.delete(sorted(names))
        store.delete([row.name for row in parts])
    lists = sum(row.size for row in rows if row.name in names)
    return Pruned(
        names=tuple(each.name for each in going), parts=len(parts), freed=lists + sum(row.size for row in parts)
    )


def _too_many(app: App, found: list[Backup]) -> list[Backup]:
    keep, days, most = (int(app.settings[f"backup.{name}"]) for name in ("keep", "keep_days", "max_mb"))
    newest_first, size = list(reversed(found)), 0
    going = []
    for count, each in enumerate(newest_first):
        size += each.size
        when = moment(each.modified)
        old = days and when is not None and app.clock.now() - when > timedelta(days=days)
        if count and ((keep and count >= keep) or old or (most and size > most * MB)):
            going.append(each)
    return going


def _owner(name: str) -> str:
    """The bundle that a part belongs to; empty for what is no part."""
    start, mark, _ = name.rpartition(PARTS)
    return start if mark else ""


def _is_abandoned(app: App, row: Stored, rows: Sequence[Stored]) -> bool:
    """Whether a part is of an upload that nobody finished in a day."""
    owner, when = _owner(row.name), moment(row.modified)
    if not owner or when is None or app.clock.now() - when < ABANDONED:
        return False
    return all(each.name != owner for each in rows)


def schedule(app: App, kind: str) -> str:
    """A unit for cron or systemd that backs this workspace up every night."""
    command = f"{shlex.quote(_program())} -C {shlex.quote(app.workspace or app.home)} backup now --prune"
    if not app.workspace:
        command = f"{shlex.quote(_program())} backup now --prune"
    if kind == "cron":
        return f"# crontab -e, then this line; credentials in variables above it.\n17 3 * * * {command}"
    return UNIT.format(name=f"holdfast-backup-{owner_name(app)}", command=command)


UNIT = """\
# ~/.config/systemd/user/{name}.service
[Unit]
Description=Holdfast backup

[Service]
Type=oneshot
# Credentials, one NAME=VALUE a line, mode 0600:
EnvironmentFile=-%h/.config/holdfast/backup.env
ExecStart={command}

# ~/.config/systemd/user/{name}.timer
[Unit]
Description=Holdfast backup, every night

[Timer]
OnCalendar=*-*-* 03:17:00
Persistent=true

[Install]
WantedBy=timers.target

# then: systemctl --user enable --now {name}.timer"""


def _program() -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "holdfast")
    return beside if os.path.exists(beside) else "holdfast"


def _store(app: App) -> Objects:
    url = str(app.settings["backup.store"])
    if not url:
        raise NoStore
    return open_store(url)


def _folder(app: App) -> str:
    """Where a workspace's backups lie in a store: two of one name do not meet."""
    return f"{owner_name(app)}-{app.workspace_id[:SHORT_ID]}" if app.workspace else "user"


def _prefix(app: App) -> str:
    return f"{_folder(app)}/"
