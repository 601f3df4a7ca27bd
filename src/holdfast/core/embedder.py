"""Texts to vectors, for search by meaning."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from holdfast.core.value import Value

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
else:
    # Loading numpy takes longer than all of ours: only a module that computes with it does so.
    Floats = Any


class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how near they are in meaning.

    The same text gives the same vector, alone or among others (an endpoint as far as it keeps to that itself).
    Text it cannot hold is cut at the end, never refused. Raises `Unavailable` when something outside does not answer.
    """

    @property
    def name(self) -> str:
        """The model and what tells its versions apart. Vectors of two names must not be compared."""

    @property
    def dims(self) -> int:
        """How long a vector is; 0 while nobody knows, which is before an endpoint's first answer."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """One row per text, of length one; a blank text gets zeros, which are near nothing.

        `query`: the texts are questions, which some models want marked as such.
        """


@runtime_checkable
class StaticEmbedder(Embedder, Protocol):
    """An embedder that is a table: one vector per token, whatever stands around it."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are; ids run from 0."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, in order."""

    def mean(self, ids: Sequence[int], weights: Floats | None = None) -> Floats:
        """The mean of these tokens' vectors, weighed; not of length one. Zeros for none, or without any weight."""

    def words(self, words: Sequence[str]) -> Floats:
        """The vector of each word, of length one."""


class Missing(Value):
    """Why there is no embedder, and what to type. `wanted` is false where the user switched it off: no notice then."""

    reason: str
    hint: str = ""
    wanted: bool = True
