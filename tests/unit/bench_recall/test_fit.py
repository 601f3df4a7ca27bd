import numpy as np
from bench.recall.data import Asked
from bench.recall.fit import Example, columns, figures, fit

from holdfast.core.value import replace
from holdfast.recall.engine.recipes import WORDS


def example(gold: int) -> Example:
    """Two candidates; the first lane tells which is gold, the second misleads."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0]]) if gold == 0 else np.array([[0.0, 1.0], [1.0, 0.0]])
    asked = Asked(text="?", store=0, passages=(gold,), groups=(gold,))
    return Example(rows=rows, passages=np.array([0, 1]), groups=np.array([0, 1]), asked=asked, share=1.0)


def test_the_lane_that_tells_gets_the_weight() -> None:
    lanes = columns(replace(WORDS, plain={"words": 1.0, "length": 1.0}, named={}))

    weights = fit([example(0), example(1)], lanes)

    assert weights[0] > 1.0
    assert weights[1] == 0.0
    assert figures(example(1), weights)["R@1"] == 1.0


def test_a_lane_that_may_only_count_against_never_counts_for() -> None:
    weights = fit([example(0), example(1)], columns(replace(WORDS, plain={"asks": -1.0, "length": 1.0}, named={})))

    assert weights[0] == 0.0


def test_a_weight_that_is_kept_is_neither_fitted_nor_forgotten() -> None:
    lanes = columns(replace(WORDS, plain={"words": 1.0, "path": 2.0}, named={}))

    weights = fit([example(0), example(1)], lanes, {"path": 2.0})

    assert weights[1] == 2.0
    assert weights[0] > 2.0
