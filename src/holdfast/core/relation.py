"""What a new memory is to one that holds, and what to do about it."""

from enum import StrEnum

from holdfast.core.memory import Memory
from holdfast.core.value import Value


class Kind(StrEnum):
    """The five relations, the most important first."""

    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    DUPLICATES = "duplicates"
    REFINES = "refines"
    UNRELATED = "unrelated"


# Rules that go by likeness alone: a person is asked when a memory is made, and not again once both hold.
SAME_MATTER, MAY_REPLACE = "same matter", "may replace"
ASKING = (SAME_MATTER, MAY_REPLACE)
# What a learned model finds, and no rule.
OTHER_STANCE = "other stance"
LEARNED = (*ASKING, OTHER_STANCE)


class Reach(StrEnum):
    """How the places compare where two memories hold. `INSIDE`: the new one's are a part of the old one's."""

    SAME = "same"
    INSIDE = "inside"
    AROUND = "around"
    SOME = "some"
    APART = "apart"


class Overlap(Value):
    """Where and when both hold: how their paths compare, and whether there is a time at which both do."""

    paths: Reach = Reach.SAME
    time: bool = True


class Relation(Value):
    """What `new` is to `old`: the kind, the rule that found it, the reason in words, how sure, and both texts."""

    new: str
    old: str
    kind: Kind
    rule: str = ""
    reason: str = ""
    sure: float = 0.0
    new_text: str = ""
    old_text: str = ""
    scope: Overlap = Overlap()
    likeness: float = 0.0


class Resolution(StrEnum):
    """What a person may do about a contradiction."""

    KEEP_OLD = "keep-old"
    SUPERSEDE = "supersede"
    NARROW = "narrow"
    KEEP_BOTH = "keep-both"


class Rewrite(Value):
    """A memory as it shall be written: the new one, or the old one changed."""

    memory: Memory


class TurnDown(Value):
    """The new one is rejected, with the reason."""

    memory: Memory
    because: str


Change = Rewrite | TurnDown
