"""The embedders of an app, and the vectors of its index brought in step with them."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.config.home import environment
from holdfast.domain.value import Value
from holdfast.ports.embed import Embedder, Missing, StaticEmbedder
from holdfast.wiring.app import App

if TYPE_CHECKING:
    from holdfast.backends.sqlite.index import SqliteIndex
    from holdfast.ports.embed import Floats

STATIC = "static"
AT_ONCE = 256
SCALE = 127


class Models(Value):
    """What finds by meaning here: a table of token vectors, a model that reads whole texts, both, or neither."""

    static: "Static | None" = None
    encoder: "Reader | None" = None


class Static:
    """The table of token vectors, as the engine asks it."""

    def __init__(self, table: StaticEmbedder) -> None:
        self.table = table
        self.name = table.name

    def tokens(self, text: str) -> Sequence[int]:
        """The tokens of a text."""
        return self.table.tokens([text])[0]

    def vector(self, tokens: Sequence[int], weights: Sequence[float]) -> "Floats":
        """The unit vector of some tokens, weighed; zeros where there are none."""
        import numpy as np

        return _unit(self.table.mean(tokens, np.asarray(weights, np.float32)))

    def words(self, words: Sequence[str]) -> "Floats":
        """Unit vectors of single words."""
        return self.table.words(words)


class Reader:
    """A model that reads a question as a whole, as the engine asks it."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.name = embedder.name

    def vector(self, text: str) -> "Floats":
        """The unit vector of a question."""
        found: Floats = self.embedder.embed([text], query=True)[0]
        return found


def models(app: App) -> Models:
    """The embedders that the settings name; what is missing is a notice, never an error."""
    from holdfast.providers.embedders import open_embedder, open_static

    wanted = str(app.settings["embedder"])
    found = open_embedder(app.settings, app.home, environment())
    if isinstance(found, Missing):
        if found.wanted:
            app.notices.append(f"Search goes by words alone: {found.reason}. {found.hint}".rstrip())
        return Models()
    if wanted == STATIC:
        return Models(static=Static(found)) if _is_table(found) else Models()
    table = open_static()
    return Models(static=Static(table) if _is_table(table) else None, encoder=Reader(found))


def bring_in_step(app: App, store: "SqliteIndex", place: str, found: Models, seconds: float) -> int:
    """Give passages without a vector theirs, for some seconds; how many are left without."""
    until = time.monotonic() + seconds
    left = 0
    for embedder in (found.static.table if found.static else None, found.encoder.embedder if found.encoder else None):
        if embedder is not None:
            left += _embed(app, store, place, embedder, until)
    return left


def _embed(app: App, store: "SqliteIndex", place: str, embedder: Embedder, until: float) -> int:
    total = store.count_without_vector(place, embedder.name)
    left = total
    while left and (time.monotonic() < until or left == total):
        some = store.without_vector(place, embedder.name, AT_ONCE)
        if not some:
            break
        store.put_vectors(place, embedder.name, _vectors(embedder, some))
        left -= len(some)
        if app.progress is not None:
            app.progress("vectors", total - left, total)
    return max(0, left)


def _vectors(embedder: Embedder, some: Sequence[tuple[int, str]]) -> "list[Vector]":
    import numpy as np

    from holdfast.backends.sqlite.meaning import Vector

    texts = [text for _, text in some]
    found = embedder.embed(texts)
    quantised = np.clip(np.rint(found * SCALE), -SCALE, SCALE).astype(np.int8)
    tokens = embedder.tokens(texts) if _is_table(embedder) else [[] for _ in texts]
    return [
        Vector(row=row, data=data.tobytes(), tokens=tuple(ids))
        for (row, _), data, ids in zip(some, quantised, tokens, strict=True)
    ]


def _is_table(found: object) -> "TypeGuard[StaticEmbedder]":
    return hasattr(found, "tokens") and hasattr(found, "mean")


def _unit(vector: "Floats") -> "Floats":
    import numpy as np

    length = float(np.sqrt((vector * vector).sum()))
    unit: Floats = (vector / length).astype(np.float32) if length else vector
    return unit


if TYPE_CHECKING:
    from typing import TypeGuard

    from holdfast.backends.sqlite.meaning import Vector
