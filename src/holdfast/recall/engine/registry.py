"""Lanes by name: the built-in ones, and those that other packages register as entry points."""

from functools import cache
from importlib import import_module
from typing import Any

from holdfast.core.errors import NotFound
from holdfast.recall.engine.values import Lane

GROUP = "holdfast.lanes"
_HERE = "holdfast.recall.engine"
# The same form as an entry point's value. Read from here, because reading what is installed takes longer than a search.
BUILT_IN = {
    "words": f"{_HERE}.words:Words",
    "around": f"{_HERE}.words:Around",
    "group": f"{_HERE}.words:Group",
    "soft": f"{_HERE}.soft:Soft",
    "soft_around": f"{_HERE}.soft:SoftAround",
    "static": f"{_HERE}.vectors:Static",
    "static_around": f"{_HERE}.vectors:StaticAround",
    "static_group": f"{_HERE}.vectors:StaticGroup",
    "meaning": f"{_HERE}.vectors:Meaning",
    "meaning_around": f"{_HERE}.vectors:MeaningAround",
    "meaning_group": f"{_HERE}.vectors:MeaningGroup",
    "meaning_titled": f"{_HERE}.vectors:MeaningTitled",
    "graph": f"{_HERE}.graph:Walk",
    "pair": f"{_HERE}.graph:Pair",
    "said_by": f"{_HERE}.said:SaidBy",
    "asks": f"{_HERE}.said:Asks",
    "length": f"{_HERE}.said:Length",
    "time": f"{_HERE}.said:Time",
    "recency": f"{_HERE}.said:Recency",
    "path": f"{_HERE}.scope:Path",
    "use": f"{_HERE}.scope:Use",
}


class NoSuchLane(NotFound):
    """A recipe names a lane that is nowhere."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no lane {name!r}.",
            f"install the package that brings it as an entry point of the group {GROUP!r}.",
        )


@cache
def lane(name: str) -> Lane:
    """A lane by its name. Raises NoSuchLane."""
    made: Lane = loaded(BUILT_IN[name])() if name in BUILT_IN else _installed(name)()
    return made


def loaded(value: str) -> Any:
    """What `module:attribute` means. Modules that need numpy are loaded this way, when they are needed."""
    module, _, attribute = value.partition(":")
    return getattr(import_module(module), attribute)


def _installed(name: str) -> Any:
    metadata = import_module("importlib.metadata")
    for found in metadata.entry_points(group=GROUP, name=name):
        return found.load()
    raise NoSuchLane(name)
