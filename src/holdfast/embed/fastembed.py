"""Models by name, as the package `fastembed` knows them."""

import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from holdfast.core.embedder import Embedder, Floats, Missing
from holdfast.embed.embedder_request import ProviderRequest
from holdfast.embed.model_traits import traits_of
from holdfast.embed.vector_math import embed_rows

library = import_module("fastembed")


class FastEmbed:
    """One model of the library."""

    def __init__(self, model: str, folder: str) -> None:
        self._model: Any = library.TextEmbedding(model_name=model, cache_dir=folder, local_files_only=True)
        self._traits = traits_of(model)
        self.name = f"fastembed:{model}@{library.__version__}"
        self.dims = len(self._rows(self._model.passage_embed(["a"]))[0])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """The library's vectors, one text at a time: what stands beside a text must not change it."""

        def run(some: list[str]) -> Floats:
            ask = self._model.query_embed if query else self._model.passage_embed
            return np.stack([self._rows(ask([text]))[0] for text in self._traits.marked(some, query=query)])

        return embed_rows(texts, self.dims, run)

    @staticmethod
    def _rows(found: Iterable[Floats]) -> list[Floats]:
        return list(found)


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model, if it was fetched before: opening an embedder must not reach for the network."""
    folder = os.path.join(asked.home, "models")
    # It would write what it could not find to the terminal, before we have said so.
    import_module("loguru").logger.disable("fastembed")
    known = {str(about["model"]).lower() for about in library.TextEmbedding.list_supported_models()}
    if asked.rest.lower() not in known:
        return Missing(
            reason=f"embedder {asked.whole!r}: fastembed knows no model {asked.rest!r}",
            hint=f"{sys.executable} -c \"import fastembed; print(*(m['model'] for m in "
            'fastembed.TextEmbedding.list_supported_models()), sep=chr(10))" lists them.',
        )
    try:
        return FastEmbed(asked.rest, folder)
    # The library says "not there" with whatever its own parts raise.
    except Exception as error:
        return Missing(
            reason=f"embedder {asked.whole!r} is not in {folder!r}: {error}",
            hint=f'{sys.executable} -c "import fastembed; '
            f'fastembed.TextEmbedding({asked.rest!r}, cache_dir={folder!r})" fetches it.',
        )
