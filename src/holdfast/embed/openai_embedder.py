"""Any endpoint that speaks OpenAI's `/v1/embeddings`: OpenAI itself, Ollama, vLLM, llama.cpp, LM Studio, …"""

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from holdfast.core.embedder import Embedder, Floats, Missing
from holdfast.core.errors import Unavailable
from holdfast.embed.embedder_request import ProviderRequest
from holdfast.embed.endpoint import Endpoint, EndpointFailed, RetryPolicy
from holdfast.embed.model_traits import traits_of
from holdfast.embed.vector_math import embed_rows

URL = "https://api.openai.com/v1"
KNOWN: Mapping[str, int] = {
    "text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536,
}  # fmt: skip
TEXTS, CHARACTERS = 64, 100_000
# Endpoints differ in what they call too long, and none says it beforehand.
CUTS = (16_000, 4_000, 1_000)
FOR_DOCUMENTS = RetryPolicy()
# Somebody waits for a question's answer.
FOR_QUERIES = RetryPolicy(attempts=2, seconds=5, longest_pause=1)


class WrongVectors(Unavailable):
    """An answer that is not what was asked for."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(
            f"The embedding endpoint at {host!r} answered with {why}.",
            "see that the model is one for embeddings, and `embedder_dims` one of its sizes.",
        )


class OpenAIEmbedder:
    """One model behind an endpoint."""

    def __init__(self, model: str, endpoint: Endpoint, dims: int, *, shorten: bool = False) -> None:
        self._model, self._endpoint, self._shorten = model, endpoint, shorten
        self._traits = traits_of(model)
        self.dims = dims
        self.name = f"openai:{model}@{endpoint.host}" + (f"/{dims}" if shorten else "")

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """The endpoint's vectors, in as few requests as its limits allow."""
        patience = FOR_QUERIES if query else FOR_DOCUMENTS

        def run(some: list[str]) -> Floats:
            cut = [text[: CUTS[0]] for text in self._traits.marked(some, query=query)]
            return np.concatenate([self._asked(batch, patience) for batch in _batches(cut)])

        return embed_rows(texts, self.dims, run)

    def _asked(self, batch: list[str], patience: RetryPolicy) -> Floats:
        try:
            return self._vectors(batch, patience)
        except EndpointFailed as refusal:
            if not refusal.may_be_too_long or max(map(len, batch)) <= CUTS[-1]:
                raise
        if len(batch) > 1:
            return np.concatenate([self._asked([text], patience) for text in batch])
        shorter = next(cut for cut in CUTS if cut < len(batch[0]))
        return self._asked([batch[0][:shorter]], patience)

    def _vectors(self, batch: list[str], patience: RetryPolicy) -> Floats:
        body: dict[str, Any] = {"model": self._model, "input": batch}
        if self._shorten:
            body["dimensions"] = self.dims
        found = self._read(self._endpoint.post(body, patience), len(batch))
        if self.dims and found.shape[1] != self.dims:
            raise WrongVectors(self._endpoint.host, f"vectors of {found.shape[1]} numbers, not {self.dims}")
        self.dims = found.shape[1]
        return found

    def _read(self, answer: Any, count: int) -> Floats:
        try:
            listed = answer["data"]
            places = [entry.get("index", place) for place, entry in enumerate(listed)]
            rows = np.array([listed[places.index(place)]["embedding"] for place in range(count)], np.float32)
        except (TypeError, KeyError, ValueError, IndexError, AttributeError):
            raise WrongVectors(self._endpoint.host, "something that is no list of vectors") from None
        if len(listed) != count or rows.ndim != 2 or not np.isfinite(rows).all():
            raise WrongVectors(self._endpoint.host, "vectors that do not fit the texts")
        return rows


def make(asked: ProviderRequest) -> Embedder | Missing:
    """The model at the address and with the key the user gave. Nothing is sent yet."""
    url = str(asked.settings["embedder_url"]) or asked.environment.get("OPENAI_BASE_URL") or URL
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        return Missing(
            reason=f"embedder {asked.whole!r}: its address is none of http or https, or holds a name and password",
            hint="set `embedder_url` like `http://127.0.0.1:11434/v1`, and `embedder_key` to where the key is.",
        )
    key = _key(asked)
    if isinstance(key, Missing):
        return key
    if not key and url == URL:
        return Missing(reason=f"embedder {asked.whole!r}: there is no key for {parts.hostname}", hint=_HOW)
    wanted = int(asked.settings["embedder_dims"])
    whole = url if url.endswith("/embeddings") else f"{url.rstrip('/')}/embeddings"
    dims = wanted or (KNOWN.get(asked.rest, 0) if url == URL else 0)
    return OpenAIEmbedder(asked.rest, Endpoint(whole, key), dims, shorten=bool(wanted))


_HOW = "set OPENAI_API_KEY, or `holdfast config embedder_key env:NAME` or `file:PATH`."


def _key(asked: ProviderRequest) -> str | Missing:
    said = str(asked.settings["embedder_key"])
    place, _, rest = said.partition(":")
    if not said:
        # The vendor's key goes to the vendor's address: one of the user's own says itself which key it gets.
        found = "" if asked.settings["embedder_url"] else asked.environment.get("OPENAI_API_KEY", "")
    elif place == "env":
        found = asked.environment.get(rest, "")
    elif place == "file":
        with open(os.path.join(asked.home, os.path.expanduser(rest)), encoding="utf-8") as opened:
            found = opened.read()
    else:
        return Missing(reason="`embedder_key` says where the key is, it does not hold it", hint=_HOW)
    found = found.strip()
    if said and not found:
        return Missing(reason=f"embedder {asked.whole!r}: there is no key in {said!r}", hint=_HOW)
    if not (found.isascii() and found.isprintable()) or " " in found:
        return Missing(reason=f"embedder {asked.whole!r}: its key holds characters that no key has", hint=_HOW)
    return found


def _batches(texts: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    size = 0
    for text in texts:
        if found[-1] and (len(found[-1]) == TEXTS or size + len(text) > CHARACTERS):
            found.append([])
            size = 0
        found[-1].append(text)
        size += len(text)
    return found
