"""Tables of somebody else's database, to be read and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

Row = Mapping[str, Any]


class Tables(Protocol):
    """A database of another tool. Reading leaves no trace of us in it or beside it."""

    def columns(self, table: str) -> Sequence[str]:
        """The columns of a table; none when there is no such table."""

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table in the order of their ids. Raises Damaged at one that cannot be read."""

    def close(self) -> None:
        """Close it."""
