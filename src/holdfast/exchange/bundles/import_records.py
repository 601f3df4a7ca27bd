"""What an import does with records, settings, events: those of ours come, and what is here stays."""

import os

from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.bundle_values import FileRow
from holdfast.exchange.bundle_format.merge_texts import KNOWN, NEW, NEWER
from holdfast.exchange.bundle_format.read_bundle import Unpacked
from holdfast.exchange.bundles.import_plan import KEPT, LINES, PUT, REJECTED, RecordStep
from holdfast.exchange.bundles.local_state import LocalImportState
from holdfast.exchange.bundles.pending_files import find_obstacle, root_of, sum_of
from holdfast.exchange.bundles.purged_bundles import RECORDS
from holdfast.exchange.bundles.text_ledger import key_of
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import MAX_FILE, read_file

LOG = "log/"


class BundleRecords:
    """Records and journals of a bundle, and what becomes of them. `tainted`: it holds what was purged here."""

    def __init__(self, here: LocalImportState, unpacked: Unpacked, *, tainted: bool) -> None:
        self._here, self._unpacked, self._tainted = here, unpacked, tainted
        self.steps: list[RecordStep] = []
        self.journals: list[tuple[str, str]] = []
        self.distilled = ""

    def take_record(self, row: FileRow) -> None:
        """A record, a page or the settings: the local one stays, unless an import wrote it and this one is later."""
        scope, path = bundle_paths.split_scope(row.path)
        root = root_of(self._here.app, scope)
        if not self._unpacked.proven:
            self._here.note(REJECTED, row.kind, scope, path, reason="it comes from others")
        elif way := find_obstacle(root, path):
            self._here.note(KEPT, row.kind, scope, path, reason=f"{way!r} stands in its way")
        elif _size(os.path.join(root, path)) > MAX_FILE:
            self._here.note(KEPT, row.kind, scope, path, reason="the one here is too large to be compared")
        else:
            self._settle(row, scope, path, read_file(WritableFolder(root=root), path))

    def _settle(self, row: FileRow, scope: str, path: str, current: bytes | None) -> None:
        key, before = key_of(scope, "record", path), sum_of(current)
        if before == row.sha256:
            self._here.note(KNOWN, row.kind, scope, path)
            return
        if self._tainted and row.kind in RECORDS:
            self._here.note(REJECTED, row.kind, scope, path, reason="the bundle holds what was purged here")
            return
        if current is not None and (path.endswith(bundle_paths.LINES) or path.startswith(LOG)):
            self._add_lines(row, scope, path, current)
            return
        brought = self._here.ledger.imported.get(key, "").split(" ")
        later = len(brought) == 2 and brought[0] == before and (row.mtime, row.sha256) > (int(brought[1]), before)
        if current is not None and not later:
            self._here.note(KEPT, row.kind, scope, path, reason="the one here is another, and stays")
            return
        self._here.ledger.imported[key] = f"{row.sha256} {row.mtime}"
        staged = self._unpacked.places[row.path]
        self.steps.append(RecordStep(scope=scope, path=path, staged=staged, how=PUT, mtime=row.mtime, before=before))
        self._here.note(NEW if current is None else NEWER, row.kind, scope, path)

    def _add_lines(self, row: FileRow, scope: str, path: str, current: bytes) -> None:
        staged = self._unpacked.places[row.path]
        known = set(current.splitlines())
        with open(staged, "rb") as file:
            if not any(line.rstrip(b"\r\n") not in known for line in file):
                self._here.note(KNOWN, row.kind, scope, path)
                return
        before = sum_of(current)
        self.steps.append(RecordStep(scope=scope, path=path, staged=staged, how=LINES, mtime=0, before=before))
        self._here.note(NEWER, row.kind, scope, path, reason="lines are added")

    def take_journal(self, row: FileRow) -> None:
        """A part of a journal."""
        scope, path = bundle_paths.split_scope(row.path)
        if not self._unpacked.proven:
            self._here.note(REJECTED, row.kind, scope, path, reason="it comes from others")
            return
        self.journals.append((scope, self._unpacked.places[row.path]))

    def take_distilled(self, row: FileRow) -> None:
        """Which sessions were distilled where they come from: they are not again."""
        if self._unpacked.proven and bundle_paths.split_scope(row.path)[0] == self._here.app.scope:
            self.distilled = self._unpacked.places[row.path]


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0
