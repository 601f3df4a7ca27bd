"""Lanes → one score: a weighted sum, shifted from the plain weights to the named ones as far as names are heard."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from holdfast.core.search import LaneScore
from holdfast.core.value import Value
from holdfast.recall.engine.engine_values import LaneValues, PreparedQuestion, Ranking, Recipe, RowHit
from holdfast.recall.engine.relevance import UNJUDGED, Relevance


class LaneVerdicts(Value):
    """All that lanes said of the candidates, before it is weighed. `seen` holds finite values only."""

    asking: PreparedQuestion
    rows: Sequence[int]
    seen: Mapping[str, LaneValues]
    silent: Mapping[str, str]
    coverage: float = 0.0
    gate: float = 0.0
    found_counts: Mapping[str, int] = {}
    answers: Sequence[bool] = ()
    worded: Sequence[bool] = ()
    relevance: Relevance = UNJUDGED
    # The words of the question that stand in each candidate.
    shared: Sequence[Sequence[str]] = ()
    # For a rule's row, the rows of later rules on its subject, the latest first: they go before it.
    later: Mapping[int, Sequence[int]] = {}


def lane_weights(recipe: Recipe, gate: float) -> dict[str, float]:
    """What each lane counts when names are heard so far."""
    lanes = dict.fromkeys((*recipe.plain, *recipe.named))
    found = {lane: (1 - gate) * recipe.plain.get(lane, 0.0) + gate * recipe.named.get(lane, 0.0) for lane in lanes}
    return {lane: weight for lane, weight in found.items() if weight}


def sum_scores(judged: LaneVerdicts, recipe: Recipe) -> list[float]:
    """The score of every candidate."""
    scores = [0.0] * len(judged.rows)
    for lane, weight in lane_weights(recipe, judged.gate).items():
        if lane in judged.seen:
            scale = weight * (judged.coverage if lane in recipe.covered else 1.0)
            scores = [score + scale * value for score, value in zip(scores, judged.seen[lane].values, strict=True)]
    return scores


def rank_candidates(judged: LaneVerdicts, recipe: Recipe, limit: int) -> Ranking:
    """The best candidates, equal ones by row, each with what the lanes said of it."""
    scores = sum_scores(judged, recipe)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], judged.rows[place]))
    order = _put_later_first(judged, order)
    limit = max(0, limit)
    ordered = {lane: sorted(seen.values) for lane, seen in judged.seen.items()}
    asking = judged.asking
    return Ranking(
        hits=tuple(
            RowHit(
                row=judged.rows[place],
                score=scores[place],
                lanes=_lanes(judged, ordered, place),
                answers=judged.answers[place],
                worded=judged.worded[place],
            )
            for place in order[:limit]
        ),
        recipe=recipe.name,
        candidates=len(order),
        below=tuple((judged.rows[place], scores[place]) for place in order[limit:]),
        gate=judged.gate,
        coverage=judged.coverage,
        terms=tuple(asking.terms),
        left_out=asking.left_out,
        names=tuple(asking.names),
        ranges=tuple(asking.ranges),
        silent=judged.silent,
        weights=lane_weights(recipe, judged.gate),
        found_counts=judged.found_counts,
    )


def _put_later_first(judged: LaneVerdicts, order: Sequence[int]) -> list[int]:
    """The same order, but that a rule stands behind the later ones on its subject."""
    if not judged.later:
        return list(order)
    places = {row: place for place, row in enumerate(judged.rows)}
    found: dict[int, None] = {}
    for place in order:
        found |= dict.fromkeys(places[row] for row in judged.later.get(judged.rows[place], ()))
        found[place] = None
    return list(found)


def replace_non_finite(values: Sequence[float]) -> list[float]:
    """Values with nothing for those that are no number."""
    if math.isfinite(sum(values)):
        return list(values)
    return [value if math.isfinite(value) else 0.0 for value in values]


def _lanes(judged: LaneVerdicts, ordered: Mapping[str, Sequence[float]], place: int) -> tuple[LaneScore, ...]:
    return tuple(
        LaneScore(lane=lane, rank=_rank_of(ordered[lane], value), score=value, why=seen.why(place))
        for lane, seen in judged.seen.items()
        if (value := seen.values[place])
    )


def _rank_of(ordered: Sequence[float], value: float) -> int:
    """The place of a value among all, from 1; equal values have equal ranks."""
    return len(ordered) - bisect_right(ordered, value) + 1
