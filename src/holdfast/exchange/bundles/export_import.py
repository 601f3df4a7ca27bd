"""Bundles: this memory in one file, and such a file brought in. See docs/formats/bundle.md."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from holdfast.config.secrets import read_secret
from holdfast.core.errors import BadRequest
from holdfast.core.ids import ulid
from holdfast.core.memory import Scope
from holdfast.core.value import Value, replace
from holdfast.distil.distil_sessions import read_noted_sessions
from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.bundle_values import MB, BundleLimits, BundleManifest, Head
from holdfast.exchange.bundle_format.compression import BundleKeys, BundleRecipients
from holdfast.exchange.bundle_format.merge_texts import CANDIDATE, FORWARD, KNOWN, NEW, NEWER, read_text_version
from holdfast.exchange.bundle_format.read_bundle import unpack
from holdfast.exchange.bundle_format.tar_stream import BytesReader, BytesWriter
from holdfast.exchange.bundle_format.write_bundle import HashingWriter, open_bundle_writer
from holdfast.exchange.bundles.apply_import import (
    apply_import_plan,
    commit_import,
    finish_imports,
    lock_imports,
    open_staging,
)
from holdfast.exchange.bundles.bundle_content import BundlePacker, list_exportable_files
from holdfast.exchange.bundles.import_plan import DROPPED, FORGOTTEN, KEPT, REJECTED, BundlePlan, BundleStep
from holdfast.exchange.bundles.local_state import find_forgotten_ids
from holdfast.exchange.bundles.pending_files import root_of
from holdfast.exchange.bundles.plan_import import plan_bundle_import
from holdfast.exchange.bundles.purged_bundles import refuse_purged
from holdfast.exchange.bundles.share_key import load_share_key
from holdfast.exchange.bundles.text_ledger import BundleLedger, key_of, render_lines
from holdfast.records.refresh_records import refresh_records
from holdfast.system.folders import translate_os_errors
from holdfast.trust.visibility import read_visibility_status
from holdfast.vault.entry_json import now
from holdfast.vault.parse_memory import parse
from holdfast.vault.promotion import ScopeMissing
from holdfast.workspace import App, NoWorkspace, need_person

__all__ = [
    "ALL",
    "CANDIDATE",
    "DROPPED",
    "FORGOTTEN",
    "FORWARD",
    "KEPT",
    "KNOWN",
    "NEW",
    "NEWER",
    "REJECTED",
    "BundleExportResult",
    "BundleImportResult",
    "BundleKeys",
    "BundlePlan",
    "BundleRecipients",
    "BundleStep",
    "ExportRequest",
    "SummedSource",
    "build_export_request",
    "export_bundle",
    "finish_imports",
    "keys_from",
    "load_share_key",
    "locks_from",
    "open_import",
]

ALL = "all"


class ExportRequest(Value):
    """What a bundle shall hold: whose memory, and whether events come along, with or without words.

    `everything`: also the events of the user's own journal, beside a workspace's.
    """

    scopes: tuple[str, ...]
    journal: bool = False
    conversations: bool = False
    everything: bool = False


class BundleExportResult(Value):
    """A bundle that was written."""

    manifest: BundleManifest
    sha256: str
    size: int


class BundleImportResult(Value):
    """A bundle that was looked at, or brought in.

    `skipped`: files that somebody changed meanwhile, left alone. `events`: how many of its events were new.
    """

    manifest: BundleManifest
    proven: bool
    plan: BundlePlan
    sha256: str
    size: int
    skipped: tuple[str, ...] = ()
    events: int = 0


def build_export_request(
    app: App, scope: str = "", *, journal: bool = False, conversations: bool = False, everything: bool = False
) -> ExportRequest:
    """What to export, by the words of a command."""
    scope, conversations = (ALL, True) if everything else (scope, conversations)
    if scope == Scope.WORKSPACE and not app.workspace:
        raise NoWorkspace(os.getcwd())
    if scope in set(Scope) and scope not in app.vaults:
        raise ScopeMissing(scope)
    scopes = tuple(map(str, app.vaults)) if scope == ALL else (scope or str(app.scope),)
    return ExportRequest(
        scopes=scopes, journal=journal or conversations, conversations=conversations, everything=everything
    )  # fmt: skip


def export_bundle(app: App, out: BytesWriter, asked: ExportRequest, locks: BundleRecipients) -> BundleExportResult:
    """Write a bundle to a place, as it is made."""
    need_person(app, "export")
    finish_imports(app)
    if app.workspace:
        refresh_records(app)
    summed = HashingWriter(out)
    ledger = BundleLedger(app)
    with open_bundle_writer(summed, _head(app, asked), locks) as writer:
        packer = BundlePacker(writer, app.progress)
        for scope in asked.scopes:
            _pack(app, packer, ledger, scope, asked)
        manifest = writer.finish(load_share_key(app))
    ledger.save()
    return BundleExportResult(manifest=manifest, sha256=summed.sha256, size=summed.count)


@contextmanager
def open_import(
    app: App, source: BytesReader, keys: BundleKeys, *, mine: bool = False, foreign: bool = False
) -> Iterator["BundleImport"]:
    """Bring in a bundle: look at the plan, then say `go`. Left without that, nothing happened.

    `mine`: it is the user's own, whatever its seal says. `foreign`: it is somebody else's.
    """
    need_person(app, "import")
    with lock_imports(app), open_staging(app) as folder:
        yield BundleImport(app, folder, _plan_import(app, source, folder, keys, mine=mine, foreign=foreign))


class BundleImport:
    """A bundle that lies unpacked and checked, with what it would do."""

    def __init__(self, app: App, folder: str, found: BundleImportResult) -> None:
        self._app, self._folder = app, folder
        self.found = found

    def go(self) -> BundleImportResult:
        """Do it."""
        manifest = self.found.manifest
        told = {
            "bundle": manifest.id, "workspace": str(manifest.workspace.get("name", "")), "sha256": self.found.sha256,
            "ours": self.found.proven, "events": manifest.counts.get("events", 0),
        }  # fmt: skip
        commit_import(self._app, self._folder, self.found.plan, told)
        done = apply_import_plan(self._app, self._folder)
        self._app.refresh()
        return replace(self.found, skipped=done.skipped, events=done.events)


class SummedSource:
    """A source that is summed up as it is read."""

    def __init__(self, source: BytesReader) -> None:
        self._source, self._sum = source, HashingWriter(_Nowhere())

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        piece = self._source.read(1 << 20 if size < 0 else size)
        self._sum.write(piece)
        return piece

    @property
    def sum_and_size(self) -> Mapping[str, Any]:
        """The sum and the size of what was read."""
        return {"sha256": self._sum.sha256, "size": self._sum.count}


class _Nowhere:
    """Takes bytes, and keeps none."""

    def write(self, data: bytes, /) -> int:
        """Drop them."""
        return len(data)


def _plan_import(
    app: App, source: BytesReader, folder: str, keys: BundleKeys, *, mine: bool, foreign: bool
) -> BundleImportResult:
    read = SummedSource(source)
    with translate_os_errors(folder):
        found = unpack(read, folder, keys, (load_share_key(app),), read_limits(app))
    refuse_purged(app, str(read.sum_and_size["sha256"]))
    found = replace(found, proven=(found.proven or mine) and not foreign)
    app.refresh()
    plan = plan_bundle_import(app, found, folder)
    return BundleImportResult(manifest=found.manifest, proven=found.proven, plan=plan, **read.sum_and_size)


def _head(app: App, asked: ExportRequest) -> Head:
    contains = ["memory", "candidates", "records"]
    contains += ["journal"] if asked.journal else []
    contains += ["conversations"] if asked.conversations else []
    name = os.path.basename(app.workspace) if app.workspace else "user"
    return Head(
        id=ulid(), created=now(app), workspace={"id": app.workspace_id, "name": name}, scopes=asked.scopes,
        contains=tuple(contains),
    )  # fmt: skip


def _pack(app: App, packer: BundlePacker, ledger: BundleLedger, scope: str, asked: ExportRequest) -> None:
    root, ids = root_of(app, scope), []
    others = set(read_visibility_status(app).new) if scope == Scope.WORKSPACE else set()
    for found in list_exportable_files(root):
        if found.kind not in _kinds(scope):
            continue
        foreign = f".holdfast/{found.path}" in others
        data = packer.add_file(scope, root, found, foreign=foreign)
        if data is None or found.kind != bundle_paths.MEMORY or scope == Scope.TEAM:
            continue
        for entry in parse(data, path=found.path, scope=Scope(scope)).entries:
            ids.append(entry.memory.id)
            ledger.note_text(key_of(scope, "memory", entry.memory.id), read_text_version(entry.memory).sum)
    if scope == Scope.TEAM:
        return
    gone = (_find_gone(app, ledger, scope) - set(ids)) if scope == app.scope else set()
    packer.add_bytes(f"{scope}/{bundle_paths.LEDGER_FILE}", bundle_paths.LEDGER, render_lines(ledger, scope, ids, gone))
    if asked.journal and (scope == app.scope or asked.everything):
        _pack_events(app if scope == app.scope else app.open_other(""), packer, scope, asked)


def _kinds(scope: str) -> frozenset[str]:
    """What leaves of a scope. A team's records and candidates are not one's own to take along."""
    if scope == Scope.TEAM:
        return frozenset({bundle_paths.MEMORY})
    return bundle_paths.COUNTED if scope == Scope.WORKSPACE else bundle_paths.COUNTED - {bundle_paths.CONFIG}


def _pack_events(app: App, packer: BundlePacker, scope: str, asked: ExportRequest) -> None:
    noted = read_noted_sessions(app)
    total = _size_below(os.path.join(app.folder, "journal"))
    last = packer.add_events(
        scope, app.journal.read(), words=asked.conversations, total=total, sessions=noted.keys()
    )  # fmt: skip
    if asked.conversations and app.workspace:
        whole = {name: row for name, row in noted.items() if row.get("event") == last.get(name)}
        told = json.dumps({"sessions": whole}).encode()
        packer.add_bytes(f"{scope}/{bundle_paths.DISTILLED_FILE}", bundle_paths.DISTILLED, told)


def _size_below(folder: str) -> int:
    try:
        with os.scandir(folder) as inside:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in inside)
    except OSError:
        return 0


def _find_gone(app: App, ledger: BundleLedger, scope: str) -> set[str]:
    start = key_of(scope, "memory", "")
    return find_forgotten_ids(app) | {key.removeprefix(start) for key in ledger.forgotten if key.startswith(start)}


def read_limits(app: App) -> BundleLimits:
    """How much a bundle may hold, by the settings."""
    settings = app.settings
    return BundleLimits(
        bytes=int(settings["share.most_mb"]) * MB, files=int(settings["share.most_files"]),
        file_bytes=int(settings["share.most_file_mb"]) * MB, ratio=int(settings["share.most_ratio"]),
    )  # fmt: skip


class BothLocks(BadRequest):
    """A bundle closed in two ways."""

    def __init__(self) -> None:
        super().__init__("A bundle is closed for recipients or by a passphrase, not both.", "give one of them.")


def locks_from(app: App, recipients: tuple[str, ...], passphrase: str) -> BundleRecipients:
    """For whom a bundle is closed: as asked, else as set."""
    if recipients and passphrase:
        raise BothLocks
    usual = () if passphrase else tuple(str(app.settings["share.encrypt_to"]).split(","))
    chosen = tuple(each.strip() for each in recipients or usual if each.strip())
    return BundleRecipients(recipients=chosen, passphrase=passphrase)


def keys_from(app: App, identities: tuple[str, ...], passphrase: str) -> BundleKeys:
    """What may open a bundle: what was given, and what is set."""
    place = str(app.settings["share.identity"])
    usual = (read_secret(place, "share.identity"),) if place and not identities else ()
    return BundleKeys(identities=identities or usual, passphrase=passphrase)
