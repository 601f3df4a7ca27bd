"""Lanes of vectors: how near a passage, or its window, lies to the question. Needs numpy: loaded when asked for."""

from collections.abc import Mapping, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from holdfast.core.embedder import Floats, StaticEmbedder
from holdfast.core.shelf import Text, number_of, pack_numbers
from holdfast.recall.engine.candidate_table import Table
from holdfast.recall.engine.engine_values import LaneValues, Near, PreparedQuestion
from holdfast.recall.engine.prepare_question import FUNCTION_WORDS
from holdfast.recall.engine.soft_words import stem_nearness

Ints = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.uint32]

KNOWN_WORDS = 50_000
NO_WORDS = pack_numbers(["the"])
# So few vectors at once stay in the processor's cache.
AT_ONCE = 512
# So many vectors are looked through in a millisecond or so.
MANY = 50_000


class Static:
    """The mean of the passage's tokens lies near that of the question's."""

    name = "static"

    def rows(self, asking: PreparedQuestion, table: Table, limit: int) -> Sequence[int]:
        """The nearest of all."""
        return _nearest(table, asking.static_name, asking.static, limit)

    def reckons(self, asking: PreparedQuestion, table: Table) -> bool:
        """Whether finding takes no look at the disk, and long enough for a thread."""
        return asking.static is not None and table.shelf.vectors_at_hand(asking.static_name) >= MANY

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """Cosines above the mean of the collection."""
        return _passage_values(table, asking.static_name, asking.static)


class StaticAround:
    """The same for the window."""

    name = "static_around"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """Cosines of the windows."""
        return _windows(table, asking.static_name, asking.static)


class StaticGroup:
    """What the passage belongs to has one that lies near."""

    name = "static_group"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """The best of each candidate's group."""
        return _groups(table, _passage_values(table, asking.static_name, asking.static))


class Meaning:
    """A model that reads whole texts puts the passage near the question."""

    name = "meaning"

    def rows(self, asking: PreparedQuestion, table: Table, limit: int) -> Sequence[int]:
        """The nearest of all."""
        return _nearest(table, asking.meaning_name, asking.meaning, limit)

    def reckons(self, asking: PreparedQuestion, table: Table) -> bool:
        """The same as of the static table."""
        return asking.meaning is not None and table.shelf.vectors_at_hand(asking.meaning_name) >= MANY

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """Cosines above the mean of the collection."""
        return _passage_values(table, asking.meaning_name, asking.meaning)


class MeaningAround:
    """The same for the window."""

    name = "meaning_around"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """Cosines of the windows."""
        return _windows(table, asking.meaning_name, asking.meaning)


class MeaningGroup:
    """The same for the group."""

    name = "meaning_group"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """The best of each candidate's group."""
        return _groups(table, _passage_values(table, asking.meaning_name, asking.meaning))


class MeaningTitled:
    """Meaning once more for passages with a title: they stand alone, and are asked for in other words."""

    name = "meaning_titled"

    def see(self, asking: PreparedQuestion, table: Table) -> LaneValues | None:
        """The meaning lane's values where there is a title."""
        own = _passage_values(table, asking.meaning_name, asking.meaning)
        if own is None:
            return None
        titled = [bool(table.texts[row].title) for row in table.rows]
        return LaneValues(values=[value * has for value, has in zip(own.values, titled, strict=True)], why=own.why)


