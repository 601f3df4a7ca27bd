"""How healthy a memory is: from 0 to 100, by what share of it each kind of finding touches."""

from collections.abc import Mapping, Sequence

from holdfast.core.value import Value
from holdfast.curator.curator_finding import CurationFinding, FindingKind


class KindWeight(Value):
    """How many points a kind can cost, and the share of memories at which all of them are lost."""

    points: int
    all_at: float
    fix: str


# One conflict in ten memories is as bad as half of them stale.
WEIGHTS: Mapping[FindingKind, KindWeight] = {
    FindingKind.CONFLICTS: KindWeight(points=25, all_at=0.1, fix="resolve what contradicts"),
    FindingKind.STALE: KindWeight(points=20, all_at=0.5, fix="renew or deprecate what is stale"),
    FindingKind.DUPLICATES: KindWeight(points=20, all_at=0.3, fix="merge what says the same"),
    FindingKind.EVIDENCE: KindWeight(points=15, all_at=0.5, fix="give evidence and reasons"),
    FindingKind.DEPRECATIONS: KindWeight(points=10, all_at=0.3, fix="end what has ended"),
    FindingKind.ORPHANS: KindWeight(points=4, all_at=0.3, fix="take out dead links, review what waits"),
    FindingKind.OVER_LONG: KindWeight(points=4, all_at=0.3, fix="shorten what is too long"),
    FindingKind.CONSOLIDATIONS: KindWeight(points=2, all_at=0.5, fix="make one of several"),
}


class HealthPart(Value):
    """One part of the score: its points, of how many; the findings, the memories they touch, and what fixes it."""

    kind: FindingKind
    points: float
    of: int
    findings: int
    memories: int
    mend: str


class VaultHealth(Value):
    """The score and its parts."""

    score: int
    parts: tuple[HealthPart, ...]
    memories: int


def score_health(findings: Sequence[CurationFinding], memories: int) -> VaultHealth | None:
    """The score; None of an empty vault, which is neither healthy nor ill."""
    if not memories:
        return None
    parts = tuple(_part(kind, weight, findings, memories) for kind, weight in WEIGHTS.items())
    whole = sum(part.points for part in parts)
    # 100 is said only where nothing at all was found.
    score = int(whole) if findings else round(whole)
    return VaultHealth(score=min(score, 99) if findings else score, parts=parts, memories=memories)


def _part(kind: FindingKind, weight: KindWeight, findings: Sequence[CurationFinding], memories: int) -> HealthPart:
    mine = [found for found in findings if found.kind is kind]
    touched = {name for found in mine for name in found.ids}
    lost = weight.points * min(1.0, len(touched) / memories / weight.all_at)
    return HealthPart(
        kind=kind, points=round(weight.points - lost, 1), of=weight.points, findings=len(mine), memories=len(touched),
        mend=weight.fix,
    )  # fmt: skip
