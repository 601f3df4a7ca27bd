"""What importing a bundle would do: a value, made before anything is written. See docs/formats/bundle.md."""

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from holdfast.domain.errors import HoldfastError
from holdfast.domain.jsonform import from_json, to_json
from holdfast.domain.memory import CANDIDATE_PREFIX, FOLDERS, Entry, Memory, MemoryFile, SaidBy, Scope, Status
from holdfast.domain.search import Select
from holdfast.domain.value import Value, replace
from holdfast.memory.bundle_ledger import Ledger, key_of, read_lines
from holdfast.memory.entries import is_candidate
from holdfast.redact.values import clean
from holdfast.share import paths
from holdfast.share.merge import (
    CANDIDATE,
    FOREIGN,
    FORWARD,
    KNOWN,
    NEW,
    NEWER,
    OWN,
    candidate_name,
    settle,
    text_of,
)
from holdfast.share.reading import Unpacked
from holdfast.share.values import FileRow
from holdfast.vault.candidates import FileCandidates
from holdfast.vault.change import changed_text, new_text, without_entry
from holdfast.vault.disk import Place
from holdfast.vault.names import file_name
from holdfast.vault.parse import parse
from holdfast.vault.write import MAX_FILE, read_file
from holdfast.wiring.app import App

DROPPED, FORGOTTEN, REJECTED, KEPT = "dropped", "forgotten", "rejected", "kept"
MEMORY, CANDIDATES = "memory", "candidates"
BUNDLE_OF, BUNDLE_REASON, BUNDLE_FROM = "bundle_of", "bundle_reason", "bundle_from"
PUT, LINES = "put", "lines"
LOG = "log/"
FORGOTTEN_EVENT = "memory.forgotten"


class Step(Value):
    """One thing of a bundle, and what becomes of it. `candidate`: the id of the candidate it becomes."""

    does: str
    kind: str
    scope: str
    id: str
    title: str = ""
    reason: str = ""
    candidate: str = ""


class Change(Value):
    """A file of memory that changes: its sum now, and where the bytes lie that it will hold; empty: it goes."""

    scope: str
    path: str
    id: str
    before: str
    after: str


class RecordStep(Value):
    """A record that is written: whole, or its lines added to those that are there. `before` is its sum now."""

    scope: str
    path: str
    staged: str
    how: str
    mtime: int
    before: str


class BundlePlan(Value):
    """Everything that an import would do."""

    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    records: tuple[RecordStep, ...]
    journals: tuple[tuple[str, str], ...]
    ledger: Mapping[str, Any]
    distilled: str = ""

    def of(self, *does: str) -> list[Step]:
        """The steps of these kinds."""
        return [step for step in self.steps if step.does in does]


def make_plan(app: App, unpacked: Unpacked, folder: str) -> BundlePlan:
    """What a bundle that lies unpacked in a folder would bring. Writes into that folder only."""
    planning = _Planning(app, unpacked, folder)
    rows = unpacked.manifest.files
    for kind, take in (
        (paths.LEDGER, planning.take_ledger),
        (paths.MEMORY, planning.take_memory),
        (paths.CANDIDATE, planning.take_candidate),
        (paths.PAGE, planning.take_record),
        (paths.CONFIG, planning.take_record),
        (paths.RECORD, planning.take_record),
        (paths.JOURNAL, planning.take_journal),
        (paths.DISTILLED, planning.take_distilled),
    ):  # fmt: skip
        for row in rows:
            if row.kind == kind:
                planning.take(row, take)
    return planning.plan()


class _Came(Value):
    """A file of a bundle: whose it is, where it belongs, and its bytes where they are looked at whole."""

    row: FileRow
    scope: str
    path: str
    data: bytes


