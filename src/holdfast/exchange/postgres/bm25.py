"""BM25 over the terms of a collection: every passage that holds any is weighed, and the best are named first."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from holdfast.core.value import Value
from holdfast.exchange.postgres.database import Cursor, DatabaseSpace
from holdfast.exchange.postgres.index_rows import strip_unstorable
from holdfast.exchange.postgres.postings import Numbers, TermPostings, load_postings

K1, B = 1.2, 0.75
LEAST_IDF = 1e-6
FIRST_LOOK = 32
LONGEST_LOOK = 4096

Scores = npt.NDArray[np.float64]
Look = Sequence[tuple[float, int]]


class WeighedRows(Value):
    """Rows with their scores, in the order of rows."""

    rows: Numbers
    scores: Scores

    def looks(self, size: int = FIRST_LOOK) -> Iterator[Look]:
        """Best first, equal ones by row, in growing handfuls that never part equal scores."""
        rows, scores = self.rows, self.scores
        while len(rows):
            least = np.partition(scores, -size)[-size] if len(rows) > size else -np.inf
            best = scores >= least
            order = np.argsort(-scores[best], kind="stable")
            yield list(zip(scores[best][order].tolist(), rows[best][order].tolist(), strict=True))
            rows, scores = rows[~best], scores[~best]
            size = min(size * 4, LONGEST_LOOK)


def weigh_rows(cursor: Cursor, space: DatabaseSpace, place: str, terms: Sequence[str]) -> WeighedRows:
    """Every row that holds any of the terms."""
    found = load_postings(cursor, space, place, terms)
    lists = [found[term] for term in dict.fromkeys(map(strip_unstorable, terms)) if term in found]
    rows = np.concatenate([each.rows for each in lists] or [np.empty(0, np.int64)])
    shares = np.concatenate([_share(each) for each in lists] or [np.empty(0)])
    # Each term's share is added in the order of the terms, so that equal passages have equal scores to the last bit.
    order = np.argsort(rows, kind="stable")
    rows, shares = rows[order], shares[order]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    return WeighedRows(rows=rows[starts], scores=np.add.reduceat(shares, starts) if len(starts) else shares)


def _share(term: TermPostings) -> Scores:
    mean = max(1e-9, term.terms / max(1, term.passages))
    weight, size = (term.details >> 16).astype(np.float64), (term.details & 0xFFFF).astype(np.float64)
    share: Scores = _idf(term.count, term.passages) * (weight * (K1 + 1)) / (weight + K1 * (1 - B + B * size / mean))
    return share


def _idf(hits: int, rows: int) -> float:
    idf = math.log((rows - hits + 0.5) / (hits + 0.5)) if rows >= hits else 0.0
    return idf if idf > 0.0 else LEAST_IDF
