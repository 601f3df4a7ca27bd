"""How likely a colleague would note a user's sentence down, learned from sentences of real sessions judged by hand.

The numbers are data (`statement_weights.json`, by `python -m bench.distil.statements --fit`): a weight for each feature
that `statement_features` reads. What they know no weight for counts nothing. There are two sets of them: amid the work
few of the sentences are worth noting, and their form tells; who opens a session with a statement and asks for nothing
mostly says it to be kept, and there the words tell.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from holdfast.core.value import Value
from holdfast.distil.statement_features import Features

FILE = Path(__file__).with_name("statement_weights.json")
MOST_EXPLAINED = 5


AMID_WORK, OPENING = "amid work", "opening"


class StatementWeights(Value):
    """The weights, and from which sum on a sentence is proposed."""

    weights: Mapping[str, float]
    constant: float
    floor: float

    def score(self, features: Features) -> float:
        """The log odds that a sentence is worth noting."""
        return self.constant + sum(self.weights.get(name, 0.0) * value for name, value in features.items())

    def is_above(self, features: Features, below: float = 0.0) -> bool:
        """Whether a sentence is worth proposing; `below` the floor where something else speaks for it."""
        return self.score(features) >= self.floor - below

    def explain(self, features: Features) -> list[tuple[str, float]]:
        """The features that counted most, with what each added."""
        parts = [(name, self.weights.get(name, 0.0) * value) for name, value in features.items()]
        return sorted(parts, key=lambda part: -abs(part[1]))[:MOST_EXPLAINED]


class StatementModel(Value):
    """The weights for sentences amid the work, and for those that open a session and ask for nothing."""

    amid_work: StatementWeights
    opening: StatementWeights

    def weights_for(self, *, opening: bool) -> StatementWeights:
        """The weights that a sentence is judged by."""
        return self.opening if opening else self.amid_work


@cache
def load_statement_model() -> StatementModel:
    """The model that comes with Holdfast."""
    data: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    amid, opening = (StatementWeights(**data[name]) for name in (AMID_WORK, OPENING))
    return StatementModel(amid_work=amid, opening=opening)
