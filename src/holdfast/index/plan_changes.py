"""What moved: the stamps of today against those the index knows. Decides, reads nothing."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from holdfast.core.memory import Scope
from holdfast.core.search import Source
from holdfast.core.value import Value

Known = Mapping[tuple[str, str], Source]
Stamps = Mapping[Scope, Mapping[str, str]]
Key = tuple[Scope, str]


@runtime_checkable
class StampComparer(Protocol):
    """What the sources of a store may offer besides: all stamps compared at once, much faster than one by one."""

    def same_stamps(self, stamps: Stamps) -> bool:
        """Whether exactly these files are known, each with this stamp."""


class IndexPlan(Value):
    """Files to look at, and files the index knows that are gone."""

    look: tuple[Key, ...] = ()
    removed: tuple[Key, ...] = ()


def plan_sync(known: Known, stamps: Stamps) -> IndexPlan:
    """A file is looked at when it is new, when its stamp moved, or when a stamp could not be trusted."""
    if _is_unmoved(known, stamps):
        return IndexPlan()
    look: list[Key] = []
    for scope, files in stamps.items():
        for path, stamp in files.items():
            source = known.get((scope, path))
            if source is None or source.stamp != stamp or not stamp:
                look.append((scope, path))
    return IndexPlan(look=tuple(sorted(look)), removed=_find_gone(known, stamps))


def _is_unmoved(known: Known, stamps: Stamps) -> bool:
    if not isinstance(known, StampComparer) or any("" in files.values() for files in stamps.values()):
        return False
    return known.same_stamps(stamps)


def _find_gone(known: Known, stamps: Stamps) -> tuple[Key, ...]:
    there = {(str(scope), path) for scope, files in stamps.items() for path in files}
    return tuple(sorted((known[key].scope, key[1]) for key in known.keys() - there))
