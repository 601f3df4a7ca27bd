"""What goes wrong with a journal's folder; loaded when it does."""

from holdfast.core.errors import Unavailable


class JournalUnwritable(Unavailable):
    """The disk refused a write."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"The journal cannot be written at '{path}': {why}.",
            "free some space or fix the permissions, then do it again; everything acknowledged before still stands.",
        )


class JournalBusy(Unavailable):
    """Another process holds the lock and does not let go."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(
            f"The journal's lock '{path}' was held by another process for {seconds:g} s.",
            "look for a stopped holdfast process and end it; the system then frees the lock by itself.",
        )
