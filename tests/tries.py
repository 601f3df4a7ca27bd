"""How many examples Hypothesis tries: a part of them each time, all with --heavy."""

PART = 3


class _Asked:
    heavy = False


def all_of_them() -> None:
    """Said by --heavy, before any test is loaded."""
    _Asked.heavy = True


def tries(number: int) -> int:
    """As many as that when there is time for it."""
    return number if _Asked.heavy else number // PART
