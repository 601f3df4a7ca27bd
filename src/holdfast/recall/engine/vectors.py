"""Lanes of vectors: how near a passage, or its window, lies to the question. Needs numpy: loaded when asked for."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from holdfast.ports.shelf import Text
from holdfast.recall.engine.asking import FUNCTION_WORDS
from holdfast.recall.engine.table import Table
from holdfast.recall.engine.values import Asking, Near, Seen, StaticEmbedder

Floats = npt.NDArray[np.float32]


class Static:
    """The mean of the passage's tokens lies near that of the question's."""

    name = "static"

    def rows(self, asking: Asking, table: Table, limit: int) -> Sequence[int]:
        """The nearest of all."""
        return _nearest(table, asking.static_name, asking.static, limit)

    def see(self, asking: Asking, table: Table) -> Seen | None:
        """Cosines above the mean of the collection."""
        return _own(table, asking.static_name, asking.static)


class StaticAround:
    """The same for the window."""

    name = "static_around"

    def see(self, asking: Asking, table: Table) -> Seen | None:
        """Cosines of the windows."""
        return _windows(table, asking.static_name, asking.static)


class Meaning:
    """A model that reads whole texts puts the passage near the question."""

    name = "meaning"

    def rows(self, asking: Asking, table: Table, limit: int) -> Sequence[int]:
        """The nearest of all."""
        return _nearest(table, asking.meaning_name, asking.meaning, limit)

    def see(self, asking: Asking, table: Table) -> Seen | None:
        """Cosines above the mean of the collection."""
        return _own(table, asking.meaning_name, asking.meaning)


class MeaningAround:
    """The same for the window."""

    name = "meaning_around"

    def see(self, asking: Asking, table: Table) -> Seen | None:
        """Cosines of the windows."""
        return _windows(table, asking.meaning_name, asking.meaning)


class MeaningTitled:
    """Meaning once more for passages with a title: they stand alone, and are asked for in other words."""

    name = "meaning_titled"

    def see(self, asking: Asking, table: Table) -> Seen | None:
        """The meaning lane's values where there is a title."""
        own = _own(table, asking.meaning_name, asking.meaning)
        if own is None:
            return None
        titled = [bool(table.texts[row].title) for row in table.rows]
        return Seen(values=[value * has for value, has in zip(own.values, titled, strict=True)], why=own.why)


def near_words(static: StaticEmbedder, asking: Asking) -> Near:
    """Nearness by word vectors: the cosine with the nearest word, 1 for the same stem."""
    settings = asking.recipe.settings
    asked = static.words(asking.words) if asking.words else None

    def near(texts: Sequence[Text]) -> Sequence[Sequence[float]]:
        if asked is None or not texts:
            return [[] for _ in texts]
        cosines = _cosines(static, asked, texts)
        kept = np.where(cosines > settings.soft_floor, cosines, 0) ** settings.soft_power
        for at, stem in enumerate(asking.stems):
            kept[[stem in text.terms for text in texts], at] = 1
        found: list[list[float]] = kept.tolist()
        return found

    return near


def _cosines(static: StaticEmbedder, asked: Floats, texts: Sequence[Text]) -> Floats:
    """For each text and each word asked for, the cosine with the nearest word of the text."""
    known = sorted({word for text in texts for word in text.words} - FUNCTION_WORDS)
    place = {word: at for at, word in enumerate(known)}
    nothing = np.zeros((1, len(asked)), np.float32)
    cosines = np.concatenate([static.words(known) @ asked.T, nothing]) if known else nothing
    places = [[place[word] for word in text.words if word in place] or [-1] for text in texts]
    flat = [at for each in places for at in each]
    starts = np.cumsum([0, *map(len, places[:-1])])
    found: Floats = np.maximum.reduceat(cosines[flat], starts, axis=0)
    return found


def _nearest(table: Table, model: str, asked: Floats | None, limit: int) -> Sequence[int]:
    return () if asked is None else table.shelf.by_vector(model, asked, limit)


def _own(table: Table, model: str, asked: Floats | None) -> Seen | None:
    held, mean = _held(table, model), table.shelf.mean_vector(model)
    if asked is None or held is None or mean is None:
        return None
    place, vectors = held
    cosines = vectors[[place[row] for row in table.rows]] @ asked
    return _seen(cosines, float(mean @ asked))


def _windows(table: Table, model: str, asked: Floats | None) -> Seen | None:
    """The mean of windows is estimated from that of passages: a sum of several is longer, so it lies further out."""
    held, mean = _held(table, model), table.shelf.mean_vector(model)
    if asked is None or held is None or mean is None:
        return None
    place, vectors = held
    windows = [table.window(row) for row in table.rows]
    starts = np.cumsum([0, *map(len, windows[:-1])])
    members = [place[near] for window in windows for near in window]
    summed = np.add.reduceat(vectors[members], starts, axis=0)
    long = np.maximum(np.linalg.norm(summed, axis=1), 1e-9)
    stretched = float((np.array([*map(len, windows)]) / np.maximum(long, 0.1)).mean())
    return _seen((summed @ asked) / long, float(mean @ asked) * stretched)


def _seen(cosines: Floats, mean: float) -> Seen:
    """0 for no nearer than passages are on average, 1 for the nearest."""
    above = np.nan_to_num(np.maximum(0, cosines - mean))
    values: list[float] = (above / max(float(above.max(initial=0)), 1e-9)).tolist()
    return Seen(values=values, why=lambda place: f"cosine {float(cosines[place]):.2f}")


def _held(table: Table, model: str) -> tuple[dict[int, int], Floats] | None:
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
