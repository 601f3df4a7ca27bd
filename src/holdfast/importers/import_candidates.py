"""Importing: what others remembered becomes candidates. The plan is a value; applying it writes.

A source is read again as often as one likes: what is here already is known by its own id and the sum of its text. See
docs/formats/imports.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.event import Event
from holdfast.core.ids import encode
from holdfast.core.memory import CANDIDATE_PREFIX, PREFIXES, Entry, Memory, Status
from holdfast.core.memory_json import from_json, to_json
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.importers.find_readers import find_importer, find_usual_places, load_importers, source_of
from holdfast.importers.import_values import (
    SUPERSEDED_BY,
    SUPERSEDES,
    ImportedItem,
    Importer,
    ImportSource,
    RejectedItem,
)
from holdfast.index.entries import CANDIDATES, is_candidate, to_index_entry, to_vault_entry
from holdfast.redact import bulk_gate
from holdfast.redact.clean import clean
from holdfast.review.accept import AcceptedCandidate, ReviewResult, accept
from holdfast.review.lifecycle import content_digest
from holdfast.trust.presence import prove_person
from holdfast.vault.edit_entry import NotWritable, render_new_file
from holdfast.vault.entry_json import now, today
from holdfast.vault.file_vault import IdTaken
from holdfast.workspace import App

__all__ = [
    "ImportPlan",
    "ImportResult",
    "ImportStep",
    "ImportableMemory",
    "apply_import",
    "find_importable",
    "list_importers",
    "plan_import",
]

NEW, CHANGED, REVISION, KNOWN = "new", "changed", "revision", "known"
MOST_ITEMS = 50_000
MOST_LINKS = 40
CHUNK = 64
ID_LENGTH = 6
SUM_LENGTH = 16
FROM, ID, SUM = "import_from", "import_id", "import_sum"
PLACEHOLDER = f"{CANDIDATE_PREFIX}-000000"
PRIVATE = "[private]"
# What a candidate's own sum is made of: what a person would edit.
SAID = (
    "type",
    "title",
    "body",
    "category",
    "tags",
    "paths",
    "question",
    "choice",
    "rejected",
    "fact",
    "root_cause",
    "error_message",
)


class ImportStep(Value):
    """One thing of a source, and what becomes of it. `entry` is what is here of it already."""

    does: str
    item: ImportedItem
    memory: Memory
    entry: Entry | None = None


class ImportPlan(Value):
    """What an import would do."""

    kind: str
    source: str
    steps: tuple[ImportStep, ...]
    rejected: tuple[RejectedItem, ...]
    redacted: Mapping[str, int]

    def of(self, *kinds: str) -> list[ImportStep]:
        """The steps of these kinds."""
        return [step for step in self.steps if step.does in kinds]


class ImportResult(Value):
    """What an import did: candidates written, memories accepted, and those left waiting with the reason."""

    written: tuple[Entry, ...]
    accepted: tuple[AcceptedCandidate, ...] = ()
    waiting: tuple[tuple[str, str], ...] = ()


class ImportableMemory(Value):
    """Another tool's memory on this machine."""

    kind: str
    path: str


