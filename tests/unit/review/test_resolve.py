"""Plans to resolve a contradiction."""

import pytest

from holdfast.conflicts.relate import relate
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.relation import Kind, Relation, Rewrite, TurnDown
from holdfast.core.search import Supersession
from holdfast.review.resolve_conflict import (
    NoSuchWay,
    NotThePair,
    PathsMissing,
    ReasonMissing,
    ResolveRequest,
    WouldCycle,
    plan_resolution,
    would_cycle,
)

NOW = "2026-11-15T09:22:14Z"
NEW = Memory(id="CAND-1", type=MemoryType.INVARIANT, title="Polling is fine")
OLD = Memory(id="INV-1", type=MemoryType.INVARIANT, title="Never use polling", valid_from="2026-01-01")
CLASH = Relation(new="CAND-1", old="INV-1", kind=Kind.CONTRADICTS, reason="one says no")


def link(new: str, old: str) -> Supersession:
    return Supersession(new=new, old=old, since="2026-01-01")


def test_keeping_the_old_one_turns_the_new_one_down_with_a_reason() -> None:
    plan = plan_resolution(NEW, OLD, CLASH, ResolveRequest(choice="keep-old"), NOW)

    assert plan == (TurnDown(memory=NEW, because="INV-1 stays: one says no"),)


def test_superseding_links_the_new_one_and_ends_the_old_one() -> None:
    new, old = plan_resolution(NEW, OLD, CLASH, ResolveRequest(choice="supersede"), NOW)

    assert isinstance(new, Rewrite)
    assert isinstance(old, Rewrite)
    assert (new.memory.supersedes, new.memory.valid_from) == (("INV-1",), "2026-11-15")
    assert (old.memory.id, old.memory.valid_until, old.memory.updated) == ("INV-1", "2026-11-15", NOW)
    assert old.memory.valid_from == "2026-01-01"


def test_a_circle_of_supersession_is_refused() -> None:
    links = [link("INV-1", "INV-0"), link("INV-0", "CAND-1")]

    with pytest.raises(WouldCycle, match="supersede itself"):
        plan_resolution(NEW, OLD, CLASH, ResolveRequest(choice="supersede"), NOW, links)


def test_would_cycle_follows_chains_and_survives_circles_that_are_there() -> None:
    chain = [link("B", "A"), link("C", "B")]

    assert would_cycle("A", "C", chain)
    assert would_cycle("A", "A", [])
    assert not would_cycle("D", "C", chain)
    assert not would_cycle("D", "A", [link("A", "B"), link("B", "A")])


def test_narrowing_gives_the_new_one_its_paths() -> None:
    (change,) = plan_resolution(
        NEW, OLD, CLASH, ResolveRequest(choice="narrow", paths=("tray/**", " ", "tray/**")), NOW
    )

    assert isinstance(change, Rewrite)
    assert change.memory.paths == ("tray/**",)


def test_keeping_both_is_recorded_and_the_pair_is_not_reported_again() -> None:
    answer = ResolveRequest(choice="keep-both", because=" the tray has no socket ")
    (change,) = plan_resolution(NEW, OLD, CLASH, answer, NOW)

    assert isinstance(change, Rewrite)
    assert change.memory.extra["keep_both"] == [{"id": "INV-1", "because": "the tray has no socket"}]
    assert relate(NEW, OLD).kind is Kind.CONTRADICTS
    assert relate(change.memory, OLD).kind is Kind.UNRELATED


def test_what_a_way_needs_must_be_given() -> None:
    with pytest.raises(ReasonMissing, match="needs a reason"):
        plan_resolution(NEW, OLD, CLASH, ResolveRequest(choice="keep-both"), NOW)
    with pytest.raises(PathsMissing, match="not narrowed"):
        plan_resolution(NEW, OLD, CLASH, ResolveRequest(choice="narrow"), NOW)
    with pytest.raises(NoSuchWay, match="no way 'shrug'"):
        plan_resolution(NEW, OLD, CLASH, ResolveRequest(choice="shrug"), NOW)
    with pytest.raises(NotThePair, match="not of"):
        plan_resolution(OLD, NEW, CLASH, ResolveRequest(choice="keep-old"), NOW)
