"""How many examples Hypothesis tries: as many as a test says, and a few in the fast run."""

from hypothesis import settings

WHOLE, FAST = "whole", "fast"
FEW = 15

# A deadline would measure the machine's other work.
settings.register_profile(WHOLE, deadline=None)
settings.register_profile(FAST, deadline=None, max_examples=FEW)


def begin(*, fast: bool) -> None:
    """Choose, before any test is read."""
    settings.load_profile(FAST if fast else WHOLE)


def examples(count: int, few: int = FEW) -> int:
    """So many examples, or few in the fast run: `@settings(max_examples=examples(300))`."""
    return min(count, few) if settings.get_current_profile_name() == FAST else count
