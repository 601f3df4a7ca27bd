"""Vectors from an endpoint, on loopback."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.embed.models import Handler, Server, good, saying, serving, settings, status, vectors
from tests.waiting import LONG, SOON

from holdfast.core.embedder import Embedder, Missing
from holdfast.core.errors import Unavailable
from holdfast.embed.endpoint import Endpoint, EndpointFailed, RetryPolicy
from holdfast.embed.open_embedder import open_embedder

KEY = "sk-secret-0123456789"


def opened(server: Server, home: str = "/", model: str = "some", **others: object) -> Embedder:
    wanted = settings(f"openai:{model}", **{"embedder_url": server.url, "embedder_key": "env:SOME_KEY", **others})
    found = open_embedder(wanted, home, {"SOME_KEY": KEY})
    assert not isinstance(found, Missing), found
    return found


def test_rows_come_in_the_order_of_the_texts() -> None:
    with serving(good) as server:
        rows = opened(server).embed(["a", "b"])

    wanted = [entry["embedding"] for entry in vectors(["a", "b"])["data"][::-1]]
    np.testing.assert_allclose(rows, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-6)


def test_opening_sends_nothing_and_the_first_answer_says_the_width() -> None:
    with serving(good) as server:
        embedder = opened(server)
        assert (embedder.dims, server.seen) == (0, [])

        embedder.embed(["a"])

        assert embedder.dims == 8


def test_the_request_is_what_the_format_says() -> None:
    with serving(good) as server:
        opened(server, embedder_dims=4).embed(["a"])

        path, headers, body = server.seen[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "some", "input": ["a"], "dimensions": 4}


def test_texts_go_in_batches_and_blank_ones_not_at_all() -> None:
    with serving(good) as server:
        rows = opened(server).embed(["", *(f"text {number}" for number in range(100)), " "])

        assert [len(body["input"]) for _, _, body in server.seen] == [64, 36]
    assert rows.shape == (102, 8)
    assert not rows[0].any()


def test_a_model_that_wants_its_questions_marked_gets_them_so() -> None:
    with serving(good) as server:
        opened(server, model="nomic-embed-text").embed(["a"], query=True)

        assert server.seen[0][2]["input"] == ["search_query: a"]


def test_a_busy_endpoint_is_asked_again() -> None:
    with serving(status(429, Retry_After="0"), status(503, Retry_After="0"), good) as server:
        rows = opened(server).embed(["a"])

        assert len(server.seen) == 3
    assert rows.shape == (1, 8)


def test_pauses_grow_until_patience_ends() -> None:
    pauses: list[float] = []
    with serving(status(500, "sorry")) as server:
        endpoint = Endpoint(f"{server.url}/embeddings", "", pauses.append)

        with pytest.raises(EndpointFailed, match="status 500"):
            endpoint.post({}, RetryPolicy(attempts=4))

    assert pauses == [0.5, 1.0, 2.0]


def test_a_no_is_not_asked_again() -> None:
    with serving(status(401, "wrong key")) as server:
        with pytest.raises(Unavailable, match="status 401"):
            opened(server).embed(["a"])

        assert len(server.seen) == 1


def silent(handler: Handler, body: dict[str, Any]) -> None:
    handler.server.over.wait(LONG)


def dripping(handler: Handler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b" ")


@pytest.mark.parametrize("stall", [silent, dripping])
def test_an_answer_that_does_not_end_is_given_up(stall: Any) -> None:
    with serving(stall) as server:
        endpoint = Endpoint(f"{server.url}/embeddings", "")
        started = time.monotonic()

        with pytest.raises(EndpointFailed):
            endpoint.post({}, RetryPolicy(attempts=1, seconds=0.2))

        assert time.monotonic() - started < SOON


def test_nobody_there_is_said() -> None:
    with serving(good) as server:
        embedder = opened(server)

    with pytest.raises(Unavailable, match="refused"):
        embedder.embed(["a"], query=True)


@pytest.mark.parametrize(
    "answer",
    [
        "<html>not json</html>",
        {"data": "nothing"},
        {"data": []},
        {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 7, "embedding": [1.0]}, {"index": 8, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}]},
        '{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}',
        {"error": {"message": "no such model"}},
        [],
        "null",
    ],
)
def test_rubbish_is_no_vector(answer: object) -> None:
    with serving(saying(answer)) as server, pytest.raises(Unavailable):
        opened(server).embed(["a", "b"])


def test_vectors_of_another_width_are_refused() -> None:
    with serving(good, saying(vectors(["b"], 9))) as server:
        embedder = opened(server)
        embedder.embed(["a"])

        with pytest.raises(Unavailable, match="9 numbers, not 8"):
            embedder.embed(["b"])


def test_a_text_that_is_too_long_for_it_is_cut_until_it_fits() -> None:
    def small(handler: Handler, body: dict[str, Any]) -> None:
        fits = all(len(text) <= 2000 for text in body["input"])
        good(handler, body) if fits else handler.say(400, b"maximum context length")

    with serving(small) as server:
        embedder = opened(server)

        long, short = embedder.embed(["x" * 50_000, "y"])

        np.testing.assert_allclose(long, embedder.embed(["x" * 1000])[0], atol=1e-6)
        np.testing.assert_allclose(short, embedder.embed(["y"])[0], atol=1e-6)


def test_the_key_is_in_no_message_and_no_name() -> None:
    with serving(status(401, f"Incorrect API key provided: {KEY}")) as server:
        embedder = opened(server)

        with pytest.raises(Unavailable) as raised:
            embedder.embed(["a"])

    shown = f"{raised.value!r} {raised.value} {raised.value.hint} {embedder.name} {embedder!r}"
    assert KEY not in shown


def test_the_key_does_not_follow_a_redirect() -> None:
    with serving(good) as other, serving(status(307, Location=f"{other.url}/embeddings")) as server:
        with pytest.raises(Unavailable, match="status 307"):
            opened(server).embed(["a"])

        assert other.seen == []


def test_a_key_may_lie_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n", encoding="utf-8")
    with serving(good) as server:
        opened(server, str(tmp_path), embedder_key="file:key").embed(["a"])

        assert server.seen[0][1]["Authorization"] == f"Bearer {KEY}"


def test_the_vendors_key_goes_to_the_vendors_address_only() -> None:
    environment = {"OPENAI_API_KEY": KEY}
    with serving(good, good) as server:
        for wanted, around in (
            (settings("openai:some", embedder_url=server.url), environment),
            (settings("openai:some"), environment | {"OPENAI_BASE_URL": server.url}),
        ):
            found = open_embedder(wanted, "/", around)
            assert not isinstance(found, Missing)
            found.embed(["a"])

        assert [headers.get("Authorization") for _, headers, _ in server.seen] == [None, f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({}, "no key for api.openai.com"),
        ({"embedder_key": KEY}, "does not hold it"),
        ({"embedder_key": "env:NOT_SET"}, "no key in 'env:NOT_SET'"),
        ({"embedder_key": "file:/nowhere/key"}, "FileNotFoundError"),
        ({"embedder_key": "env:TWO_LINES"}, "characters that no key has"),
        ({"embedder_url": "file:///etc/passwd"}, "none of http or https"),
        ({"embedder_url": "http://me:pass@127.0.0.1/v1"}, "name and password"),
    ],
)
def test_what_is_missing_turns_it_off(others: dict[str, object], said: str) -> None:
    found = open_embedder(settings("openai:some", **others), "/", {"TWO_LINES": "a\nb"})

    assert isinstance(found, Missing)
    assert said in found.reason
    assert KEY not in f"{found!r}"


def test_the_name_tells_endpoints_and_widths_apart() -> None:
    with serving(good) as server:
        host = server.url.split("/")[2]

        assert opened(server).name == f"openai:some@{host}"
        assert opened(server, embedder_dims=4).name == f"openai:some@{host}/4"


def test_openais_own_models_have_a_known_width() -> None:
    found = open_embedder(settings("openai:text-embedding-3-small"), "/", {"OPENAI_API_KEY": KEY})

    assert not isinstance(found, Missing)
    assert found.dims == 1536
