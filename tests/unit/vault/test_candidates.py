"""What a store of candidates does."""

from pathlib import Path

import pytest

from holdfast.core.errors import Conflict
from holdfast.core.memory import Memory, MemoryType, SaidBy, Status
from holdfast.core.value import replace
from holdfast.vault.candidate_files import FileCandidates

CANDIDATE = Memory(
    id="CAND-7K2MQ4",
    type=MemoryType.LEARNING,
    status=Status.CANDIDATE,
    title="Tests need a home of their own",
    body="Said twice.",
    said_by=SaidBy.AGENT,
    confidence=0.6,
)


@pytest.fixture
def candidates(tmp_path: Path) -> FileCandidates:
    return FileCandidates(str(tmp_path / "candidates"))


def test_nothing_waits_at_first(candidates: FileCandidates) -> None:
    assert list(candidates.all()) == []
    assert candidates.find("CAND-7K2MQ4") is None


def test_an_added_candidate_waits(candidates: FileCandidates) -> None:
    entry = candidates.add(CANDIDATE)

    assert entry.memory == CANDIDATE
    assert list(candidates.all()) == [entry]
    assert candidates.find("CAND-7K2MQ4") == entry


def test_candidates_come_by_id(candidates: FileCandidates) -> None:
    for name in ("CAND-C", "CAND-A", "CAND-B"):
        candidates.add(replace(CANDIDATE, id=name))

    assert [entry.memory.id for entry in candidates.all()] == ["CAND-A", "CAND-B", "CAND-C"]


def test_the_same_id_is_added_once(candidates: FileCandidates) -> None:
    candidates.add(CANDIDATE)

    with pytest.raises(Conflict):
        candidates.add(replace(CANDIDATE, title="Other"))


def test_a_rejected_candidate_is_remembered_with_the_reason(candidates: FileCandidates) -> None:
    entry = candidates.add(CANDIDATE)

    candidates.rewrite(entry, replace(CANDIDATE, status=Status.REJECTED, because="wrong"))

    found = candidates.find("CAND-7K2MQ4")
    assert found is not None
    assert (found.memory.status, found.memory.because) == (Status.REJECTED, "wrong")


def test_a_rewrite_of_what_changed_meanwhile_is_a_conflict(candidates: FileCandidates) -> None:
    entry = candidates.add(CANDIDATE)
    candidates.rewrite(entry, replace(CANDIDATE, title="Newer"))

    with pytest.raises(Conflict):
        candidates.rewrite(entry, replace(CANDIDATE, title="Older"))


def test_a_removed_candidate_is_gone_and_its_text_given_back(candidates: FileCandidates) -> None:
    entry = candidates.add(CANDIDATE)

    text = candidates.remove(entry)

    assert "Said twice." in text
    assert candidates.find("CAND-7K2MQ4") is None
    assert list(candidates.all()) == []


@pytest.mark.parametrize("name", ["", "../x", "CAND-7K2MQ4/../x", "a\0b", "x" * 500, "CAND-NONE00"])
def test_a_name_that_no_candidate_has_finds_nothing(candidates: FileCandidates, name: str) -> None:
    candidates.add(CANDIDATE)

    assert candidates.find(name) is None
