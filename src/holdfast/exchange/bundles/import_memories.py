"""What an import does with memories and candidates: by id and by text, the same in whatever order bundles come."""

from collections.abc import Sequence

from holdfast.core.errors import HoldfastError
from holdfast.core.file_names import file_name
from holdfast.core.memory import CANDIDATE_PREFIX, FOLDERS, Entry, Memory, MemoryFile, SaidBy, Scope, Status
from holdfast.core.memory_json import from_json, to_json
from holdfast.core.value import replace
from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.bundle_values import FileRow
from holdfast.exchange.bundle_format.merge_texts import (
    CANDIDATE,
    FOREIGN,
    FORWARD,
    KNOWN,
    NEW,
    NEWER,
    OWN,
    candidate_name,
    read_text_version,
    settle,
)
from holdfast.exchange.bundle_format.read_bundle import Unpacked
from holdfast.exchange.bundles.import_plan import CANDIDATES, DROPPED, FORGOTTEN, MEMORY, REJECTED
from holdfast.exchange.bundles.local_state import (
    BUNDLE_FROM,
    BUNDLE_OF,
    BUNDLE_REASON,
    LocalImportState,
    find_line,
    id_tail,
)
from holdfast.exchange.bundles.pending_files import read_staged
from holdfast.exchange.bundles.text_ledger import key_of, parse_lines
from holdfast.redact.clean import clean
from holdfast.system.safe_write import MAX_FILE
from holdfast.vault.edit_entry import render_new_file, replace_entry
from holdfast.vault.parse_memory import parse
from holdfast.vault.promotion import PROMOTE_TO


