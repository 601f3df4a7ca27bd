"""Soft words: how much of the question, by rarity, some word of a passage or of its window comes near.

The same stem is as near as can be. Other words come near by their vectors, where there is a static embedder.
"""

from collections.abc import Mapping, Sequence
from operator import mul

from holdfast.core.shelf import Text
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import LaneValues, Near, PreparedQuestion

CLOSE = 0.5


class Soft:
    """The passage's own words."""

    name = "soft"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """How much of the question each candidate covers."""
        near = window_nearness(asking, table)
        nears = [near[row] for row in table.rows]
        return _lane_values(asking, nears, [share_covered(asking.weights, each) for each in nears])


class SoftAround:
    """The words of the passage and its neighbours."""

    name = "soft_around"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """How much of the question each candidate's window covers."""
        return _lane_values(asking, nearness_around(asking, table), cover_windows(asking, table))


def window_nearness(asking: PreparedQuestion, table: Table) -> Mapping[int, Sequence[float]]:
    """For every row of a window, how near it comes to each of the question's words."""

    def make() -> Mapping[int, Sequence[float]]:
        members = table.members()
        texts, held = [table.texts[row] for row in members], [table.stems(row) for row in members]
        return dict(zip(members, asking.near(texts, held), strict=True))

    return table.once("nearness", make)


def nearness_around(asking: PreparedQuestion, table: Table) -> Sequence[Sequence[float]]:
    """For every candidate, how near its window comes to each of the question's words."""

    def make() -> Sequence[Sequence[float]]:
        near = window_nearness(asking, table)
        return [nearest_per_word([near[member] for member in table.window(row)]) for row in table.rows]

    return table.once("nearness around", make)


def cover_windows(asking: PreparedQuestion, table: Table) -> Sequence[float]:
    """For every candidate, how much of the question its window covers."""
    near = nearness_around(asking, table)
    return table.once("covered around", lambda: [share_covered(asking.weights, each) for each in near])


def best_coverage(asking: PreparedQuestion, table: Table) -> float:
    """How much of the question the best window covers."""
    return max(cover_windows(asking, table), default=0.0)


def nearest_per_word(nears: Sequence[Sequence[float]]) -> Sequence[float]:
    """For each word the nearest of several texts."""
    return nears[0] if len(nears) == 1 else [max(each) for each in zip(*nears, strict=True)]


def share_covered(weights: Sequence[float], near: Sequence[float]) -> float:
    """The share of the question that is near."""
    return float(sum(map(mul, weights, near)))


def stem_nearness(stems: Sequence[str]) -> Near:
    """Nearness without vectors: 1 for the same stem, else 0."""

    def near(_texts: Sequence[Text], held: Sequence[Mapping[str, int]]) -> Sequence[Sequence[float]]:
        return [[float(stem in each) for stem in stems] for each in held]

    return near


def _lane_values(
    asking: PreparedQuestion, nears: Sequence[Sequence[float]], shares: Sequence[float]
) -> LaneValues | None:
    if not asking.words:
        return None

    def why(place: int) -> str:
        close = [word for word, near in zip(asking.words, nears[place], strict=True) if near >= CLOSE]
        return ", ".join(dict.fromkeys(close))

    most = max(shares, default=0.0) or 1.0
    return LaneValues(values=[share / most for share in shares], why=why)
