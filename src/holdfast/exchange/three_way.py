"""Two places that hold the same files, synced: by what both had last time, each change is known as one."""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256

from holdfast.core.value import Value


class SyncAction(StrEnum):
    """What becomes of a file. `CONFLICT`: both sides changed it; theirs stands, and ours is kept as a proposal."""

    PULL = "pull"
    PUSH = "push"
    DROP = "drop"
    WITHDRAW = "withdraw"
    CONFLICT = "clash"
    AGREE = "agree"


class SyncStep(Value):
    """One file, and what becomes of it. Sums are empty where there is no file."""

    path: str
    does: SyncAction
    here: str = ""
    there: str = ""


def plan_steps(base: Mapping[str, str], here: Mapping[str, str], there: Mapping[str, str]) -> list[SyncStep]:
    """What syncs both sides, by path; nothing for files on which both and the last time agree."""
    found = []
    for path in sorted({*base, *here, *there}):
        ours, theirs, before = here.get(path, ""), there.get(path, ""), base.get(path, "")
        does = _choose_action(before, ours, theirs)
        if does is not None:
            found.append(SyncStep(path=path, does=does, here=ours, there=theirs))
    return found


def _choose_action(before: str, ours: str, theirs: str) -> SyncAction | None:
    if ours == theirs:
        return None if ours == before else SyncAction.AGREE
    if ours == before:
        return SyncAction.PULL if theirs else SyncAction.DROP
    if theirs == before:
        return SyncAction.PUSH if ours else SyncAction.WITHDRAW
    # Who changes a file and who removes it do not agree; the words stay.
    if not ours:
        return SyncAction.PULL
    return SyncAction.PUSH if not theirs else SyncAction.CONFLICT


def state_name(name: str) -> str:
    """What the state of syncs with a place is called, as a file: readable, and no other place's."""
    shown = "".join(each if each.isalnum() else "-" for each in name)[:40]
    return f"{shown}-{sha256(name.encode()).hexdigest()[:8]}"
