"""The default: WordLlama's table of token vectors, read from the files of its package."""

import os
from collections.abc import Sequence
from itertools import chain

import numpy as np

from holdfast.core.embedder import Floats, Missing, StaticEmbedder
from holdfast.embed.embedder_request import ProviderRequest, RequiredPackage, missing_package
from holdfast.embed.model_files import find_package_folder, fingerprint_files, map_table
from holdfast.embed.vector_math import drop_surrogates, embed_rows, unit_rows
from holdfast.embed.wordllama_tokens import PieceTokenizer

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
AT_ONCE = 4096


class StaticVectors:
    """A text is the mean of its tokens' vectors."""

    def __init__(self, weights: str, tokenizer: str) -> None:
        self._table = map_table(weights)
        self._pieces = PieceTokenizer(tokenizer)
        self.vocabulary, self.dims = self._table.shape
        self.name = f"static:wordllama-{self.dims}@{fingerprint_files(weights, tokenizer)}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002  # the port's; no marks here
        """The mean of the token vectors."""
        return embed_rows(texts, self.dims, lambda some: np.stack([self.mean(ids) for ids in self.tokens(some)]))

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text."""
        return [self._pieces.ids(drop_surrogates(text)) for text in texts]

    def mean(self, ids: Sequence[int], weights: Floats | None = None) -> Floats:
        """The mean of some tokens' vectors."""
        total = np.zeros(self.dims, np.float32)
        for start in range(0, len(ids), AT_ONCE):
            rows = self._table[list(ids[start : start + AT_ONCE])].astype(np.float32)
            some = None if weights is None else np.asarray(weights[start : start + AT_ONCE], np.float32)
            total += rows.sum(0) if some is None else some @ rows
        weight = float(len(ids) if weights is None else np.sum(weights))
        if weight > 0:
            total /= np.float32(weight)
            return total
        return np.zeros_like(total)

    def words(self, words: Sequence[str]) -> Floats:
        """The vector of each word: its direction is that of the sum of its tokens."""
        tokens = self.tokens(words)
        known, places = np.unique(np.fromiter(chain.from_iterable(tokens), np.intp), return_inverse=True)
        vectors, sizes = self._table[known].astype(np.float32), np.array([*map(len, tokens)], np.intp)
        starts, summed = sizes.cumsum() - sizes, np.zeros((len(words), self.dims), np.float32)
        for at in range(sizes.max(initial=0)):
            longer = np.flatnonzero(sizes > at)
            summed[longer] += vectors[places[starts[longer] + at]]
        return unit_rows(summed)


def make(asked: ProviderRequest) -> StaticEmbedder | Missing:
    """The table of the installed package."""
    folder = find_package_folder("wordllama")
    if not folder:
        return missing_package(asked, "wordllama", RequiredPackage(name="wordllama"))
    return StaticVectors(os.path.join(folder, WEIGHTS), os.path.join(folder, TOKENIZER))
