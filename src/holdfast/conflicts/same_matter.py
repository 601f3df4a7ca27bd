"""Whether a record takes the place of an older one without saying so, learned from public decision records.

A record says in many words why; rules that hold one sentence against another find little there, and half of it wrong.
What the features weigh is in `learned_model`.
"""

from collections.abc import Sequence
from math import sqrt

from holdfast.conflicts.comparable_words import shared_weight, total_weight
from holdfast.conflicts.learned_model import Features
from holdfast.conflicts.read_memory import TITLE, MemoryReading
from holdfast.conflicts.replacement_words import StatedRemoval, removal_match

# From so many sentences on, a memory is a record that gives reasons, and not a rule in a line or two.
RECORD = 7


def are_records(new: MemoryReading, old: MemoryReading) -> bool:
    """Whether both give reasons at length."""
    return min(len(new.claims), len(old.claims)) >= RECORD


def read_features(
    new: MemoryReading, olds: Sequence[MemoryReading], leaving: Sequence[StatedRemoval], flagged: Sequence[bool]
) -> list[Features]:
    """What the model goes by, of each old one; `flagged`: whether a rule found a conflict there."""
    alike = [_alike(new.bag, old.bag) for old in olds]
    return [
        {
            **_title_features(_title(new), _title(old)),
            "whole": alike[at],
            "ahead": alike[at] - max((each for place, each in enumerate(alike) if place != at), default=alike[at]),
            "leaves": max((removal_match(each, old) for each in leaving if each.strong), default=0.0),
            "rule": float(flagged[at]),
        }
        for at, old in enumerate(olds)
    ]


def _title(read: MemoryReading) -> dict[str, float]:
    return {form: weight for claim in read.claims if claim.place == TITLE for form, weight in claim.words.items()}


def _title_features(mine: Features, theirs: Features) -> dict[str, float]:
    both = shared_weight(mine, theirs)
    whole = total_weight(mine) + total_weight(theirs) - both
    return {"titles": both / whole if whole else 0.0, "title words": both / 5}


def _alike(one: Features, other: Features) -> float:
    both = sum(weight * other[form] for form, weight in one.items() if form in other)
    size = sqrt(sum(w * w for w in one.values()) * sum(w * w for w in other.values()))
    return both / size if size else 0.0
