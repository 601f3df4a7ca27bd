"""What is done at the desk: the queue is read, an item is looked at, memories are held against each other."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from holdfast.core.errors import Conflict
from holdfast.core.memory import Entry
from holdfast.core.relation import Kind
from holdfast.core.search import Question
from holdfast.core.value import Value
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.recall.find import MOST, list_entries, search
from holdfast.records.evidence_context import find_evidence_context
from holdfast.review.batches import BatchSummary, read_last_batch
from holdfast.review.expiry import describe_expiry
from holdfast.review.queue import is_meant, list_expired, list_questions, list_waiting
from holdfast.review.queue_groups import QueueGroup
from holdfast.review.relations import TOLD, EntryRelation, RelationFinder
from holdfast.tui.queue_items import ItemFindings, QueueFilter, QueueItem
from holdfast.workspace import App

FOUND = 20
T = TypeVar("T")
Stamps = Mapping[tuple[str, str], str]


class QueueSnapshot(Value):
    """The queue as it is on disk: what is meant of it, how much there is, what `undo` would undo, and the stamps.

    `waiting` are the candidates that lead the groups; `expiry` says of some that they leave the queue soon.
    """

    groups: tuple[QueueGroup, ...]
    total: int
    last: BatchSummary | None
    stamps: Stamps
    expiry: Mapping[str, str] = {}

    @property
    def waiting(self) -> tuple[Entry, ...]:
        """The candidates that lead."""
        return tuple(group.lead for group in self.groups)


def read_stamps(app: App) -> Stamps:
    """The stamps of every file the queue depends on. Cheap."""
    places = [(str(scope), vault) for scope, vault in app.vaults.items()]
    places.append(("candidates", app.candidate_vault))
    return {(name, path): stamp for name, vault in places for path, stamp in vault.stamps().items()}


def read_queue(chosen: QueueFilter) -> Callable[[App], QueueSnapshot]:
    """Read the queue again, if files changed beneath too."""

    def job(app: App) -> QueueSnapshot:
        # Before the files are read: what changes meanwhile is seen at the next look.
        seen = read_stamps(app)
        app.refresh()
        everything = list_questions(app)
        meant = _choose_groups(app, everything, chosen)
        told = {group.lead.memory.id: describe_expiry(app, group.lead) for group in meant}
        return QueueSnapshot(
            groups=tuple(meant), total=len(everything), last=read_last_batch(app), stamps=seen, expiry=told
        )

    return job


def _choose_groups(app: App, everything: Sequence[QueueGroup], chosen: QueueFilter) -> Sequence[QueueGroup]:
    if chosen.expired:
        return [QueueGroup(lead=entry, topic=entry.memory.id) for entry in list_expired(app, chosen.filter)]
    if chosen.filter == QueueFilter().filter:
        return everything
    return [group for group in everything if any(is_meant(entry, chosen.filter) for entry in group.entries)]


class ChangedSinceShown(Conflict):
    """An entry that is not what the person saw any more."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id!r} changed since it was shown; nothing was done.", "look at it again.")


def require_unchanged(items: Sequence[QueueItem], job: Callable[[App], T]) -> Callable[[App], T]:
    """A decision on items, on the files as they are now: if they are what the person saw."""

    def checked(app: App) -> T:
        app.refresh()
        for item in items:
            for seen in (item.pair.new, item.pair.old) if item.pair else (item.entry,):
                if find_entry(app, seen.memory.id).sha256 != seen.sha256:
                    raise ChangedSinceShown(seen.memory.id)
        return job(app)

    return checked


class ItemReader:
    """Looks at items. Each text is read and embedded once, however often it is looked at."""

    def __init__(self) -> None:
        self._look: RelationFinder | None = None

    def relations(self, app: App, entry: Entry) -> tuple[EntryRelation, ...]:
        """What an entry is to the memories near it."""
        if self._look is None:
            self._look = RelationFinder(app)
        found = self._look.at(entry)
        return tuple(each for each in found if each.relation.kind in TOLD)

    def see(self, item: QueueItem) -> Callable[[App], ItemFindings]:
        """All that is to be shown of an item."""

        def job(app: App) -> ItemFindings:
            related = (item.pair,) if item.pair else self.relations(app, item.entry)
            return ItemFindings(related=related, quoted=find_evidence_context(app, item.entry))

        return job

    def relate(self, entry: Entry) -> Callable[[App], tuple[EntryRelation, ...]]:
        """Only what an entry is to others: for its mark in the queue."""
        return lambda app: self.relations(app, entry)


def list_valid_memories(app: App) -> list[Entry]:
    """The memories that hold now."""
    return list_entries(app, Question(text="", limit=MOST))


def keep_conflicts(found: Iterable[EntryRelation]) -> list[EntryRelation]:
    """The contradictions among some relations, seen from the newer side where both sides see them."""
    kept: dict[frozenset[str], EntryRelation] = {}
    for each in found:
        key = frozenset((each.relation.new, each.relation.old))
        if each.relation.kind is Kind.CONTRADICTS and (key not in kept or _age(each.new) >= _age(each.old)):
            kept[key] = each
    return list(kept.values())


def _age(entry: Entry) -> tuple[str, str, str]:
    return entry.memory.valid_from, entry.memory.updated, entry.memory.id


def find_entries(text: str) -> Callable[[App], list[Entry]]:
    """What some words, or an id, mean: candidates that hold them, then memories."""

    def job(app: App) -> list[Entry]:
        if not text.strip():
            return []
        try:
            named = [find_entry(app, text.strip())]
        except NoSuchId:
            named = []
        low = text.casefold().split()
        near = [entry for entry in list_waiting(app) if all(word in entry.memory.title.casefold() for word in low)]
        hits = [hit.entry for hit in search(app, Question(text=text, limit=FOUND)).hits]
        return list({entry.memory.id: entry for entry in (*named, *near[:FOUND], *hits)}.values())[:FOUND]

    return job
