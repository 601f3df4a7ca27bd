"""What the curator finds: which memories, why, and the ways to fix it, each a plan of changes."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from hashlib import blake2b

from holdfast.core.ids import encode
from holdfast.core.memory import Memory
from holdfast.core.value import Value, replace

SHORT, LONG = 5, 10
BITS = 50


class FindingKind(StrEnum):
    """The kinds of finding, the gravest first."""

    CONFLICTS = "conflicts"
    STALE = "stale"
    DUPLICATES = "duplicates"
    EVIDENCE = "evidence"
    DEPRECATIONS = "deprecations"
    CONSOLIDATIONS = "consolidations"
    ORPHANS = "orphans"
    OVER_LONG = "over-long"


class MemoryCreation(Value):
    """A new memory."""

    memory: Memory


class MemoryRewrite(Value):
    """A memory or candidate as it is and as it shall be."""

    before: Memory
    after: Memory


Change = MemoryCreation | MemoryRewrite


class FixPlan(Value):
    """One way to fix a finding: its name, what it does in words, and the changes."""

    name: str
    about: str
    changes: tuple[Change, ...]


class CurationFinding(Value):
    """What wants care. `default` names the way that is taken unless another is asked for; empty: a person must choose.

    `hints` are commands for what no plan can do. `by_name`: it is never applied with all the rest, however sure.
    """

    kind: FindingKind
    rule: str
    ids: tuple[str, ...]
    reason: str
    sure: float = 1.0
    ways: tuple[FixPlan, ...] = ()
    default: str = ""
    hints: tuple[str, ...] = ()
    by_name: bool = False
    id: str = ""

    def way(self, name: str = "") -> FixPlan | None:
        """The way of a name, or the default one."""
        wanted = name or self.default
        return next((way for way in self.ways if way.name == wanted), None)


def assign_finding_ids(findings: Iterable[CurationFinding], memories: Mapping[str, Memory]) -> list[CurationFinding]:
    """The findings with their ids: the same for as long as their memories stand as they are."""
    found = [(each, _finding_digest(each, memories)) for each in findings]
    counts: dict[str, int] = {}
    for _, whole in found:
        counts[whole[:SHORT]] = counts.get(whole[:SHORT], 0) + 1
    return [replace(each, id=f"F{whole if counts[whole[:SHORT]] > 1 else whole[:SHORT]}") for each, whole in found]


def _finding_digest(found: CurationFinding, memories: Mapping[str, Memory]) -> str:
    """What stands for a finding: its rule and memories, and what it would write; no time is in it."""
    new = [(c.memory.title, c.memory.body) for way in found.ways for c in way.changes if isinstance(c, MemoryCreation)]
    about = (found.kind, found.rule, [repr(memories.get(each, each)) for each in sorted(found.ids)], new)
    sum_ = blake2b(repr(about).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return encode(int.from_bytes(sum_, "big") >> (64 - BITS), LONG)
