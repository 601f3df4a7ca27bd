"""Lanes of words: BM25 of a passage, of the passage with its neighbours, and of the group it belongs to.

Only candidates are counted. How many windows and groups hold a term is estimated from how many passages do.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from holdfast.recall.engine.candidate_table import LENDS_NOTHING, NOTHING, Table
from holdfast.recall.engine.engine_values import EngineSettings, LaneValues, PreparedQuestion

Counted = Mapping[str, int]


class Words:
    """The passage itself holds the question's terms."""

    name = "words"

    def rows(self, asking: PreparedQuestion, table: Table, limit: int) -> Sequence[int]:
        """The best by the shelf's own BM25."""
        return table.shelf.by_words(asking.lookup_terms, limit) if asking.lookup_terms else ()

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """BM25 of every candidate."""
        held = [table.counts(row) for row in table.rows]
        lengths = [table.texts[row].size for row in table.rows]
        mean = table.totals.terms / max(1, table.totals.passages)
        weights = {term: rarity(asking.counts[term], asking.passages) for term in asking.terms}
        return _bm25_values(held, lengths, mean, weights, asking.recipe.settings)


class Around:
    """The passage and its neighbours together hold them."""

    name = "around"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """BM25 of every candidate's window."""
        windows = [table.window(row) for row in table.rows]
        held = [sum_counts(table.counts(near) for near in window) for window in windows]
        lengths = [sum(table.texts[near].size for near in window) for window in windows]
        size = sum(map(len, windows)) / max(1, len(windows))
        weights = {
            term: rarity(expected_windows(asking.counts[term], asking.passages, size), asking.passages)
            for term in asking.terms
        }
        return _bm25_values(held, lengths, sum(lengths) / max(1, len(lengths)), weights, asking.recipe.settings)


class Group:
    """What the passage belongs to holds them, as far as its candidates show."""

    name = "group"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """BM25 of every candidate's group; all groups count as equally long.

        What an agent said counts only where nobody else said anything.
        """
        wanted = {table.texts[row].group for row in table.rows}
        members: dict[int, list[Counted]] = {}
        others: dict[int, list[Counted]] = {}
        for row, text in table.texts.items():
            if text.group in wanted:
                said = others if text.said_by in LENDS_NOTHING else members
                said.setdefault(text.group, []).append(table.counts(row))
        groups = {group: sum_counts(counts) for group, counts in (others | members).items()}
        held = [groups.get(table.texts[row].group, {}) for row in table.rows]
        total = max(1, table.totals.groups)
        weights = {term: rarity(expected_groups(asking.counts[term], total), total) for term in asking.terms}
        return _bm25_values(held, [1] * len(held), 1.0, weights, asking.recipe.settings)


def rarity(count: float, total: int) -> float:
    """Inverse document frequency as in Lucene: never negative."""
    return math.log(1 + (max(0.0, total - count) + 0.5) / (count + 0.5))


def expected_windows(count: int, passages: int, size: float) -> float:
    """How many windows of this size hold what so many passages hold, if it is strewn about."""
    return passages * (1.0 - math.pow(1.0 - min(1.0, count / max(1, passages)), size))


def expected_groups(count: int, groups: int) -> float:
    """How many groups are hit when so many passages are thrown at them."""
    return groups * (1 - (1 - 1 / groups) ** count)


def bm25(counts: Counted, relative: float, weights: Mapping[str, float], settings: EngineSettings) -> float:
    """BM25 of a text that holds these terms so often; `relative` is its length as a share of the mean."""
    damp = settings.k1 * (1 - settings.b + settings.b * relative)
    parts = [weights[term] * times * (settings.k1 + 1) / (times + damp) for term, times in counts.items()]
    return math.fsum(parts)


def sum_counts(counts: Iterable[Counted]) -> Counted:
    """The counts of several texts together."""
    there = [*filter(None, counts)]
    if len(there) <= 1:
        return there[0] if there else NOTHING
    found = dict(there[0])
    for each in there[1:]:
        for term, times in each.items():
            found[term] = found.get(term, 0) + times
    return found


def scale_to_largest(values: Sequence[float]) -> list[float]:
    """Values as shares of the largest."""
    most = max(values, default=0.0)
    return [value / most for value in values] if most > 0 else [0.0] * len(values)


def _bm25_values(
    held: Sequence[Counted], lengths: Sequence[int], mean: float, weights: Mapping[str, float], settings: EngineSettings
) -> LaneValues | None:
    if not weights:
        return None
    mean = max(mean, 1e-9)
    values = [bm25(each, length / mean, weights, settings) for each, length in zip(held, lengths, strict=True)]
    return LaneValues(
        values=scale_to_largest(values), why=lambda place: ", ".join(term for term in weights if term in held[place])
    )
