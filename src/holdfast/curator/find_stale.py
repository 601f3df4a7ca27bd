"""Stale: too old for its type, of no use, contradicted by what happened, or about code that changed."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import datetime

from holdfast.core.memory import Citation, Memory, MemoryType
from holdfast.core.times import parse_moment
from holdfast.core.value import Value, replace
from holdfast.curator.curator_finding import CurationFinding, FindingKind, FixPlan, MemoryRewrite
from holdfast.curator.curator_input import CodeDrift, CuratorInput, SessionUseCounts
from holdfast.curator.plan_changes_of import RENEW, format_time, plan_confirmation, plan_deprecation

# Days. What is only assumed is looked at again soonest; what was decided or must always hold, last.
AGES: Mapping[MemoryType, int] = {
    MemoryType.ASSUMPTION: 90,
    MemoryType.LEARNING: 270,
    MemoryType.FAILURE: 365,
    MemoryType.PATTERN: 365,
    MemoryType.DECISION: 540,
    MemoryType.INVARIANT: 730,
}
NEVER_USED = SessionUseCounts()
TWO_YEARS = 730


class StaleSign(Value):
    """One sign that a memory is stale."""

    rule: str
    reason: str
    sure: float


def find_stale(world: CuratorInput) -> Iterator[CurationFinding]:
    """Memories that want to be looked at again. None of it is proof: a person chooses what becomes of them."""
    for memory in world.holding:
        signs = sorted(_signs(memory, world), key=lambda sign: -sign.sure)
        if signs:
            yield CurationFinding(
                kind=FindingKind.STALE, rule=signs[0].rule, ids=(memory.id,), sure=signs[0].sure,
                reason="; ".join(sign.reason for sign in signs), ways=_ways(memory, signs, world),
                hints=(f"holdfast {'cites' if memory.id in world.drift else 'edit'} {memory.id}",),
            )  # fmt: skip


def last_touch(memory: Memory, use: SessionUseCounts) -> datetime | None:
    """When a memory was last changed, looked at or used."""
    known = (parse_moment(text) for text in (memory.updated, memory.valid_from, use.last) if text)
    return max((each for each in known if each is not None), default=None)


def _signs(memory: Memory, world: CuratorInput) -> Iterator[StaleSign]:
    use = world.uses.get(memory.id, NEVER_USED)
    yield from _code_signs(world.drift.get(memory.id, ()))
    yield from _use_signs(use, world)
    touched = last_touch(memory, use)
    most = AGES[memory.type] * world.limits.age
    days = (world.now - touched).days if touched else 0
    if days > most:
        sure = round(min(0.6, 0.3 * days / most), 2)
        reason = f"untouched for {_format_days(days)} ({memory.type}: {_format_days(int(most))} at most)"
        yield StaleSign(rule="age", reason=reason, sure=sure)
    if days > most / 2 and not use.injected:
        yield from _never_told_signs(memory, world)


def _code_signs(drifts: tuple[CodeDrift, ...]) -> Iterator[StaleSign]:
    for word, gone, sure in (("is gone", True, 0.8), ("changed", False, 0.7)):
        places = [_place(drift) for drift in drifts if drift.missing is gone]
        if places:
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            rule = "code gone" if gone else "code changed"
            yield StaleSign(rule=rule, reason=f"what it cites {word}: {', '.join(places[:3])}{more}", sure=sure)


def _use_signs(use: SessionUseCounts, world: CuratorInput) -> Iterator[StaleSign]:
    limits = world.limits
    if use.denied >= limits.denied and use.denied > use.used:
        yield StaleSign(
            rule="contradicted", reason=f"contradicted in {use.denied} sessions that were told it", sure=0.75
        )
    elif use.injected >= limits.injected_often and not use.used:
        yield StaleSign(rule="unused", reason=f"told in {use.injected} sessions, used in none", sure=0.5)


def _never_told_signs(memory: Memory, world: CuratorInput) -> Iterator[StaleSign]:
    made = memory.valid_from or memory.updated
    after = len(world.sessions) - bisect_left(world.sessions, made)
    if made and after >= world.limits.never_injected:
        yield StaleSign(rule="never told", reason=f"told in none of the {after} sessions since it was made", sure=0.4)


def _ways(memory: Memory, signs: list[StaleSign], world: CuratorInput) -> tuple[FixPlan, ...]:
    because = signs[0].reason
    drifts = {drift.cite: drift for drift in world.drift.get(memory.id, ())}
    again = plan_confirmation(memory, world.now)
    if drifts:
        after = replace(memory, cites=_fresh_citations(memory, drifts), updated=format_time(world.now))
        gone = all(drift.missing for drift in drifts.values())
        about = (
            "it still holds; it cites no code that is gone" if gone else "it still holds, with the code as it is now"
        )
        again = FixPlan(name=RENEW, about=about, changes=(MemoryRewrite(before=memory, after=after),))
    return again, plan_deprecation(memory, because, world.now)


def _fresh_citations(memory: Memory, drifts: Mapping[Citation, CodeDrift]) -> tuple[Citation, ...]:
    """The citations as they would be made now; those of files that are gone go."""
    found = [drifts[cite].fresh if cite in drifts else cite for cite in memory.cites]
    return tuple(each for each in found if each is not None)


def _place(drift: CodeDrift) -> str:
    return f"{drift.cite.path}:{drift.cite.lines}" if drift.cite.lines else drift.cite.path


def _format_days(days: int) -> str:
    """Days in a person's words."""
    if days < 60:
        return f"{days} days"
    months = days // 30
    return f"{months} months" if days < TWO_YEARS else f"{days / 365:.1f} years"
