"""Carrying out an import: all of it or nothing, also when it is killed in the middle.

`state/imports/<id>/`: the bundle, unpacked. When `plan.json` stands there, the import is decided, and whoever comes
next carries it out to its end; each of its steps may be done twice and is done once. Before that, it is rubbish.
"""

import json
import os
import shutil
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from holdfast.app import LinkInWorkspace
from holdfast.core.errors import Conflict, HoldfastError, Refused
from holdfast.core.event import Event
from holdfast.core.ids import decode, is_ulid, ulid
from holdfast.core.memory import Scope
from holdfast.core.times import parse_moment
from holdfast.core.value import Value
from holdfast.distil.distil_sessions import note_sessions
from holdfast.exchange.bundles.bundle_content import IMPORTED
from holdfast.exchange.bundles.import_plan import (
    LINES,
    BundleFileChange,
    BundlePlan,
    RecordStep,
    plan_from_json,
    plan_to_json,
)
from holdfast.exchange.bundles.pending_files import find_obstacle, read_staged, root_of, sum_of
from holdfast.exchange.bundles.share_key import read_signed, write_signed
from holdfast.exchange.bundles.text_ledger import write_ledger
from holdfast.forget.tombstones import events_of, read_marks
from holdfast.journal import append_records, journal_folder, line_format
from holdfast.journal.file_journal import event_body
from holdfast.journal.imported_ids import note_imported_ids
from holdfast.journal.key_filter import Sieve
from holdfast.journal.read_records import find_tombstoned
from holdfast.review.batches import Batch, open_batch
from holdfast.system.folders import FolderExpected, LinkInVault, WritableFolder, translate_os_errors
from holdfast.system.json_cache import read_json_cache
from holdfast.system.lock import try_lock
from holdfast.system.safe_write import (
    TEMPORARY,
    FileAlreadyThere,
    FileChangedSinceRead,
    create_file,
    read_file,
    replace_file,
)
from holdfast.workspace import App

PLACE = os.path.join("state", "imports")
PLAN = "plan.json"
LOCK = "lock"
VERB = "import"
CHUNK = 500
CHUNK_BYTES = 4 << 20
LONGEST_EVENT = 64 << 20
# What may have come between the plan and its end: what stands there then is left alone.
MEANWHILE = (FileChangedSinceRead, FileAlreadyThere, LinkInVault, FolderExpected)


class ImportRunning(Conflict):
    """Two imports at once."""

    def __init__(self) -> None:
        super().__init__("Another import is at work here.", "wait until it is done, then run this again.")


