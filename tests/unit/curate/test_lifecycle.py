"""Accepting and rejecting."""

import pytest

from holdfast.backends.ram.candidates import RamCandidates
from holdfast.backends.ram.vault import RamVault
from holdfast.curate.lifecycle import Accept, AlreadyDecided, Finish, IdTaken, apply_accept, plan_accept, rejected
from holdfast.domain.memory import Entry, Memory, MemoryType, Scope, Status

NOW = "2026-11-15T09:22:14Z"


def _candidate() -> Memory:
    return Memory(id="CAND-7K2MQ4", type=MemoryType.DECISION, status=Status.CANDIDATE, title="Use uv", body="Use uv")


def _kept(memory: Memory) -> tuple[Entry, RamCandidates]:
    candidates = RamCandidates()
    return candidates.add(memory), candidates


def test_the_memory_is_written_before_the_candidate_goes() -> None:
    entry, candidates = _kept(_candidate())
    vault = RamVault(Scope.WORKSPACE)

    plan = plan_accept(entry, [], NOW)
    done = apply_accept(plan, vault, candidates)

    assert isinstance(plan, Accept)
    assert done.memory.id == "DEC-7K2MQ4"
    assert done.memory.status is Status.ACCEPTED
    assert done.memory.valid_from == "2026-11-15"
    assert candidates.all() == []


def test_an_accept_that_was_cut_short_is_finished_and_not_doubled() -> None:
    entry, candidates = _kept(_candidate())
    vault = RamVault(Scope.WORKSPACE)
    first = plan_accept(entry, [], NOW)
    assert isinstance(first, Accept)
    there = vault.create(first.memory)

    plan = plan_accept(entry, [there], NOW)
    apply_accept(plan, vault, candidates)

    assert isinstance(plan, Finish)
    assert len(vault.stamps()) == 1
    assert candidates.all() == []


def test_an_id_that_stands_for_something_else_is_a_conflict() -> None:
    entry, _ = _kept(_candidate())
    other = RamVault(Scope.WORKSPACE).create(
        Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Another", body="x")
    )

    with pytest.raises(IdTaken):
        plan_accept(entry, [other], NOW)


def test_what_was_rejected_is_accepted_only_on_demand() -> None:
    entry, _ = _kept(rejected(_candidate(), "too slow", NOW))

    with pytest.raises(AlreadyDecided, match="too slow"):
        plan_accept(entry, [], NOW)
    again = plan_accept(entry, [], NOW, again=True)

    assert isinstance(again, Accept)
    assert again.memory.because == ""
