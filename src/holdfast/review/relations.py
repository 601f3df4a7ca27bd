"""What a memory or candidate is to the memories that hold: conflicts and duplicates, of one or of all."""

from collections.abc import Sequence

from holdfast.conflicts.model_judge import RelationJudge
from holdfast.conflicts.read_memory import MemoryReading, read_memory
from holdfast.conflicts.relate import relate_readings, relation_order
from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.memory import Entry, Status
from holdfast.core.model_port import NoModel
from holdfast.core.relation import ASKING, SAME_MATTER, Kind, Relation
from holdfast.core.search import Question
from holdfast.core.value import Value
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.recall.find import notice_unread
from holdfast.recall.select import select_entries
from holdfast.review.endings import find_endings
from holdfast.review.near_memories import Nearness, find_near_memories, open_judge
from holdfast.review.queue import list_waiting
from holdfast.trust.allow import filter_visible
from holdfast.workspace import App

__all__ = [
    "SHOWABLE", "TOLD", "ConflictList", "EntryRelation", "NoModelJudge", "find_conflicts", "is_blocking",
    "notice_conflicts", "relations_of", "require_judge",
]  # fmt: skip

# What a person is told of without asking for more.
TOLD = (Kind.CONTRADICTS, Kind.SUPERSEDES, Kind.DUPLICATES)
# What is shown to who asks for all. That one refines another is right in three of four cases: it orders the queue, and
# is said to nobody.
SHOWABLE = (*TOLD, Kind.UNRELATED)
BY_WORDS = "No embedder: memories were compared by their words. What two say in quite other words was not compared."
# How a notice begins that tells of what a changed memory is in conflict with.
NOW_IT = "As it is now, it"
MOST_JUDGED = 5
JUDGED_FROM = 0.3


class NoModelJudge(Unavailable):
    """A model was asked for, and there is none."""

    def __init__(self, found: NoModel) -> None:
        super().__init__(
            f"No model can judge: {found.reason}.", found.hint or "`holdfast config model` shows what could be set."
        )


class EntryRelation(Value):
    """A relation with its two entries."""

    relation: Relation
    new: Entry
    old: Entry


def is_blocking(each: EntryRelation) -> bool:
    """Whether a relation keeps a candidate from being accepted until a person says what ends.

    What the candidate itself names as replaced is said already; a long record that only decides the same is told.
    """
    relation, new = each.relation, each.new.memory
    if relation.kind is Kind.SUPERSEDES:
        return relation.rule != SAME_MATTER and relation.old not in new.supersedes
    return relation.kind is Kind.CONTRADICTS


class ConflictList(Value):
    """What was found, the most important first, and how many memories and candidates were looked at."""

    found: tuple[EntryRelation, ...]
    looked_at: int


def relations_of(app: App, entry: Entry, judge: RelationJudge | None = None) -> tuple[EntryRelation, ...]:
    """What an entry is to the valid memories near it, the most important first."""
    return RelationFinder(app, judge).at(entry)


def find_conflicts(
    app: App, wanted: str = "", kinds: Sequence[Kind] = TOLD, judge: RelationJudge | None = None
) -> ConflictList:
    """Of one entry, or of every candidate and of every pair of valid memories: the relations of some kinds."""
    look = RelationFinder(app, judge)
    asked = [_find_one(app, wanted)] if wanted else [*list_waiting(app), *_list_valid(app)]
    found: dict[frozenset[str], EntryRelation] = {}
    for done, entry in enumerate(asked, 1):
        waits = wanted or entry.memory.status is Status.CANDIDATE
        for each in look.at(entry):
            # Of two that a person holds already, likeness alone is no news.
            if each.relation.kind in kinds and (waits or each.relation.rule not in ASKING):
                _keep(found, each)
        if app.progress is not None:
            app.progress("conflicts", done, len(asked))
    notice_unread(app)
    if not look.by_meaning:
        app.notices.append(BY_WORDS)
    ordered = sorted(found.values(), key=lambda each: (relation_order(each.relation), each.relation.new))
    return ConflictList(found=tuple(ordered), looked_at=len(asked))


def find_notable_relations(app: App, entry: Entry) -> tuple[EntryRelation, ...]:
    """What a person should know of a memory they just wrote: what it contradicts, replaces or repeats unsaid."""
    said = set(entry.memory.supersedes)
    try:
        found = RelationFinder(app, writing=True).at(entry)
    except (HoldfastError, OSError) as error:
        # It is kept all the same.
        app.notices.append(f"What {entry.memory.id} is to other memories could not be looked at: {error}")
        return ()
    return tuple(each for each in found if each.relation.kind in TOLD and each.relation.old not in said)