class KnownWords:
    """The vectors of words seen before: candidates share most of theirs. Begins again when there are too many.

    Words go by their numbers. Those that only hold a sentence together have no vector, so that nothing comes near them.
    """

    def __init__(self, static: StaticEmbedder, most: int = KNOWN_WORDS) -> None:
        self._static, self._most = static, most
        self._lock = Lock()
        self._forget()

    def of(self, texts: Sequence[Text]) -> tuple[Floats, Ints, Ints]:
        """Vectors; which of them the words of texts have, one after another; and where each text begins."""
        spelled = [text.spelled or NO_WORDS for text in texts]
        numbers = np.frombuffer(b"".join(spelled), np.uint32)
        sizes = np.array([*map(len, spelled)]) // numbers.itemsize
        starts = sizes.cumsum() - sizes
        with self._lock:
            at, known = self._look_up(numbers)
            if not known.all():
                self._learn(texts, numbers, starts)
                at, known = self._look_up(numbers)
            return self._vectors, np.where(known, self._places.take(at, mode="clip"), 0), starts

    def _forget(self) -> None:
        """All but the word that stands for none. Who has the old vectors keeps them."""
        self._numbers = np.frombuffer(NO_WORDS, np.uint32)
        self._places: Ints = np.zeros(1, np.intp)
        self._vectors: Floats = np.zeros((1, self._static.dims), np.float32)

    def _look_up(self, numbers: Numbers) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Where numbers are, or would be; and which are known."""
        at = self._numbers.searchsorted(numbers)
        return at, self._numbers.take(at, mode="clip") == numbers

    def _learn(self, texts: Sequence[Text], numbers: Numbers, starts: Ints) -> None:
        if len(self._numbers) + len(np.unique(numbers[~self._look_up(numbers)[1]])) > self._most:
            self._forget()
        unknown = ~self._look_up(numbers)[1]
        fresh = np.unique(numbers[unknown])
        # Only texts that hold one of them are read.
        holding = np.flatnonzero(np.logical_or.reduceat(unknown, starts)).tolist()
        spelling = {number_of(word): word for at in holding for word in texts[at].words}
        # Another process may have changed a text since it was found: then its words are no longer there.
        there = [each for each in fresh.tolist() if each in spelling]
        self._add(np.array(there, np.uint32), [spelling[each] for each in there])

    def _add(self, numbers: Numbers, words: Sequence[str]) -> None:
        start, end = len(self._numbers), len(self._numbers) + len(numbers)
        if end > len(self._vectors):
            grown = np.zeros((2 * end, self._static.dims), np.float32)
            grown[:start] = self._vectors[:start]
            self._vectors = grown
        self._vectors[start:end] = self._static.words(words)
        self._vectors[[start + at for at, word in enumerate(words) if word in FUNCTION_WORDS]] = 0
        where = self._numbers.searchsorted(numbers)
        self._places = np.insert(self._places, where, np.arange(start, end))
        self._numbers = np.insert(self._numbers, where, numbers)


_known: dict[str, KnownWords] = {}


def asked_vector(static: StaticEmbedder, tokens: Sequence[int], weights: Sequence[float]) -> Floats:
    """The unit vector of a question whose tokens weigh so much."""
    mean = static.mean(tokens, np.array(weights, np.float32))
    found: Floats = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return found


def near_words(static: StaticEmbedder, asking: PreparedQuestion) -> Near:
    """Nearness by word vectors: the cosine with the nearest word, 1 for the same stem."""
    settings = asking.recipe.settings
    known = _known.get(static.name) or _known.setdefault(static.name, KnownWords(static))
    same = stem_nearness(asking.stems)
    asked = static.words(asking.words) if asking.words else None

    def near(texts: Sequence[Text], held: Sequence[Mapping[str, int]]) -> Sequence[Sequence[float]]:
        if asked is None or not texts:
            return [[] for _ in texts]
        cosines = _cosines(known, asked, texts)
        kept = np.where(cosines > settings.soft_floor, cosines, 0) ** settings.soft_power
        found: list[list[float]] = np.maximum(kept, same(texts, held)).tolist()
        return found

    return near


def _cosines(known: KnownWords, asked: Floats, texts: Sequence[Text]) -> Floats:
    """For each text and each word asked for, the cosine with the nearest word of the text."""
    vectors, flat, starts = known.of(texts)
    # Many texts share a word: it is compared once.
    there = np.zeros(len(vectors), bool)
    there[flat] = True
    places = there.nonzero()[0]
    cosines = np.empty((len(asked), len(places)), np.float32)
    for start in range(0, len(places), AT_ONCE):
        some = places[start : start + AT_ONCE]
        cosines[:, start : start + len(some)] = (vectors[some] @ asked.T).T
    compared = np.empty(len(there), np.intp)
    compared[places] = np.arange(len(places))
    found: Floats = np.maximum.reduceat(cosines[:, compared[flat]], starts, axis=1).T
    return found


def _nearest(table: Table, model: str, asked: Floats | None, limit: int) -> Sequence[int]:
    return () if asked is None else table.shelf.by_vector(model, asked, limit)


def _passage_values(table: Table, model: str, asked: Floats | None) -> LaneValues | None:
    held, mean = _window_vectors(table, model), table.shelf.mean_vector(model)
    if asked is None or held is None or mean is None:
        return None
    place, vectors = held
    cosines = vectors[[place[row] for row in table.rows]] @ asked
    return _scale_cosines(cosines, float(mean @ asked))


def _windows(table: Table, model: str, asked: Floats | None) -> LaneValues | None:
    """The mean of windows is estimated from that of passages: a sum of several is longer, so it lies further out."""
    held, mean = _window_vectors(table, model), table.shelf.mean_vector(model)
    if asked is None or held is None or mean is None:
        return None
    place, vectors = held
    windows = [table.window(row) for row in table.rows]
    summed = vectors[[place[window[0]] for window in windows]]
    for at in range(1, max(map(len, windows), default=0)):
        longer = [number for number, window in enumerate(windows) if len(window) > at]
        summed[longer] += vectors[[place[windows[number][at]] for number in longer]]
    long = np.maximum(np.linalg.norm(summed, axis=1), 1e-9)
    stretched = float((np.array([*map(len, windows)]) / np.maximum(long, 0.1)).mean())
    return _scale_cosines((summed @ asked) / long, float(mean @ asked) * stretched)


def _groups(table: Table, own: LaneValues | None) -> LaneValues | None:
    if own is None:
        return None
    groups = [table.texts[row].group for row in table.rows]
    best: dict[int, int] = {}
    for place, group in enumerate(groups):
        if group not in best or own.values[place] > own.values[best[group]]:
            best[group] = place
    values = [own.values[best[group]] for group in groups]
    return LaneValues(values=values, why=lambda place: f"beside a passage of {own.why(best[groups[place]])}")


def _scale_cosines(cosines: Floats, mean: float) -> LaneValues:
    """0 for no nearer than passages are on average, 1 for the nearest."""
    above = np.nan_to_num(np.maximum(0, cosines - mean))
    values: list[float] = (above / max(float(above.max(initial=0)), 1e-9)).tolist()
    return LaneValues(values=values, why=lambda place: f"cosine {float(cosines[place]):.2f}")


def _window_vectors(table: Table, model: str) -> tuple[dict[int, int], Floats] | None:
    """The vectors of all windows; those read for an earlier look are not read again."""
    kept: dict[str, tuple[dict[int, int], Floats]] = table.kept
    members = table.members()
    place, vectors = kept.get(model, ({}, None))
    fresh = [row for row in members if row not in place]
    if fresh or vectors is None:
        found = table.shelf.vectors(model, fresh) if model and table.rows else None
        if found is None:
            return None
        place = place | {row: len(place) + at for at, row in enumerate(fresh)}
        vectors = found if vectors is None else np.concatenate([vectors, found])
        kept[model] = place, vectors
    return place, vectors
