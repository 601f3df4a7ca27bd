"""A transformer as an embedder: tokens, states, one vector per text. Texts run one by one.

A model of 8 bits scales its numbers over all that runs together, so the same text gave another vector in another batch;
on a few cores a batch was no faster by more than a fifth.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from holdfast.core.embedder import Floats
from holdfast.embed.model_traits import EmbedderTraits
from holdfast.embed.vector_math import embed_rows

Vector = Callable[[list[int]], Floats]


class Tokenizer(Protocol):
    """Cuts texts into ids."""

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text, with the marks a model wants."""


class TransformerEmbedder:
    """Texts to vectors by a network that takes one text's ids at a time."""

    def __init__(self, name: str, dims: int, tokens: Tokenizer, traits: EmbedderTraits, vector: Vector) -> None:
        self.name, self.dims = name, dims
        self._tokens, self._traits, self._vector = tokens, traits, vector

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One pass of the network per text."""

        def run(some: list[str]) -> Floats:
            marked = self._traits.marked(some, query=query)
            return np.stack([self._vector(ids) for ids in self._tokens.ids(marked)])

        return embed_rows(texts, self.dims, run)
