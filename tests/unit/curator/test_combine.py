"""Several plans at once: none undoes another."""

from tests.curated_worlds import NOW, memory

from holdfast.core.memory import Status
from holdfast.core.value import replace
from holdfast.curator.combine_plans import combine_findings
from holdfast.curator.curator_finding import CurationFinding, FindingKind, FixPlan, MemoryCreation, MemoryRewrite
from holdfast.curator.plan_changes_of import plan_confirmation, plan_deprecation, plan_merge

A, B, C = (memory(f"LRN-{name}", f"Fact {name}", body=f"Of {name}.") for name in "ABC")


def plan(way: FixPlan, name: str = "F1") -> tuple[CurationFinding, FixPlan]:
    return CurationFinding(kind=FindingKind.STALE, rule="x", ids=("x",), reason="x", id=name, ways=(way,)), way


def test_plans_for_different_memories_go_together() -> None:
    done = combine_findings([plan(plan_confirmation(A, NOW)), plan(plan_deprecation(B, "old", NOW))])

    assert [change.before.id for change in done.changes if isinstance(change, MemoryRewrite)] == ["LRN-A", "LRN-B"]
    assert done.left == ()


def test_two_plans_for_one_memory_are_one_change() -> None:
    tagged = FixPlan(name="tag", about="", changes=(MemoryRewrite(before=A, after=replace(A, tags=("new",))),))

    done = combine_findings([plan(plan_merge(A, [B], NOW)), plan(tagged)])

    first = done.changes[0]
    assert isinstance(first, MemoryRewrite)
    assert (first.after.tags, first.after.supersedes) == (("new",), ("LRN-B",))
    assert len(done.changes) == 2


def test_what_ends_is_not_merged_into() -> None:
    done = combine_findings([plan(plan_deprecation(A, "old", NOW), "F1"), plan(plan_merge(A, [B], NOW), "F2")])

    assert [each.id for each in done.done] == ["F1"]
    assert [each.finding.id for each in done.left] == ["F2"]
    assert len(done.changes) == 1


def test_a_plan_that_does_not_fit_leaves_nothing_of_itself() -> None:
    made = MemoryCreation(memory=C)
    way = FixPlan(
        name="w", about="", changes=(made, *plan_deprecation(B, "b", NOW).changes, *plan_merge(A, [], NOW).changes)
    )

    done = combine_findings([plan(plan_deprecation(A, "old", NOW), "F1"), plan(way, "F2")])

    assert [change.before.id for change in done.changes if isinstance(change, MemoryRewrite)] == ["LRN-A"]
    assert not any(isinstance(change, MemoryCreation) for change in done.changes)


def test_two_that_merge_the_same_memory_away_differently_are_not_both_done() -> None:
    done = combine_findings([plan(plan_merge(A, [B], NOW), "F1"), plan(plan_merge(C, [B], NOW), "F2")])

    assert [each.id for each in done.done] == ["F1"]


def test_what_comes_is_written_before_what_goes() -> None:
    done = combine_findings(
        [
            plan(plan_deprecation(A, "old", NOW)),
            plan(plan_confirmation(B, NOW)),
            plan(FixPlan(name="w", about="", changes=(MemoryCreation(memory=C),))),
        ]
    )

    assert isinstance(done.changes[0], MemoryCreation)
    states = [change.after.status for change in done.changes if isinstance(change, MemoryRewrite)]
    assert states == [Status.ACCEPTED, Status.DEPRECATED]
