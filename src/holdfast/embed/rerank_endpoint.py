"""Any endpoint that speaks the `/rerank` of Cohere and Jina: vLLM, llama.cpp, LiteLLM, Infinity, those two, …"""

import math
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from holdfast.core.errors import Unavailable
from holdfast.core.reranker import NoReranker, Reranker
from holdfast.embed.embedder_request import ProviderRequest
from holdfast.embed.endpoint import Endpoint, EndpointFailed, RetryPolicy
from holdfast.redact.clean import clean
from holdfast.system.http_proxies import is_loopback

URL, KEY = "search.reranker_url", "search.reranker_key"
LONGEST_QUESTION, LONGEST_TEXT = 2_000, 4_000
HOW = f"`holdfast config {KEY} env:NAME` or `file:PATH` says where it is."


class NoRerankScores(Unavailable):
    """The endpoint gave no scores."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(
            f"The reranking endpoint at {host!r} gave no order: {why}.",
            "see that it runs, has the model and takes the key; `holdfast config search.reranker none` does without.",
        )


class RerankEndpoint:
    """One model behind an endpoint."""

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        self._model, self._endpoint = model, endpoint
        self.name = f"endpoint:{model}@{endpoint.host}"

    def scores(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """The endpoint's scores, in one request and within the time; all of them or none."""
        if not texts:
            return ()
        # What leaves this machine is redacted once more.
        sent = [str(clean(_drop_surrogates(text[:LONGEST_TEXT])).value) for text in texts]
        asked = str(clean(_drop_surrogates(question[:LONGEST_QUESTION])).value)
        body = {"model": self._model, "query": asked, "documents": sent, "top_n": len(sent)}
        try:
            answer = self._endpoint.post(body, RetryPolicy(attempts=1, seconds=seconds))
        except EndpointFailed as error:
            raise NoRerankScores(self._endpoint.host, error.why) from None
        return self._read(answer, len(sent))

    def _read(self, answer: Any, count: int) -> list[float]:
        try:
            found = {int(each["index"]): float(each["relevance_score"]) for each in answer["results"]}
            scores = [found[place] for place in range(count)]
        except (TypeError, KeyError, ValueError, OverflowError):
            raise NoRerankScores(self._endpoint.host, "its answer is no list of scores for what was sent") from None
        if len(found) != count or not all(map(math.isfinite, scores)):
            raise NoRerankScores(self._endpoint.host, "its scores do not fit what was sent")
        return scores


def _drop_surrogates(text: str) -> str:
    """The text without halves of surrogate pairs, which no endpoint takes."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def make(asked: ProviderRequest) -> Reranker | NoReranker:
    """The model at the address and with the key the user gave. Nothing is sent yet."""
    url = str(asked.settings[URL]).strip()
    parts = urlsplit(url)
    if not parts.hostname or parts.username or parts.scheme not in {"http", "https"}:
        return NoReranker(
            reason=f"reranker {asked.whole!r}: there is no address of http or https in `{URL}`",
            hint=f"`holdfast config {URL} http://127.0.0.1:8000/v1`.",
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        return NoReranker(
            reason=f"reranker {asked.whole!r}: plain http goes to this machine only, not to {parts.hostname!r}",
            hint="use https, or a tunnel.",
        )
    key = _key(asked)
    if isinstance(key, NoReranker):
        return key
    whole = url if parts.path.endswith("/rerank") else f"{url.rstrip('/')}/rerank"
    return RerankEndpoint(asked.rest, Endpoint(whole, key))


def _key(asked: ProviderRequest) -> str | NoReranker:
    said = str(asked.settings[KEY])
    place, _, rest = said.partition(":")
    if not said:
        return ""
    if place == "env":
        found = asked.environment.get(rest, "")
    else:
        with open(os.path.join(asked.home, os.path.expanduser(rest)), encoding="utf-8") as opened:
            found = opened.read()
    found = found.strip()
    if not found or not (found.isascii() and found.isprintable()) or " " in found:
        return NoReranker(reason=f"reranker {asked.whole!r}: there is no usable key in {said!r}", hint=HOW)
    return found
