"""The product's own embedders, opened by name; vectors of a stronger one can be kept between runs."""

import hashlib
import os
from collections.abc import Sequence
from itertools import islice

import numpy as np

from holdfast.core.embedder import Embedder, Floats, Missing, StaticEmbedder
from holdfast.embed.open_embedder import open_embedder, open_static

AT_ONCE = 256
DIGEST = 32


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
    """Another embedder whose vectors are kept in a folder between runs, by the texts they are of.

    One file of records, each a text's digest and its vector; what a broken run wrote last is cut off.
    """

    def __init__(self, embedder: Embedder, folder: str) -> None:
        self._embedder = embedder
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, hashlib.sha256(embedder.name.encode()).hexdigest()[:16])
        self._record = np.dtype([("digest", f"V{DIGEST}"), ("vector", np.float32, (embedder.dims,))])
        self._vectors = self._load()

    @property
    def name(self) -> str:
        """The other's name."""
        return self._embedder.name

    @property
    def dims(self) -> int:
        """The other's length."""
        return self._embedder.dims

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Kept vectors where there are some."""
        digests = [hashlib.sha256(f"{query}\0{text}".encode()).digest() for text in texts]
        fresh = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in self._vectors}
        for start in range(0, len(fresh), AT_ONCE):
            some = dict(islice(fresh.items(), start, start + AT_ONCE))
            self._keep(list(some), self._embedder.embed(list(some.values()), query=query))
        return np.stack([self._vectors[digest] for digest in digests])

    def _keep(self, digests: Sequence[bytes], vectors: Floats) -> None:
        self._vectors.update(zip(digests, vectors, strict=True))
        records = np.zeros(len(digests), self._record)
        records["digest"] = np.frombuffer(b"".join(digests), f"V{DIGEST}")
        records["vector"] = vectors
        # One write, so that two runs do not mix their records.
        with open(self.path, "ab", buffering=0) as file:
            file.write(records.tobytes())

    def _load(self) -> dict[bytes, Floats]:
        if not os.path.exists(self.path):
            return {}
        whole = os.path.getsize(self.path) // self._record.itemsize
        os.truncate(self.path, whole * self._record.itemsize)
        records = np.fromfile(self.path, self._record)
        return {digest.tobytes(): vector for digest, vector in zip(records["digest"], records["vector"], strict=True)}
