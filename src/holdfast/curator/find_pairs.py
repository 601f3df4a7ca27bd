"""Conflicts, replacements and duplicates: what memories are to each other, as plans."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.core.memory import Memory, MemoryType, SaidBy
from holdfast.core.relation import Kind as Related
from holdfast.core.relation import Relation, Resolution
from holdfast.core.relation import Rewrite as Resolved
from holdfast.core.search import Supersession
from holdfast.curator.curator_finding import Change, CurationFinding, FindingKind, FixPlan, MemoryRewrite
from holdfast.curator.curator_input import CuratorInput
from holdfast.curator.plan_changes_of import MERGE, SUPERSEDE, format_time, plan_deprecation, plan_merge
from holdfast.review.lifecycle import content_digest
from holdfast.review.resolve_conflict import ResolveRequest, WouldCycle, plan_resolution

# What of two that say the same is kept: what binds before what is only known.
FIRM = (
    MemoryType.INVARIANT, MemoryType.DECISION, MemoryType.PATTERN, MemoryType.FAILURE, MemoryType.LEARNING,
    MemoryType.ASSUMPTION,
)  # fmt: skip
BINDING = (MemoryType.DECISION, MemoryType.INVARIANT)


def find_conflicts(
    relations: Iterable[Relation], by_id: Mapping[str, Memory], world: CuratorInput
) -> Iterator[CurationFinding]:
    """Pairs that contradict each other, and those of which one says that it replaces the other."""
    for relation in relations:
        new, old = by_id[relation.new], by_id[relation.old]
        if relation.kind is Related.CONTRADICTS:
            overtaken = old.type is MemoryType.ASSUMPTION and new.type in BINDING
            yield _overtaken_finding(relation, new, old, world) if overtaken else _conflict(relation, new, old, world)
        elif relation.kind is Related.SUPERSEDES and old.id not in new.supersedes:
            yield _replaced_finding(relation, new, old, world)


def _conflict(relation: Relation, new: Memory, old: Memory, world: CuratorInput) -> CurationFinding:
    newer, older = (
        _plan_supersede(relation, new, old, world),
        plan_deprecation(new, f"{old.id} stays: {relation.reason}", world.now),
    )
    keep_old = FixPlan(name=Resolution.KEEP_OLD, about=f"{old.id} stays, {new.id} ends", changes=older.changes)
    ask = f"holdfast resolve {new.id} {old.id}"
    return CurationFinding(
        kind=FindingKind.CONFLICTS,
        rule=relation.rule,
        ids=(new.id, old.id),
        sure=relation.sure,
        default=_plan_name(newer),
        reason=relation.reason,
        ways=tuple(way for way in (newer, keep_old) if way is not None),
        by_name=True,
        hints=(f"{ask} --keep-both --because WHY (or --narrow GLOB)",),
    )


def _overtaken_finding(relation: Relation, new: Memory, old: Memory, world: CuratorInput) -> CurationFinding:
    way = _plan_supersede(relation, new, old, world)
    return CurationFinding(
        kind=FindingKind.DEPRECATIONS,
        rule="overtaken",
        ids=(new.id, old.id),
        sure=relation.sure,
        default=_plan_name(way),
        reason=f"it was assumed, and {new.id} says otherwise: {relation.reason}",
        ways=(way,) if way else (),
        by_name=True,
    )


def _replaced_finding(relation: Relation, new: Memory, old: Memory, world: CuratorInput) -> CurationFinding:
    way = _plan_supersede(relation, new, old, world)
    return CurationFinding(
        kind=FindingKind.DEPRECATIONS,
        rule="replaced",
        ids=(new.id, old.id),
        sure=relation.sure,
        default=_plan_name(way),
        reason=relation.reason,
        ways=(way,) if way else (),
        by_name=True,
        hints=(f"holdfast resolve {new.id} {old.id} --keep-both --because WHY",),
    )


def _plan_supersede(relation: Relation, new: Memory, old: Memory, world: CuratorInput) -> FixPlan | None:
    """The newer one supersedes the older; None where that would close a circle."""
    links = [Supersession(old=each, new=name, since="") for each, name in world.newer.items()]
    answer = ResolveRequest(choice=Resolution.SUPERSEDE)
    try:
        changes = plan_resolution(new, old, relation, answer, format_time(world.now), links)
    except WouldCycle:
        return None
    before = {new.id: new, old.id: old}
    made: tuple[Change, ...] = tuple(
        MemoryRewrite(before=before[each.memory.id], after=each.memory)
        for each in changes
        if isinstance(each, Resolved)
    )
    return FixPlan(name=SUPERSEDE, about=f"{new.id} supersedes {old.id}, which ends", changes=made)


def _plan_name(way: FixPlan | None) -> str:
    return way.name if way else ""


def find_copies(memories: Sequence[Memory]) -> list[list[Memory]]:
    """Memories that say the same word for word, in groups."""
    groups: dict[tuple[object, ...], list[Memory]] = defaultdict(list)
    for memory in memories:
        groups[(*content_digest(memory), memory.paths, tuple(sorted(memory.enforce)))].append(memory)
    return list(groups.values())


def find_duplicates(
    groups: Iterable[Sequence[Memory]], relations: Iterable[Relation], by_id: Mapping[str, Memory], world: CuratorInput
) -> Iterator[CurationFinding]:
    """Groups that say the same: word for word, or by a relation. One of each group is kept."""
    alike: dict[str, dict[str, float]] = defaultdict(dict)
    for group in groups:
        for each in group[1:]:
            alike[group[0].id][each.id] = alike[each.id][group[0].id] = 1.0
    for relation in relations:
        if relation.kind is Related.DUPLICATES:
            alike[relation.new][relation.old] = alike[relation.old][relation.new] = relation.sure
    taken: set[str] = set()
    for name in sorted(alike, key=lambda each: _keep_order(by_id[each])):
        # Only what says the same as the one that is kept, so that no chain of likeness drifts away from it.
        others = {other: sure for other, sure in alike[name].items() if other not in taken} if name not in taken else {}
        others |= _copies_of(others, alike, taken | {name})
        if others:
            taken |= {name, *others}
            yield _duplicate(by_id[name], [by_id[other] for other in sorted(others)], min(others.values()), world)


def _copies_of(
    others: Mapping[str, float], alike: Mapping[str, Mapping[str, float]], taken: set[str]
) -> dict[str, float]:
    """What says the same word for word as one of these."""
    return {
        copy: sure
        for other, sure in others.items()
        for copy, same in alike[other].items()
        if same == 1.0 and copy not in taken and copy not in others
    }


def _keep_order(memory: Memory) -> tuple[int, int, int, str, str, str]:
    """The order in which memories are kept: who said it, how firm it is, what speaks for it, and age."""
    return (
        memory.said_by is not SaidBy.USER, FIRM.index(memory.type), -len(memory.evidence) - len(memory.cites),
        memory.valid_from or memory.updated or "9999", memory.updated, memory.id,
    )  # fmt: skip


def _duplicate(kept: Memory, others: Sequence[Memory], sure: float, world: CuratorInput) -> CurationFinding:
    same = all(content_digest(other) == content_digest(kept) for other in others)
    many = "both say" if len(others) == 1 else f"all {len(others) + 1} say"
    return CurationFinding(
        kind=FindingKind.DUPLICATES, rule="copies" if same else "same", ids=(kept.id, *(other.id for other in others)),
        sure=sure, reason=f"{many} the same{', word for word' if same else ''}",
        ways=(plan_merge(kept, others, world.now),), default=MERGE,
        hints=() if same else (f"holdfast show {' '.join((kept.id, *(other.id for other in others[:3])))}",),
    )  # fmt: skip
