"""Deprecations: what has ended and is not marked so, or speaks of what is there no longer."""

from collections.abc import Iterator

from holdfast.core.memory import Memory, Status
from holdfast.core.times import moment
from holdfast.core.value import replace
from holdfast.curator.curator_finding import Finding, Kind, Rewrite, Way
from holdfast.curator.curator_input import World
from holdfast.curator.plan_changes_of import DATE_LENGTH, deprecate, ended, renew, stamp

END = "end"


def deprecations(world: World) -> Iterator[Finding]:
    """What the memories say of themselves, and what the workspace says of them."""
    for memory in world.memories:
        yield from _over(memory, world)
    for memory in world.holding:
        if memory.id in world.pathless:
            yield _pathless(memory, world)
        if memory.id in world.dropped:
            yield _dropped(memory, world.dropped[memory.id], world)


def _over(memory: Memory, world: World) -> Iterator[Finding]:
    until = moment(memory.valid_until)
    if memory.id in world.newer:
        if until is None:
            yield _superseded(memory, world.newer[memory.id], world)
    elif until is not None and until <= world.now:
        after = ended(memory, Status.DEPRECATED, f"held until {memory.valid_until}", world.now)
        reason = f"it held until {memory.valid_until}, and its status still says accepted"
        yield _marked(memory, after, "expired", reason)


def _superseded(memory: Memory, new: str, world: World) -> Finding:
    after = ended(memory, Status.SUPERSEDED, f"superseded by {new}", world.now)
    since = world.since.get(memory.id, "")
    if moment(since) is not None:
        after = replace(after, valid_until=max(since[:DATE_LENGTH], memory.valid_from[:DATE_LENGTH]))
    return _marked(memory, after, "superseded", f"{new} supersedes it, and its file says nothing of an end")


def _marked(memory: Memory, after: Memory, rule: str, reason: str) -> Finding:
    way = Way(name=END, about=f"mark it as {after.status}", changes=(Rewrite(before=memory, after=after),))
    return Finding(kind=Kind.DEPRECATIONS, rule=rule, ids=(memory.id,), reason=reason, ways=(way,), default=END)


def _pathless(memory: Memory, world: World) -> Finding:
    reason = f"no file is at its paths: {', '.join(memory.paths[:4])}"
    wide = replace(memory, paths=(), updated=stamp(world.now))
    everywhere = Way(
        name="everywhere", about="it holds everywhere, not at some paths", changes=(Rewrite(before=memory, after=wide),)
    )
    return Finding(
        kind=Kind.DEPRECATIONS, rule="paths gone", ids=(memory.id,), reason=reason, sure=0.6,
        ways=(deprecate(memory, reason, world.now), everywhere), hints=(f"holdfast edit {memory.id} --path GLOB",),
    )  # fmt: skip


def _dropped(memory: Memory, package: str, world: World) -> Finding:
    reason = f"it chooses {package!r}, which the manifests named once and name no longer"
    return Finding(
        kind=Kind.DEPRECATIONS, rule="dependency gone", ids=(memory.id,), reason=reason, sure=0.6,
        ways=(deprecate(memory, reason, world.now), renew(memory, world.now)),
    )  # fmt: skip
