"""Lanes of names: a walk from the best passages and the names asked for, over passages and the names they share.

Personalised PageRank over the neighbourhood only: the seeds' names, the passages that share them, and once more. Needs
numpy, so it is loaded when asked.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from holdfast.core.shelf import Shelf
from holdfast.core.value import Value, replace
from holdfast.recall.engine import name_weight as names
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import EngineSettings, LaneValues, PreparedQuestion
from holdfast.recall.engine.soft_words import window_nearness
from holdfast.recall.engine.triple_lanes import Joined, join_names
from holdfast.recall.engine.word_lanes import scale_to_largest

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

NO_ROWS: Ints = np.zeros(0, np.intp)
FULLY_LINKED = 3
MOST_TOLD = 4
TITLE = 3.0
# Of a walk at a name that triples join to others, so much goes on to those.
ALONG = 0.5


class SeedGraph(Value):
    """The neighbourhood of the seeds: which passages mention which names, and in how many groups names stand."""

    rows: Sequence[int]
    names: Sequence[str]
    counts: Mapping[str, int]
    rows_of: Mapping[str, Sequence[int]]
    first: frozenset[str]
    titled: frozenset[tuple[int, str]]
    joined: Joined = ()


class Walk:
    """How much of a walk from the seeds is spent at a passage."""

    name = "graph"

    def rows(self, asking: PreparedQuestion, table: Table, limit: int) -> Sequence[int]:
        """Where the walk comes by most. A question without names does not follow any."""
        if not asking.names:
            return ()
        walked = _walk_by_rows(asking, table)
        return sorted(walked, key=lambda row: (-walked[row], row))[:limit]

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """The walk on a logarithmic scale: its tail counts too."""
        walked = _walk_by_rows(asking, table)
        if not walked:
            return None
        floor = asking.recipe.settings.walk_floor
        values = scale_to_largest([math.log1p(walked.get(row, 0.0) / floor) for row in table.rows])
        return LaneValues(values=values, why=lambda place: _names_at(asking, table, table.rows[place]))


class Pair:
    """How much of the question a passage covers together with a seed that it shares a name with."""

    name = "pair"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """The best pair of each candidate."""
        pairs = _pairs(asking, table)
        if not pairs:
            return None
        values = scale_to_largest([pairs.get(row, (0.0, 0))[0] for row in table.rows])
        return LaneValues(values=values, why=lambda place: f"with passage {pairs[table.rows[place]][1]}")


def build_seed_graph(
    seeds: Sequence[int], asked: Iterable[str], shelf: Shelf, groups: int, settings: EngineSettings
) -> SeedGraph:
    """Two hops from the seeds and the names asked for, the rarest names first, within the settings' bounds."""
    rows = dict.fromkeys(seeds)
    rows_of: dict[str, Sequence[int]] = {}
    counts: dict[str, int] = {}
    wanted = list(dict.fromkeys((*asked, *names.mentioned_names(rows, shelf))))
    first: frozenset[str] = frozenset()
    for last in (False, True):
        counts |= shelf.name_counts([name for name in wanted if name not in counts])
        fresh = {name: counts[name] for name in wanted if name not in rows_of and name in counts}
        room = max(0, settings.walk_names_most - len(rows_of))
        found = names.distinctive_rows(names.rare_names(fresh, groups)[:room], shelf, settings.rows_of_name_most)
        rows_of |= found
        first = first or frozenset(found)
        new = _new_rows(found.values(), rows, settings.walk_rows_most - len(rows))
        rows |= dict.fromkeys(new)
        wanted = [] if last else names.mentioned_names(new, shelf)
    return SeedGraph(
        rows=list(rows),
        names=list(rows_of),
        counts=counts,
        rows_of=rows_of,
        first=first,
        titled=names.titled_passages({name: rows_of[name] for name in sorted(first)}, shelf),
    )


def run_walk(
    near: SeedGraph, seeds: Mapping[int, float], asked: Mapping[str, float], groups: int, settings: EngineSettings
) -> Doubles:
    """Personalised PageRank: the share of the walk at each of `near.rows`."""
    passage, name, own = _edges(near)
    start, begin = np.zeros(len(near.rows)), np.zeros(len(near.names))
    for row, weight in seeds.items():
        start[near.rows.index(row)] = weight
    for word, weight in asked.items():
        if word in near.rows_of:
            begin[near.names.index(word)] = weight
    total = start.sum() + begin.sum()
    if not len(passage) or not total:
        return start
    start, begin = start / total, begin / total
    telling = np.array([math.log(1 + groups / near.counts[each]) for each in near.names])
    unseen = np.array([max(0, near.counts[each] - len(near.rows_of[each])) for each in near.names])
    to_passage = own / (np.bincount(name, own, len(near.names)) + unseen)[name]
    weighs = telling[name] * own
    to_name = weighs / np.bincount(passage, weighs, len(near.rows))[passage]
    one, other, along = _joins(near)
    to_passage = to_passage * (1 - np.bincount(one, along, len(near.names)))[name]
    passages, reached = start, begin
    for _ in range(settings.steps):
        passages, reached = (
            (1 - settings.damping) * start
            + settings.damping * np.bincount(passage, reached[name] * to_passage, len(start)),
            (1 - settings.damping) * begin
            + settings.damping * np.bincount(name, passages[passage] * to_name, len(begin))
            + settings.damping * np.bincount(other, reached[one] * along, len(begin)),
        )
    found: Doubles = passages
    return found


