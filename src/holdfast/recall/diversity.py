"""Maximal marginal relevance: what is chosen is near the goal and far from what is chosen already.

Alike by words for now; whatever tells how alike two memories are (vectors, say) can take its place. The words are cut
here and not by the index, for a hook packs before every edit and cannot afford the stemmer there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from holdfast.core.memory import Entry, Memory, MemoryType, Status

Found = tuple[Entry, str]
Alike = Callable[[Memory, Memory], float]

RELEVANCE = 0.5
TOO_ALIKE = 0.85
LOOKED_AT = 40
LONGEST = 1000
_SMALL = (
    "a an and are as at be by for from has have in into is it its of on or our so that the their then there these they "
    "this to us was we were what when where which who why will with would you your"
)
# Two memories that differ in one of these say different things, however many words they share.
_TURNING = (
    "avoid but cannot disable don drop except forbid instead isn never no none nor not off only over remove stop "
    "unless until without"
)
_FUNCTION_WORDS, _TURNS = frozenset(_SMALL.split()), frozenset(_TURNING.split())


def pick_varied(found: Sequence[Found], places: Mapping[MemoryType, int], alike: Alike) -> tuple[list[Found], int]:
    """So many of each type, best first and no two alike; and how many more there were that say something else.

    Where two are alike, what is accepted stays and what is not yet goes.
    """
    of_type: dict[MemoryType, list[Found]] = {}
    for pair in found:
        of_type.setdefault(pair[0].memory.type, []).append(pair)
    chosen: dict[MemoryType, Iterator[Found]] = {}
    left_out = 0
    for kind, pairs in of_type.items():
        kept, more = _pick_spread(pairs, places.get(kind, 0), alike)
        chosen[kind] = iter(kept)
        left_out += more
    # Each type keeps the places it had among the others.
    slots = (next(chosen[entry.memory.type], None) for entry, _ in found)
    return [pair for pair in slots if pair is not None], left_out


def word_likeness(one: Memory, other: Memory) -> float:
    """How alike two memories are by what they say, from 0 to 1; not at all if a number or a negation differs."""
    (first, turns), (second, others) = _words(_memory_text(one)), _words(_memory_text(other))
    if not first or not second or turns != others:
        return 0.0
    return len(first & second) / len(first | second)


def _pick_spread(pairs: list[Found], places: int, alike: Alike) -> tuple[list[Found], int]:
    """Those of one type that are chosen, in turn: relevant, and unlike what was chosen before."""
    ordered = sorted(pairs, key=lambda pair: pair[0].memory.status is Status.CANDIDATE)
    waiting = dict.fromkeys(range(min(len(ordered), LOOKED_AT)), 0.0)
    kept: list[Found] = []
    while waiting and len(kept) < places:
        best = max(waiting, key=lambda place: (_marginal_worth(place, len(ordered), waiting[place]), -place))
        del waiting[best]
        kept.append(ordered[best])
        for place in list(waiting):
            likeness = alike(ordered[best][0].memory, ordered[place][0].memory)
            waiting[place] = max(waiting[place], likeness)
            if waiting[place] >= TOO_ALIKE:
                del waiting[place]
    return kept, len(waiting) + max(0, len(ordered) - LOOKED_AT)


def _marginal_worth(place: int, count: int, likeness: float) -> float:
    return RELEVANCE * (1 - place / count) - (1 - RELEVANCE) * likeness


def _memory_text(memory: Memory) -> str:
    options = " ".join(f"{option.option} {option.reason}" for option in memory.rejected)
    said = f"{memory.title} {memory.question} {memory.choice} {options} {memory.fact} {memory.root_cause}"
    return said[:LONGEST].casefold()


@lru_cache(maxsize=1024)
def _words(said: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a text, and those among them that turn its meaning."""
    plain = "".join(letter if letter.isalnum() else " " for letter in said)
    words = frozenset(_singular(word) for word in plain.split() if word not in _FUNCTION_WORDS)
    return words, frozenset(word for word in words if word in _TURNS or not word.isalpha())


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
