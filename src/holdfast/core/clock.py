"""The time of day."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time. It may jump back: nothing durable may depend on it going forward."""

    def now(self) -> datetime:
        """The time now, with its zone."""