class _Planning:
    """What is here, what was decided so far."""

    def __init__(self, app: App, unpacked: Unpacked, folder: str) -> None:
        self.app, self.unpacked, self.folder = app, unpacked, folder
        self.proven = unpacked.proven
        self.origin = str(unpacked.manifest.workspace.get("name", "")) or "elsewhere"
        self.ledger = Ledger(app)
        self.stood: dict[str, list[str]] = {}
        self.steps: list[Step] = []
        self.records: list[RecordStep] = []
        self.journals: list[tuple[str, str]] = []
        self.distilled = ""
        self.pending: dict[tuple[str, str], bytes | None] = {}
        self.ids: dict[tuple[str, str], str] = {}
        self.here: dict[tuple[str, str, str], Entry] = {}
        for entry in app.index.select(Select()):
            self._know(entry, CANDIDATES if is_candidate(entry) else MEMORY)
        if app.workspace:
            for entry in FileCandidates(os.path.join(app.home, CANDIDATES), Scope.USER).all():
                self._know(replace(entry, path=f"{CANDIDATES}/{entry.path}"), CANDIDATES)
        self.tails = {(scope, _tail(each)) for scope, place, each in self.here if place == MEMORY}
        self.gone = set(self.ledger.gone) | _forgotten(app)
        self.gone_tails = {(key.partition("/")[0], _tail(key)) for key in self.gone if f"/{MEMORY}/" in key}

    def _know(self, entry: Entry, place: str) -> None:
        self.here.setdefault((str(entry.scope), place, entry.memory.id), entry)

    def take(self, row: FileRow, take: Callable[[_Came], None]) -> None:
        """One file of the bundle."""
        scope, path = paths.split(row.path)
        if scope == Scope.WORKSPACE and not self.app.workspace:
            self._step(REJECTED, row.kind, scope, path, reason="it belongs to a workspace, and here is none")
            return
        if row.kind in {paths.MEMORY, paths.CANDIDATE} and row.size > MAX_FILE:
            self._step(REJECTED, row.kind, scope, path, reason="it is too large for a memory file")
            return
        data = b"" if row.kind in {paths.JOURNAL, paths.RECORD} else _staged(self.unpacked.places[row.path])
        take(_Came(row=row, scope=scope, path=path, data=data))

    def plan(self) -> BundlePlan:
        """All of it, with the new bytes on disk beside the bundle's own."""
        changes = [self._change(*key, after) for key, after in self.pending.items()]
        return BundlePlan(
            steps=tuple(self.steps), changes=tuple(each for each in changes if each), records=tuple(self.records),
            journals=tuple(self.journals), ledger=self.ledger.form(), distilled=self.distilled,
        )  # fmt: skip

    def _change(self, scope: str, path: str, after: bytes | None) -> Change | None:
        before = _sum(self._on_disk(scope, path))
        if before == _sum(after):
            return None
        name = ""
        if after is not None:
            name = os.path.join(self.folder, f"after-{len(os.listdir(self.folder)):08d}")
            with open(name, "xb") as file:
                file.write(after)
        return Change(scope=scope, path=path, id=self.ids[(scope, path)], before=before, after=name)

    # Memory

    def take_ledger(self, came: _Came) -> None:
        """What the bundle tells of earlier texts, and of what was forgotten: believed only if it is ours."""
        if not self.proven:
            return
        scope = came.scope
        stood, gone = read_lines(came.data)
        self.stood |= {key_of(scope, MEMORY, each): sums for each, sums in stood.items()}
        for each in sorted(gone):
            for place in (MEMORY, CANDIDATES):
                self._forget(scope, place, each)

    def _forget(self, scope: str, place: str, memory_id: str) -> None:
        key = key_of(scope, place, memory_id)
        self.gone.add(key)
        self.ledger.gone[key] = True
        local = self.here.get((scope, place, memory_id))
        if place == MEMORY:
            self.gone_tails.add((scope, _tail(memory_id)))
        if local is not None and self._is_brought(local, place):
            self._remove(local)
            self._step(DROPPED, place, scope, memory_id, local.memory.title, "it was forgotten where it came from")
        waiting = [each for (whose, where, _), each in self.here.items() if (whose, where) == (scope, CANDIDATES)]
        for each in waiting:
            of_it = each.memory.id == f"{CANDIDATE_PREFIX}-{_tail(memory_id)}"
            if (of_it or each.memory.extra.get(BUNDLE_OF) == memory_id) and self._is_brought(each, CANDIDATES):
                self._remove(each)

    def take_memory(self, came: _Came) -> None:
        """A file of the vault."""
        scope, path, data = came.scope, came.path, came.data
        found = parse(data, path=path, scope=Scope(scope))
        if not self.proven or came.row.foreign:
            self._take_foreign(found, scope)
            return
        entries = [(entry, self._verdict(entry, MEMORY)) for entry in found.entries]
        fresh = [entry for entry, does in entries if does == NEW]
        if len(fresh) == len(entries) and self._current(scope, path) is None and not self._same_ids(fresh):
            self._write_whole(scope, path, data, found)
        elif not entries and self._current(scope, path) != data:
            self._step(REJECTED, paths.MEMORY, scope, path, reason="it holds no entry that can be read")
        else:
            for entry, does in entries:
                self._settled(entry, does, MEMORY, data if len(entries) == 1 else None)
            if found.problems and entries:
                self._step(REJECTED, paths.MEMORY, scope, path, reason="a part of it cannot be read")

    def _write_whole(self, scope: str, path: str, data: bytes, found: MemoryFile) -> None:
        """A file that nothing here stands against, byte for byte."""
        first = found.entries[0].memory.id if found.entries else path
        self._put(scope, path, first, data)
        for entry in found.entries:
            self._stands(entry, MEMORY)
            self._step(NEW, MEMORY, scope, entry.memory.id, entry.memory.title)
        if not found.entries:
            self._step(NEW, MEMORY, scope, path, reason="as it came: no entry in it can be read")

    def take_candidate(self, came: _Came) -> None:
        """A candidate."""
        scope, path, data = came.scope, came.path, came.data
        found = parse(data, path=path, scope=Scope(scope))
        if not self.proven:
            self._take_foreign(found, scope)
            return
        for entry in found.entries:
            self._settled(
                entry, self._verdict(entry, CANDIDATES), CANDIDATES, data if len(found.entries) == 1 else None
            )
        if not found.entries:
            self._step(REJECTED, paths.CANDIDATE, scope, path, reason="it holds no entry that can be read")

    def _verdict(self, entry: Entry, place: str) -> str:
        """What becomes of an entry of ours."""
        scope, memory = str(entry.scope), entry.memory
        key = key_of(scope, place, memory.id)
        local = self.here.get((scope, place, memory.id))
        if key in self.gone:
            return KNOWN if local is not None and text_of(local.memory) == text_of(memory) else FORGOTTEN
        if place == CANDIDATES and (scope, _tail(memory.id)) in self.tails | self.gone_tails:
            return KNOWN
        if local is None:
            return NEW
        does = settle(
            text_of(memory), text_of(local.memory), brought=self._is_brought(local, place),
            stood_here=self.ledger.stood.get(key, ()), stood_there=self.stood.get(key, ()),
        )  # fmt: skip
        return _of_rejected(does, memory, local.memory, brought=self._is_brought(local, place))

    def _settled(self, entry: Entry, does: str, place: str, exact: bytes | None) -> None:
        """Do with an entry of ours what was found right; one that no file can hold is not taken."""
        try:
            self._settle(entry, does, place, exact)
        except HoldfastError as error:
            self._step(REJECTED, place, str(entry.scope), entry.memory.id, entry.memory.title, str(error))

    def _settle(self, entry: Entry, does: str, place: str, exact: bytes | None) -> None:
        scope, memory = str(entry.scope), entry.memory
        local = self.here.get((scope, place, memory.id))
        if does == NEW:
            self._create(entry, place, exact)
        elif does == CANDIDATE:
            self._propose(entry, f"{memory.id} says something else here")
            return
        elif does in {FORWARD, NEWER} and local is not None:
            self._rewrite(local, entry, place, exact, proposes=does == NEWER)
        elif does == FORGOTTEN:
            self._step(FORGOTTEN, place, scope, memory.id, memory.title, "it was forgotten here")
            return
        self._step(does, place, scope, memory.id, memory.title)

    def _create(self, entry: Entry, place: str, exact: bytes | None) -> None:
        scope, memory = str(entry.scope), entry.memory
        path = f"{place}/{file_name(memory.id)}"
        if place == MEMORY:
            path = f"{place}/{FOLDERS[memory.type]}/{file_name(memory.id, memory.title)}"
        if self._current(scope, path) is not None:
            path = f"{path.removesuffix('.md')}-{text_of(memory).sum[:8]}.md"
        self._put(scope, path, memory.id, exact if exact is not None else new_text(memory).encode())
        self._stands(replace(entry, path=path), place)

    def _rewrite(self, local: Entry, entry: Entry, place: str, exact: bytes | None, *, proposes: bool) -> None:
        """What came takes the place of what an earlier import wrote."""
        scope, memory = str(entry.scope), entry.memory
        old = text_of(local.memory)
        current = self._current(scope, local.path) or b""
        held = parse(current, path=local.path, scope=local.scope).entries
        line = next((each.line for each in held if each.memory.id == memory.id), local.line)
        after = exact if exact is not None and len(held) == 1 else changed_text(current.decode(), line, memory).encode()
        self._put(scope, local.path, memory.id, after)
        self._stands(replace(entry, path=local.path, line=line), place)
        if proposes and local.memory.status is not Status.REJECTED:
            self.ledger.unstands(key_of(scope, place, memory.id), old.sum)
            self._propose(local, f"a later text of {memory.id} came and stands")

    def _stands(self, entry: Entry, place: str) -> None:
        """Note that an entry stands from now on because we wrote it; what waited for its sake goes."""
        scope, memory = str(entry.scope), entry.memory
        key, text = key_of(scope, place, memory.id), text_of(memory)
        self.ledger.brought[key] = text.sum
        self.here[(scope, place, memory.id)] = entry
        if place == CANDIDATES:
            return
        self.ledger.stands(key, *self.stood.get(key, ()), text.sum)
        self.tails.add((scope, _tail(memory.id)))
        settled = [f"{CANDIDATE_PREFIX}-{_tail(memory.id)}"]
        settled += [candidate_name(FOREIGN, memory.id, each) for each in (text.sum, *self.stood.get(key, ()))]
        settled += [candidate_name(OWN, memory.id, each) for each in self.stood.get(key, ())]
        for name in settled:
            waiting = self.here.get((scope, CANDIDATES, name))
            if waiting is not None and self._is_brought(waiting, CANDIDATES):
                self._remove(waiting)

    def _propose(self, entry: Entry, reason: str) -> None:
        """A text of ours that does not stand, as a candidate."""
        memory, text = entry.memory, text_of(entry.memory)
        name = candidate_name(OWN, memory.id, text.sum)
        twin = self.here.get((str(entry.scope), CANDIDATES, candidate_name(FOREIGN, memory.id, text.sum)))
        if twin is not None and self._is_brought(twin, CANDIDATES):
            self._remove(twin)
        extra = {**memory.extra, BUNDLE_OF: memory.id, BUNDLE_REASON: f"{memory.id} says something else here"}
        made = replace(memory, id=name, status=Status.CANDIDATE, extra=extra)
        self._propose_as(entry, made, reason)

    def _take_foreign(self, found: MemoryFile, scope: str) -> None:
        """Somebody else's words: candidates, whatever they were there."""
        for entry in found.entries:
            memory, text = entry.memory, text_of(entry.memory)
            if memory.status not in {Status.ACCEPTED, Status.CANDIDATE}:
                self._step(REJECTED, MEMORY, scope, memory.id, memory.title, f"it is {memory.status} there")
                continue
            if self._is_here(scope, memory, text.sum):
                self._step(KNOWN, MEMORY, scope, memory.id, memory.title)
                continue
            if key_of(scope, MEMORY, memory.id) in self.gone:
                self._step(FORGOTTEN, MEMORY, scope, memory.id, memory.title, "it was forgotten here")
                continue
            said_by = SaidBy.TOOL if memory.said_by is SaidBy.USER else memory.said_by
            name = candidate_name(FOREIGN, memory.id, text.sum)
            bare = _redacted(memory)
            extra = {**bare.extra, BUNDLE_OF: memory.id, BUNDLE_FROM: self.origin}
            made = replace(bare, id=name, status=Status.CANDIDATE, said_by=said_by, extra=extra)
            self._propose_as(entry, made, "it comes from others: review it")
        if found.problems and not found.entries:
            self._step(REJECTED, MEMORY, scope, found.path, reason="it holds no entry that can be read")

    def _is_here(self, scope: str, memory: Memory, text_sum: str) -> bool:
        place = CANDIDATES if memory.id.startswith(f"{CANDIDATE_PREFIX}-") else MEMORY
        local = self.here.get((scope, place, memory.id))
        own = (scope, CANDIDATES, candidate_name(OWN, memory.id, text_sum))
        stood = self.ledger.stood.get(key_of(scope, place, memory.id), ())
        return (local is not None and text_of(local.memory).sum == text_sum) or own in self.here or text_sum in stood

    def _propose_as(self, entry: Entry, made: Memory, reason: str) -> None:
        scope = str(entry.scope)
        known = (scope, CANDIDATES, made.id) in self.here or (scope, _tail(made.id)) in self.tails
        if known or key_of(scope, CANDIDATES, made.id) in self.gone:
            self._step(KNOWN, CANDIDATES, scope, entry.memory.id, made.title, candidate=made.id)
            return
        try:
            data = new_text(made).encode()
        except HoldfastError as error:
            self._step(REJECTED, CANDIDATES, scope, entry.memory.id, made.title, str(error))
            return
        self._put(scope, f"{CANDIDATES}/{file_name(made.id)}", made.id, data)
        self._stands(replace(entry, memory=made, path=f"{CANDIDATES}/{file_name(made.id)}"), CANDIDATES)
        self._step(CANDIDATE, CANDIDATES, scope, entry.memory.id, made.title, reason, made.id)

    def _is_brought(self, local: Entry, place: str) -> bool:
        """Whether an import wrote it and nobody changed it since."""
        key = key_of(str(local.scope), place, local.memory.id)
        return self.ledger.brought.get(key) == text_of(local.memory).sum

    def _same_ids(self, entries: Sequence[Entry]) -> bool:
        return len({entry.memory.id for entry in entries}) != len(entries)

    # Files

    def _put(self, scope: str, path: str, memory_id: str, data: bytes) -> None:
        self.pending[(scope, path)] = data
        self.ids[(scope, path)] = memory_id

    def _remove(self, local: Entry) -> None:
        scope = str(local.scope)
        place = CANDIDATES if is_candidate(local) else MEMORY
        current = self._current(scope, local.path)
        if current is not None:
            held = parse(current, path=local.path, scope=local.scope).entries
            line = next((each.line for each in held if each.memory.id == local.memory.id), local.line)
            rest = without_entry(current.decode(), line)[0]
            self.pending[(scope, local.path)] = rest.encode() if rest.strip("\ufeff \t\r\n") else None
            self.ids[(scope, local.path)] = local.memory.id
        self.here.pop((scope, place, local.memory.id), None)
        self.ledger.brought.pop(key_of(scope, place, local.memory.id), None)

    def _current(self, scope: str, path: str) -> bytes | None:
        key = (scope, path)
        return self.pending[key] if key in self.pending else self._on_disk(scope, path)

    def _on_disk(self, scope: str, path: str) -> bytes | None:
        return read_file(Place(root=root_of(self.app, scope)), path)

    # Records

    def take_record(self, came: _Came) -> None:
        """A record, a page or the settings: the local one stays, unless an import wrote it and this one is later."""
        row, scope, path = came.row, came.scope, came.path
        if not self.proven:
            self._step(REJECTED, row.kind, scope, path, reason="it comes from others")
            return
        staged = self.unpacked.places[row.path]
        place = Place(root=root_of(self.app, scope))
        current, key = read_file(place, path), key_of(scope, "record", path)
        before = _sum(current)
        if before == row.sha256:
            self._step(KNOWN, row.kind, scope, path)
            return
        if current is not None and (path.endswith(".jsonl") or path.startswith(LOG)):
            self._add_lines(row, scope, path, current)
            return
        brought = self.ledger.brought.get(key, "").split(" ")
        later = len(brought) == 2 and brought[0] == before and (row.mtime, row.sha256) > (int(brought[1]), before)
        if current is not None and not later:
            self._step(KEPT, row.kind, scope, path, reason="the one here is another, and stays")
            return
        self.ledger.brought[key] = f"{row.sha256} {row.mtime}"
        how = RecordStep(scope=scope, path=path, staged=staged, how=PUT, mtime=row.mtime, before=before)
        self.records.append(how)
        self._step(NEW if current is None else NEWER, row.kind, scope, path)

    def _add_lines(self, row: FileRow, scope: str, path: str, current: bytes) -> None:
        staged = self.unpacked.places[row.path]
        known = set(current.splitlines())
        with open(staged, "rb") as file:
            if not any(line.rstrip(b"\r\n") not in known for line in file):
                self._step(KNOWN, row.kind, scope, path)
                return
        self.records.append(RecordStep(scope=scope, path=path, staged=staged, how=LINES, mtime=0, before=_sum(current)))
        self._step(NEWER, row.kind, scope, path, reason="lines are added")

    def take_journal(self, came: _Came) -> None:
        """A part of a journal."""
        if not self.proven:
            self._step(REJECTED, came.row.kind, came.scope, came.path, reason="it comes from others")
            return
        self.journals.append((came.scope, self.unpacked.places[came.row.path]))

    def take_distilled(self, came: _Came) -> None:
        """Which sessions were distilled where they come from: they are not again."""
        if self.proven and came.scope == self.app.scope:
            self.distilled = self.unpacked.places[came.row.path]

    def _step(
        self, does: str, kind: str, scope: str, name: str, title: str = "", reason: str = "", candidate: str = ""
    ) -> None:
        step = Step(does=does, kind=kind, scope=scope, id=name, title=title, reason=reason, candidate=candidate)
        self.steps.append(step)


