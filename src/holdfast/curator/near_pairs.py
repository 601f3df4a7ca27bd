"""Which memories are worth comparing: those that share rare words. Of all pairs there are too many."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import log

# A word that stands in more memories than this tells too little and costs too much; of the others, the most telling.
COMMON = 200
TELLING = 16


def nearest_by_words(bags: Sequence[Mapping[str, float]], most: int) -> list[list[int]]:
    """For each bag of words, the places of those that share the most with it, rare words counting more."""
    where: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        for word in bag:
            where[word].append(place)
    rare = {word: log(1 + len(bags) / len(places)) for word, places in where.items() if 1 < len(places) <= COMMON}
    found = []
    for place, bag in enumerate(bags):
        scores: dict[int, float] = defaultdict(float)
        for word in nlargest(TELLING, (word for word in bag if word in rare), key=lambda each: bag[each] * rare[each]):
            worth = bag[word] * rare[word] ** 2
            for other in where[word]:
                scores[other] += worth * bags[other][word]
        scores.pop(place, None)
        found.append([other for other, _ in nlargest(most, scores.items(), key=lambda each: (each[1], -each[0]))])
    return found


def distinct_pairs(lists: Sequence[Sequence[Sequence[int]]]) -> list[tuple[int, int]]:
    """Each pair once, the earlier first, that any of the lists of neighbours names."""
    found = {
        (min(place, other), max(place, other))
        for neighbours in lists
        for place, others in enumerate(neighbours)
        for other in others
        if other != place
    }
    return sorted(found)
