"""Lanes by name: the built-in ones, and those that other packages register as entry points."""

from functools import cache
from importlib import import_module
from typing import Any

from holdfast.core.errors import NotFound
from holdfast.recall.engine.lane_protocol import PassageLane

GROUP = "holdfast.lanes"
_HERE = "holdfast.recall.engine"
# The same form as an entry point's value. Read from here, because reading what is installed takes longer than a search.
BUILT_IN = {
    "words": f"{_HERE}.word_lanes:Words",
    "around": f"{_HERE}.word_lanes:Around",
    "group": f"{_HERE}.word_lanes:Group",
    "soft": f"{_HERE}.soft_words:Soft",
    "soft_around": f"{_HERE}.soft_words:SoftAround",
    "static": f"{_HERE}.vector_lanes:Static",
    "static_around": f"{_HERE}.vector_lanes:StaticAround",
    "static_group": f"{_HERE}.vector_lanes:StaticGroup",
    "meaning": f"{_HERE}.vector_lanes:Meaning",
    "meaning_around": f"{_HERE}.vector_lanes:MeaningAround",
    "meaning_group": f"{_HERE}.vector_lanes:MeaningGroup",
    "meaning_titled": f"{_HERE}.vector_lanes:MeaningTitled",
    "graph": f"{_HERE}.graph_lanes:Walk",
    "pair": f"{_HERE}.graph_lanes:Pair",
    "said_by": f"{_HERE}.circumstance_lanes:SpeakerLane",
    "asks": f"{_HERE}.circumstance_lanes:Asks",
    "length": f"{_HERE}.circumstance_lanes:Length",
    "time": f"{_HERE}.circumstance_lanes:Time",
    "recency": f"{_HERE}.circumstance_lanes:Recency",
    "rules": f"{_HERE}.rule_lanes:Rules",
    "path": f"{_HERE}.standing_lanes:Path",
    "use": f"{_HERE}.standing_lanes:Use",
}


class NoSuchLane(NotFound):
    """A recipe names a lane that is nowhere."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no lane {name!r}.",
            f"install the package that brings it as an entry point of the group {GROUP!r}.",
        )


@cache
def load_lane(name: str) -> PassageLane:
    """A lane by its name. Raises NoSuchLane."""
    made: PassageLane = load_attribute(BUILT_IN[name])() if name in BUILT_IN else _load_installed(name)()
    return made


def load_attribute(value: str) -> Any:
    """What `module:attribute` means. Modules that need numpy are loaded this way, when they are needed."""
    module, _, attribute = value.partition(":")
    return getattr(import_module(module), attribute)


def _load_installed(name: str) -> Any:
    metadata = import_module("importlib.metadata")
    for found in metadata.entry_points(group=GROUP, name=name):
        return found.load()
    raise NoSuchLane(name)