class ForeignImportPlan(Refused):
    """A plan that somebody else wrote."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"{folder!r} holds an import that is not ours.", "remove the folder.")


@contextmanager
def lock_imports(app: App) -> Iterator[None]:
    """Keep other imports out. What an earlier one left is finished first, or thrown away."""
    with _lock(app) as held:
        if not held:
            raise ImportRunning
        _finish_all(app)
        yield


def finish_imports(app: App) -> None:
    """Finish what an import that was cut short had decided; a trouble with that is a notice."""
    if not is_unfinished(app):
        return
    try:
        with _lock(app) as held:
            if held:
                _finish_all(app)
    except (HoldfastError, OSError) as error:
        app.notices.append(f"An import that was cut short could not be finished: {error}")


def is_unfinished(app: App) -> bool:
    """Whether an import was cut short here, or is at work."""
    try:
        return any(is_ulid(name) for name in os.listdir(os.path.join(app.folder, PLACE)))
    except OSError:
        return False


@contextmanager
def open_staging(app: App) -> Iterator[str]:
    """A private folder to unpack into; gone afterwards, unless what it holds was decided."""
    folder = os.path.join(app.folder, PLACE, ulid())
    with translate_os_errors(folder):
        os.makedirs(folder, mode=0o700)
    try:
        yield folder
    finally:
        if not os.path.exists(os.path.join(folder, PLAN)):
            shutil.rmtree(folder, ignore_errors=True)


def commit_import(app: App, folder: str, plan: BundlePlan, told: Mapping[str, Any]) -> None:
    """From here on the import happens, whatever comes."""
    _flush_staged(folder)
    write_signed(app, os.path.join(folder, PLAN), {**plan_to_json(plan), "told": told})


class AppliedImport(Value):
    """What an import came to: the files that changed meanwhile, left alone; and how many events were new."""

    skipped: tuple[str, ...]
    events: int


def apply_import_plan(app: App, folder: str) -> AppliedImport:
    """Do what was decided; each step once, however often this is called."""
    form = read_signed(app, os.path.join(folder, PLAN))
    if form is None:
        raise ForeignImportPlan(folder)
    plan = plan_from_json(form)
    skipped = _apply_memory(app, plan, os.path.basename(folder))
    for step in plan.records:
        if not _apply_record(app, step):
            skipped.append(step.path)
    noted, count = _sessions(plan.distilled), 0
    for scope in dict.fromkeys(scope for scope, _ in plan.journals):
        places = [place for each, place in plan.journals if each == scope]
        last, fresh = _append_events(app, scope, places, form["told"], noted)
        count += fresh
        if scope == app.scope:
            note_sessions(app, {name: {**noted[name], "event": event} for name, event in last.items()})
    write_ledger(app, plan.ledger)
    _note(app, form["told"])
    os.unlink(os.path.join(folder, PLAN))
    journal_folder.sync_folder(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return AppliedImport(skipped=tuple(skipped), events=count)


def _apply_memory(app: App, plan: BundlePlan, name: str) -> list[str]:
    if not plan.changes:
        return []
    with open_batch(app, VERB, name) as changes:
        # What comes is there before what goes.
        order = sorted(plan.changes, key=lambda change: not change.after)
        return [each.path for each in order if not _set_file(app, changes, each)]


def _set_file(app: App, changes: Batch, each: BundleFileChange) -> bool:
    """One file of memory; False where something else stands there by now."""
    top, _, inner = each.path.partition("/")
    if find_obstacle(os.path.join(root_of(app, each.scope), top), inner):
        return False
    after = read_staged(each.after) if each.after else None
    try:
        return changes.set_file(Scope(each.scope), each.path, each.id, before=each.before, after=after)
    except MEANWHILE:
        return False


def _apply_record(app: App, step: RecordStep) -> bool:
    """One record; False where somebody else wrote it meanwhile."""
    root = root_of(app, step.scope)
    if find_obstacle(root, step.path):
        return False
    place = WritableFolder(root=root, private=True)
    current, data = read_file(place, step.path), read_staged(step.staged)
    if step.how == LINES:
        data = _add_lines(current or b"", data)
    elif sum_of(current) not in {step.before, sum_of(data)}:
        return False
    try:
        if current is None:
            create_file(place, step.path, data)
        elif current != data:
            replace_file(place, step.path, data, then=sum_of(current))
    except MEANWHILE:
        return False
    if step.mtime:
        os.utime(os.path.join(root, step.path), (step.mtime, step.mtime), follow_symlinks=False)
    return True


def _add_lines(current: bytes, came: bytes) -> bytes:
    known = set(current.splitlines())
    fresh = [line for line in dict.fromkeys(came.splitlines()) if line not in known]
    if not fresh:
        return current
    start = current if not current or current.endswith(b"\n") else current + b"\n"
    return start + b"".join(line + b"\n" for line in fresh)


# Events


def _append_events(
    app: App, scope: str, places: list[str], about: Mapping[str, Any], sessions: Collection[str]
) -> tuple[dict[str, str], int]:
    """Append what came; of some sessions, the last event's id here; and how many were new."""
    last: dict[str, str] = {}
    new = 0
    root = root_of(app, scope)
    folder = os.path.join(root, "journal")
    known, sieve, deleted = _Keyless(app, scope), Sieve(folder), find_tombstoned(folder) | events_of(read_marks(app))
    segment = max(1, int(app.settings["journal.segment_mb"])) * 1024 * 1024
    chunk: list[tuple[str, str, tuple[str, str, bytes]]] = []
    size = 0

    def write() -> None:
        nonlocal new
        told = append_records.append(folder, [entry for _, _, entry in chunk], segment_bytes=segment, sieve=sieve)
        pairs = [(old, session, here, fresh) for (old, session, _), (here, fresh) in zip(chunk, told, strict=True)]
        note_imported_ids(root, [(old, here) for old, _, here, fresh in pairs if fresh])
        last.update({session: here for _, session, here, _ in pairs if session in sessions})
        new += sum(fresh for _, _, _, fresh in pairs)
        chunk.clear()

    for count, event in enumerate(_read_staged_events(places)):
        if event["id"] in deleted or (event.get("key", "") in {"", f"import:{event['id']}"} and event["id"] in known):
            continue
        entry = _entry(event, str(about["workspace"]))
        chunk.append((str(event["id"]), str(event.get("session", "")), entry))
        size += len(entry[2])
        if len(chunk) >= CHUNK or size > CHUNK_BYTES:
            write()
            size = 0
            if app.progress:
                app.progress("importing", count, int(about["events"]))
    if chunk:
        write()
    return last, new


