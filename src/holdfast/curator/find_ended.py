"""Deprecations: what has ended and is not marked so, or speaks of what is there no longer."""

from collections.abc import Iterator

from holdfast.core.memory import Memory, Status
from holdfast.core.times import parse_moment
from holdfast.core.value import replace
from holdfast.curator.curator_finding import CurationFinding, FindingKind, FixPlan, MemoryRewrite
from holdfast.curator.curator_input import CuratorInput
from holdfast.curator.plan_changes_of import DATE_LENGTH, end_memory, format_time, plan_confirmation, plan_deprecation

END = "end"


def find_deprecations(world: CuratorInput) -> Iterator[CurationFinding]:
    """What the memories say of themselves, and what the workspace says of them."""
    for memory in world.memories:
        yield from _find_ended(memory, world)
    for memory in world.holding:
        if memory.id in world.pathless:
            yield _pathless_finding(memory, world)
        if memory.id in world.dropped:
            yield _dropped_package_finding(memory, world.dropped[memory.id], world)


def _find_ended(memory: Memory, world: CuratorInput) -> Iterator[CurationFinding]:
    until = parse_moment(memory.valid_until)
    if memory.id in world.newer:
        if until is None:
            yield _superseded_finding(memory, world.newer[memory.id], world)
    elif until is not None and until <= world.now:
        after = end_memory(memory, Status.DEPRECATED, f"held until {memory.valid_until}", world.now)
        reason = f"it held until {memory.valid_until}, and its status still says accepted"
        yield _ended_finding(memory, after, "expired", reason)


def _superseded_finding(memory: Memory, new: str, world: CuratorInput) -> CurationFinding:
    after = end_memory(memory, Status.SUPERSEDED, f"superseded by {new}", world.now)
    since = world.since.get(memory.id, "")
    if parse_moment(since) is not None:
        after = replace(after, valid_until=max(since[:DATE_LENGTH], memory.valid_from[:DATE_LENGTH]))
    return _ended_finding(memory, after, "superseded", f"{new} supersedes it, and its file says nothing of an end")


def _ended_finding(memory: Memory, after: Memory, rule: str, reason: str) -> CurationFinding:
    way = FixPlan(name=END, about=f"mark it as {after.status}", changes=(MemoryRewrite(before=memory, after=after),))
    return CurationFinding(
        kind=FindingKind.DEPRECATIONS, rule=rule, ids=(memory.id,), reason=reason, ways=(way,), default=END
    )


def _pathless_finding(memory: Memory, world: CuratorInput) -> CurationFinding:
    reason = f"no file is at its paths: {', '.join(memory.paths[:4])}"
    wide = replace(memory, paths=(), updated=format_time(world.now))
    everywhere = FixPlan(
        name="everywhere",
        about="it holds everywhere, not at some paths",
        changes=(MemoryRewrite(before=memory, after=wide),),
    )
    return CurationFinding(
        kind=FindingKind.DEPRECATIONS,
        rule="paths gone",
        ids=(memory.id,),
        reason=reason,
        sure=0.6,
        ways=(plan_deprecation(memory, reason, world.now), everywhere),
        hints=(f"holdfast edit {memory.id} --path GLOB",),
    )


def _dropped_package_finding(memory: Memory, package: str, world: CuratorInput) -> CurationFinding:
    reason = f"it chooses {package!r}, which the manifests named once and name no longer"
    return CurationFinding(
        kind=FindingKind.DEPRECATIONS, rule="dependency gone", ids=(memory.id,), reason=reason, sure=0.6,
        ways=(plan_deprecation(memory, reason, world.now), plan_confirmation(memory, world.now)),
    )  # fmt: skip
