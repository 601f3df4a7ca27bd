"""How likely a passage matters to a question: a small model over what can be told of the pair, learned offline.

The same features at 2 memories and at 100,000, so that one floor serves both. The numbers are data (`relevance.json`);
`python -m bench.relevance --fit` writes them.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value
from holdfast.index.terms import query_terms
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import PreparedQuestion
from holdfast.recall.engine.name_weight import name_runs
from holdfast.recall.engine.prepare_question import FUNCTION_TERMS, FUNCTION_WORDS
from holdfast.recall.engine.soft_words import share_covered, window_nearness
from holdfast.recall.engine.word_lanes import rarity

if TYPE_CHECKING:
    from holdfast.core.embedder import Floats

DATA = os.path.join(os.path.dirname(__file__), "relevance.json")
# A collection's own mean counts as much as the usual one once it holds so many passages.
USUAL_COUNT = 30
# The gate looks at the best, and at the mean of so many of the best.
BEST_FEW = 3
# What is so likely to matter is told, however much better the best is.
LIKELY = -2.0
# A name tells something where no more passages than this mention it, or this share of them.
NAMED_BY_FEW = 3
NAMED_BY_SHARE = 0.02
NOTHING = -12.0

Features = Mapping[str, float]


class RelevanceModel(Value):
    """Weights of features, for a logistic sum; `needs` is the feature without which another model is asked."""

    name: str
    bias: float
    weights: Mapping[str, float]

    def logit(self, features: Features) -> float:
        """How much speaks for it; 0 is even."""
        return self.bias + sum(weight * value_of(features, name) for name, weight in self.weights.items())


class RelevanceGate(Value):
    """Whether to tell anything at all, from the best logits, and how far below the best others may stand."""

    bias: float
    best: float
    few: float
    floor: float
    below: float

    def logit(self, logits: Sequence[float]) -> float:
        """How much speaks for telling something; compare with `floor`."""
        ordered = sorted(logits, reverse=True) or [NOTHING]
        few = ordered[:BEST_FEW]
        return self.bias + self.best * ordered[0] + self.few * sum(few) / len(few)

    def least(self, logits: Sequence[float]) -> float:
        """The least logit that is told beside the best: not far below it, or likely by itself."""
        return min(max(logits) - self.below, LIKELY)

    def opens(self, logits: Sequence[float]) -> bool:
        """Whether something among these is worth telling."""
        return bool(logits) and self.logit(logits) >= self.floor


class Relevance(Value):
    """What the model says of the candidates, in their order: logits, and the features behind each."""

    model: str
    logits: Sequence[float]
    features: Sequence[Features]


UNJUDGED = Relevance(model="words", logits=(), features=())


def judge_relevance(asking: PreparedQuestion, table: Table) -> Relevance:
    """The logit of every candidate, by the strongest model whose vectors are there."""
    found = describe_candidates(asking, table)
    model = load_model(choose_model(asking))
    return Relevance(model=model.name, logits=[model.logit(each) for each in found], features=found)


def choose_model(asking: PreparedQuestion) -> str:
    """Which model fits what the question was read by: only vectors whose usual mean is known can be compared."""
    known = load_data()["usual"]
    if asking.meaning_name in known:
        return "meaning"
    return "static" if asking.static_name in known else "words"


def describe_candidates(asking: PreparedQuestion, table: Table) -> list[dict[str, float]]:
    """The features of every candidate."""
    if not table.rows:
        return []
    size = {"words": math.log1p(len(asking.words)), "passages": math.log(max(2, table.totals.passages))}
    found = [size | each for each in map(_describe_words(asking, table), table.rows)]
    for name, vector, model in (
        ("near", asking.meaning, asking.meaning_name), ("static", asking.static, asking.static_name),
    ):  # fmt: skip
        if vector is not None and model in load_data()["usual"]:
            for each, cosine in zip(found, _cosines(table, model, vector), strict=True):
                each[name] = cosine
    if asking.static is not None:
        near = window_nearness(asking, table)
        for each, row in zip(found, table.rows, strict=True):
            each["soft"] = share_covered(asking.weights, near[row])
    return found


def _describe_words(asking: PreparedQuestion, table: Table) -> Any:
    stems, weights = asking.stems, asking.weights
    paths = asking.standing.paths
    globs = asking.standing.globs_of(table.rows) if paths else {}
    asked = frozenset(stems)
    most = rarity(1, asking.passages)
    rare = {stem: rarity(asking.counts.get(stem, 0), asking.passages) / most for stem in asked}
    spoken = _rare_names(asking, table)
    naming = table.shelf.naming(table.rows) if spoken else {}

    def describe(row: int) -> dict[str, float]:
        held = table.stems(row)
        shared = [weight for stem, weight in zip(stems, weights, strict=True) if stem in held]
        title = [term for term in dict.fromkeys(query_terms(table.texts[row].title)) if term not in FUNCTION_TERMS]
        at = globs.get(row, ())
        return {
            "covered": sum(shared),
            "shared": float(len(asked.intersection(held))),
            "title": sum(term in asked for term in title) / max(1, len(title)),
            "rare": max((rare[stem] for stem in asked.intersection(held)), default=0.0),
            "names": float(any(name in spoken for name in naming.get(row, ()))),
            "path": float(bool(at) and any(applies_to(at, path) for path in paths)),
        }

    return describe


def _rare_names(asking: PreparedQuestion, table: Table) -> frozenset[str]:
    """The names in the question that few passages mention: of a product, a function, a file."""
    runs = [run for size in name_runs(asking.text) for run in size if run not in FUNCTION_WORDS]
    counts = table.shelf.name_counts(list(dict.fromkeys(runs)))
    few = max(NAMED_BY_FEW, table.totals.groups * NAMED_BY_SHARE)
    return frozenset(name for name, count in counts.items() if 0 < count <= few)


def _cosines(table: Table, model: str, asked: "Floats") -> Sequence[float]:
    """Cosines of question and passages, each without what texts of its kind have in common."""
    import numpy as np

    vectors, mean = table.shelf.vectors(model, table.rows), table.shelf.mean_vector(model)
    if vectors is None or mean is None:
        return [0.0] * len(table.rows)
    usual = load_data()["usual"][model]
    count = table.totals.passages
    document = np.asarray(usual["document"], np.float32)
    centre = (mean * count + document * USUAL_COUNT) / (count + USUAL_COUNT)
    apart = vectors - centre
    question = asked - np.asarray(usual["query"], np.float32)
    lengths = np.sqrt((apart * apart).sum(1)) * float(np.sqrt((question * question).sum()))
    found: Sequence[float] = (apart @ question / np.maximum(lengths, 1e-9)).tolist()
    return found


def value_of(features: Features, name: str) -> float:
    """A feature, or the product of two."""
    one, times, other = name.partition(" × ")
    value = features.get(one, 0.0)
    return value * features.get(other, 0.0) if times else value


def load_model(name: str) -> RelevanceModel:
    """One of the models: `meaning`, `static` or `words`."""
    known = load_data()["models"][name]
    return RelevanceModel(name=name, bias=known["bias"], weights=known["weights"])


def load_gate(name: str) -> RelevanceGate:
    """The gate that was learned for a model."""
    return RelevanceGate(**load_data()["models"][name]["gate"])


@cache
def load_data() -> Mapping[str, Any]:
    """The numbers."""
    with open(DATA, encoding="utf-8") as file:
        found: Mapping[str, Any] = json.load(file)
    return found
