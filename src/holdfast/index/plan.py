"""What moved: the stamps of today against those the index knows. Decides, reads nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.domain.memory import Scope
from holdfast.domain.search import Source

Known = Mapping[tuple[str, str], Source]
Stamps = Mapping[Scope, Mapping[str, str]]
Key = tuple[Scope, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Files to look at, and files the index knows that are gone."""

    look: tuple[Key, ...] = ()
    gone: tuple[Key, ...] = ()


def plan(known: Known, stamps: Stamps) -> Plan:
    """A file is looked at when it is new, when its stamp moved, or when a stamp could not be trusted."""
    look: list[Key] = []
    met = 0
    for scope, files in stamps.items():
        for path, stamp in files.items():
            source = known.get((scope, path))
            met += source is not None
            if source is None or source.stamp != stamp or not stamp:
                look.append((scope, path))
    # Ten thousand files are compared at every command: only when some are missing is it asked which.
    gone = _gone(known, stamps) if met < len(known) else ()
    return Plan(look=tuple(sorted(look)), gone=gone)


def _gone(known: Known, stamps: Stamps) -> tuple[Key, ...]:
    there = {(str(scope), path) for scope, files in stamps.items() for path in files}
    return tuple(sorted((known[key].scope, key[1]) for key in known.keys() - there))
