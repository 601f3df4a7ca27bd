"""A text that is not what its name says."""


class Unreadable(ValueError):
    """A text that is not what its name says: why, and the line."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line
