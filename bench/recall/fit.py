"""Choosing the weights: one set for all tasks, judged on questions that the fit has not seen.

The chance of a passage is the softmax of its score among the candidates; the fit makes the gold likely (a penalty keeps
weights small, none may change its sign). Where only groups are gold, each group stands with its best passage. What the
filters of a memory hide is out. Five folds: projects or conversations where a task has several, else every fifth
question.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bench.recall.data import Asked, Task
from bench.recall.metrics import Figures, judge, mean
from holdfast.core.value import Value, replace
from holdfast.recall.engine.engine_values import Recipe
from holdfast.recall.engine.fuse import LaneVerdicts

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

FOLDS = 5
PENALTY = 1e-3
ROUNDS = 3
STEPS = 100
# Conversations count twice: with equal shares the fit gives up a point of LongMemEval for less than one elsewhere.
SHARES = {"LoCoMo": 2.0, "LongMemEval": 2.0, "Decisions": 0.5, "Decision questions": 0.5}
BELOW_ZERO = ("asks",)
GIVEN = ("recency", "path", "use")

NOTHING: Mapping[str, float] = {}

Columns = Sequence[tuple[str, bool]]
Sample = tuple[Doubles, Ints, float]


class Example(Value):
    """One question: a row per candidate, one column per weight."""

    rows: Doubles
    passages: Ints
    groups: Ints
    asked: Asked
    share: float


def columns(recipe: Recipe) -> Columns:
    """The lanes to weigh: those of a question without names, then those of one that is all names."""
    return tuple((lane, named) for named, lanes in ((False, recipe.plain), (True, recipe.named)) for lane in lanes)


def examples(
    task: Task, found: Sequence[LaneVerdicts], groups: Sequence[Sequence[int]], recipe: Recipe
) -> list[Example]:
    """The questions of a task that have an answer, made ready for the fit; banned groups are out."""
    made = []
    answered = sum(bool(asked.groups) for asked in task.asked)
    for asked, each in zip(task.asked, found, strict=True):
        if not asked.groups:
            continue
        group = np.array([groups[asked.store][place] for place in each.rows], np.intp)
        passages = np.array(each.rows, np.intp)
        kept = ~np.isin(group, asked.banned) & ~np.isin(passages, list(asked.hidden))
        rows = np.stack([_column(each, lane, recipe, named=named) for lane, named in columns(recipe)], 1)
        share = SHARES.get(task.name, 1.0) / answered
        made.append(Example(rows=rows[kept], passages=passages[kept], groups=group[kept], asked=asked, share=share))
    return made


def fit(given: Sequence[Example], lanes: Columns, kept: Mapping[str, float] = NOTHING) -> Doubles:
    """The weights, by projected gradient steps of Adam's kind; the same in every run. Those in `kept` stay."""
    signs = np.array([0.0 if lane in kept else -1.0 if lane in BELOW_ZERO else 1.0 for lane, _ in lanes])
    weights: Doubles = 0.5 * signs + np.array([0.0 if named else kept.get(lane, 0.0) for lane, named in lanes])
    for _ in range(ROUNDS):
        samples = [sample for each in given if (sample := _sample(each, weights)) is not None]
        weights = _climbed(weights, signs, samples)
    return weights


def kept(recipe: Recipe) -> Mapping[str, float]:
    """The weights that no set can tell: too few of their questions know a path, a time of asking, or a use."""
    return {lane: weight for lane, weight in recipe.plain.items() if lane in GIVEN}


def cross_validated(
    tasks: Mapping[str, Sequence[Example]], lanes: Columns, kept: Mapping[str, float] = NOTHING
) -> tuple[Mapping[str, Figures], Doubles]:
    """Figures of every task with weights from the other folds, and the weights from all."""
    folds = {name: _folds([each.asked for each in given]) for name, given in tasks.items()}
    judged: dict[str, list[Figures]] = {name: [] for name in tasks}
    for fold in range(FOLDS):
        seen = [e for name, given in tasks.items() for e, at in zip(given, folds[name], strict=True) if at != fold]
        weights = fit(seen, lanes, kept)
        for name, given in tasks.items():
            judged[name] += [figures(e, weights) for e, at in zip(given, folds[name], strict=True) if at == fold]
    everything = [example for given in tasks.values() for example in given]
    return {name: mean(each) for name, each in judged.items()}, fit(everything, lanes, kept)