def _new_rows(found: Iterable[Sequence[int]], known: Mapping[int, object], most: int) -> list[int]:
    """The rows of names that are not known yet, each once, in order; at most so many."""
    new: dict[int, None] = {}
    for rows in found:
        if len(new) >= most:
            break
        new |= dict.fromkeys(row for row in rows if row not in known)
    return list(new)[: max(0, most)]


def _edges(near: SeedGraph) -> tuple[Ints, Ints, Doubles]:
    """Passage, name and weight of every mention among the rows; a title weighs more."""
    rows_of = [np.asarray(near.rows_of[name], np.intp) for name in near.names]
    mentioning, rows = np.concatenate([NO_ROWS, *rows_of]), np.array(near.rows, np.intp)
    if not len(rows):
        return NO_ROWS, NO_ROWS, np.zeros(0)
    sizes = [*map(len, rows_of)]
    order = rows.argsort()
    places = order.take(rows[order].searchsorted(mentioning), mode="clip")
    there = rows[places] == mentioning
    passages, names_at = places[there], np.repeat(np.arange(len(sizes)), sizes)[there]
    own = np.ones(len(passages))
    for row, name in near.titled:
        own[(rows[passages] == row) & (names_at == near.names.index(name))] = TITLE
    return passages, names_at, own


def _joins(near: SeedGraph) -> tuple[Ints, Ints, Doubles]:
    """From name, to name and share of every edge that a triple makes, both ways."""
    places = {name: place for place, name in enumerate(near.names)} if near.joined else {}
    pairs = [(places[one], places[other], times) for one, other, times in near.joined]
    both = [*pairs, *((other, one, times) for one, other, times in pairs)]
    one, other = (np.array([pair[end] for pair in both], np.intp) for end in (0, 1))
    times = np.array([pair[2] for pair in both], np.float64)
    return one, other, ALONG * times / np.bincount(one, times, len(near.names))[one]


def _walk_by_rows(asking: PreparedQuestion, table: Table) -> Mapping[int, float]:
    """The walk by rows. It depends on the first look only, so it is made once."""
    if "walk" not in table.kept:
        settings, groups = asking.recipe.settings, table.totals.groups
        near = build_seed_graph(table.seeds, asking.names, table.shelf, groups, settings)
        near = replace(near, joined=join_names(near.names, asking.standing.facts))
        weights = {row: table.look[row] ** settings.seed_power for row in table.seeds}
        total = sum(weights.values()) or 1.0
        spent = run_walk(near, {row: weight / total for row, weight in weights.items()}, asking.names, groups, settings)
        walked = dict(zip(near.rows, spent.tolist(), strict=True)) if near.names else {}
        table.kept["walk"] = near, walked
    found: Mapping[int, float] = table.kept["walk"][1]
    return found


def _pairs(asking: PreparedQuestion, table: Table) -> Mapping[int, tuple[float, int]]:
    _walk_by_rows(asking, table)
    near: SeedGraph = table.kept["walk"][0]
    words = window_nearness(asking, table)
    rows, seeds = frozenset(table.rows), frozenset(table.seeds)
    links: dict[tuple[int, int], float] = defaultdict(float)
    for name in sorted(near.first):
        shared = near.rows_of[name]
        strength = min(1.0, FULLY_LINKED / max(1, near.counts[name], len(shared)))
        here = [row for row in shared if row in rows]
        for seed in (row for row in here if row in seeds):
            for other in here:
                if other != seed:
                    links[other, seed] += strength
    best_of: dict[int, tuple[float, int]] = {}
    both = _joint_coverage(asking, words, links) if links else ()
    for ((row, seed), strength), whole in zip(links.items(), both, strict=True):
        found = min(1.0, strength) * whole * table.look[seed], seed
        best_of[row] = max(best_of.get(row, (0.0, seed)), found)
    return best_of


def _joint_coverage(
    asking: PreparedQuestion, words: Mapping[int, Sequence[float]], pairs: Iterable[tuple[int, int]]
) -> Sequence[float]:
    """How much of the question two rows cover together."""
    first, second = (np.array([words[row] for row in rows]) for rows in zip(*pairs, strict=True))
    found: list[float] = (np.maximum(first, second) @ np.array(asking.weights)).tolist()
    return found


def _names_at(asking: PreparedQuestion, table: Table, row: int) -> str:
    near: SeedGraph = table.kept["walk"][0]
    mentioned = table.shelf.naming([row]).get(row, ())
    here = [name for name in dict.fromkeys(mentioned) if name in near.rows_of]
    here.sort(key=lambda name: (name not in asking.names, near.counts[name], name))
    return ", ".join(here[:MOST_TOLD])
