"""Ids of findings, neighbours by words, and the score."""

from tests.curated_worlds import memory

from holdfast.core.value import replace
from holdfast.curator.curator_finding import CurationFinding, FindingKind, assign_finding_ids
from holdfast.curator.health_score import WEIGHTS, score_health
from holdfast.curator.near_pairs import distinct_pairs, nearest_by_words


def finding(
    *ids: str, kind: FindingKind = FindingKind.STALE, rule: str = "age", reason: str = "old"
) -> CurationFinding:
    return CurationFinding(kind=kind, rule=rule, ids=ids, reason=reason)


def test_an_id_stays_while_its_memory_does_and_goes_with_it() -> None:
    one = memory("LRN-1", "Tests need UTC")

    (first,) = assign_finding_ids([finding("LRN-1", reason="untouched for 5 months")], {"LRN-1": one})
    (later,) = assign_finding_ids([finding("LRN-1", reason="untouched for 6 months")], {"LRN-1": one})
    (changed,) = assign_finding_ids([finding("LRN-1")], {"LRN-1": replace(one, title="Tests need TZ")})

    assert first.id == later.id
    assert first.id != changed.id
    assert len(first.id) == 6
    assert first.id.startswith("F")


def test_ids_that_would_clash_are_longer() -> None:
    many = assign_finding_ids([finding(f"LRN-{each}") for each in range(20_000)], {})

    assert len({each.id for each in many}) == 20_000


def test_an_empty_vault_has_no_score() -> None:
    assert score_health([], 0) is None


def test_nothing_found_is_a_hundred_and_anything_found_is_less() -> None:
    whole, almost = score_health([], 10_000), score_health([finding("LRN-1", kind=FindingKind.CONSOLIDATIONS)], 10_000)

    assert whole is not None
    assert almost is not None
    assert (whole.score, almost.score) == (100, 99)


def test_the_points_are_a_hundred_and_a_conflict_costs_more_than_an_old_memory() -> None:
    assert sum(weight.points for weight in WEIGHTS.values()) == 100
    stale, clash = (
        score_health([finding("A", "B", kind=kind)], 100) for kind in (FindingKind.STALE, FindingKind.CONFLICTS)
    )
    assert stale is not None
    assert clash is not None
    assert clash.score < stale.score


def test_a_memory_counts_once_for_a_kind_and_no_part_falls_below_zero() -> None:
    found = score_health([finding("A"), finding("A"), finding("B")], 2)

    assert found is not None
    (part,) = (part for part in found.parts if part.kind is FindingKind.STALE)
    assert (part.findings, part.memories, part.points) == (3, 2, 0.0)
    assert found.score == 80


def test_neighbours_share_rare_words_and_common_words_tell_nothing() -> None:
    bags = [{"the": 1.0, "zebra": 1.0}, {"the": 1.0, "zebra": 1.0}, {"the": 1.0, "apple": 1.0}]
    crowd = [{"the": 1.0} for _ in range(300)]

    found = nearest_by_words([*bags, *crowd], 2)

    assert found[0] == [1]
    assert found[2] == []


def test_a_pair_is_named_once_the_earlier_first() -> None:
    assert distinct_pairs([[[1], [0], []], [[], [2], [1]]]) == [(0, 1), (1, 2)]
