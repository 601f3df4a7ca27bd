"""Orphans, missing evidence, and what is too long."""

import pytest
from tests.curated_worlds import memory, world

from holdfast.core.memory import Citation, Evidence, Memory, RejectedOption, SaidBy, Status
from holdfast.curator.curator_finding import MemoryRewrite
from holdfast.curator.find_unsupported import find_missing_evidence, find_orphans, find_too_long


def test_a_link_to_nothing_is_taken_out_and_the_others_stay() -> None:
    there, linked = memory("DEC-1", "Use Flask now"), memory("DEC-2", "Use uv", supersedes=("DEC-1", "DEC-9"))

    (found,) = find_orphans(world(there, linked))

    way = found.way()
    assert way is not None
    (change,) = way.changes
    assert isinstance(change, MemoryRewrite)
    assert change.after.supersedes == ("DEC-1",)


def test_candidates_that_wait_too_long_are_one_finding() -> None:
    old = [
        memory(f"CAND-{each}", "Old", status=Status.CANDIDATE, updated="2026-09-01", valid_from="") for each in range(3)
    ]
    new = memory("CAND-9", "New", status=Status.CANDIDATE)

    (found,) = find_orphans(world(candidates=(*old, new)))

    assert found.ids == ("CAND-0", "CAND-1", "CAND-2")
    assert found.way() is None
    assert found.reason == "3 candidates wait for 4 weeks or longer"


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        (memory("LRN-1", "The scheduler restarts at midnight", said_by=SaidBy.AGENT), "none"),
        (memory("LRN-1", "The scheduler restarts at midnight", said_by=SaidBy.TOOL), "none"),
        (memory("LRN-1", "The scheduler restarts", said_by=SaidBy.AGENT, evidence=(Evidence(event="e"),)), ""),
        (memory("LRN-1", "The scheduler restarts at midnight", said_by=SaidBy.AGENT, cites=(Citation(path="a"),)), ""),
        (memory("LRN-1", "The scheduler restarts at midnight"), ""),
        (memory("LRN-1", "ok"), "hollow"),
        (memory("INV-1", "Use uv"), ""),
        (memory("LRN-1", "测试需要时区"), ""),
        (memory("LRN-1", "ok done", body="Done ok."), "hollow"),
        (memory("DEC-1", "Move to the monorepo"), "incomplete"),
        (memory("DEC-1", "Move to the monorepo", body="Move to the monorepo\n\nRationale: one build"), ""),
        (memory("DEC-1", "Euros only", body="", rejected=(RejectedOption(option="dollars", reason="taxes"),)), ""),
        (memory("DEC-1", "Which database?", body="Which database?"), "incomplete"),
        (memory("DEC-1", "Move to it all", rejected=(RejectedOption(option="many", reason="slow"),)), ""),
    ],
)  # fmt: skip
def test_what_nothing_speaks_for_is_found(given: Memory, rule: str) -> None:
    assert [found.rule for found in find_missing_evidence(world(given))] == ([rule] if rule else [])


def test_evidence_without_words_whose_events_are_gone_is_none() -> None:
    said = memory("LRN-1", "The scheduler restarts", said_by=SaidBy.AGENT, evidence=(Evidence(event="e1"),))

    assert [found.rule for found in find_missing_evidence(world(said, lost={"LRN-1": ("e1",)}))] == ["lost"]


def test_over_long_goes_by_all_that_is_said() -> None:
    short, long = memory("LRN-1", "Short", body="x" * 1900), memory("LRN-2", "Long", body="x" * 2100)

    (found,) = find_too_long(world(short, long))

    assert found.ids == ("LRN-2",)
    assert found.ways == ()
    assert found.hints == ("holdfast edit LRN-2",)
