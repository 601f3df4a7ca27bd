"""Several findings applied at once: one list of changes, each memory changed once; what does not fit is left."""

from collections.abc import Sequence
from typing import Any

from holdfast.core.memory import Memory, Status
from holdfast.core.value import Value, as_dict, replace
from holdfast.curator.curator_finding import Change, CurationFinding, FixPlan, MemoryCreation, MemoryRewrite

# Each change brings its own; two that differ in nothing else go together.
ALWAYS = ("updated",)
LISTS = ("tags", "evidence", "supersedes")


class SkippedFinding(Value):
    """A finding that was not applied, and why."""

    finding: CurationFinding
    why: str


class CombinedPlan(Value):
    """The changes in the order to write them, the findings that they carry out, and what is left."""

    changes: tuple[Change, ...] = ()
    done: tuple[CurationFinding, ...] = ()
    left: tuple[SkippedFinding, ...] = ()


def combine_findings(chosen: Sequence[tuple[CurationFinding, FixPlan]]) -> CombinedPlan:
    """Put the ways together. A finding whose memories an earlier one changed in another sense is left."""
    now: dict[str, MemoryRewrite] = {}
    made: dict[str, MemoryCreation] = {}
    done, left = [], []
    for finding, way in chosen:
        trial, created, why = dict(now), dict(made), ""
        for change in way.changes:
            why = why or _take_change(change, trial, created)
        if why:
            left.append(SkippedFinding(finding=finding, why=why))
        else:
            now, made = trial, created
            done.append(finding)
    # What comes before what goes: a kill in between loses nothing.
    rewrites = sorted(now.values(), key=lambda each: each.after.status is not Status.ACCEPTED)
    return CombinedPlan(changes=(*made.values(), *rewrites), done=tuple(done), left=tuple(left))


def _take_change(change: Change, now: dict[str, MemoryRewrite], made: dict[str, MemoryCreation]) -> str:
    """Take one change in; why not, where it does not fit."""
    if isinstance(change, MemoryCreation):
        if change.memory.id in made:
            return f"{change.memory.id} is made already"
        made[change.memory.id] = change
        return ""
    name = change.before.id
    held = now.get(name)
    after = change.after if held is None else _combine_rewrites(held, change)
    if after is None:
        return f"{name} is changed in another sense by what was taken before"
    now[name] = MemoryRewrite(before=change.before, after=after)
    return ""


def _combine_rewrites(held: MemoryRewrite, change: MemoryRewrite) -> Memory | None:
    """Both changes of one memory; None where they want different things."""
    if _end_of_change(held) != _end_of_change(change):
        # What ends is not fixed, and not merged into.
        return None
    fields: dict[str, Any] = {}
    before, mine, theirs = as_dict(change.before), as_dict(held.after), as_dict(change.after)
    for name in before:
        if theirs[name] == before[name] or name in ALWAYS:
            continue
        if mine[name] in (before[name], theirs[name]):
            fields[name] = theirs[name]
        elif name in LISTS and set(before[name]) <= set(theirs[name]):
            fields[name] = tuple(dict.fromkeys((*mine[name], *theirs[name])))
        else:
            return None
    return replace(held.after, **fields)


def _end_of_change(change: MemoryRewrite) -> tuple[str, str] | None:
    """How a change ends its memory; None where it does not."""
    before, after = ((each.status, each.valid_until) for each in (change.before, change.after))
    return after if before != after else None
