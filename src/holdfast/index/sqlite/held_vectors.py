"""Vectors of a collection in memory: read once by a process, then only the blocks that moved. Needs numpy.

Small collections are searched exactly. In larger ones the signs of a vector, and of the same vector turned, are its
code; the codes that differ least are found first, and their vectors decide.
"""

from collections.abc import Sequence
from functools import cache
from threading import Lock

import apsw
import numpy as np
import numpy.typing as npt

from holdfast.core.embedder import Floats
from holdfast.index.sqlite.vector_rows import BLOCK

# Measured over real texts, 256 numbers each: both take 0.3 ms of CPU at 10,000; here exact takes 2.1 and codes 0.4.
# Exactness is worth that much; at 80,000 it would cost 8.2 ms.
EXACT_MOST = 20_000
# So many codes are looked at again; more for those who want more.
LOOKED_AT_LEAST = 1_000
LOOKED_AT_TIMES = 15
KEPT_MOST = 4
STEP = 1 << 15
SEED = 20_261_115

Bytes = npt.NDArray[np.int8]
Codes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.intp]

_kept: dict[tuple[str, str, str], "ModelVectors"] = {}
_keeping = Lock()


class ModelVectors:
    """The vectors of one model, by row. Rows without one have only zeros."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen = 0
        self._dims = 0
        self._size = 0
        self._data: Bytes = np.zeros((0, 0), np.int8)
        self._scale: Floats = np.zeros(0, np.float32)
        self._sums: dict[int, tuple[int, npt.NDArray[np.float64]]] = {}
        self._mean: Floats | None = None
        self._exact: Floats | None = None
        self._codes: Codes | None = None

    def refresh(self, db: apsw.Connection, place: str, model: str) -> None:
        """Read the blocks that moved since the last look."""
        which = "FROM block WHERE place = ? AND model = ? AND changed > ?"
        with self._lock:
            given = place, model, self._seen
            last, longest = db.execute(f"SELECT max(block), max(length(data)) {which}", given).fetchone() or (None, 0)
            if last is None:
                return
            moved = []
            self._make_room(int(last), int(longest) // BLOCK)
            for changed, block, data in db.execute(f"SELECT changed, block, data {which}", given):
                self._make_room(block, len(data) // BLOCK)
                self._put(block, data)
                self._seen = max(self._seen, changed)
                moved.append(block)
            self._settle(moved)

    @property
    def size(self) -> int:
        """How many rows there is room for."""
        return self._size

    @property
    def mean(self) -> Floats | None:
        """The mean of all; None where there are none."""
        return self._mean

    def nearest(self, vector: Floats, limit: int, *, exact: bool = False) -> list[int]:
        """The nearest rows, best first, equal ones by row."""
        if self._mean is None or limit <= 0:
            return []
        with self._lock:
            if self._exact is not None or exact:
                rows, cosines = self._all(vector)
            else:
                rows = self._near(vector, max(LOOKED_AT_LEAST, LOOKED_AT_TIMES * limit))
                cosines = self._unit(rows) @ vector
        if len(rows) > limit:
            # All that are as near as the last one wanted, so that equal ones come in their order.
            worst = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
            rows, cosines = rows[cosines >= worst], cosines[cosines >= worst]
        found: list[int] = rows[np.lexsort((rows, -cosines))][:limit].tolist()
        return found

    def of(self, rows: Sequence[int]) -> Floats | None:
        """Unit vectors by rows, zeros where there is none; None where there are none at all."""
        if self._mean is None:
            return None
        wanted = np.fromiter(rows, np.intp, len(rows))
        there = (wanted >= 0) & (wanted < self._size)
        found = self._unit(np.where(there, wanted, 0))
        found[~there] = 0
        return found

    def _make_room(self, block: int, dims: int) -> None:
        if not self._dims:
            self._dims = dims
            self._data = np.zeros((0, dims), np.int8)
        size = (block + 1) * BLOCK
        if size > len(self._data):
            room = max(size, len(self._data) * 5 // 4)
            data, scale = np.zeros((room, self._dims), np.int8), np.zeros(room, np.float32)
            data[: self._size], scale[: self._size] = self._data[: self._size], self._scale[: self._size]
            self._data, self._scale = data, scale
        self._size = max(self._size, size)

    def _put(self, block: int, data: bytes) -> None:
        rows = slice(block * BLOCK, (block + 1) * BLOCK)
        self._data[rows] = np.frombuffer(data, np.int8).reshape(BLOCK, self._dims) if data else 0
        whole = self._data[rows].astype(np.float32)
        lengths = np.sqrt((whole * whole).sum(1))
        there = lengths > 0
        self._scale[rows] = np.divide(1, lengths, out=np.zeros_like(lengths), where=there)
        summed = (whole * self._scale[rows, None]).sum(0, dtype=np.float64)
        self._sums[block] = int(there.sum()), summed

    def _settle(self, blocks: Sequence[int]) -> None:
        """The mean, and whatever is searched, after blocks moved."""
        count = sum(there for there, _ in self._sums.values())
        total = np.sum([self._sums[block][1] for block in sorted(self._sums)], axis=0)
        self._mean = (total / count).astype(np.float32) if count else None
        if self._size <= EXACT_MOST:
            self._exact = self._data[: self._size] * self._scale[: self._size, None]
            return
        self._exact = None
        if self._codes is None or self._codes.shape[1] < len(self._data):
            codes = np.zeros((2 * _code_words(self._dims), len(self._data)), np.uint64)
            if self._codes is None:
                blocks = list(self._sums)
            else:
                codes[:, : self._codes.shape[1]] = self._codes
            self._codes = codes
        for block in blocks:
            rows = slice(block * BLOCK, (block + 1) * BLOCK)
            self._codes[:, rows] = _codes(self._data[rows].astype(np.float32))

    def _all(self, vector: Floats) -> tuple[Ints, Floats]:
        """All rows that have a vector, and their cosines."""
        rows = np.flatnonzero(self._scale[: self._size])
        if self._exact is not None:
            return rows, (self._exact @ vector)[rows]
        parts = [self._data[at : at + STEP].astype(np.float32) @ vector for at in range(0, self._size, STEP)]
        return rows, (np.concatenate(parts)[: self._size] * self._scale[: self._size])[rows]

    def _near(self, vector: Floats, wanted: int) -> Ints:
        """At least so many rows whose codes differ least, with all that differ as much as the last of them."""
        assert self._codes is not None
        asked = _codes(vector[None])[:, 0]
        apart = np.zeros(self._size, np.uint16)
        for start in range(0, self._size, STEP):
            some = apart[start : start + STEP]
            for word, bits in zip(self._codes, asked, strict=True):
                some += np.bitwise_count(word[start : start + len(some)] ^ bits)
        apart[self._scale[: self._size] == 0] = np.iinfo(np.uint16).max
        low, high = 0, 64 * len(asked)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if np.count_nonzero(apart <= middle) >= wanted else (middle + 1, high)
        return np.flatnonzero(apart <= low)

    def _unit(self, rows: Ints) -> Floats:
        found: Floats = self._data[rows].astype(np.float32)
        found *= self._scale[rows, None]
        return found


def load_vectors(db: apsw.Connection, place: str, model: str) -> ModelVectors:
    """The vectors as they are now; a process keeps those of the collections it asked for last."""
    made = str(db.execute("SELECT value FROM meta WHERE key = 'made'").get)
    key = made, place, model
    with _keeping:
        found = _kept.pop(key, None) or ModelVectors()
        _kept[key] = found
        while len(_kept) > KEPT_MOST:
            _kept.pop(next(iter(_kept)))
    found.refresh(db, place, model)
    return found


def _code_words(dims: int) -> int:
    return -(-dims // 64)


def _codes(vectors: Floats) -> Codes:
    """The signs of vectors and of what they are when turned, one column each; bits left over are 0 for all."""
    both = vectors > 0, vectors @ _turn(vectors.shape[1]) > 0
    size = 8 * _code_words(vectors.shape[1])
    packed = [np.packbits(each, axis=1) for each in both]
    whole = [np.pad(each, ((0, 0), (0, size - each.shape[1]))) for each in packed]
    return np.ascontiguousarray(np.concatenate(whole, axis=1).view(np.uint64).T)


@cache
def _turn(dims: int) -> Floats:
    """A turn of all vectors that is the same everywhere."""
    found: Floats = np.linalg.qr(np.random.default_rng(SEED).standard_normal((dims, dims)))[0].astype(np.float32)
    return found
