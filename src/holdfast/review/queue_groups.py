"""The queue as questions: what repeats another candidate, or is taken back by a later one, is asked with it, once.

Of each group one candidate *leads*: it is accepted or not. What it settles goes with it: candidates that say the same,
and earlier ones of the same speaker's that it takes back. The best groups come first, those of one topic together. One
function for every entrance, without embedders: it is rules over words, and as fast as a queue is long.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from math import log

from holdfast.conflicts.read_memory import MemoryReading, read_memory
from holdfast.conflicts.relate import relate_readings
from holdfast.core.memory import DOUBT, Entry, Memory, MemoryType, SaidBy, Status
from holdfast.core.relation import Kind, Relation
from holdfast.core.value import Value
from holdfast.distil.habits import count_sessions
from holdfast.review.same_slot import count_alike, fills_same_slot

# So many of those that share most of its words are held against each candidate.
NEAREST = 16
# A word that so many candidates hold tells nothing of any.
COMMON = 60
# From here on two speak of one thing, though neither settles the other.
RELATED = 0.35
WEIGHTS = {SaidBy.USER: 2.0, SaidBy.AGENT: 1.0, SaidBy.TOOL: 0.0}
# How sure one is that says nothing of it.
UNSAID = 0.6
REPEATED, MOST_REPEATED = 0.15, 0.6
REVERSES = (Kind.CONTRADICTS, Kind.SUPERSEDES)
# Less sure than this, and a person is asked both, one after the other.
SURE = 0.8
# What people and agents lay down; what was found out or went wrong is taken back by nothing but its own words.
LAID_DOWN = (MemoryType.DECISION, MemoryType.INVARIANT, MemoryType.PATTERN, MemoryType.ASSUMPTION)


class Settling(StrEnum):
    """Why a candidate is settled by the one that leads."""

    REPEATS = "repeats"
    TAKEN_BACK = "taken back"


class SettledCandidate(Value):
    """A candidate that is no question of its own: what it is to the one that leads, and why."""

    entry: Entry
    how: Settling
    reason: str = ""


class QueueGroup(Value):
    """One question: the candidate that leads, and those it settles. Groups of one `topic` stand together."""

    lead: Entry
    settles: tuple[SettledCandidate, ...] = ()
    topic: str = ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All of it, the one that leads first."""
        return (self.lead, *(each.entry for each in self.settles))

    @property
    def repeats(self) -> tuple[SettledCandidate, ...]:
        """Those that say the same as the one that leads."""
        return tuple(each for each in self.settles if each.how is Settling.REPEATS)


def group_queue(waiting: Iterable[Entry]) -> list[QueueGroup]:
    """The questions of a queue, best first. What was turned down is a question of its own, at the end."""
    entries = list({entry.memory.id: entry for entry in waiting}.values())
    asked = [entry for entry in entries if entry.memory.status is Status.CANDIDATE]
    decided = [entry for entry in entries if entry.memory.status is not Status.CANDIDATE]
    near = _Neighbours(asked)
    groups = _put_topics_together(_form_groups(near), near)
    return [*groups, *(QueueGroup(lead=entry, topic=entry.memory.id) for entry in _newest_first(decided))]


def find_group(waiting: Sequence[Entry], lead: Entry) -> QueueGroup:
    """The group that one candidate leads, if it leads one; else itself alone."""
    groups = group_queue(waiting)
    return next((each for each in groups if each.lead.memory.id == lead.memory.id), QueueGroup(lead=lead))


def when_said(memory: Memory) -> tuple[str, str, str]:
    """The order in which candidates were said: by day, then by the last event they rest on."""
    return memory.updated[:10], max((each.event for each in memory.evidence), default=""), memory.updated


class _Neighbours:
    """Candidates read once, and which of them share the most telling words."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = sorted(entries, key=lambda entry: (when_said(entry.memory), entry.memory.id), reverse=True)
        self.read = {entry.memory.id: read_memory(entry.memory) for entry in self.entries}
        self._holding: dict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(self.entries):
            for form in self._words(entry):
                self._holding[form].append(place)

    def of(self, place: int) -> list[int]:
        """The places of those that share most with one, then of its session's: they may say less than they mean."""
        shared: Counter[int] = Counter()
        for form, weight in self._words(self.entries[place]).items():
            holding = self._holding[form]
            if len(holding) <= COMMON:
                rare = weight * log(1 + len(self.entries) / len(holding))
                for other in holding:
                    shared[other] += rare  # type: ignore[assignment]  # a counter of weights
        session = self.entries[place].memory.source
        near = [other for other, _ in shared.most_common(NEAREST + 1) if other != place]
        kin = [n for n, entry in enumerate(self.entries) if session and entry.memory.source == session and n != place]
        return list(dict.fromkeys([*near, *kin[:NEAREST]]))

    def relate(self, place: int, others: Sequence[int]) -> dict[int, Relation]:
        """What one is to some others."""
        by_id = {self.entries[other].memory.id: other for other in others}
        mine = self.read[self.entries[place].memory.id]
        found = relate_readings(mine, [self.read[name] for name in by_id])
        return {by_id[each.old]: each for each in found}

    def _words(self, entry: Entry) -> "dict[str, float]":
        return dict(self.read[entry.memory.id].bag)


