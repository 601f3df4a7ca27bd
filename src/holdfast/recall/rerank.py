"""Hits in the order of a reranker's scores: what it reads of a memory, and who moved where."""

from collections.abc import Sequence

from holdfast.core.memory import Memory
from holdfast.core.search import Hit, LaneScore
from holdfast.core.value import Value, replace

LANE = "rerank"
LONGEST = 2_000


class RerankMove(Value):
    """A hit's place before and after, from 1, and its score."""

    id: str
    before: int
    after: int
    score: float


class Reranking(Value):
    """Who put how many hits in order again, in how many seconds, and who moved where, the best first."""

    by: str
    seconds: float
    moved: tuple[RerankMove, ...]


def text_of(memory: Memory) -> str:
    """What a reranker reads of a memory: its words, cut at the end."""
    options = (f"{each.option}: {each.reason}" for each in memory.rejected)
    said = (memory.title, memory.question, memory.choice, memory.fact, memory.body, memory.context, memory.because,
            memory.error_type, memory.error_message, memory.root_cause, *options)  # fmt: skip
    return "\n".join(dict.fromkeys(part.strip() for part in said if part.strip()))[:LONGEST]


def reorder_hits(
    hits: Sequence[Hit], scores: Sequence[float], by: str
) -> tuple[tuple[Hit, ...], tuple[RerankMove, ...]]:
    """The hits that have scores in their order, equal ones as they were; those behind them stay where they are.

    A place keeps its score: the number beside a hit says how good its place is, the lane `rerank` why it is there.
    """
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    moved = tuple(
        RerankMove(id=hits[place].entry.memory.id, before=place + 1, after=rank, score=scores[place])
        for rank, place in enumerate(order, 1)
    )
    first = tuple(
        replace(hits[place], score=hits[rank].score, lanes=(*hits[place].lanes, _reranker_score(each, by)))
        for rank, (place, each) in enumerate(zip(order, moved, strict=True))
    )
    return (*first, *hits[len(scores) :]), moved


def _reranker_score(moved: RerankMove, by: str) -> LaneScore:
    return LaneScore(lane=LANE, rank=moved.after, score=moved.score, why=f"rank {moved.before} before, by {by}")
