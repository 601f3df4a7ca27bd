"""A reranker that does not come back: search goes on, and asks nobody while it is still at it."""

import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_rerankers import install
from tests.index_values import entry

from holdfast.app import build_app
from holdfast.core.search import Hit
from holdfast.recall.rerank_hits import TOP, rerank
from holdfast.workspace import App

HITS = tuple(Hit(entry=entry(f"LRN-{number}"), score=1.0, lanes=()) for number in range(TOP + 5))
SLOW = """
import threading

asked, go = [], threading.Event()

class Slow:
    name = "slow@1"

    def scores(self, question, texts, seconds):
        asked.append(len(texts))
        go.wait(30)
        return [float(place) for place in range(len(texts))]

def make(asked):
    return Slow()
"""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    install(tmp_path, "slow", SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = import_module("slow_reranker")
    yield module
    module.go.set()
    sys.modules.pop("slow_reranker", None)


def app() -> App:
    return build_app("", {"search.reranker": "slow", "search.reranker_seconds": "0.2"})


def test_one_that_is_late_is_not_asked_again_until_it_is_back(slow: Any) -> None:
    first, second, third = app(), app(), app()

    assert rerank(first, "pool", HITS) == (HITS, None)
    assert rerank(second, "pool", HITS) == (HITS, None)
    slow.go.set()
    time.sleep(0.5)
    ordered, done = rerank(third, "pool", HITS)

    assert "did not answer within 0.2 s" in first.notices[0]
    assert "an earlier question still waits" in second.notices[0]
    # Only the best are looked at, and those behind them stay.
    assert slow.asked == [TOP, TOP]
    assert done is not None
    assert [hit.entry for hit in ordered[:TOP]] == [hit.entry for hit in HITS[:TOP][::-1]]
    assert ordered[TOP:] == HITS[TOP:]