def _redacted(memory: Memory) -> Memory:
    """Others need not have redacted anything."""
    bare = clean(to_json(memory)).value
    assert isinstance(bare, dict)
    return from_json(bare)


def root_of(app: App, scope: str) -> str:
    """The folder of a scope."""
    return app.folder if scope == app.scope else app.home


def _of_rejected(does: str, came: Memory, local: Memory, *, brought: bool) -> str:
    """A candidate that a person turned down stays so: neither text of it comes back."""
    rejected = Status.REJECTED
    if does not in {NEWER, CANDIDATE} or rejected not in {came.status, local.status}:
        return does
    if came.status is local.status:
        return FORWARD if does == NEWER else KNOWN
    return FORWARD if brought and came.status is rejected else KNOWN


def forgotten_ids(app: App) -> set[str]:
    """The ids that were forgotten here, by the journal's word."""
    found = set()
    for record in app.journal.read():
        data = record.data.get("data")
        if record.data.get("name") == FORGOTTEN_EVENT and isinstance(data, Mapping) and "imported" not in data:
            found.add(str(data.get("id", "")))
    return found


def _forgotten(app: App) -> set[str]:
    scopes = (str(app.scope), *((str(Scope.USER),) if app.workspace else ()))
    ids = forgotten_ids(app)
    return {key_of(scope, place, each) for scope in scopes for place in (MEMORY, CANDIDATES) for each in ids}


def plan_form(plan: BundlePlan) -> dict[str, Any]:
    """What must be on disk before a plan is carried out."""
    return {
        "changes": [[each.scope, each.path, each.id, each.before, each.after] for each in plan.changes],
        "records": [[r.scope, r.path, r.staged, r.how, r.mtime, r.before] for r in plan.records],
        "journals": [list(each) for each in plan.journals],
        "ledger": dict(plan.ledger),
        "distilled": plan.distilled,
    }


def plan_from(form: Mapping[str, Any]) -> BundlePlan:
    """The plan that was written down."""
    names = ("scope", "path", "id", "before", "after")
    changes = (Change(**dict(zip(names, row, strict=True))) for row in form["changes"])
    columns = ("scope", "path", "staged", "how", "mtime", "before")
    records = (RecordStep(**dict(zip(columns, row, strict=True))) for row in form["records"])
    journals = tuple((str(scope), str(place)) for scope, place in form["journals"])
    return BundlePlan(
        steps=(), changes=tuple(changes), records=tuple(records), journals=journals, ledger=form["ledger"],
        distilled=str(form["distilled"]),
    )  # fmt: skip


def _tail(memory_id: str) -> str:
    return memory_id.rpartition("-")[2]


def _staged(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _sum(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
