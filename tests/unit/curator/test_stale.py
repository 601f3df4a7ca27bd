"""What is stale, and that age alone ends nothing."""

import pytest
from tests.curated_worlds import memory, world

from holdfast.core.memory import Citation, Memory, MemoryType, Status
from holdfast.curator.curator_finding import CurationFinding, MemoryRewrite
from holdfast.curator.curator_input import CodeDrift, CurationLimits, CuratorInput, SessionUseCounts
from holdfast.curator.find_stale import AGES, find_stale

SESSIONS = tuple(f"2026-10-{day:02d}T09:00:00Z" for day in range(1, 29)) * 2


def found(given: CuratorInput) -> list[CurationFinding]:
    return list(find_stale(given))


def after(finding: CurationFinding, way: str) -> Memory:
    taken = finding.way(way)
    assert taken is not None
    change = taken.changes[0]
    assert isinstance(change, MemoryRewrite)
    return change.after


def test_what_is_assumed_ages_before_what_was_decided() -> None:
    old = {"valid_from": "2026-07-01", "updated": "2026-07-01"}
    given = world(memory("ASM-1", "One customer", **old), memory("DEC-1", "Use Redis", **old))

    (one,) = found(given)

    assert one.ids == ("ASM-1",)
    assert one.rule == "age"
    assert one.reason == "untouched for 4 months (assumption: 3 months at most)"
    assert AGES[MemoryType.ASSUMPTION] == min(AGES.values())
    assert AGES[MemoryType.INVARIANT] == max(AGES.values())


def test_age_alone_ends_nothing_unless_a_person_says_so() -> None:
    (one,) = found(world(memory("ASM-1", "One customer", updated="2020-01-01", valid_from="2020-01-01")))

    assert one.way() is None
    assert [way.name for way in one.ways] == ["renew", "deprecate"]
    assert after(one, "renew").status is Status.ACCEPTED
    assert after(one, "renew").updated == "2026-11-15T09:00:00Z"
    assert (after(one, "deprecate").status, after(one, "deprecate").valid_until) == (Status.DEPRECATED, "2026-11-15")


def test_what_was_renewed_is_not_old() -> None:
    (one,) = found(world(memory("ASM-1", "One customer", updated="2020-01-01", valid_from="2020-01-01")))

    assert found(world(after(one, "renew"))) == []


def test_what_was_used_lately_is_not_old() -> None:
    old = memory("ASM-1", "One customer", updated="2020-01-01", valid_from="2020-01-01")
    uses = {"ASM-1": SessionUseCounts(injected=9, used=1, last="2026-11-10T09:00:00Z")}

    assert found(world(old, uses=uses)) == []


def test_the_setting_stretches_the_ages() -> None:
    old = memory("ASM-1", "One customer", updated="2026-07-01", valid_from="2026-07-01")

    assert found(world(old, limits=CurationLimits(age=2.0))) == []


@pytest.mark.parametrize(
    ("use", "rule"),
    [
        (SessionUseCounts(injected=5), "unused"),
        (SessionUseCounts(injected=4), ""),
        (SessionUseCounts(injected=50, used=1, last="2026-11-10T09:00:00Z"), ""),
        (SessionUseCounts(injected=3, denied=2), "contradicted"),
        (SessionUseCounts(injected=9, used=3, denied=2, last="2026-11-10T09:00:00Z"), ""),
    ],
)
def test_use_speaks_for_or_against_a_memory(use: SessionUseCounts, rule: str) -> None:
    rules = [each.rule for each in found(world(memory("LRN-1", "Tests need UTC"), uses={"LRN-1": use}))]

    assert rules == ([rule] if rule else [])


def test_what_nobody_was_told_of_is_a_sign_only_when_it_is_no_longer_young() -> None:
    young = memory("LRN-1", "Tests need UTC", valid_from="2026-09-30", updated="2026-09-30")
    older = memory("LRN-2", "Tests need a VPN", valid_from="2026-05-01", updated="2026-05-01")

    (one,) = found(world(young, older, sessions=tuple(sorted(SESSIONS))))

    assert (one.ids, one.rule) == (("LRN-2",), "never told")


def test_changed_code_is_cited_anew_and_gone_code_no_longer() -> None:
    changed, gone = Citation(path="a.py", sha256="1" * 64), Citation(path="b.py", sha256="2" * 64)
    fresh = Citation(path="a.py", sha256="3" * 64)
    drift = {"PAT-1": (CodeDrift(cite=changed, fresh=fresh), CodeDrift(cite=gone, missing=True))}

    (one,) = found(world(memory("PAT-1", "Retry with jitter", cites=(changed, gone)), drift=drift))

    assert one.reason == "what it cites is gone: b.py; what it cites changed: a.py"
    assert after(one, "renew").cites == (fresh,)
