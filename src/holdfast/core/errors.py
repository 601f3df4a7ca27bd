"""The families of failure. One class per failure lives beside the code that raises it."""


class HoldfastError(Exception):
    """Something Holdfast can name: what happened, to which thing, and a hint."""

    exit_status = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BadRequest(HoldfastError):
    """Asked for what cannot be."""

    exit_status = 2


class Refused(HoldfastError):
    """The caller may not do this."""

    exit_status = 2


class NotFound(HoldfastError):
    """The named thing is not there."""

    exit_status = 3


class Conflict(HoldfastError):
    """It changed, or contradicts."""

    exit_status = 4


class Damaged(HoldfastError):
    """Stored data fails its own check."""

    exit_status = 5


class Unavailable(HoldfastError):
    """Something outside did not answer: a disk, a file system, a network."""

    exit_status = 6
