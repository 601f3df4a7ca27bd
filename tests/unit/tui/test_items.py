"""The queue's order and its filter."""

import pytest
from tests.unit.tui.workspace import candidate

from holdfast.core.memory import Entry, MemoryType, SaidBy, Scope
from holdfast.review.queue import CandidateFilter
from holdfast.review.queue_groups import group_queue
from holdfast.tui.queue_items import BadFilter, QueueFilter, order_queue, read_filter


def entry(name: str, updated: str) -> Entry:
    memory = candidate(name, name, updated=updated)
    return Entry(memory=memory, scope=Scope.WORKSPACE, path=f"candidates/{name}.md", line=1, sha256="0")


def test_a_filter_is_words_and_what_is_named() -> None:
    found = read_filter("  cards type:inv type:decisions from:d489 min:0.8 by:user is:conflict http://x never ")

    assert found == QueueFilter(
        filter=CandidateFilter(
            types=(MemoryType.INVARIANT, MemoryType.DECISION), session="d489", min_confidence=0.8,
            said_by=(SaidBy.USER,), words="cards http://x never",
        ),
        conflicts=True,
        text="cards type:inv type:decisions from:d489 min:0.8 by:user is:conflict http://x never",
    )  # fmt: skip
    assert read_filter("   ") == QueueFilter()


@pytest.mark.parametrize("text", ["type:", "type:poem", "by:nobody", "min:much", "min:2", "min:nan", "is:nice"])
def test_what_a_filter_does_not_take_is_said(text: str) -> None:
    with pytest.raises(BadFilter) as error:
        read_filter(text)

    assert text in str(error.value)
    assert error.value.hint


def test_among_equals_the_newest_come_first_and_what_was_put_off_last() -> None:
    groups = group_queue([entry("A", "2026-11-01"), entry("B", "2026-11-03"), entry("C", "2026-11-02")])

    assert [item.key for item in order_queue(groups, ())] == ["CAND-B", "CAND-C", "CAND-A"]
    assert [item.key for item in order_queue(groups, (), ["CAND-B", "CAND-C"])] == ["CAND-A", "CAND-B", "CAND-C"]


def test_a_filter_asks_for_what_expired() -> None:
    assert read_filter("is:expired").expired
    assert not read_filter("expired").expired
