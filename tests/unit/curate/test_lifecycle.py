"""Accepting and rejecting."""

import pytest

from holdfast.core.memory import Entry, Memory, MemoryType, Scope, Status
from holdfast.index.ram.candidates import RamCandidates
from holdfast.index.ram.vault import RamVault
from holdfast.review.lifecycle import (
    AcceptPlan,
    AlreadyDecided,
    CandidateIdTaken,
    FinishPlan,
    plan_accept,
    reject_candidate,
)

NOW = "2026-11-15T09:22:14Z"


def _candidate() -> Memory:
    return Memory(id="CAND-7K2MQ4", type=MemoryType.DECISION, status=Status.CANDIDATE, title="Use uv", body="Use uv")


def _kept(memory: Memory) -> tuple[Entry, RamCandidates]:
    candidates = RamCandidates()
    return candidates.add(memory), candidates


def test_a_candidate_becomes_a_memory_that_holds_from_today() -> None:
    entry, _ = _kept(_candidate())

    plan = plan_accept(entry, [], NOW)

    assert isinstance(plan, AcceptPlan)
    assert plan.memory.id == "DEC-7K2MQ4"
    assert plan.memory.status is Status.ACCEPTED
    assert plan.memory.valid_from == "2026-11-15"


def test_an_accept_that_was_cut_short_is_finished_and_not_doubled() -> None:
    entry, _ = _kept(_candidate())
    first = plan_accept(entry, [], NOW)
    assert isinstance(first, AcceptPlan)
    there = RamVault(Scope.WORKSPACE).create(first.memory)

    plan = plan_accept(entry, [there], NOW)

    assert isinstance(plan, FinishPlan)
    assert plan.there == there


def test_an_id_that_stands_for_something_else_is_a_conflict() -> None:
    entry, _ = _kept(_candidate())
    other = RamVault(Scope.WORKSPACE).create(
        Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Another", body="x")
    )

    with pytest.raises(CandidateIdTaken):
        plan_accept(entry, [other], NOW)


def test_what_was_rejected_is_accepted_only_on_demand() -> None:
    entry, _ = _kept(reject_candidate(_candidate(), "too slow", NOW))

    with pytest.raises(AlreadyDecided, match="too slow"):
        plan_accept(entry, [], NOW)
    again = plan_accept(entry, [], NOW, again=True)

    assert isinstance(again, AcceptPlan)
    assert again.memory.because == ""
