"""What is here while an import is planned: memories, candidates, what was forgotten; and what was decided so far."""

import os
from collections import defaultdict
from collections.abc import Mapping

from holdfast.core.memory import Entry, Scope
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.exchange.bundle_format.merge_texts import read_text_version
from holdfast.exchange.bundles.import_plan import CANDIDATES, MEMORY, BundleStep
from holdfast.exchange.bundles.pending_files import PendingFiles
from holdfast.exchange.bundles.text_ledger import BundleLedger, key_of
from holdfast.forget.tombstones import ids_of, read_marks
from holdfast.index.entries import is_candidate
from holdfast.vault.candidate_files import FileCandidates
from holdfast.vault.edit_entry import remove_entry
from holdfast.vault.parse_memory import parse
from holdfast.workspace import App

FORGOTTEN_EVENT, UNDONE, FORGET = "memory.forgotten", "batch.undone", "forget"
BUNDLE_OF, BUNDLE_REASON, BUNDLE_FROM = "bundle_of", "bundle_reason", "bundle_from"


class LocalImportState:
    """By scope, place and id what stands here. `tails`: the ends of memories' ids, which their candidates share."""

    def __init__(self, app: App, folder: str) -> None:
        self.app = app
        self.ledger = BundleLedger(app)
        self.files = PendingFiles(app, folder)
        self.steps: list[BundleStep] = []
        self.entries: dict[tuple[str, str, str], Entry] = {}
        self._about: dict[tuple[str, str], list[str]] = defaultdict(list)
        for entry in app.index.select(Select()):
            self._know(entry, CANDIDATES if is_candidate(entry) else MEMORY)
        if app.workspace:
            for entry in FileCandidates(os.path.join(app.home, CANDIDATES), Scope.USER).all():
                self._know(replace(entry, path=f"{CANDIDATES}/{entry.path}"), CANDIDATES)
        self.tails = {(scope, id_tail(each)) for scope, place, each in self.entries if place == MEMORY}
        self.forgotten = set(self.ledger.forgotten) | _read_forgotten(app)
        self.forgotten_tails = {(key.partition("/")[0], id_tail(key)) for key in self.forgotten if f"/{MEMORY}/" in key}

    def _know(self, entry: Entry, place: str) -> None:
        if (str(entry.scope), place, entry.memory.id) not in self.entries:
            self.put(entry, place)

    def put(self, entry: Entry, place: str) -> None:
        """Something stands under its id from now on."""
        scope, memory = str(entry.scope), entry.memory
        self.entries[(scope, place, memory.id)] = entry
        if place == CANDIDATES and (of := memory.extra.get(BUNDLE_OF)):
            self._about[(scope, str(of))].append(memory.id)

    def about(self, scope: str, name: str) -> list[Entry]:
        """The candidates that imports made of other texts of a memory or candidate, and nobody changed since."""
        found = [self.get(scope, CANDIDATES, each) for each in dict.fromkeys(self._about[(scope, name)])]
        return [entry for entry in found if entry is not None and self.is_imported(entry, CANDIDATES)]

    def get(self, scope: str, place: str, name: str) -> Entry | None:
        """What stands under an id."""
        return self.entries.get((scope, place, name))

    def is_imported(self, local: Entry, place: str) -> bool:
        """Whether an import wrote it and nobody changed it since."""
        key = key_of(str(local.scope), place, local.memory.id)
        return self.ledger.imported.get(key) == read_text_version(local.memory).sum

    def remove(self, local: Entry) -> None:
        """Take an entry out of its file."""
        scope = str(local.scope)
        place = CANDIDATES if is_candidate(local) else MEMORY
        current = self.files.current(scope, local.path)
        if current is not None:
            rest = remove_entry(current.decode(), find_line(current, local))[0]
            if rest.strip("\ufeff \t\r\n"):
                self.files.put(scope, local.path, local.memory.id, rest.encode())
            else:
                self.files.drop(scope, local.path, local.memory.id)
        self.entries.pop((scope, place, local.memory.id), None)
        self.ledger.imported.pop(key_of(scope, place, local.memory.id), None)

    def note(
        self, does: str, kind: str, scope: str, name: str, title: str = "", reason: str = "", candidate: str = ""
    ) -> None:
        """One step more."""
        step = BundleStep(does=does, kind=kind, scope=scope, id=name, title=title, reason=reason, candidate=candidate)
        self.steps.append(step)


def find_line(current: bytes, local: Entry) -> int:
    """Where an entry stands in its file by now."""
    held = parse(current, path=local.path, scope=local.scope).entries
    return next((each.line for each in held if each.memory.id == local.memory.id), local.line)


def id_tail(memory_id: str) -> str:
    """The part of an id behind its prefix."""
    return memory_id.rpartition("-")[2]


def find_forgotten_ids(app: App) -> set[str]:
    """The ids that were forgotten here and not brought back, by the journal's word."""
    found = set[str]()
    for record in app.journal.read():
        name, data = record.data.get("name"), record.data.get("data")
        if not isinstance(data, Mapping) or "imported" in data:
            continue
        if name == FORGOTTEN_EVENT:
            found.add(str(data.get("id", "")))
        elif name == UNDONE and data.get("verb") == FORGET:
            found.difference_update(map(str, data.get("ids") or ()))
    return found


def _read_forgotten(app: App) -> set[str]:
    scopes = (str(app.scope), *((str(Scope.USER),) if app.workspace else ()))
    # What was purged elsewhere, and is known by its mark alone, comes from no bundle either.
    ids = find_forgotten_ids(app) | ids_of(read_marks(app))
    return {key_of(scope, place, each) for scope in scopes for place in (MEMORY, CANDIDATES) for each in ids}
