"""Accepting and rejecting."""

from pathlib import Path

import pytest

from holdfast.core.memory import Entry, Memory, MemoryType, Scope, Status
from holdfast.review.lifecycle import (
    AcceptPlan,
    AlreadyDecided,
    CandidateIdTaken,
    FinishPlan,
    plan_accept,
    reject_candidate,
)
from holdfast.vault.candidate_files import FileCandidates
from holdfast.vault.file_vault import FileVault

NOW = "2026-11-15T09:22:14Z"


def _candidate() -> Memory:
    return Memory(id="CAND-7K2MQ4", type=MemoryType.DECISION, status=Status.CANDIDATE, title="Use uv", body="Use uv")


def _kept(memory: Memory, folder: Path) -> Entry:
    return FileCandidates(str(folder / "candidates")).add(memory)


def _remembered(memory: Memory, folder: Path) -> Entry:
    return FileVault(str(folder / "memory"), Scope.WORKSPACE).create(memory)


def test_a_candidate_becomes_a_memory_that_holds_from_today(tmp_path: Path) -> None:
    entry = _kept(_candidate(), tmp_path)

    plan = plan_accept(entry, [], NOW)

    assert isinstance(plan, AcceptPlan)
    assert plan.memory.id == "DEC-7K2MQ4"
    assert plan.memory.status is Status.ACCEPTED
    assert plan.memory.valid_from == "2026-11-15"


def test_an_accept_that_was_cut_short_is_finished_and_not_doubled(tmp_path: Path) -> None:
    entry = _kept(_candidate(), tmp_path)
    first = plan_accept(entry, [], NOW)
    assert isinstance(first, AcceptPlan)
    there = _remembered(first.memory, tmp_path)

    plan = plan_accept(entry, [there], NOW)

    assert isinstance(plan, FinishPlan)
    assert plan.there == there


def test_an_id_that_stands_for_something_else_is_a_conflict(tmp_path: Path) -> None:
    entry = _kept(_candidate(), tmp_path)
    other = _remembered(Memory(id="DEC-7K2MQ4", type=MemoryType.DECISION, title="Another", body="x"), tmp_path)

    with pytest.raises(CandidateIdTaken):
        plan_accept(entry, [other], NOW)


def test_what_was_rejected_is_accepted_only_on_demand(tmp_path: Path) -> None:
    entry = _kept(reject_candidate(_candidate(), "too slow", NOW), tmp_path)

    with pytest.raises(AlreadyDecided, match="too slow"):
        plan_accept(entry, [], NOW)
    again = plan_accept(entry, [], NOW, again=True)

    assert isinstance(again, AcceptPlan)
    assert again.memory.because == ""