class TooManyToReview(BadRequest):
    """A source with more than can be reviewed."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"{label!r} holds more than {MOST_ITEMS:,} things.", "import parts of it: one folder, or one --project."
        )


def list_importers(app: App) -> list[Importer]:
    """Every kind of source that can be read."""
    return list(load_importers(app).values())


def find_importable(app: App) -> list[ImportableMemory]:
    """Memories of other tools that are here and could be imported."""
    known = load_importers(app)
    usual = [ImportableMemory(kind=kind, path=path) for kind, path in find_usual_places(app)]
    return [each for each in usual if each.kind in known and known[each.kind].detect(each.path) > 0]


def plan_import(app: App, path: str, kind: str = "", project: str = "") -> ImportPlan:
    """What importing a path would bring. Writes nothing."""
    importer = find_importer(app, path, kind)
    source = source_of(app, path, project)
    items, rejected = _read(importer, source)
    return _Planning(app, importer.name, source).plan(items, rejected)


def _read(importer: Importer, source: ImportSource) -> tuple[list[ImportedItem], list[RejectedItem]]:
    items: list[ImportedItem] = []
    rejected: list[RejectedItem] = []
    for found in importer.read(source):
        if isinstance(found, RejectedItem):
            rejected.append(found)
        else:
            items.append(found)
        if len(items) > MOST_ITEMS:
            raise TooManyToReview(source.label)
    return items, rejected


class _Planning:
    """What is here already, and what was given out so far."""

    def __init__(self, app: App, kind: str, source: ImportSource) -> None:
        self.app = app
        self.kind = kind
        self.source = source
        entries = app.index.select(Select())
        self.ids = {_tail(entry.memory.id) for entry in entries}
        self.digests = {content_digest(entry.memory): entry for entry in entries}
        self.known: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            if entry.memory.extra.get(FROM) == kind:
                self.known[str(entry.memory.extra.get(ID, ""))].append(entry)
        self.redacted: dict[str, int] = {}
        self.suspects = bulk_gate.bulk_suspects()

    def plan(self, items: Sequence[ImportedItem], rejected: list[RejectedItem]) -> ImportPlan:
        """What to do with each thing: its id first, so that links between them can be told, then its last form."""
        first = [step for item in items if (step := self._begun(item, rejected))]
        names = self._names(first)
        newer = _find_superseding(first, names)
        whole = [self._linked(step, names, newer) for step in first]
        steps = [step for step in whole if self._fits(step, rejected)]
        return ImportPlan(
            kind=self.kind,
            source=self.source.label,
            steps=tuple(steps),
            rejected=tuple(rejected),
            redacted=self.redacted,
        )

    def _begun(self, item: ImportedItem, rejected: list[RejectedItem]) -> ImportStep | None:
        memory = self._clean(item)
        if memory.body.strip() == PRIVATE or memory.title.strip() in {"", PRIVATE}:
            rejected.append(RejectedItem(place=item.place, reason="private, or without a title"))
            return None
        found = _find_heads(self.known.get(str(memory.extra[ID]), []))
        same = [entry for entry in found if _sums(entry.memory)[0] == _sums(memory)[0]]
        if same:
            return ImportStep(does=KNOWN, item=item, memory=memory, entry=same[0])
        if not found and (twin := self.digests.get(content_digest(memory))):
            return ImportStep(does=KNOWN, item=item, memory=memory, entry=twin)
        waiting = [
            entry
            for entry in found
            if entry.memory.status is Status.CANDIDATE and is_candidate(entry) and _is_as_made(entry.memory)
        ]
        if waiting:
            return ImportStep(
                does=CHANGED, item=item, memory=replace(memory, id=waiting[0].memory.id), entry=waiting[0]
            )
        memory = replace(memory, id=self._new_id(memory))
        self.digests[content_digest(memory)] = _entry(memory)
        accepted = [entry for entry in found if not is_candidate(entry)]
        return ImportStep(
            does=REVISION if accepted else NEW, item=item, memory=memory, entry=accepted[0] if accepted else None
        )

    def _clean(self, item: ImportedItem) -> Memory:
        """A thing as a candidate, without what must not reach the disk."""
        memory = item.memory
        extra = {**memory.extra, FROM: self.kind, ID: item.key[:500], SUM: _sum(item.raw)}
        memory = replace(
            memory,
            id=PLACEHOLDER,
            status=Status.CANDIDATE,
            source=f"import {self.kind} {item.place}"[:400],
            extra=extra,
        )
        cleaned = clean(to_json(memory), suspects=self.suspects)
        for name, count in cleaned.found.items():
            self.redacted[name] = self.redacted.get(name, 0) + count
        assert isinstance(cleaned.value, dict)
        return from_json(cleaned.value)

    def _new_id(self, memory: Memory) -> str:
        """An id that the same source always gets, unless something else has it."""
        for salt in range(1000):
            number = int(_sum(f"{self.kind}\0{memory.extra[ID]}\0{memory.extra[SUM]}\0{salt}"), 16)
            tail = encode(number & (1 << 5 * ID_LENGTH) - 1, ID_LENGTH)
            if tail not in self.ids:
                break
        self.ids.add(tail)
        return f"{CANDIDATE_PREFIX}-{tail}"

    def _names(self, steps: Sequence[ImportStep]) -> dict[str, str]:
        """Every name that a link may use, with the id that the thing has or will have as a memory."""
        names: dict[str, str] = {}
        for key, entries in self.known.items():
            names[key] = _memory_id(_find_heads(entries)[0].memory if _find_heads(entries) else entries[0].memory)
        for step in steps:
            names[str(step.memory.extra[ID])] = _final_id(step)
            names[step.item.key] = _final_id(step)
        for step in steps:
            for name in filter(None, step.item.names):
                names.setdefault(name, _final_id(step))
                names.setdefault(name.casefold(), _final_id(step))
        return names

    def _linked(self, step: ImportStep, names: Mapping[str, str], newer: "_Supersession") -> ImportStep:
        if step.does == KNOWN:
            return step
        own = _final_id(step)
        olds = list(newer.olds.get(own, ()))
        if step.does == REVISION and step.entry:
            olds.insert(0, step.entry.memory.id)
        told = [
            f"{link.kind} {names.get(link.to) or names.get(link.to.casefold()) or link.to}" for link in step.item.links
        ]
        extra = {
            **step.memory.extra,
            **({"links": [each[:200] for each in dict.fromkeys(told)][:MOST_LINKS]} if told else {}),
        }
        memory = self._dated(
            replace(step.memory, supersedes=tuple(dict.fromkeys(olds)), extra=extra),
            step.item,
            newer.dates.get(own, ""),
        )
        return replace(step, memory=replace(memory, extra={**memory.extra, SUM: f"{extra[SUM]}-{_made_sum(memory)}"}))

    def _dated(self, memory: Memory, item: ImportedItem, ended: str) -> Memory:
        begun = memory.valid_from or today(self.app)
        until = memory.valid_until
        if item.over and not until:
            until = max(begun[:10], ended[:10] or today(self.app))
        return replace(memory, valid_from=begun, valid_until=until, updated=memory.updated or now(self.app))

    def _fits(self, step: ImportStep, rejected: list[RejectedItem]) -> bool:
        """Whether a file can hold it; tried here, so that a dry run tells the truth."""
        if step.does == KNOWN:
            return True
        try:
            render_new_file(step.memory)
        except NotWritable as error:
            rejected.append(RejectedItem(place=step.item.place, reason=str(error)))
            return False
        return True


class _Supersession(Value):
    """Who supersedes whom, by memory ids; and when what replaced a thing began."""

    olds: Mapping[str, Sequence[str]]
    dates: Mapping[str, str]


def _find_superseding(steps: Sequence[ImportStep], names: Mapping[str, str]) -> _Supersession:
    olds: dict[str, list[str]] = defaultdict(list)
    begun = {_final_id(step): step.memory.valid_from for step in steps}
    dates: dict[str, str] = {}
    for step in steps:
        for link in step.item.links:
            other = names.get(link.to) or names.get(link.to.casefold())
            if not other or link.kind not in {SUPERSEDES, SUPERSEDED_BY}:
                continue
            new, old = (_final_id(step), other) if link.kind == SUPERSEDES else (other, _final_id(step))
            if new != old and not _reaches(olds, old, new) and old not in olds[new]:
                olds[new].append(old)
                dates[old] = max(dates.get(old, ""), begun.get(new, ""))
    return _Supersession(olds=olds, dates=dates)


def _reaches(olds: Mapping[str, Sequence[str]], start: str, end: str) -> bool:
    """Whether a thing supersedes another, also through others: a circle has no newest."""
    todo, seen = [start], set()
    while todo:
        at = todo.pop()
        if at == end:
            return True
        if at not in seen:
            seen.add(at)
            todo += olds.get(at, ())
    return False


def apply_import(app: App, plan: ImportPlan, *, accepting: bool = False, scope: str = "") -> ImportResult:
    """Write what a plan says: one whole candidate after the other. With `accepting`, a person takes them at once."""
    if accepting:
        prove_person(app, f"import {plan.source} --accept")
    written: list[Entry] = []
    steps = plan.of(NEW, CHANGED, REVISION)
    for count, step in enumerate(steps, 1):
        written.append(_write(app, step))
        if app.progress:
            app.progress("importing", count, len(steps))
        if count % CHUNK == 0 or count == len(steps):
            _note(app, written[-CHUNK:] if count % CHUNK == 0 else written[-(count % CHUNK) :])
    app.refresh()
    shown = tuple(to_index_entry(entry, CANDIDATES) for entry in written)
    return _accept_written(app, plan, shown, scope) if accepting else ImportResult(written=shown)


def _write(app: App, step: ImportStep) -> Entry:
    if step.does == CHANGED and step.entry:
        return app.candidates.rewrite(to_vault_entry(step.entry), step.memory)
    try:
        return app.candidates.add(step.memory)
    except IdTaken:
        # Another import of the same source ran meanwhile: what it wrote is what we would have written.
        there = app.candidates.find(step.memory.id)
        if there is None or _sums(there.memory) != _sums(step.memory):
            raise
        return there


def _accept_written(app: App, plan: ImportPlan, written: tuple[Entry, ...], scope: str) -> ImportResult:
    """Accept what was written, and what waited already; what the source itself holds open goes on waiting."""
    waits = {_existing_or_new(step).id: step.item.waits for step in plan.steps}
    waited = [step.entry for step in plan.of(KNOWN) if step.entry and is_candidate(step.entry)]
    ids = [entry.memory.id for entry in (*written, *waited) if entry.memory.status is Status.CANDIDATE]
    ids = list(dict.fromkeys(ids))
    now_in = [each for each in ids if not waits.get(each)]
    done = accept(app, now_in, scope, verb="import") if now_in else ReviewResult()
    left = [(each, waits[each]) for each in ids if waits.get(each)]
    left += [
        (each.entry.memory.id, f"{each.conflicts[0].relation.kind} {each.conflicts[0].relation.old}")
        for each in done.blocked
    ]
    return ImportResult(written=written, accepted=done.accepted, waiting=tuple(left))


def _note(app: App, entries: Iterable[Entry]) -> None:
    """Journal that candidates came: their ids, and none of their words."""
    events = [
        Event(
            client="holdfast", name="candidate.added", data={"id": e.memory.id, "sha256": e.sha256, "text": e.memory.id}
        )
        for e in entries
    ]
    try:
        app.journal.append(events)
    except Unavailable as error:
        app.notices.append(f"The candidates are kept, but the journal could not note them: {error}")


def _find_heads(entries: Sequence[Entry]) -> list[Entry]:
    """Of what is here of one thing: what nothing newer of it replaces."""
    old = {each for entry in entries if entry.memory.status is not Status.REJECTED for each in entry.memory.supersedes}
    return [entry for entry in entries if _memory_id(entry.memory) not in old]


def _final_id(step: ImportStep) -> str:
    """The id that a thing has, or will have, as a memory."""
    return _memory_id(_existing_or_new(step))


def _existing_or_new(step: ImportStep) -> Memory:
    """What is here of a thing that is known already, else what would be written."""
    return step.entry.memory if step.does == KNOWN and step.entry else step.memory


def _memory_id(memory: Memory) -> str:
    """The id that a candidate will have as a memory; a memory's own."""
    if memory.id.startswith(f"{CANDIDATE_PREFIX}-"):
        return f"{PREFIXES[memory.type]}-{_tail(memory.id)}"
    return memory.id


def _tail(memory_id: str) -> str:
    return memory_id.rpartition("-")[2]


def _entry(memory: Memory) -> Entry:
    """A stand-in for an entry that this import will write."""
    from_here: Any = {"scope": "workspace", "path": f"{CANDIDATES}/", "line": 1, "sha256": ""}
    return Entry(memory=memory, **from_here)


def _sum(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:SUM_LENGTH]


def _sums(memory: Memory) -> tuple[str, str]:
    """The sums that a candidate carries: of its source, and of what was made of it."""
    source, _, made = str(memory.extra.get(SUM, "")).partition("-")
    return source, made


def _made_sum(memory: Memory) -> str:
    data = to_json(memory)
    return _sum(repr([data.get(name) for name in SAID]))


def _is_as_made(memory: Memory) -> bool:
    """Whether nobody edited a candidate since it was made."""
    return _sums(memory)[1] == _made_sum(memory)