def notice_conflicts(app: App, entry: Entry) -> None:
    """Tell of what a memory that was changed contradicts or replaces now."""
    for each in find_notable_relations(app, entry) if entry.memory.status is Status.ACCEPTED else ():
        if is_blocking(each):
            relation = each.relation
            app.notices.append(f"{NOW_IT} {relation.kind} {relation.old}: {relation.reason}.")


def require_judge(app: App) -> RelationJudge:
    """The model as judge. Raises NoJudge."""
    found = open_judge(app)
    if isinstance(found, NoModel):
        raise NoModelJudge(found)
    return found


class RelationFinder:
    """A look at many entries: each memory is read and embedded once.

    `writing`: somebody waits for a write, and a process of its own looks again with every vector.
    """

    def __init__(self, app: App, judge: RelationJudge | None = None, *, writing: bool = False) -> None:
        self._app, self._judge, self._writing = app, judge, writing
        self._near = Nearness(app)
        self._read: dict[tuple[str, str], MemoryReading] = {}

    @property
    def by_meaning(self) -> bool:
        """Whether an embedder says how near two texts are."""
        return self._near.known

    def at(self, entry: Entry, beside: Sequence[Entry] = ()) -> tuple[EntryRelation, ...]:
        """What one entry is to those near it, and to some that the index may not know yet or find near."""
        found_near = find_near_memories(self._app, entry.memory, writing=self._writing)
        near = {other.memory.id: other for other in filter_visible(self._app, found_near)}
        # What it says it replaces may be far from it in words.
        near |= {other.memory.id: other for other in (*find_endings(self._app, entry.memory), *beside)}
        others = [other for other in near.values() if _is_other(entry, other)]
        self._near.learn([entry.memory, *(other.memory for other in others)])
        by_id = {other.memory.id: other for other in others}
        mine, theirs = self._reading(entry), [self._reading(other) for other in others]
        found = relate_readings(mine, theirs, self._near, now=self._app.clock.now())
        judged = found if self._judge is None else self._second(entry, found, by_id, self._judge)
        return tuple(EntryRelation(relation=each, new=entry, old=by_id[each.old]) for each in judged)

    def _reading(self, entry: Entry) -> MemoryReading:
        key = (entry.memory.id, entry.sha256)
        if key not in self._read:
            self._read[key] = read_memory(entry.memory)
        return self._read[key]

    def _second(
        self, entry: Entry, found: Sequence[Relation], by_id: dict[str, Entry], judge: RelationJudge
    ) -> tuple[Relation, ...]:
        """What the judge adds to the relations that matter most."""
        worth = [each for each in found if each.kind is not Kind.UNRELATED or each.likeness >= JUDGED_FROM][
            :MOST_JUDGED
        ]
        made = {each.old: judge.judge(entry.memory, by_id[each.old].memory, each) for each in worth}
        trouble = getattr(judge, "problem", "")
        if trouble and trouble not in self._app.notices:
            self._app.notices.append(trouble)
        return tuple(sorted((made.get(each.old) or each for each in found), key=relation_order))


def _find_one(app: App, wanted: str) -> Entry:
    entry = find_entry(app, wanted)
    if not filter_visible(app, [entry]):
        raise NoSuchId(wanted)
    return entry


def _list_valid(app: App) -> list[Entry]:
    """The memories that hold now, oldest first."""
    found = filter_visible(app, select_entries(Question(text="", now=app.clock.now()), app.index))
    return sorted(found, key=_age)


def _age(entry: Entry) -> tuple[str, str, str]:
    return entry.memory.valid_from, entry.memory.updated, entry.memory.id


def _is_other(entry: Entry, other: Entry) -> bool:
    """Not itself: a candidate cut short on its way to a memory has that memory's random part."""
    same = entry.memory.id.rpartition("-")[2] == other.memory.id.rpartition("-")[2]
    return entry.memory.id != other.memory.id and not (same and entry.memory.status is Status.CANDIDATE)


def _keep(found: dict[frozenset[str], EntryRelation], each: EntryRelation) -> None:
    """Of the two ways to look at a pair of memories, the one in which the newer is new; else the more important."""
    key = frozenset((each.relation.new, each.relation.old))
    held = found.get(key)
    if held is None or (_is_forward(each) and not _is_forward(held)):
        found[key] = each


def _is_forward(each: EntryRelation) -> bool:
    return each.new.memory.status is Status.CANDIDATE or _age(each.new) >= _age(each.old)
