"""A cross-encoder in a folder: an ONNX file that reads question and text together, by the package `onnxruntime`."""

import json
import os
import time
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from holdfast.core.errors import Unavailable
from holdfast.core.reranker import NoReranker, Reranker
from holdfast.embed.embedder_request import ProviderRequest
from holdfast.embed.model_files import fingerprint_files
from holdfast.embed.onnx import session_options
from holdfast.embed.vector_math import drop_surrogates

onnxruntime = import_module("onnxruntime")
NETWORKS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
LONGEST, MOST = 512, 1024
CHARACTERS = 16
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class CrossEncoderFailed(Unavailable):
    """The runtime gave up on a pair, or gave no score."""

    def __init__(self, path: str, why: object) -> None:
        super().__init__(
            f"The network in {path!r} gave no order: {why}.", "another one: `holdfast config search.reranker none`."
        )


class CrossEncoder:
    """One network: a question and a text in, a score out."""

    def __init__(self, folder: str, network: str, version: str) -> None:
        self._path = network
        self._session = onnxruntime.InferenceSession(network, session_options(), providers=["CPUExecutionProvider"])
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        unknown = [name for name in self._inputs if name not in INPUTS]
        if unknown:
            raise ValueError(f"{network!r} wants an input {unknown[0]!r}, which is none of a cross-encoder's")
        self._longest = _max_tokens(folder)
        self._tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._longest, strategy="longest_first")
        self.name = f"folder:{os.path.basename(folder)}@{version}"

    def scores(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """The scores of as many texts as the time suffices for, in order; of the first in any case."""
        ends = time.monotonic() + seconds
        found: list[float] = []
        for text in texts:
            if found and time.monotonic() > ends:
                break
            found.append(self._score(question, text))
        return found

    def _score(self, question: str, text: str) -> float:
        most = self._longest * CHARACTERS
        pair = self._tokenizer.encode(drop_surrogates(question[:most]) or " ", drop_surrogates(text[:most]) or " ")
        given = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        try:
            out = self._session.run(None, {name: np.array([given[name]], np.int64) for name in self._inputs})
            numbers = np.asarray(out[0], np.float64).reshape(-1)
        # The runtime's own exceptions share no base but this.
        except Exception as error:
            raise CrossEncoderFailed(self._path, error) from error
        # One number is the score; of two, the second says that the text answers.
        if len(numbers) not in {1, 2} or not np.isfinite(numbers).all():
            raise CrossEncoderFailed(self._path, f"its answer is {len(numbers)} numbers, which are no score")
        return float(numbers[0] if len(numbers) == 1 else numbers[1] - numbers[0])


def make(asked: ProviderRequest) -> Reranker | NoReranker:
    """The network in the folder named; a relative path counts from our home."""
    folder = os.path.normpath(os.path.join(asked.home, os.path.expanduser(asked.rest)))
    there = [path for path in (os.path.join(folder, name) for name in NETWORKS) if os.path.isfile(path)]
    if not there or not os.path.isfile(os.path.join(folder, "tokenizer.json")):
        return NoReranker(
            reason=f"reranker {asked.whole!r}: {folder!r} has no ONNX file with a tokenizer.json",
            hint=f"`optimum-cli export onnx --model NAME {folder}` writes both (package `optimum-onnx`).",
        )
    return _open_network(folder, there[0], fingerprint_files(there[0], os.path.join(folder, "tokenizer.json")))


@lru_cache(maxsize=1)
def _open_network(folder: str, network: str, version: str) -> CrossEncoder:
    """The network, read once in a process: a server opens an app for every request."""
    return CrossEncoder(folder, network, version)


def _max_tokens(folder: str) -> int:
    """How many tokens it holds: the least that its files say. Some networks keep two places for themselves."""
    said = [_config_number(folder, "tokenizer_config.json", "model_max_length")]
    said += [places - 2 for places in [_config_number(folder, "config.json", "max_position_embeddings")] if places]
    return min(filter(None, (*said, MOST)) if any(said) else (LONGEST,))


def _config_number(folder: str, name: str, key: str) -> int:
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return 0
    with open(path, encoding="utf-8") as opened:
        found: Any = json.load(opened).get(key)
    return int(found) if isinstance(found, int | float) and found > 2 else 0
