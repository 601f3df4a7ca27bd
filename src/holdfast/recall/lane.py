"""What a lane is: one way of finding."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from holdfast.core.index_store import IndexStore
from holdfast.core.memory import Entry
from holdfast.core.search import Question, Scored
from holdfast.core.value import Value

Searched = Mapping[str, int | str | tuple[str, ...]]


class LaneRanking(Value):
    """What a lane found, lazily and best first; why it found an entry; and what it searched."""

    scored: Iterator[Scored]
    why: Callable[[Entry], str]
    searched: Searched


class SearchLane(Protocol):
    """One way of finding."""

    @property
    def name(self) -> str:
        """What the lane is called in a hit's trace."""

    def run(self, question: Question, store: IndexStore) -> LaneRanking:
        """Everything the lane finds among the entries that `question.select` means."""
