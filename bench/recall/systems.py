"""What is compared: each system ranks the passages of one store for a question."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

import numpy as np
import numpy.typing as npt
import Stemmer

from bench.recall.data import Passage
from bench.recall.shelves import shelf
from holdfast.core.embedder import Embedder, StaticEmbedder
from holdfast.core.times import parse_moment
from holdfast.recall.engine.engine_values import PassageContext, Recipe
from holdfast.recall.engine.find_passages import judge_candidates
from holdfast.recall.engine.fuse import LaneVerdicts, rank_candidates
from holdfast.recall.engine.relevance import load_gate

Floats = npt.NDArray[np.float32]
RRF = 60


class System(Protocol):
    """One way to find passages in one store."""

    def rank(self, query: str, k: int, now: str = "", path: str = "") -> Sequence[int]:
        """Places of the best passages, best first; `now` is when it is asked, `path` where."""
        ...


class Sure(Protocol):
    """A system that says how far it trusts its best answer."""

    def confidence(self, query: str, now: str = "") -> float:
        """To compare between questions; larger is surer."""
        ...


class Scoring(Protocol):
    """A system that scores every passage, so that others can fuse it."""

    def scores(self, query: str) -> Floats:
        """One number per passage, larger is better."""
        ...


class Ranked:
    """Ranks by the scores of another."""

    def __init__(self, lane: Scoring) -> None:
        self._lane = lane

    def rank(self, query: str, k: int, now: str = "", path: str = "") -> Sequence[int]:  # noqa: ARG002  # words only
        """Best scores first, equal ones in the order of the store."""
        return [int(place) for place in np.argsort(-self._lane.scores(query), kind="stable")[:k]]

    def confidence(self, query: str, now: str = "") -> float:  # noqa: ARG002  # these know no time
        """The best score."""
        return float(self._lane.scores(query).max())


class Bm25:
    """bm25s as it comes: Lucene's formula, Snowball stems, English stop words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._bm25s = import_module("bm25s")  # only here: the other systems run without it
        self._stemmer = Stemmer.Stemmer("english")
        self._index = self._bm25s.BM25(method="lucene")
        self._index.index(self._cut(texts), show_progress=False)
        self._known = frozenset(self._index.vocab_dict)

    def scores(self, query: str) -> Floats:
        """BM25; zero where no word is shared."""
        words = [word for word in self._words(query) if word in self._known]
        if not words:
            return np.zeros(int(self._index.scores["num_docs"]), np.float32)
        return np.asarray(self._index.get_scores(words), np.float32)

    def _cut(self, texts: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = self._bm25s.tokenize(
            list(texts), stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return found

    def _words(self, text: str) -> list[str]:
        return self._cut([text])[0]


class Embedding:
    """Cosines with the passages' vectors."""

    def __init__(self, texts: Sequence[str], encoder: Embedder) -> None:
        self._encoder = encoder
        self._vectors = encoder.embed(texts)

    def scores(self, query: str) -> Floats:
        """Cosines."""
        found: Floats = self._vectors @ self._encoder.embed([query], query=True)[0]
        return found


class Fused:
    """Two lanes in one: reciprocal ranks, or scores between the least and the most; `share` is the first one's."""

    def __init__(self, first: Scoring, second: Scoring, *, by_rank: bool, share: float = 0.5) -> None:
        self._lanes = (first, second)
        self._by_rank = by_rank
        self._share = share

    def scores(self, query: str) -> Floats:
        """The sum of both."""
        form = _reciprocal if self._by_rank else _between
        first, second = (form(lane.scores(query)) for lane in self._lanes)
        found: Floats = self._share * first + (1 - self._share) * second
        return found


class Finder:
    """One store on a shelf; what lanes say of a question is kept for other weights."""

    def __init__(
        self, passages: Sequence[Passage], static: StaticEmbedder | None, encoder: Embedder | None, recipe: Recipe
    ) -> None:
        self._static, self._encoder, self._recipe = static, encoder, recipe
        self._shelf = shelf(passages, static, encoder)
        self._passages = passages
        self._judged: dict[tuple[str, str, str], LaneVerdicts] = {}

    def judge(self, query: str, now: str = "", path: str = "") -> LaneVerdicts:
        """What every lane says of the candidates."""
        key = query, now, path
        if key not in self._judged:
            standing = PassageContext(paths=(path,) if path else (), globs_of=self._globs)
            self._judged[key] = judge_candidates(
                query, self._shelf, self._static, self._encoder, self._recipe, now=parse_moment(now), standing=standing
            )
        return self._judged[key]

    def nearest(self, query: str, now: str = "") -> float:
        """How much speaks for an answer at all, as the gate of relevance sees it."""
        found = self.judge(query, now).relevance
        return load_gate(found.model).logit(found.logits)

    def _globs(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        return {row: self._passages[row].paths for row in rows}


class Engine:
    """The product's engine with some weights."""

    def __init__(self, finder: Finder, recipe: Recipe) -> None:
        self._finder, self._recipe = finder, recipe

    def rank(self, query: str, k: int, now: str = "", path: str = "") -> Sequence[int]:
        """Best first."""
        found = rank_candidates(self._finder.judge(query, now, path), self._recipe, 0)
        return [row for row, _ in found.below[:k]]

    def confidence(self, query: str, now: str = "") -> float:
        """What the engine can tell of it."""
        return self._finder.nearest(query, now)


def windowed(passages: Sequence[Passage], before: int = 2, after: int = 1) -> list[str]:
    """Each passage's text with its neighbours in the group."""
    return [
        " ".join(
            passages[at].whole
            for at in range(max(0, place - before), min(len(passages), place + after + 1))
            if passages[at].group == passage.group
        )
        for place, passage in enumerate(passages)
    ]


def in_groups(ranked: Sequence[int], group: Sequence[int]) -> list[int]:
    """Groups in the order of their best passages."""
    return list(dict.fromkeys(group[place] for place in ranked))


def _reciprocal(scores: Floats) -> Floats:
    ranks = np.empty(len(scores), np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return (1 / (RRF + 1 + ranks)).astype(np.float32)


def _between(scores: Floats) -> Floats:
    low, high = float(scores.min()), float(scores.max())
    found: Floats = (scores - low) / max(high - low, 1e-9)
    return found
