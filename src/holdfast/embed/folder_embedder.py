"""A model in a folder, as Sentence-Transformers and Hugging Face lay it out: ONNX, or weights of the BERT family."""

import json
import os
from collections.abc import Callable, Mapping
from glob import glob
from importlib import import_module
from typing import Any

import numpy as np

from holdfast.core.embedder import Embedder, Floats, Missing
from holdfast.core.value import Value, replace
from holdfast.embed.bert import Encoder, rename_weights, shape_of
from holdfast.embed.embedder_request import ProviderRequest, RequiredPackage, missing_package
from holdfast.embed.model_files import fingerprint_files, load_tensors
from holdfast.embed.model_traits import EmbedderTraits, traits_of
from holdfast.embed.tokenizers import TransformerTokenizer
from holdfast.embed.transformer import TransformerEmbedder
from holdfast.embed.vector_math import pool_states

WEIGHTS = "model.safetensors"
POOLING = "1_Pooling/config.json"
SMALL = (POOLING, "config.json", "config_sentence_transformers.json", "modules.json", "sentence_bert_config.json")
LONGEST, MOST = 512, 2048
# As Sentence-Transformers calls them, before and since its version 5.
POOLINGS: Mapping[str, str] = {
    "cls": "first", "mean": "mean", "max": "max", "lasttoken": "last",
    "pooling_mode_cls_token": "first", "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max", "pooling_mode_lasttoken": "last",
}  # fmt: skip


class ModelFolder(Value):
    """What lies in a folder."""

    folder: str
    network: str
    traits: EmbedderTraits
    longest: int
    dense: bool

    @property
    def name(self) -> str:
        """The folder's name, and a mark of all its files that matter."""
        files = [self.network, *(os.path.join(self.folder, name) for name in ("tokenizer.json", *SMALL))]
        return f"folder:{os.path.basename(self.folder)}@{fingerprint_files(*filter(os.path.isfile, files))}"


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model in the folder named; a relative path counts from our home."""
    path = os.path.normpath(os.path.join(asked.home, os.path.expanduser(asked.rest)))
    if not os.path.exists(path):
        return Missing(reason=f"embedder {asked.whole!r}: there is no {path!r}", hint="give the folder's whole path.")
    model = _model(path)
    if not os.path.isfile(os.path.join(model.folder, "tokenizer.json")):
        return _unusable_folder(asked, model, "has no tokenizer.json")
    return _embed_by_onnx(asked, model) if model.network.endswith(".onnx") else _embed_by_weights(asked, model)


def _model(path: str) -> ModelFolder:
    folder = path
    if os.path.isfile(path):
        folder = os.path.dirname(path)
        folder = os.path.dirname(folder) if os.path.basename(folder) == "onnx" else folder
    modules: Any = _json(folder, "modules.json") or []
    return ModelFolder(
        folder=folder,
        network=path if os.path.isfile(path) else _network(folder),
        traits=_traits(folder),
        longest=_max_tokens(folder),
        dense=any(str(module.get("type", "")).endswith("Dense") for module in modules),
    )


def _network(folder: str) -> str:
    wanted = [os.path.join(folder, name) for name in ("model.onnx", "onnx/model.onnx", WEIGHTS)]
    found = [path for path in wanted if os.path.isfile(path)]
    others = sorted(glob(os.path.join(escape_glob(folder), "*.onnx")) + glob(f"{escape_glob(folder)}/onnx/*.onnx"))
    return next(iter([*found, *others]), "")


def escape_glob(path: str) -> str:
    """The path, with what `glob` would read as a pattern taken literally."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def _traits(folder: str) -> EmbedderTraits:
    said, config = _json(folder, "config_sentence_transformers.json"), _json(folder, "config.json")
    found = traits_of(f"{os.path.basename(folder)} {config.get('_name_or_path', '')}")
    prompts = said.get("prompts") or {}
    if any(prompts.values()):
        document = prompts.get("document") or prompts.get("passage") or ""
        found = replace(found, query=prompts.get("query", ""), document=document)
    pooling = _json(folder, POOLING)
    names = [pooling.get("pooling_mode"), *(name for name, value in pooling.items() if value is True)]
    return replace(found, pooling=next((POOLINGS[name] for name in names if name in POOLINGS), found.pooling))


def _max_tokens(folder: str) -> int:
    said = _json(folder, "sentence_bert_config.json").get("max_seq_length")
    said = said or _json(folder, "tokenizer_config.json").get("model_max_length")
    config = _json(folder, "config.json")
    shape = shape_of(config)
    bound = shape.longest if shape else config.get("max_position_embeddings") or LONGEST
    return min(int(said or LONGEST), int(bound), MOST)


def _embed_by_onnx(asked: ProviderRequest, model: ModelFolder) -> Embedder | Missing:
    try:
        network = import_module("holdfast.embed.onnx").Network(model.network, model.traits.pooling)
    except ModuleNotFoundError:
        return missing_package(asked, "onnxruntime", RequiredPackage(name="onnxruntime"))
    if model.dense and not network.gives_texts:
        return _unusable_folder(asked, model, "has a Dense layer that its ONNX file does not hold")
    return _embedder(model, network.vector)


def _embed_by_weights(asked: ProviderRequest, model: ModelFolder) -> Embedder | Missing:
    config = _json(model.folder, "config.json")
    shape = shape_of(config)
    if not model.network or shape is None or model.dense:
        return _unusable_folder(asked, model, "has no ONNX file, and no plain network of the BERT family")
    weights = rename_weights(load_tensors(model.network), shape.layers)
    words, pooling = weights["word_emb"], model.traits.pooling
    encoder = Encoder(shape, weights, lambda ids: words[list(ids)])

    def vector(ids: list[int]) -> Floats:
        return pool_states(encoder.states(ids, only_first=pooling == "first"), pooling)

    return _embedder(model, vector)


def _embedder(model: ModelFolder, vector: Callable[[list[int]], Floats]) -> Embedder:
    with open(os.path.join(model.folder, "tokenizer.json"), encoding="utf-8") as opened:
        tokens = TransformerTokenizer(opened.read(), model.longest)
    dims = int(np.asarray(vector(tokens.ids(["a"])[0])).shape[0])
    return TransformerEmbedder(model.name, dims, tokens, model.traits, vector)


def _unusable_folder(asked: ProviderRequest, model: ModelFolder, why: str) -> Missing:
    return Missing(
        reason=f"embedder {asked.whole!r}: {model.folder!r} {why}",
        hint=f"`optimum-cli export onnx --model {model.folder} {model.folder}` writes what is needed "
        "(package `optimum-onnx`).",
    )


def _json(folder: str, name: str) -> Any:
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as opened:
            return json.load(opened)
    except FileNotFoundError:
        return {}
