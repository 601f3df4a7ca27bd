"""What a memory or candidate is to the memories that hold: conflicts and duplicates, of one or of all."""

from collections.abc import Sequence

from holdfast.conflicts.model_judge import Judge
from holdfast.conflicts.read_memory import Read, read
from holdfast.conflicts.relate import importance, relations_read
from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.memory import Entry, Status
from holdfast.core.model_port import NoModel
from holdfast.core.relation import Kind, Relation
from holdfast.core.search import Question
from holdfast.core.value import Value
from holdfast.index.entries import NoSuchId, entry_with
from holdfast.recall.find import tell_unread
from holdfast.recall.select import select
from holdfast.review.near_memories import Nearness, neighbours, open_judge
from holdfast.review.queue import waiting
from holdfast.trust.allow import reachable
from holdfast.workspace import App

__all__ = ["TOLD", "Conflicts", "NoJudge", "Related", "conflicts", "judge_of", "relations_of"]

# What a person is told of without asking for more.
TOLD = (Kind.CONTRADICTS, Kind.SUPERSEDES, Kind.DUPLICATES)
MOST_JUDGED = 5
JUDGED_FROM = 0.3


class NoJudge(Unavailable):
    """A model was asked for, and there is none."""

    def __init__(self, found: NoModel) -> None:
        super().__init__(
            f"No model can judge: {found.reason}.", found.hint or "`holdfast model` shows what could be set."
        )


class Related(Value):
    """A relation with its two entries."""

    relation: Relation
    new: Entry
    old: Entry


class Conflicts(Value):
    """What was found, the most important first, and how many memories and candidates were looked at."""

    found: tuple[Related, ...]
    looked_at: int


def relations_of(app: App, entry: Entry, judge: Judge | None = None) -> tuple[Related, ...]:
    """What an entry is to the valid memories near it, the most important first."""
    return Look(app, judge).at(entry)


def conflicts(app: App, wanted: str = "", kinds: Sequence[Kind] = TOLD, judge: Judge | None = None) -> Conflicts:
    """Of one entry, or of every candidate and of every pair of valid memories: the relations of some kinds."""
    look = Look(app, judge)
    asked = [_one(app, wanted)] if wanted else [*waiting(app), *_valid(app)]
    found: dict[frozenset[str], Related] = {}
    for done, entry in enumerate(asked, 1):
        for each in look.at(entry):
            if each.relation.kind in kinds:
                _keep(found, each)
        if app.progress is not None:
            app.progress("conflicts", done, len(asked))
    tell_unread(app)
    ordered = sorted(found.values(), key=lambda each: (importance(each.relation), each.relation.new))
    return Conflicts(found=tuple(ordered), looked_at=len(asked))


def told_of(app: App, entry: Entry) -> tuple[Related, ...]:
    """What a person should know of a memory they just wrote: what it contradicts, replaces or repeats unsaid."""
    said = set(entry.memory.supersedes)
    try:
        found = relations_of(app, entry)
    except (HoldfastError, OSError) as error:
        # It is kept all the same.
        app.notices.append(f"What {entry.memory.id} is to other memories could not be looked at: {error}")
        return ()
    return tuple(each for each in found if each.relation.kind in TOLD and each.relation.old not in said)


def judge_of(app: App) -> Judge:
    """The model as judge. Raises NoJudge."""
    found = open_judge(app)
    if isinstance(found, NoModel):
        raise NoJudge(found)
    return found


class Look:
    """A look at many entries: each memory is read and embedded once."""

    def __init__(self, app: App, judge: Judge | None = None) -> None:
        self._app, self._judge = app, judge
        self._near = Nearness(app)
        self._read: dict[tuple[str, str], Read] = {}

    def at(self, entry: Entry, beside: Sequence[Entry] = ()) -> tuple[Related, ...]:
        """What one entry is to those near it, and to some that the index may not know yet or find near."""
        near = {other.memory.id: other for other in reachable(self._app, neighbours(self._app, entry.memory))}
        near |= {other.memory.id: other for other in beside}
        others = [other for other in near.values() if _other(entry, other)]
        self._near.learn([entry.memory, *(other.memory for other in others)])
        by_id = {other.memory.id: other for other in others}
        mine, theirs = self._reading(entry), [self._reading(other) for other in others]
        found = relations_read(mine, theirs, self._near, now=self._app.clock.now())
        judged = found if self._judge is None else self._second(entry, found, by_id, self._judge)
        return tuple(Related(relation=each, new=entry, old=by_id[each.old]) for each in judged)

    def _reading(self, entry: Entry) -> Read:
        key = (entry.memory.id, entry.sha256)
        if key not in self._read:
            self._read[key] = read(entry.memory)
        return self._read[key]

    def _second(
        self, entry: Entry, found: Sequence[Relation], by_id: dict[str, Entry], judge: Judge
    ) -> tuple[Relation, ...]:
        """What the judge adds to the relations that matter most."""
        worth = [each for each in found if each.kind is not Kind.UNRELATED or each.likeness >= JUDGED_FROM][
            :MOST_JUDGED
        ]
        made = {each.old: judge.judge(entry.memory, by_id[each.old].memory, each) for each in worth}
        trouble = getattr(judge, "trouble", "")
        if trouble and trouble not in self._app.notices:
            self._app.notices.append(trouble)
        return tuple(sorted((made.get(each.old) or each for each in found), key=importance))


def _one(app: App, wanted: str) -> Entry:
    entry = entry_with(app, wanted)
    if not reachable(app, [entry]):
        raise NoSuchId(wanted)
    return entry


def _valid(app: App) -> list[Entry]:
    """The memories that hold now, oldest first."""
    found = reachable(app, select(Question(text="", now=app.clock.now()), app.index))
    return sorted(found, key=_age)


def _age(entry: Entry) -> tuple[str, str, str]:
    return entry.memory.valid_from, entry.memory.updated, entry.memory.id


def _other(entry: Entry, other: Entry) -> bool:
    """Not itself: a candidate cut short on its way to a memory has that memory's random part."""
    same = entry.memory.id.rpartition("-")[2] == other.memory.id.rpartition("-")[2]
    return entry.memory.id != other.memory.id and not (same and entry.memory.status is Status.CANDIDATE)


def _keep(found: dict[frozenset[str], Related], each: Related) -> None:
    """Of the two ways to look at a pair of memories, the one in which the newer is new; else the more important."""
    key = frozenset((each.relation.new, each.relation.old))
    held = found.get(key)
    if held is None or (_forward(each) and not _forward(held)):
        found[key] = each


def _forward(each: Related) -> bool:
    return each.new.memory.status is Status.CANDIDATE or _age(each.new) >= _age(each.old)
