"""What a user wishes again in another session: one candidate with all its evidence, surer the oftener it was said.

Only what says the same in the same terms, in the same order, is joined here; what says it in other words is grouped
where the queue is shown.
"""

import re
from collections.abc import Iterable, Mapping

from holdfast.core.memory import Memory, MemoryType, SaidBy, Status
from holdfast.core.value import Value, replace
from holdfast.distil.statement_vetoes import subject_terms
from holdfast.index.terms import split_terms

# In how many sessions a candidate was said; nothing where it is one.
SAID_IN = "said_in"
HABIT = 3
SURER, SUREST = 0.1, 0.95
_TYPES = (MemoryType.DECISION, MemoryType.INVARIANT, MemoryType.PATTERN)
_LEAST_TERMS = 2
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|nothing|don't|doesn't|shouldn't|mustn't|won't|stop|avoid|drop|remove|without|"
    r"instead of|rather than|over)\b",
    re.IGNORECASE,
)
_Wish = tuple[tuple[str, ...], tuple[str, ...]]


class JoinedWishes(Value):
    """What is new, and what waited already and was said again."""

    fresh: tuple[Memory, ...]
    changed: tuple[Memory, ...]


def index_wishes(known: Iterable[Memory]) -> dict[_Wish, Memory]:
    """The user's wishes that wait for review, by their terms; of two that say the same, the first."""
    found: dict[_Wish, Memory] = {}
    for one in known:
        wish = read_wish(one) if one.status is Status.CANDIDATE else None
        if wish is not None:
            found.setdefault(wish, one)
    return found


def join_wishes(waiting: Mapping[_Wish, Memory], said: Iterable[Memory]) -> JoinedWishes:
    """What a session says, where it was said before joined to what waits."""
    fresh: list[Memory] = []
    changed: dict[str, Memory] = {}
    for one in said:
        wish = read_wish(one)
        there = waiting.get(wish) if wish is not None else None
        if there is None:
            fresh.append(one)
        elif there.id not in changed and (joined := _join(there, one)) != there:
            changed[there.id] = joined
    return JoinedWishes(fresh=tuple(fresh), changed=tuple(changed.values()))


def count_sessions(memory: Memory) -> int:
    """In how many sessions a candidate was said."""
    held = str(memory.extra.get(SAID_IN, ""))
    return int(held) if held.isdecimal() else 1


def read_wish(memory: Memory) -> _Wish | None:
    """What a wish says: its terms and what it says no with, in their order; None where it is none of the user's."""
    if memory.type not in _TYPES or memory.said_by is not SaidBy.USER:
        return None
    about = subject_terms(memory.title)
    if len(about) < _LEAST_TERMS:
        return None
    terms = tuple(term for term in split_terms(memory.title) if term in about)
    return terms, tuple(word.lower() for word in _NEGATIVE.findall(memory.title))


def _join(there: Memory, said: Memory) -> Memory:
    """A candidate with the evidence of one more session. Distilled again, a session adds nothing."""
    held = {each.event for each in there.evidence}
    more = tuple(each for each in said.evidence if each.event not in held)
    if not more:
        return there
    times = count_sessions(there) + 1
    sure = max(there.confidence or 0.0, said.confidence or 0.0)
    return replace(
        there,
        evidence=(*there.evidence, *more),
        confidence=round(max(sure, min(SUREST, sure + SURER)), 2) if times >= HABIT else sure,
        extra={**there.extra, SAID_IN: str(times)},
        updated=max(there.updated, said.updated),
    )
