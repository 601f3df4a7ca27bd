"""A floor under every hit: whether anything in a passage answers, however little the others do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import PreparedQuestion
from holdfast.recall.engine.soft_words import cover_windows

if TYPE_CHECKING:
    from holdfast.core.embedder import Floats

# The share of the question that words of a near meaning cover, where none of its own words stands in the passage.
NEAR_ENOUGH = 0.25
# The cosine of question and passage, both taken from the collection's mean. Low: of what people ask in their own
# words, a third shares no word with what answers it, and comes no nearer than this (bench/recall/coding).
MEANT = 0.15
# A single word says so little that chance comes near it.
MEANT_BY_ONE = 0.3
# An encoder puts all that is said in one language nearer together.
MEANT_BY_ENCODER, ENCODED_BY_ONE = 0.35, 0.5
# A mean of fewer passages than this says little of what all texts share.
MANY = 10


def above_floor(asking: PreparedQuestion, table: Table) -> list[bool]:
    """For each candidate: whether a word of the question stands in its window, or comes near it in meaning."""
    near, meant = cover_windows(asking, table), _comes_near(asking, table)
    return [
        share >= NEAR_ENOUGH or close or any(map(table.counts, table.window(row)))
        for row, share, close in zip(table.rows, near, meant, strict=True)
    ]


def _comes_near(asking: PreparedQuestion, table: Table) -> Sequence[bool]:
    """Whether a candidate comes near enough by one of the models that read the question."""
    alone = len(asking.words) <= 1
    read = (
        (asking.static_name, asking.static, MEANT_BY_ONE if alone else MEANT),
        (asking.meaning_name, asking.meaning, ENCODED_BY_ONE if alone else MEANT_BY_ENCODER),
    )
    close = [False] * len(table.rows)
    for name, vector, floor in read:
        if vector is not None:
            found = _cosines(table, name, vector)
            close = [before or cosine >= floor for before, cosine in zip(close, found, strict=True)]
    return close


def _cosines(table: Table, model: str, asked: "Floats") -> Sequence[float]:
    """Cosines with the question, without what all passages share."""
    vectors, mean = table.shelf.vectors(model, table.rows), table.shelf.mean_vector(model)
    if vectors is None or mean is None:
        return [0.0] * len(table.rows)
    centre = mean * (table.totals.passages / (table.totals.passages + MANY))
    found: Sequence[float] = (_unit(vectors - centre) @ _unit(asked[None, :] - centre)[0]).tolist()
    return found


def _unit(vectors: "Floats") -> "Floats":
    lengths = (vectors * vectors).sum(1, keepdims=True) ** 0.5
    lengths[lengths == 0] = 1
    unit: Floats = vectors / lengths
    return unit
