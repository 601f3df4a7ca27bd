"""A reranker, as a person sets it: the order it gives, and what is said when it gives none."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_rerankers import install
from tests.unit.embed.models import Handler, Server, ordering, saying, serving, status
from tests.waiting import LONG, SOON

from holdfast import PersistentMemory

NAMED = {
    "pool": "Connection pool size is ten",
    "cache": "The cache is a pool of answers",
    "tests": "Pool tests are slow",
}
BACKWARDS = """
class Backwards:
    name = "backwards@1"

    def scores(self, question, texts, seconds):
        return {}

def make(asked):
    return Backwards()
"""


@pytest.fixture
def ids(holdfast: Any, folder: Path) -> dict[str, str]:
    memory = PersistentMemory.load(folder)
    return {name: memory.add_learning(words).id for name, words in NAMED.items()}


def env(server: Server) -> dict[str, str]:
    return {"HOLDFAST_SEARCH_RERANKER": "endpoint:m", "HOLDFAST_SEARCH_RERANKER_URL": server.url}


def preferring(words: str) -> Any:
    """An endpoint that likes texts with these words best."""

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        listed = [{"index": at, "relevance_score": float(words in text)} for at, text in enumerate(body["documents"])]
        handler.say(200, json.dumps({"results": listed}).encode())

    return answer


def found(holdfast: Any, *more: str, **given: str) -> Any:
    return holdfast("search", "pool", *more, "--json", env=given)


def test_the_reranker_decides_the_order_and_search_says_so(holdfast: Any, ids: dict[str, str]) -> None:
    before = [hit["id"] for hit in found(holdfast).json["hits"]]
    last = next(name for name, known in ids.items() if known == before[-1])
    with serving(preferring(NAMED[last])) as server:
        after = found(holdfast, **env(server)).json["hits"]
        told = holdfast("search", "pool", "--explain", env=env(server)).out

    assert [hit["id"] for hit in after] == [before[-1], *before[:-1]]
    assert after[0]["lanes"]["rerank"] == {
        "rank": 1, "score": 1.0, "why": f"rank 3 before, by endpoint:m@{server.url.split('/')[2]}"
    }  # fmt: skip
    assert "rerank: rank 1, score 1.000; rank 3 before, by endpoint:m@" in told
    assert [hit["score"] for hit in after] == sorted((hit["score"] for hit in after), reverse=True)


def test_inspect_shows_ranks_before_and_after(holdfast: Any, ids: dict[str, str]) -> None:
    before = [hit["id"] for hit in found(holdfast).json["hits"]]
    last = next(name for name, known in ids.items() if known == before[-1])
    with serving(preferring(NAMED[last])) as server:
        form = holdfast("search", "--explain", "pool", "--json", env=env(server)).json
        shown = holdfast("search", "--explain", "pool", env=env(server)).out

    assert form["reranked"]["looked_at"] == 3
    first = form["reranked"]["hits"][0]
    assert (first["id"], first["before"], first["after"]) == (before[-1], 3, 1)
    assert f"{before[-1]}: rank 3 → 1, score 1.000" in shown
    assert holdfast("search", "--explain", "pool", "--json").json["reranked"] is None


def test_it_looks_deeper_than_what_is_shown(holdfast: Any, ids: dict[str, str]) -> None:
    before = [hit["id"] for hit in found(holdfast).json["hits"]]
    last = next(name for name, known in ids.items() if known == before[-1])
    with serving(preferring(NAMED[last])) as server:
        after = found(holdfast, "--limit", "1", **env(server)).json["hits"]

    assert [hit["id"] for hit in after] == [before[-1]]
    assert len(server.seen[0][2]["documents"]) == 3


@pytest.mark.parametrize("answer", [status(500, "broken"), saying("no json"), saying({"results": []})])
def test_a_reranker_that_fails_leaves_the_order_and_a_note(holdfast: Any, ids: dict[str, str], answer: Any) -> None:
    before = found(holdfast).json["hits"]
    with serving(answer) as server:
        done = found(holdfast, **env(server))

    assert done.status == 0
    assert done.json["hits"] == before
    assert "Hits are not reranked by endpoint:m@" in done.err


def test_a_slow_one_is_not_waited_for(holdfast: Any, ids: dict[str, str]) -> None:
    def slow(handler: Handler, _: dict[str, Any]) -> None:
        handler.server.over.wait(LONG)
        handler.say(200, b"{}")

    begun = time.monotonic()
    with serving(slow) as server:
        done = found(holdfast, **env(server), HOLDFAST_SEARCH_RERANKER_SECONDS="0.3")
        took = time.monotonic() - begun

    assert len(done.json["hits"]) == 3
    assert "not reranked" in done.err
    assert took < SOON


@pytest.mark.parametrize("wanted", ["nobody", "endpoint:m", "folder:/nowhere", "endpoint", "folder"])
def test_one_that_is_not_there_is_a_note_that_says_what_to_type(
    holdfast: Any, ids: dict[str, str], wanted: str
) -> None:
    done = found(holdfast, HOLDFAST_SEARCH_RERANKER=wanted)

    assert (done.status, len(done.json["hits"])) == (0, 3)
    assert "Hits are not reranked" in done.err


def test_a_package_of_somebody_else_takes_part(holdfast: Any, ids: dict[str, str], tmp_path: Path) -> None:
    code = BACKWARDS.replace("return {}", "return [float(place) for place in range(len(texts))]")
    install(tmp_path, "backwards", code)
    before = [hit["id"] for hit in found(holdfast).json["hits"]]

    done = found(holdfast, HOLDFAST_SEARCH_RERANKER="backwards", PYTHONPATH=str(tmp_path))

    assert [hit["id"] for hit in done.json["hits"]] == before[::-1]
    assert done.json["hits"][0]["lanes"]["rerank"]["why"] == "rank 3 before, by backwards@1"


@pytest.mark.parametrize(
    "does",
    ["return {}", "return ['much'] * len(texts)", "return [float('nan')] * 3", "return [1.0] * 99", "return None",
     "raise KeyError('x')", "return 'abc'", "import time; time.sleep(60)"],
)  # fmt: skip
def test_a_package_that_misbehaves_leaves_the_order(
    holdfast: Any, ids: dict[str, str], tmp_path: Path, does: str
) -> None:
    install(tmp_path, "backwards", BACKWARDS.replace("return {}", does))
    before = found(holdfast).json["hits"]

    given = {"HOLDFAST_SEARCH_RERANKER": "backwards", "HOLDFAST_SEARCH_RERANKER_SECONDS": "0.5"}
    done = found(holdfast, **given, PYTHONPATH=str(tmp_path))

    assert (done.status, done.json["hits"]) == (0, before)
    assert "not reranked by backwards@1" in done.err


def test_no_repository_can_name_one(holdfast: Any, ids: dict[str, str], folder: Path) -> None:
    names = '[search]\nreranker = "endpoint:m"\nreranker_url = "https://evil.example"\n'
    (folder / ".holdfast/config.toml").write_text(names)

    assert found(holdfast).err.count("may not set it") == 2


def test_accepting_a_candidate_asks_no_reranker(holdfast: Any, ids: dict[str, str]) -> None:
    with serving(ordering) as server:
        proposed = holdfast("propose", "learning", "Pool of cars", "--json", env=env(server))
        assert proposed.status == 0, proposed.err
        assert server.seen == []
