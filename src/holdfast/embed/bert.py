"""The encoder of the BERT family (BERT, RoBERTa, XLM-RoBERTa) in plain numpy: as fast as a runtime on short texts."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from holdfast.core.embedder import Floats
from holdfast.core.value import Value

THREADS = "OPENBLAS_NUM_THREADS"
HALF = np.float32(0.5)
ROOT = np.float32(2**-0.5)
# Abramowitz and Stegun 7.1.26, right to 1.5e-7: numpy has no error function.
SCALE, TERMS = np.float32(0.3275911), [
    np.float32(term) for term in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
]  # fmt: skip


class NetworkShape(Value):
    """The numbers of a network."""

    layers: int
    heads: int
    epsilon: float
    first_position: int
    longest: int


class Encoder:
    """Token ids to states. Weights are named as in `named_like_ours`, matrices lie input × output."""

    def __init__(
        self, shape: NetworkShape, weights: Mapping[str, Floats], embed: Callable[[Sequence[int]], Floats]
    ) -> None:
        self._shape, self._weights, self._embed = shape, weights, embed
        self._one_thread = _one_thread()

    def states(self, ids: Sequence[int], *, only_first: bool = False) -> Floats:
        """The last layer's states, one row per token; or the first token's alone, which is cheaper."""
        with self._one_thread():
            state = self._embedded(ids)
            for layer in range(self._shape.layers):
                last = layer == self._shape.layers - 1
                state = self._layer(f"l{layer}.", state, 1 if last and only_first else len(ids))
            return state

    def _embedded(self, ids: Sequence[int]) -> Floats:
        start = self._shape.first_position
        places = self._weights["pos_emb"][start : start + len(ids)]
        return self._normal(self._embed(ids) + places + self._weights["type_emb"][0], "emb_ln")

    def _layer(self, name: str, state: Floats, rows: int) -> Floats:
        heard = self._attention(name, state)[:rows]
        state = self._normal(self._linear(heard, f"{name}ao") + state[:rows], f"{name}aln")
        wide = _gelu(self._linear(state, f"{name}f1"))
        return self._normal(self._linear(wide, f"{name}f2") + state, f"{name}fln")

    def _attention(self, name: str, state: Floats) -> Floats:
        count, width = state.shape
        size = width // self._shape.heads
        split = self._linear(state, f"{name}qkv").reshape(count, 3, self._shape.heads, size)
        query, key, value = split.transpose(1, 2, 0, 3)
        match = query @ key.transpose(0, 2, 1) * np.float32(size**-0.5)
        share = np.exp(match - match.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        heard: Floats = (share @ value).transpose(1, 0, 2).reshape(count, width)
        return heard

    def _linear(self, value: Floats, name: str) -> Floats:
        found: Floats = value @ self._weights[f"{name}.w"] + self._weights[f"{name}.b"]
        return found

    def _normal(self, value: Floats, name: str) -> Floats:
        centred = value - value.mean(-1, keepdims=True)
        spread = np.einsum("ij,ij->i", centred, centred) / np.float32(value.shape[-1])
        scaled = centred / np.sqrt(spread + np.float32(self._shape.epsilon))[:, None]
        found: Floats = scaled * self._weights[f"{name}.w"] + self._weights[f"{name}.b"]
        return found


def _one_thread() -> Callable[[], AbstractContextManager[Any]]:
    """A context in which numpy keeps to one thread; by `threadpoolctl`, and none where that is not installed.

    The matrices here are small. Two threads won a third on an idle machine, and took ten times as long on a busy one,
    where each waits for the other in a circle; an agent's machine is busy.
    """
    if os.environ.get(THREADS) == "1" or find_spec("threadpoolctl") is None:
        return nullcontext
    limit = import_module("threadpoolctl").ThreadpoolController().limit
    return lambda: limit(limits=1, user_api="blas")


def _gelu(value: Floats) -> Floats:
    scaled = value * ROOT
    size = np.abs(scaled)
    step = 1 / (1 + SCALE * size)
    series = np.zeros_like(step)
    for term in TERMS:
        series = (series + term) * step
    error = np.sign(scaled) * (1 - series * np.exp(-size * size))
    found: Floats = value * HALF * (1 + error)
    return found


PARTS: Mapping[str, str] = {
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "f1",
    "output.dense": "f2",
    "output.LayerNorm": "fln",
}


def rename_weights(theirs: Mapping[str, Floats], layers: int) -> dict[str, Floats]:
    """Weights as Hugging Face names them, under our names: `l0.qkv.w`, `emb_ln.b`, …"""
    start = next(name for name in theirs if name.endswith("embeddings.word_embeddings.weight"))
    before = start.removesuffix("embeddings.word_embeddings.weight")
    names = {"word": "word_emb", "position": "pos_emb", "token_type": "type_emb"}
    found = {ours: theirs[f"{before}embeddings.{name}_embeddings.weight"] for name, ours in names.items()}
    found |= _linear_weights(theirs, f"{before}embeddings.LayerNorm", "emb_ln")
    for layer in range(layers):
        place = f"{before}encoder.layer.{layer}."
        asked = [f"{place}attention.self.{part}" for part in ("query", "key", "value")]
        found[f"l{layer}.qkv.w"] = np.concatenate([theirs[f"{name}.weight"] for name in asked]).T
        found[f"l{layer}.qkv.b"] = np.concatenate([theirs[f"{name}.bias"] for name in asked])
        for part, ours in PARTS.items():
            found |= _linear_weights(theirs, place + part, f"l{layer}.{ours}")
    return {name: np.ascontiguousarray(value) for name, value in found.items()}


def shape_of(config: Mapping[str, Any]) -> NetworkShape | None:
    """The numbers in a model's `config.json`; none for a network of another family."""
    firsts = {"bert": 0, "roberta": 1, "xlm-roberta": 1, "camembert": 1}
    kind = config.get("model_type")
    plain = config.get("position_embedding_type") in {None, "absolute"} and config.get("hidden_act") == "gelu"
    if kind not in firsts or not plain:
        return None
    # RoBERTa counts places from the padding's id on.
    first = int(config.get("pad_token_id") or 0) + 1 if firsts[kind] else 0
    return NetworkShape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
        first_position=first,
        longest=config["max_position_embeddings"] - first,
    )


def _linear_weights(theirs: Mapping[str, Floats], name: str, ours: str) -> dict[str, Floats]:
    return {f"{ours}.w": theirs[f"{name}.weight"].T, f"{ours}.b": theirs[f"{name}.bias"]}
