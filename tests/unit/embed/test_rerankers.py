"""Which reranker a setting names, what is said when there is none, and endpoints that answer badly."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_rerankers import install, opened, settings
from tests.unit.embed.models import Handler, ordering, saying, serving, status, write_cross_encoder, write_tokenizer
from tests.waiting import LONG, SOON

from holdfast.config.settings import SETTINGS
from holdfast.core.errors import Unavailable
from holdfast.core.reranker import NoReranker, Reranker
from holdfast.embed.open_reranker import open_reranker
from holdfast.embed.rerank_endpoint import NoRerankScores

KEY = "sk-rerank-0123456789"


def missing(wanted: str, home: Path | str = "/", **more: str) -> NoReranker:
    found = open_reranker(settings(wanted, **more), str(home), {})
    assert isinstance(found, NoReranker)
    return found


def at(url: str, key: str = "", **environment: str) -> Reranker:
    found = open_reranker(settings("endpoint:m", url, key), "/", environment)
    assert not isinstance(found, NoReranker), found
    return found


@pytest.mark.parametrize("wanted", ["none", "", " "])
def test_none_is_no_notice(wanted: str) -> None:
    assert not missing(wanted).wanted


def test_a_name_nobody_knows_lists_those_that_are() -> None:
    found = missing("cohere:v3")

    assert found.wanted
    assert "'cohere:v3'" in found.reason
    assert "endpoint:MODEL" in found.hint


@pytest.mark.parametrize(("wanted", "form"), [("endpoint", "endpoint:MODEL"), ("folder:", "folder:PATH")])
def test_a_misspelt_one_says_its_form(wanted: str, form: str) -> None:
    assert form in missing(wanted).hint


@pytest.mark.parametrize(
    "url", ["", "ftp://127.0.0.1/v1", "http://name:pass@127.0.0.1/v1", "https://", "http://example.invalid/v1"]
)
def test_an_address_that_is_none_or_speaks_openly_over_the_net_is_refused(url: str) -> None:
    assert missing("endpoint:m", url=url).wanted


@pytest.mark.parametrize("key", ["env:NOT_SET", "file:/nowhere/at/all"])
def test_a_key_that_is_not_there_is_told(key: str) -> None:
    assert missing("endpoint:m", url="http://127.0.0.1:9/v1", key=key).wanted


def test_a_folder_without_a_network_says_what_writes_one(tmp_path: Path) -> None:
    assert "optimum-cli" in missing("folder:here", tmp_path).hint


def test_a_package_that_fails_to_load_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "broken", "raise RuntimeError('not today')\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert "not today" in missing("broken:x").reason


def test_no_repository_may_name_a_reranker_an_address_or_a_key() -> None:
    assert [key for key in SETTINGS if key.startswith("search.reranker") and SETTINGS[key].harmless] == []


def test_the_endpoint_gets_the_question_the_texts_and_the_key() -> None:
    with serving(ordering) as server:
        scores = at(server.url, "env:RERANK", RERANK=KEY).scores("cold bucket", ["warm", "cold bucket"], 2)

    [(path, headers, body)] = server.seen
    assert (path, headers["Authorization"]) == ("/v1/rerank", f"Bearer {KEY}")
    assert body == {"model": "m", "query": "cold bucket", "documents": ["warm", "cold bucket"], "top_n": 2}
    assert list(scores) == [0.0, 1.0]


def test_an_address_that_ends_in_rerank_is_taken_as_it_is() -> None:
    with serving(ordering) as server:
        at(f"{server.url.removesuffix('/v1')}/v2/rerank").scores("x", ["x"], 2)

    assert server.seen[0][0] == "/v2/rerank"


def test_a_secret_is_not_sent() -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 12
    with serving(ordering) as server:
        at(server.url).scores(f"what is {secret}", [f"the key is {secret}"], 2)

    assert secret not in json.dumps(server.seen[0][2])


@pytest.mark.parametrize(
    "answer",
    [
        "no json",
        "[]",
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 1}]},
        {"results": [{"index": 0, "relevance_score": 1}, {"index": 5, "relevance_score": 1}]},
        {"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": "much"}]},
        '{"results": [{"index": 0, "relevance_score": NaN}, {"index": 1, "relevance_score": 1}]}',
        '{"results": [{"index": 0, "relevance_score": 1e999}, {"index": 1, "relevance_score": 1}]}',
        {"results": {"index": 0}},
        {"results": [{"index": place, "relevance_score": 1} for place in range(9)]},
    ],
)
def test_an_answer_that_does_not_fit_is_refused(answer: Any) -> None:
    with serving(saying(answer)) as server, pytest.raises(NoRerankScores, match="gave no order"):
        at(server.url).scores("x", ["a", "b"], 2)


@pytest.mark.parametrize("code", [301, 401, 404, 429, 500])
def test_a_refusal_is_told_once_and_without_the_key(code: int) -> None:
    with (
        serving(status(code, f"no, {KEY}", Location="http://127.0.0.1:9/")) as server,
        pytest.raises(NoRerankScores) as told,
    ):
        at(server.url, "env:RERANK", RERANK=KEY).scores("x", ["a"], 2)

    assert len(server.seen) == 1
    assert KEY not in str(told.value)
    assert "search.reranker none" in told.value.hint


def test_a_slow_endpoint_is_given_up_in_time() -> None:
    def slow(handler: Handler, _: dict[str, Any]) -> None:
        handler.server.over.wait(LONG)
        handler.say(200, b"{}")

    begun = time.monotonic()
    with serving(slow) as server, pytest.raises(Unavailable):
        at(server.url).scores("x", ["a"], 0.2)
    assert time.monotonic() - begun < SOON


def test_of_two_numbers_the_second_speaks_for_the_text(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_cross_encoder(tmp_path / "onnx" / "model.onnx", width=2)
    found = opened(settings(f"folder:{tmp_path}"), tmp_path)

    # Both are the same here, so neither side wins.
    assert list(found.scores("x", ["a", "b"], 2)) == [0.0, 0.0]


def test_a_network_that_scores_no_pairs_is_told(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_cross_encoder(tmp_path / "model.onnx", width=3)
    found = opened(settings(f"folder:{tmp_path}"), tmp_path)

    with pytest.raises(Unavailable, match="3 numbers"):
        found.scores("x", ["a"], 2)


def test_a_network_with_other_inputs_and_junk_are_no_error(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="not there for every machine")
    write_tokenizer(tmp_path)
    write_cross_encoder(tmp_path / "model.onnx", inputs=("pixels",))
    assert "pixels" in missing(f"folder:{tmp_path}").reason

    (tmp_path / "model.onnx").write_bytes(b"junk")
    assert "could not be opened" in missing(f"folder:{tmp_path}").reason


def test_what_does_not_fit_in_time_is_left_out(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_cross_encoder(tmp_path / "model.onnx")
    found = opened(settings(f"folder:{tmp_path}"), tmp_path)

    assert len(found.scores("x", ["a"] * 50, 0.0)) == 1


def test_a_network_is_read_once_until_its_file_changes(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_cross_encoder(tmp_path / "model.onnx")
    first, again = (opened(settings(f"folder:{tmp_path}"), tmp_path) for _ in range(2))
    write_cross_encoder(tmp_path / "model.onnx", width=2)
    changed = opened(settings(f"folder:{tmp_path}"), tmp_path)

    assert first is again
    assert changed.name != first.name


def test_the_port_and_the_opening_load_no_numpy() -> None:
    given = settings("endpoint:m", "http://127.0.0.1:9")
    code = (
        "import sys, holdfast.core.reranker, holdfast.embed.open_reranker as rerankers; "
        f"rerankers.open_reranker({given!r}, '', {{}}); print('numpy' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG)

    assert done.stdout.strip() == "False", done.stderr
