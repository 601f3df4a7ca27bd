"""Several plans at once: none undoes another."""

from tests.curated_worlds import NOW, memory

from holdfast.core.memory import Status
from holdfast.core.value import replace
from holdfast.curator.combine_plans import combined
from holdfast.curator.curator_finding import Create, Finding, Kind, Rewrite, Way
from holdfast.curator.plan_changes_of import deprecate, merge, renew

A, B, C = (memory(f"LRN-{name}", f"Fact {name}", body=f"Of {name}.") for name in "ABC")


def plan(way: Way, name: str = "F1") -> tuple[Finding, Way]:
    return Finding(kind=Kind.STALE, rule="x", ids=("x",), reason="x", id=name, ways=(way,)), way


def test_plans_for_different_memories_go_together() -> None:
    done = combined([plan(renew(A, NOW)), plan(deprecate(B, "old", NOW))])

    assert [change.before.id for change in done.changes if isinstance(change, Rewrite)] == ["LRN-A", "LRN-B"]
    assert done.left == ()


def test_two_plans_for_one_memory_are_one_change() -> None:
    tagged = Way(name="tag", about="", changes=(Rewrite(before=A, after=replace(A, tags=("new",))),))

    done = combined([plan(merge(A, [B], NOW)), plan(tagged)])

    first = done.changes[0]
    assert isinstance(first, Rewrite)
    assert (first.after.tags, first.after.supersedes) == (("new",), ("LRN-B",))
    assert len(done.changes) == 2


def test_what_ends_is_not_merged_into() -> None:
    done = combined([plan(deprecate(A, "old", NOW), "F1"), plan(merge(A, [B], NOW), "F2")])

    assert [each.id for each in done.done] == ["F1"]
    assert [each.finding.id for each in done.left] == ["F2"]
    assert len(done.changes) == 1


def test_a_plan_that_does_not_fit_leaves_nothing_of_itself() -> None:
    made = Create(memory=C)
    way = Way(name="w", about="", changes=(made, *deprecate(B, "b", NOW).changes, *merge(A, [], NOW).changes))

    done = combined([plan(deprecate(A, "old", NOW), "F1"), plan(way, "F2")])

    assert [change.before.id for change in done.changes if isinstance(change, Rewrite)] == ["LRN-A"]
    assert not any(isinstance(change, Create) for change in done.changes)


def test_two_that_merge_the_same_memory_away_differently_are_not_both_done() -> None:
    done = combined([plan(merge(A, [B], NOW), "F1"), plan(merge(C, [B], NOW), "F2")])

    assert [each.id for each in done.done] == ["F1"]


def test_what_comes_is_written_before_what_goes() -> None:
    done = combined(
        [
            plan(deprecate(A, "old", NOW)),
            plan(renew(B, NOW)),
            plan(Way(name="w", about="", changes=(Create(memory=C),))),
        ]
    )

    assert isinstance(done.changes[0], Create)
    states = [change.after.status for change in done.changes if isinstance(change, Rewrite)]
    assert states == [Status.ACCEPTED, Status.DEPRECATED]
