"""What was purged and shall not come back, as two places tell each other."""

from collections.abc import Collection
from typing import Protocol


class Marks(Protocol):
    """Marks of what was purged: `memory:ID`, `file:SHA256` (a bundle's too), `event:ID`. They hold no words."""

    def list_marks(self) -> Collection[str]:
        """Every mark."""

    def add_marks(self, marks: Collection[str]) -> None:
        """Keep marks of what was purged elsewhere; exact copies of it go."""
