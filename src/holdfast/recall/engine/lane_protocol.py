"""What a lane of the engine is: the values it gives to the candidates of a question."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import LaneValues, PreparedQuestion


class PassageLane(Protocol):
    """One way of finding. Others come by entry points of the group `holdfast.lanes`: a class without arguments."""

    name: str

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """A value from 0 to 1 for each of `table.rows`; None where the lane has nothing to say."""


class FindingLane(PassageLane, Protocol):
    """A lane that also brings candidates."""

    def rows(self, asking: PreparedQuestion, table: Table, limit: int) -> Sequence[int]:
        """The rows it likes best, best first."""
