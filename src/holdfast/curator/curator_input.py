"""What the curator knows of the world around the memories: gathered before, so that the rules are pure."""

from collections.abc import Mapping
from datetime import datetime

from holdfast.core.memory import Citation, Memory
from holdfast.core.value import Value


class SessionUseCounts(Value):
    """In how many sessions a memory was told, used and contradicted, and when it was last used."""

    injected: int = 0
    used: int = 0
    denied: int = 0
    last: str = ""


class CodeDrift(Value):
    """Cited code that is not as it was: `missing`, or changed. `fresh`: the citation as it would be made now."""

    cite: Citation
    missing: bool = False
    fresh: Citation | None = None


class CurationLimits(Value):
    """From where on something is too much. `age`: how much longer than the table says a memory may stand."""

    age: float = 1.0
    injected_often: int = 5
    never_injected: int = 40
    denied: int = 2
    longest_tokens: int = 500
    candidate_weeks: int = 4


class CuratorInput(Value):
    """The memories, oldest first, and what is known about them, by id.

    `memories`: accepted ones of one scope, held or ended. `holding`: those that hold now. `candidates`: what waits.
    `there`: every id that there is. `sessions`: when each session began that was told something, in order.
    `pathless`: memories whose `paths` meet no file. `lost`: events of evidence that the journal does not have.
    `dropped`: packages that a memory chooses and that the manifests had once and have no longer.
    """

    now: datetime
    memories: tuple[Memory, ...]
    holding: tuple[Memory, ...]
    candidates: tuple[Memory, ...] = ()
    there: frozenset[str] = frozenset()
    newer: Mapping[str, str]
    since: Mapping[str, str]
    uses: Mapping[str, SessionUseCounts]
    sessions: tuple[str, ...] = ()
    drift: Mapping[str, tuple[CodeDrift, ...]]
    pathless: frozenset[str] = frozenset()
    lost: Mapping[str, tuple[str, ...]]
    dropped: Mapping[str, str]
    limits: CurationLimits = CurationLimits()
