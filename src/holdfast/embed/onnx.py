"""Networks in ONNX files, by the package `onnxruntime`."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from holdfast.core.embedder import Floats
from holdfast.core.errors import Unavailable
from holdfast.embed.vector_math import pool_states

onnxruntime = import_module("onnxruntime")
MOST_THREADS = 4
ERRORS_ONLY = 3
READY = ("sentence_embedding", "sentence_embeddings")


class UnknownInput(ValueError):
    """A network that wants something else than token ids."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(f"{path!r} wants an input {name!r}, which is none of a text encoder's")


class NetworkFailed(Unavailable):
    """The runtime gave up on a text."""

    def __init__(self, path: str, why: Exception) -> None:
        super().__init__(
            f"The network in {path!r} failed: {why}.", "another embedder: `holdfast config embedder static`."
        )


class Network:
    """One ONNX file: a text's ids in, its vector out."""

    def __init__(self, path: str, pooling: str) -> None:
        self._path, self._pooling = path, pooling
        self._session = onnxruntime.InferenceSession(path, session_options(), providers=["CPUExecutionProvider"])
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        outputs = [entry.name for entry in self._session.get_outputs()]
        self._output = next((name for name in READY if name in outputs), outputs[0])
        self.gives_texts = self._output in READY
        unknown = [name for name in self._inputs if name not in _network_inputs([0])]
        if unknown:
            raise UnknownInput(path, unknown[0])

    def vector(self, ids: list[int]) -> Floats:
        """The vector of one text."""
        given = _network_inputs(ids)
        try:
            (found,) = self._session.run([self._output], {name: given[name] for name in self._inputs})
        # The runtime's own exceptions share no base but this.
        except Exception as error:
            raise NetworkFailed(self._path, error) from error
        states: Floats = np.asarray(found[0], np.float32)
        return states if states.ndim == 1 else pool_states(states, self._pooling)


def _network_inputs(ids: list[int]) -> Mapping[str, "np.ndarray[Any, np.dtype[np.int64]]"]:
    row = np.array([ids], np.int64)
    return {
        "input_ids": row,
        "attention_mask": np.ones_like(row),
        "token_type_ids": np.zeros_like(row),
        "position_ids": np.arange(len(ids), dtype=np.int64)[None],
    }


def session_options() -> Any:
    """How a network is run: a few threads, and quiet."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(MOST_THREADS, os.cpu_count() or 1)
    options.log_severity_level = ERRORS_ONLY
    # A thread that waits by turning in a circle takes a core from whoever else works here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
