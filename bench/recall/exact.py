"""A collection in memory, with exact words and vectors: what recipes are measured and fitted on."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from holdfast.core.shelf import Text, Totals, title_name

if TYPE_CHECKING:
    from holdfast.core.shelf import Floats

K1 = 0.9
B = 0.4


class ExactShelf:
    """Passages in memory; gone when the process is. `vectors` are by model, one unit vector per text, in their order.

    `names` are what each row mentions; `tokens` those of the static embedder, for each text.
    """

    def __init__(
        self,
        texts: Sequence[Text],
        *,
        names: Mapping[int, Sequence[str]] | None = None,
        vectors: Mapping[str, "Floats"] | None = None,
        tokens: Iterable[Iterable[int]] = (),
    ) -> None:
        self._texts = {text.row: text for text in texts}
        self._names = {row: tuple(each) for row, each in (names or {}).items()}
        self._vectors = dict(vectors or {})
        self._rows = [text.row for text in texts]
        self._place = {row: place for place, row in enumerate(self._rows)}
        self._means = {model: found.mean(0) for model, found in self._vectors.items() if len(found)}
        self._postings = _postings(texts)
        self._token_counts = Counter(token for each in tokens for token in frozenset(each))
        self._groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for text in texts:
            self._groups[text.group].append((text.at, text.row))
        for members in self._groups.values():
            members.sort()
        self._rows_of: dict[str, list[int]] = defaultdict(list)
        for row, mentioned in sorted(self._names.items()):
            for name in dict.fromkeys(mentioned):
                self._rows_of[name].append(row)
        for name, rows in self._rows_of.items():
            rows.sort(key=lambda row: title_name(self._texts[row].title) != name)
        self._name_counts = {
            name: len({self._texts[row].group for row in rows}) for name, rows in self._rows_of.items()
        }
        self._totals = Totals(
            passages=len(texts), terms=sum(len(text.terms) for text in texts), groups=len(self._groups)
        )

    def totals(self) -> Totals:
        """How much there is."""
        return self._totals

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term stands."""
        return {term: len(self._postings.get(term, ())) for term in terms}

    def by_words(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """The rows that hold any of these terms, best first by BM25, equal ones by row."""
        total = len(self._texts)
        mean = self._totals.terms / max(1, total) or 1.0
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms):
            found = self._postings.get(term, ())
            weight = math.log(1 + (total - len(found) + 0.5) / (len(found) + 0.5)) * (K1 + 1)
            for row, times, length in found:
                scores[row] += weight * times / (times + K1 * (1 - B + B * length / mean))
        return [row for _, row in nsmallest(max(0, limit), ((-score, row) for row, score in scores.items()))]

    def by_vector(self, model: str, vector: "Floats", limit: int) -> Sequence[int]:
        """The rows whose vectors are nearest, best first, equal ones in their order."""
        held = self._vectors.get(model)
        if held is None:
            return ()
        far = -(held @ vector)
        most = min(max(0, limit), len(far))
        # All that are as near as the last one wanted, so that equal ones come in their order.
        near = (far <= far[far.argpartition(most - 1)[most - 1]]).nonzero()[0] if most else far[:0].nonzero()[0]
        ordered = near[far[near].argsort(kind="stable")][:most]
        return [self._rows[place] for place in ordered.tolist()]

    def texts(self, rows: Iterable[int]) -> Mapping[int, Text]:
        """Passages by their rows; those that are gone are left out."""
        return {row: self._texts[row] for row in rows if row in self._texts}

    def holding(self, rows: Sequence[int], terms: Sequence[str]) -> Mapping[int, Mapping[str, int]]:
        """How often terms stand in passages; rows that hold none of them are left out."""
        wanted = frozenset(terms)
        held = {row: self._texts[row].terms for row in rows if row in self._texts}
        found = {row: wanted.intersection(those) for row, those in held.items()}
        return {row: {term: held[row].count(term) for term in each} for row, each in found.items() if each}

    def vectors(self, model: str, rows: Sequence[int]) -> "Floats | None":
        """Their unit vectors, one per row."""
        held = self._vectors.get(model)
        return None if held is None else held[[self._place[row] for row in rows]]

    def mean_vector(self, model: str) -> "Floats | None":
        """The mean of all vectors of a model."""
        return self._means.get(model)

    def vectors_at_hand(self, model: str) -> int:
        """How many vectors of a model are in memory."""
        return len(self._vectors.get(model, ()))

    def token_counts(self, tokens: Sequence[int]) -> Sequence[int]:
        """In how many passages each of the static embedder's tokens stands."""
        return [self._token_counts[token] for token in tokens]

    def around(self, rows: Iterable[int], before: int, after: int) -> Mapping[int, Sequence[int]]:
        """For each row, the rows of its group from `before` places before it to `after` places after it, itself too."""
        return {row: self._near(self._texts[row], before, after) for row in rows if row in self._texts}

    def naming(self, rows: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """The names that passages mention."""
        return {row: self._names[row] for row in rows if row in self._names}

    def named(self, names: Iterable[str], limit: int) -> Mapping[str, Sequence[int]]:
        """The rows that mention a name, at most so many of each; one that has it for a title comes first."""
        return {name: self._rows_of[name][:limit] for name in names if name in self._rows_of}

    def name_counts(self, names: Iterable[str]) -> Mapping[str, int]:
        """In how many groups each name is mentioned; names nobody mentions are left out."""
        return {name: self._name_counts[name] for name in names if name in self._name_counts}

    def _near(self, text: Text, before: int, after: int) -> list[int]:
        members = self._groups[text.group]
        start = bisect_left(members, (text.at - before,))
        end = bisect_right(members, (text.at + after, math.inf))
        return [row for _, row in members[start:end]]


def _postings(texts: Iterable[Text]) -> dict[str, list[tuple[int, int, int]]]:
    """For each term the rows that hold it, how often, and how long they are."""
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for text in texts:
        for term, times in Counter(text.terms).items():
            found[term].append((text.row, times, len(text.terms)))
    return dict(found)
