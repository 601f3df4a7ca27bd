"""Hits in a better order: a model that reads the question and each text together."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.value import Value


class Reranker(Protocol):
    """Says how well texts answer a question. Text it cannot hold is cut at the end, never refused."""

    @property
    def name(self) -> str:
        """The model and what tells its versions apart."""

    def scores(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """A number for each text, greater is better; of the first ones only, where the time does not suffice for all.

        Raises `Unavailable` when something outside does not answer.
        """


class NoReranker(Value):
    """Why there is none, and what to type. `wanted` is false where none is set: no notice then."""

    reason: str
    hint: str = ""
    wanted: bool = True
