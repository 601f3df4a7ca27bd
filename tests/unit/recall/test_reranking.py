"""A reranker that does not come back: search goes on, and asks nobody while it is still at it."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_rerankers import install
from tests.index_values import entry
from tests.waiting import wait_for

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
        go.wait(180)
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


def app(seconds: float = 0.2) -> App:
    return build_app("", {"search.reranker": "slow", "search.reranker_seconds": str(seconds)})


def test_one_that_is_late_is_not_asked_again_until_it_is_back(slow: Any) -> None:
    first, second, third = app(), app(), app(60)

    assert rerank(first, "pool", HITS) == (HITS, None)
    assert rerank(second, "pool", HITS) == (HITS, None)
    slow.go.set()
    # As long as the first question is at it, nobody is asked.
    found: list[Any] = wait_for(lambda: [again for again in [rerank(third, "pool", HITS)] if again[1]], "it to be back")
    [(ordered, done)] = found

    assert "did not answer within 0.2 s" in first.notices[0]
    assert "an earlier question still waits" in second.notices[0]
    # Only the best are looked at, and those behind them stay.
    assert slow.asked == [TOP, TOP]
    assert done is not None
    assert [hit.entry for hit in ordered[:TOP]] == [hit.entry for hit in HITS[:TOP][::-1]]
    assert ordered[TOP:] == HITS[TOP:]