def _sessions(path: str) -> dict[str, Mapping[str, Any]]:
    found = read_json_cache(path).get("sessions") if path else None
    rows = found.items() if isinstance(found, dict) else ()
    return {name: row for name, row in rows if isinstance(row, dict)}


def _read_staged_events(places: list[str]) -> Iterator[dict[str, Any]]:
    for place in places:
        with open(place, "rb") as file:
            while line := file.readline(LONGEST_EVENT):
                with suppress(ValueError, RecursionError):
                    event = json.loads(line)
                    if isinstance(event, dict) and is_ulid(str(event.get("id", ""))):
                        yield event


def _entry(event: Mapping[str, Any], origin: str) -> tuple[str, str, bytes]:
    data = event.get("data")
    data = dict(data) if isinstance(data, dict) else {}
    own = str(event["id"])
    data.setdefault(IMPORTED, {"id": own, "from": origin})
    key = str(event.get("key", "")) or f"import:{own}"
    made = Event(
        client=str(event.get("client", "")), session=str(event.get("session", "")), name=str(event.get("name", "")),
        key=key, data=data,
    )  # fmt: skip
    when = parse_moment(str(event.get("ts", "")))
    return key, line_format.stamp(int(when.timestamp() * 1000)) if when else "", event_body(made)


class _Keyless:
    """The ids of events here that have no key of their own: they come back by their id. Sixteen bytes each."""

    def __init__(self, app: App, scope: str) -> None:
        self._high, self._low = array("Q"), array("Q")
        journal = app.journal if scope == app.scope else app.open_other("").journal
        for record in journal.read():
            if record.kind == "event" and not record.data.get("key"):
                number = decode(record.id)
                self._high.append(number >> 64)
                self._low.append(number & (1 << 64) - 1)

    def __contains__(self, event_id: object) -> bool:
        number = decode(str(event_id))
        high, low = number >> 64, number & (1 << 64) - 1
        # The journal's ids rise, so these do.
        at = bisect_left(self._high, high)
        while at < len(self._high) and self._high[at] == high:
            if self._low[at] == low:
                return True
            at += 1
        return False


# The folder


def _finish_all(app: App) -> None:
    place = os.path.join(app.folder, PLACE)
    for name in sorted(name for name in os.listdir(place) if is_ulid(name)):
        folder = os.path.join(place, name)
        form = read_signed(app, os.path.join(folder, PLAN))
        if form is not None:
            _sweep(app, plan_from_json(form))
            apply_import_plan(app, folder)
            app.notices.append("An import that was cut short is finished now.")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _sweep(app: App, plan: BundlePlan) -> None:
    """Take away what a write that was killed left beside the records."""
    for folder in {os.path.dirname(os.path.join(root_of(app, step.scope), step.path)) for step in plan.records}:
        with suppress(OSError), os.scandir(folder) as inside:
            for entry in inside:
                if entry.name.startswith(TEMPORARY) and not _is_alive(entry.name.removeprefix(TEMPORARY)):
                    os.unlink(entry.path)


def _is_alive(name: str) -> bool:
    """Whether the process still runs that a temporary file is named by."""
    number = name.partition("-")[0]
    try:
        os.kill(int(number), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _lock(app: App) -> Iterator[bool]:
    place = os.path.join(app.folder, PLACE)
    if os.path.islink(place):
        raise LinkInWorkspace(place)
    with translate_os_errors(place):
        os.makedirs(place, mode=0o700, exist_ok=True)
    with try_lock(os.path.join(place, LOCK)) as held:
        yield held >= 0


def _flush_staged(folder: str) -> None:
    """Have every staged file on the disk itself."""
    with os.scandir(folder) as inside:
        for entry in inside:
            fd = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
    journal_folder.sync_folder(folder)


def _note(app: App, told: Mapping[str, Any]) -> None:
    text = f"imported a bundle of {told['workspace']}"
    data = {**told, "text": text}
    app.journal.append([Event(client="holdfast", name="bundle.imported", key=f"bundle:{told['bundle']}", data=data)])
