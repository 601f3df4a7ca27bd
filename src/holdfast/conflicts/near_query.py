"""What to search for, to find the memories that a new one may be in conflict with."""

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from holdfast.core.memory import Memory

MOST = 20
FIRST_PART = 1200
LONGEST = 2000

Ask = Callable[[str, int], Sequence[str]]


def build_questions(new: Memory) -> tuple[str, ...]:
    """The questions: what it is called and chooses, and that with the first part of what it says."""
    told = " ".join(filter(None, (new.title, new.question, new.choice, new.fact)))
    turned_down = " ".join(option.option for option in new.rejected)
    short = f"{told} {turned_down}".strip() or new.body[:FIRST_PART]
    whole = f"{new.title} {new.body[:FIRST_PART]} {new.root_cause}".strip()
    return tuple(dict.fromkeys(text[:LONGEST] for text in (short, whole) if text.strip()))


def find_nearest(new: Memory, ask: Ask, most: int = MOST) -> tuple[str, ...]:
    """The ids that either question finds, the best of each in turn."""
    answers = [[name for name in ask(text, most + 1) if name != new.id] for text in build_questions(new)]
    in_turn = chain.from_iterable(zip_longest(*answers))
    return tuple(dict.fromkeys(name for name in in_turn if name is not None))[:most]
