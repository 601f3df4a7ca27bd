"""Weights that were learned, as data: `same_matter_weights.json` for records, `stance_weights.json` for statements.

Both are made by `python -m bench.conflicts.learn`: a weight for each feature, and from which chance on it counts.
"""

import json
from collections.abc import Mapping
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

from holdfast.core.value import Value

Features = Mapping[str, float]
FOLDER = Path(__file__).parent
RECORDS, STATEMENTS = "same_matter", "stance"


class LearnedModel(Value):
    """The weights; from which chance on a person is asked (`alone`: where no feature shows what parts them),
    and from which on it is believed."""

    weights: Features
    constant: float
    ask: float
    alone: float
    believe: float

    def chance(self, features: Features) -> float:
        """How likely the new one takes the old one's place."""
        return 1 / (1 + exp(-self.constant - sum(self.weights[name] * value for name, value in features.items())))

    def sure(self, chance: float) -> float:
        """How sure that is, from 0 to 1: a half where a person begins to be asked."""
        return round(chance / (chance + self.ask), 3)


def weights_file(name: str) -> Path:
    """Where the weights of a model stand."""
    return FOLDER / f"{name}_weights.json"


@cache
def load_learned_model(name: str) -> LearnedModel:
    """A model that comes with Holdfast."""
    data: Mapping[str, Any] = json.loads(weights_file(name).read_text(encoding="utf-8"))
    return LearnedModel(**{each: data[each] for each in ("weights", "constant", "ask", "alone", "believe")})
