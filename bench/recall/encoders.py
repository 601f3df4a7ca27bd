"""The product's own embedders, opened by name; vectors of a stronger one can be kept between runs."""

import hashlib
import os
from collections.abc import Sequence

from holdfast.ports.embed import Embedder, Floats, Missing, StaticEmbedder
from holdfast.providers.embedders import open_embedder, open_static

FEW = 16


def static() -> StaticEmbedder:
    """The default embedder."""
    found = open_static()
    if isinstance(found, Missing):
        raise SystemExit(f"{found.reason}: {found.hint}")
    return found


def stronger(name: str) -> Embedder:
    """An embedder as the setting names it."""
    found = open_embedder({"embedder": name}, "", {})
    if isinstance(found, Missing):
        raise SystemExit(f"{found.reason}: {found.hint}")
    return found


class Kept:
    """Another embedder whose vectors are kept in a folder between runs."""

    def __init__(self, embedder: Embedder, folder: str) -> None:
        self._embedder = embedder
        self._folder = folder
        os.makedirs(folder, exist_ok=True)

    @property
    def name(self) -> str:
        """The other's name."""
        return self._embedder.name

    @property
    def dims(self) -> int:
        """The other's length."""
        return self._embedder.dims

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Kept vectors for passages seen before; questions come one at a time and are not kept."""
        import numpy as np

        if query or len(texts) < FEW:
            return self._embedder.embed(texts, query=query)
        named = hashlib.sha256("\0".join((self.name, *texts)).encode()).hexdigest()[:16]
        path = os.path.join(self._folder, f"{named}.npy")
        if not os.path.exists(path):
            np.save(path, self._embedder.embed(texts))
        found: Floats = np.load(path)
        return found