class BundleMemories:
    """Memories and candidates of a bundle, and what becomes of them."""

    def __init__(self, here: LocalImportState, unpacked: Unpacked) -> None:
        self._here, self._unpacked = here, unpacked
        self._origin = str(unpacked.manifest.workspace.get("name", "")) or "elsewhere"
        self._stood: dict[str, list[str]] = {}

    def take_ledger(self, row: FileRow) -> None:
        """What the bundle tells of earlier texts, and of what was forgotten: believed only if it is ours."""
        if not self._unpacked.proven:
            return
        scope = bundle_paths.split_scope(row.path)[0]
        stood, gone = parse_lines(read_staged(self._unpacked.places[row.path]))
        self._stood |= {key_of(scope, MEMORY, each): sums for each, sums in stood.items()}
        for each in sorted(gone):
            for place in (MEMORY, CANDIDATES):
                self._forget(scope, place, each)

    def _forget(self, scope: str, place: str, memory_id: str) -> None:
        here, key = self._here, key_of(scope, place, memory_id)
        here.forgotten.add(key)
        here.ledger.forgotten[key] = True
        local = here.get(scope, place, memory_id)
        if place == MEMORY:
            here.forgotten_tails.add((scope, id_tail(memory_id)))
        if local is not None and here.is_imported(local, place):
            here.remove(local)
            here.note(DROPPED, place, scope, memory_id, local.memory.title, "it was forgotten where it came from")
        before = f"{CANDIDATE_PREFIX}-{id_tail(memory_id)}"
        waiting = here.get(scope, CANDIDATES, before)
        if waiting is not None and here.is_imported(waiting, CANDIDATES):
            here.remove(waiting)
        for name in dict.fromkeys((memory_id, before)):
            for entry in here.about(scope, name):
                here.remove(entry)

    # Files

    def take_memory(self, row: FileRow) -> None:
        """A file of a vault."""
        scope, path = bundle_paths.split_scope(row.path)
        found = self._parsed(row, scope, path)
        if found is None:
            return
        if scope == Scope.TEAM:
            self._take_teams(found)
        elif not self._unpacked.proven or row.foreign:
            self._take_foreign(found, scope)
        else:
            self._take_ours(found, row, scope, path)

    def _take_ours(self, found: MemoryFile, row: FileRow, scope: str, path: str) -> None:
        here, data = self._here, read_staged(self._unpacked.places[row.path])
        entries = [(entry, self._verdict(entry, MEMORY)) for entry in found.entries]
        fresh = [entry for entry, does in entries if does == NEW]
        if len(fresh) == len(entries) and here.files.is_free(scope, path) and not _same_ids(fresh):
            self._write_whole(found, row, scope, path, data)
        elif not entries and here.files.current(scope, path) != data:
            here.note(REJECTED, bundle_paths.MEMORY, scope, path, reason="it holds no entry that can be read")
        else:
            for entry, does in entries:
                self._settled(entry, does, MEMORY, data if len(entries) == 1 else None)
            if found.problems and entries:
                here.note(REJECTED, bundle_paths.MEMORY, scope, path, reason="a part of it cannot be read")

    def _write_whole(self, found: MemoryFile, row: FileRow, scope: str, path: str, data: bytes) -> None:
        """A file that nothing here stands against, byte for byte."""
        first = found.entries[0].memory.id if found.entries else path
        self._here.files.put(scope, path, first, data, self._unpacked.places[row.path])
        for entry in found.entries:
            self._stands(entry, MEMORY)
            self._here.note(NEW, MEMORY, scope, entry.memory.id, entry.memory.title)
        if not found.entries:
            self._here.note(NEW, MEMORY, scope, path, reason="as it came: no entry in it can be read")

    def take_candidate(self, row: FileRow) -> None:
        """A candidate."""
        scope, path = bundle_paths.split_scope(row.path)
        found = self._parsed(row, scope, path)
        if found is None:
            return
        if not self._unpacked.proven:
            self._take_foreign(found, scope)
            return
        exact = read_staged(self._unpacked.places[row.path]) if len(found.entries) == 1 else None
        for entry in found.entries:
            self._settled(entry, self._verdict(entry, CANDIDATES), CANDIDATES, exact)
        if not found.entries:
            self._here.note(REJECTED, bundle_paths.CANDIDATE, scope, path, reason="it holds no entry that can be read")

    def _parsed(self, row: FileRow, scope: str, path: str) -> MemoryFile | None:
        if row.size > MAX_FILE:
            self._here.note(REJECTED, row.kind, scope, path, reason="it is too large for a memory file")
            return None
        return parse(read_staged(self._unpacked.places[row.path]), path=path, scope=Scope(scope))

    # Ours

    def _verdict(self, entry: Entry, place: str) -> str:
        """What becomes of an entry of ours."""
        here, scope, memory = self._here, str(entry.scope), entry.memory
        key = key_of(scope, place, memory.id)
        local = here.get(scope, place, memory.id)
        if key in here.forgotten:
            return (
                KNOWN
                if local is not None and read_text_version(local.memory) == read_text_version(memory)
                else FORGOTTEN
            )
        if place == CANDIDATES and any(
            (scope, id_tail(memory.id)) in tails for tails in (here.tails, here.forgotten_tails)
        ):
            return KNOWN
        if local is None:
            return NEW
        brought = here.is_imported(local, place)
        does = settle(
            read_text_version(memory),
            read_text_version(local.memory),
            brought=brought,
            stood_here=here.ledger.earlier.get(key, ()),
            stood_there=self._stood.get(key, ()),
        )
        return _keep_rejection(does, memory, local.memory, brought=brought)

    def _settled(self, entry: Entry, does: str, place: str, exact: bytes | None) -> None:
        """Do with an entry of ours what was found right; one that no file can hold is not taken."""
        try:
            self._settle(entry, does, place, exact)
        except HoldfastError as error:
            self._here.note(REJECTED, place, str(entry.scope), entry.memory.id, entry.memory.title, str(error))

    def _settle(self, entry: Entry, does: str, place: str, exact: bytes | None) -> None:
        here, scope, memory = self._here, str(entry.scope), entry.memory
        local = here.get(scope, place, memory.id)
        if does == NEW:
            self._create(entry, place, exact)
        elif does == CANDIDATE:
            self._propose(entry, f"{memory.id} says something else here")
            return
        elif does in {FORWARD, NEWER} and local is not None:
            self._rewrite(local, entry, place, exact, proposes=does == NEWER)
        elif does == FORGOTTEN:
            here.note(FORGOTTEN, place, scope, memory.id, memory.title, "it was forgotten here")
            return
        here.note(does, place, scope, memory.id, memory.title)

    def _create(self, entry: Entry, place: str, exact: bytes | None) -> None:
        scope, memory = str(entry.scope), entry.memory
        path = f"{place}/{file_name(memory.id)}"
        if place == MEMORY:
            path = f"{place}/{FOLDERS[memory.type]}/{file_name(memory.id, memory.title)}"
        if not self._here.files.is_free(scope, path):
            path = f"{path.removesuffix('.md')}-{read_text_version(memory).sum[:8]}.md"
        self._here.files.put(scope, path, memory.id, exact if exact is not None else render_new_file(memory).encode())
        self._stands(replace(entry, path=path), place)

    def _rewrite(self, local: Entry, entry: Entry, place: str, exact: bytes | None, *, proposes: bool) -> None:
        """What came takes the place of what an earlier import wrote."""
        here, scope, memory = self._here, str(entry.scope), entry.memory
        old = read_text_version(local.memory)
        current = here.files.current(scope, local.path) or b""
        line = find_line(current, local)
        alone = len(parse(current, path=local.path, scope=local.scope).entries) == 1
        after = exact if exact is not None and alone else replace_entry(current.decode(), line, memory).encode()
        here.files.put(scope, local.path, memory.id, after)
        self._stands(replace(entry, path=local.path, line=line), place)
        if proposes and local.memory.status is not Status.REJECTED:
            here.ledger.drop_text(key_of(scope, place, memory.id), old.sum)
            self._propose(local, f"a later text of {memory.id} came and stands")

    def _stands(self, entry: Entry, place: str) -> None:
        """Note that an entry stands from now on because we wrote it; what waited for its sake goes."""
        here, scope, memory = self._here, str(entry.scope), entry.memory
        key, text = key_of(scope, place, memory.id), read_text_version(memory)
        here.ledger.imported[key] = text.sum
        here.put(entry, place)
        if place == CANDIDATES:
            return
        stood = self._stood.get(key, ())
        here.ledger.note_text(key, *stood, text.sum)
        here.tails.add((scope, id_tail(memory.id)))
        before = f"{CANDIDATE_PREFIX}-{id_tail(memory.id)}"
        settled = [before, *(each.memory.id for each in here.about(scope, before) if _is_own(each.memory))]
        settled += [candidate_name(FOREIGN, memory.id, each) for each in (text.sum, *stood)]
        settled += [candidate_name(OWN, memory.id, each) for each in stood]
        for name in settled:
            waiting = here.get(scope, CANDIDATES, name)
            if waiting is not None and here.is_imported(waiting, CANDIDATES):
                here.remove(waiting)

    def _propose(self, entry: Entry, reason: str) -> None:
        """A text of ours that does not stand, as a candidate."""
        memory, text = entry.memory, read_text_version(entry.memory)
        name = candidate_name(OWN, memory.id, text.sum)
        twin = self._here.get(str(entry.scope), CANDIDATES, candidate_name(FOREIGN, memory.id, text.sum))
        if twin is not None and self._here.is_imported(twin, CANDIDATES):
            self._here.remove(twin)
        extra = {**memory.extra, BUNDLE_OF: memory.id, BUNDLE_REASON: f"{memory.id} says something else here"}
        made = replace(memory, id=name, status=Status.CANDIDATE, extra=extra)
        self._propose_as(entry, made, reason)

    # Others'

    def _take_foreign(self, found: MemoryFile, scope: str) -> None:
        """Somebody else's words: candidates, whatever they were there."""
        for entry in found.entries:
            memory, text = entry.memory, read_text_version(entry.memory)
            if memory.status not in {Status.ACCEPTED, Status.CANDIDATE}:
                reason = f"it is {memory.status} there"
                self._here.note(REJECTED, MEMORY, scope, memory.id, memory.title, reason)
            elif self._is_here(scope, memory, text.sum):
                self._here.note(KNOWN, MEMORY, scope, memory.id, memory.title)
            elif key_of(scope, MEMORY, memory.id) in self._here.forgotten:
                self._here.note(FORGOTTEN, MEMORY, scope, memory.id, memory.title, "it was forgotten here")
            else:
                self._propose_as(entry, self._foreign(memory, text.sum), "it comes from others: review it")
        if found.problems and not found.entries:
            self._here.note(REJECTED, MEMORY, scope, found.path, reason="it holds no entry that can be read")

    def _take_teams(self, found: MemoryFile) -> None:
        """What a team shares passes the team's own gate: where the team here does not have it, it is a candidate."""
        app = self._here.app
        for entry in found.entries:
            memory, text = entry.memory, read_text_version(entry.memory)
            if memory.status is not Status.ACCEPTED:
                continue
            places = (str(Scope.TEAM), str(app.scope))
            if any(self._is_here(each, memory, text.sum) or self._was_here(each, memory, text.sum) for each in places):
                self._here.note(KNOWN, MEMORY, Scope.TEAM, memory.id, memory.title)
                continue
            if key_of(str(app.scope), MEMORY, memory.id) in self._here.forgotten:
                self._here.note(FORGOTTEN, MEMORY, Scope.TEAM, memory.id, memory.title, "it was forgotten here")
                continue
            made = self._foreign(memory, text.sum)
            if app.team:
                made = replace(made, extra={**made.extra, PROMOTE_TO: str(Scope.TEAM)})
            reason = "it is the team's: review it" if app.team else "it is a team's that nobody joined here: review it"
            self._propose_as(replace(entry, scope=app.scope), made, reason)

    def _foreign(self, memory: Memory, text_sum: str) -> Memory:
        said_by = SaidBy.TOOL if memory.said_by is SaidBy.USER else memory.said_by
        bare = _redact_memory(memory)
        extra = {**bare.extra, BUNDLE_OF: memory.id, BUNDLE_FROM: self._origin}
        name = candidate_name(FOREIGN, memory.id, text_sum)
        return replace(bare, id=name, status=Status.CANDIDATE, said_by=said_by, extra=extra)

    def _is_here(self, scope: str, memory: Memory, text_sum: str) -> bool:
        """Whether a text stands here, or a later one of its own; one that was undone or lost may come again."""
        local = self._here.get(scope, _place_of(memory), memory.id)
        if local is not None and (
            read_text_version(local.memory).sum == text_sum or self._was_here(scope, memory, text_sum)
        ):
            return True
        return self._here.get(scope, CANDIDATES, candidate_name(OWN, memory.id, text_sum)) is not None

    def _was_here(self, scope: str, memory: Memory, text_sum: str) -> bool:
        return text_sum in self._here.ledger.earlier.get(key_of(scope, _place_of(memory), memory.id), ())

    def _propose_as(self, entry: Entry, made: Memory, reason: str) -> None:
        here, scope, path = self._here, str(entry.scope), f"{CANDIDATES}/{file_name(made.id)}"
        known = here.get(scope, CANDIDATES, made.id) is not None or (scope, id_tail(made.id)) in here.tails
        if known or key_of(scope, CANDIDATES, made.id) in here.forgotten:
            here.note(KNOWN, CANDIDATES, scope, entry.memory.id, made.title, candidate=made.id)
            return
        try:
            here.files.put(scope, path, made.id, render_new_file(made).encode())
        except HoldfastError as error:
            here.note(REJECTED, CANDIDATES, scope, entry.memory.id, made.title, str(error))
            return
        self._stands(replace(entry, memory=made, path=path), CANDIDATES)
        here.note(CANDIDATE, CANDIDATES, scope, entry.memory.id, made.title, reason, made.id)


def _place_of(memory: Memory) -> str:
    return CANDIDATES if memory.id.startswith(f"{CANDIDATE_PREFIX}-") else MEMORY


def _is_own(candidate: Memory) -> bool:
    return BUNDLE_FROM not in candidate.extra


def _same_ids(entries: Sequence[Entry]) -> bool:
    return len({entry.memory.id for entry in entries}) != len(entries)


def _redact_memory(memory: Memory) -> Memory:
    """Others need not have redacted anything."""
    bare = clean(to_json(memory)).value
    assert isinstance(bare, dict)
    return from_json(bare)


def _keep_rejection(does: str, came: Memory, local: Memory, *, brought: bool) -> str:
    """A candidate that a person turned down stays so: neither text of it comes back."""
    rejected = Status.REJECTED
    if does not in {NEWER, CANDIDATE} or rejected not in {came.status, local.status}:
        return does
    if came.status is local.status:
        return FORWARD if does == NEWER else KNOWN
    return FORWARD if brought and came.status is rejected else KNOWN