def _folds(asked: Sequence[Asked]) -> list[int]:
    parts = [each.part or str(each.store) for each in asked]
    places = {part: place for place, part in enumerate(dict.fromkeys(parts))}
    if 1 < len(places) <= 2 * FOLDS:
        return [places[part] % FOLDS for part in parts]
    return [place % FOLDS for place in range(len(asked))]


def figures(example: Example, weights: Doubles) -> Figures:
    """How well the weights rank one question."""
    order = np.argsort(-(example.rows @ weights), kind="stable")
    if example.asked.passages:
        return judge(example.passages[order].tolist(), example.asked.passages)
    return judge(list(dict.fromkeys(example.groups[order].tolist())), example.asked.groups)


def weighed(recipe: Recipe, weights: Doubles) -> Recipe:
    """The recipe with these weights; those that are not fitted stay."""
    plain, named = dict(recipe.plain), dict(recipe.named)
    for (lane, is_named), value in zip(columns(recipe), weights, strict=True):
        if lane not in GIVEN:
            (named if is_named else plain)[lane] = round(float(value), 2)
    return replace(recipe, plain=plain, named=named)


def _column(judged: LaneVerdicts, lane: str, recipe: Recipe, *, named: bool) -> Doubles:
    if lane not in judged.seen:
        return np.zeros(len(judged.rows))
    heard = judged.gate if named else 1 - judged.gate
    scale = heard * (judged.coverage if lane in recipe.covered else 1.0)
    return scale * np.array(judged.seen[lane].values, np.float64)


def _sample(example: Example, weights: Doubles) -> Sample | None:
    if example.asked.passages:
        gold = np.flatnonzero(np.isin(example.passages, example.asked.passages))
        return (example.rows, gold, example.share) if len(gold) else None
    order = np.argsort(-(example.rows @ weights), kind="stable")
    _, first = np.unique(example.groups[order], return_index=True)
    best = order[first]
    gold = np.flatnonzero(np.isin(example.groups[best], example.asked.groups))
    return (example.rows[best], gold, example.share) if len(gold) else None


class _Slope:
    """The slope of the loss over all samples at once: shorter ones are filled up with rows that have no chance."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        longest = max(len(rows) for rows, _, _ in samples)
        self._rows = np.zeros((len(samples), longest, samples[0][0].shape[1]))
        self._none = np.full((len(samples), longest), -1e9)
        for at, (rows, _, _) in enumerate(samples):
            self._rows[at, : len(rows)] = rows
            self._none[at, : len(rows)] = 0
        self._gold = np.stack([rows[gold].mean(0) for rows, gold, _ in samples])
        self._shares = np.array([share for _, _, share in samples])

    def at(self, weights: Doubles) -> Doubles:
        """The slope there."""
        scores = self._rows @ weights + self._none
        chance = np.exp(scores - scores.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        likely = np.einsum("nc,ncl->nl", chance, self._rows)
        slope: Doubles = 2 * PENALTY * weights + self._shares @ (likely - self._gold)
        return slope


def _climbed(weights: Doubles, signs: Doubles, samples: Sequence[Sample]) -> Doubles:
    slopes = _Slope(samples)
    mean_step, mean_square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = slopes.at(weights)
        mean_step = 0.9 * mean_step + 0.1 * slope
        mean_square = 0.999 * mean_square + 0.001 * slope**2
        pace = 0.05 * (mean_step / (1 - 0.9**step)) / (np.sqrt(mean_square / (1 - 0.999**step)) + 1e-8)
        weights = np.where(signs == 0, weights, np.maximum(0, signs * (weights - pace)) * signs)
    return weights
