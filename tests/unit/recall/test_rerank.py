"""Hits in a reranker's order."""

from hypothesis import given
from hypothesis import strategies as st
from tests.index_values import entry, memory

from holdfast.core.memory import RejectedOption
from holdfast.core.search import Hit, LaneScore
from holdfast.recall.rerank import LONGEST, reorder_hits, text_of

HITS = [
    Hit(entry=entry(f"LRN-{number}"), score=1.0 - number / 10, lanes=(LaneScore(lane="words", rank=number, score=1.0),))
    for number in range(6)
]


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.entry.memory.id for hit in hits]


def test_the_best_score_comes_first_and_says_where_it_was() -> None:
    hits, moved = reorder_hits(HITS[:3], [0.1, 0.5, 0.9], "mine@1")

    assert ids(hits) == ["LRN-2", "LRN-1", "LRN-0"]
    assert [(each.id, each.before, each.after) for each in moved] == [("LRN-2", 3, 1), ("LRN-1", 2, 2), ("LRN-0", 1, 3)]
    last = hits[0].lanes[-1]
    assert (last.lane, last.rank, last.score, last.why) == ("rerank", 1, 0.9, "rank 3 before, by mine@1")
    assert hits[0].lanes[0].lane == "words"


def test_hits_without_a_score_stay_behind_those_that_have_one() -> None:
    hits, moved = reorder_hits(HITS, [0.1, 0.9], "x")

    assert ids(hits) == ["LRN-1", "LRN-0", "LRN-2", "LRN-3", "LRN-4", "LRN-5"]
    assert len(moved) == 2


@given(st.lists(st.floats(-1e9, 1e9), max_size=len(HITS)))
def test_no_hit_is_lost_and_scores_never_rise(scores: list[float]) -> None:
    hits, _ = reorder_hits(HITS, scores, "x")

    assert sorted(ids(hits)) == sorted(ids(tuple(HITS)))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in HITS), reverse=True)
    given_scores = [hit.lanes[-1].score for hit in hits[: len(scores)]]
    assert given_scores == sorted(scores, reverse=True)


def test_equal_scores_keep_their_order() -> None:
    assert ids(reorder_hits(HITS, [1.0] * 6, "x")[0]) == ids(tuple(HITS))


def test_what_is_read_of_a_memory_is_its_words_once() -> None:
    made = memory(
        title="Pool", fact="Pool", choice="PgBouncer", rejected=(RejectedOption(option="Odyssey", reason="new"),)
    )

    assert text_of(made) == "Pool\nPgBouncer\nOdyssey: new"
    assert len(text_of(memory(body="x" * 10 * LONGEST))) == LONGEST