def _form_groups(near: _Neighbours) -> Iterator[QueueGroup]:
    """From the last that was said to the first: each takes with it what it repeats or takes back."""
    placed: set[int] = set()
    for place, entry in enumerate(near.entries):
        if place in placed:
            continue
        placed.add(place)
        earlier = [other for other in near.of(place) if other > place and other not in placed]
        settled: list[SettledCandidate] = []
        for other, relation in near.relate(place, earlier).items():
            found = _settle(entry, near.entries[other], relation, near.read)
            if found is not None:
                placed.add(other)
                settled.append(found)
        yield _lead_by_best(entry, settled)


def _settle(
    later: Entry, earlier: Entry, relation: Relation, read: "dict[str, MemoryReading]"
) -> SettledCandidate | None:
    """What an earlier candidate is to a later one, if one question answers both."""
    if relation.kind is Kind.DUPLICATES and count_alike(later.memory.title, earlier.memory.title):
        return SettledCandidate(entry=earlier, how=Settling.REPEATS, reason=relation.reason)
    if not _may_take_back(later.memory, earlier.memory):
        return None
    if relation.kind in REVERSES and relation.sure >= SURE:
        return SettledCandidate(entry=earlier, how=Settling.TAKEN_BACK, reason=relation.reason)
    slot = fills_same_slot(read[later.memory.id], read[earlier.memory.id])
    return SettledCandidate(entry=earlier, how=Settling.TAKEN_BACK, reason=slot) if slot else None


def _may_take_back(later: Memory, earlier: Memory) -> bool:
    """Whether who spoke later may take back what was said before: an agent takes back nothing of the user's."""
    if later.type not in LAID_DOWN or earlier.type not in LAID_DOWN:
        return False
    return _weigh_speaker(later) >= _weigh_speaker(earlier)


def _weigh_speaker(memory: Memory) -> float:
    return WEIGHTS[memory.said_by] - (0.5 if DOUBT in memory.extra else 0.0)


def _lead_by_best(last: Entry, settled: Sequence[SettledCandidate]) -> QueueGroup:
    """Of those that say the same, the one that is the surest leads; the last of them where none is surer."""
    same = [last, *(each.entry for each in settled if each.how is Settling.REPEATS)]
    lead = max(same, key=lambda entry: (_score(entry.memory), when_said(entry.memory)))
    others = list(settled)
    if lead is not last:
        others = [each for each in others if each.entry is not lead]
        others.insert(0, SettledCandidate(entry=last, how=Settling.REPEATS, reason="both say the same"))
    return QueueGroup(lead=lead, settles=tuple(others), topic=lead.memory.id)


def _score(memory: Memory) -> float:
    """How much one is worth a look: who said it, and how sure that is."""
    return _weigh_speaker(memory) + (UNSAID if memory.confidence is None else memory.confidence)


def _rank(group: QueueGroup) -> tuple[float, str, str]:
    sources = {each.memory.source or each.memory.id for each in (group.lead, *(each.entry for each in group.repeats))}
    said_again = min(REPEATED * (len(sources) - 1 + count_sessions(group.lead.memory) - 1), MOST_REPEATED)
    # In halves, so that what was said lately comes first among those that are worth about the same.
    worth = round(2 * (_score(group.lead.memory) + said_again)) / 2
    return worth, group.lead.memory.updated, group.lead.memory.id


def _put_topics_together(groups: Iterable[QueueGroup], near: _Neighbours) -> list[QueueGroup]:
    """The groups, best first; after each the others that speak of the same thing."""
    ranked = sorted(groups, key=_rank, reverse=True)
    leads = {each.lead.memory.id: each for each in ranked}
    places = {entry.memory.id: place for place, entry in enumerate(near.entries)}
    done: dict[str, QueueGroup] = {}
    for group in ranked:
        name = group.lead.memory.id
        if name in done:
            continue
        done[name] = group
        for other in _find_kin(near, places[name]):
            kin = near.entries[other].memory.id
            if kin in leads and kin not in done:
                done[kin] = QueueGroup(lead=leads[kin].lead, settles=leads[kin].settles, topic=name)
    return list(done.values())


def _find_kin(near: _Neighbours, place: int) -> list[int]:
    """Those that speak of the same thing as one, the nearest first."""
    found = near.relate(place, near.of(place))
    kin = [(each.likeness, other) for other, each in found.items() if _is_kin(each)]
    return [other for _, other in sorted(kin, key=lambda each: (-each[0], each[1]))]


def _is_kin(relation: Relation) -> bool:
    return relation.kind in REVERSES or (relation.kind is Kind.REFINES and relation.likeness >= RELATED)


def _newest_first(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.memory.updated, entry.memory.id), reverse=True)
