"""What every reranker promises."""

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.embed.models import ordering, serving, write_cross_encoder, write_tokenizer

from holdfast.core.reranker import NoReranker, Reranker
from holdfast.embed.open_reranker import KINDS, open_reranker

PLUGIN = """
from tests.unit.embed.models import overlapping


class Shared:
    name = "shared@1"

    def scores(self, question, texts, seconds):
        return [overlapping(question, text) for text in texts]


def make(asked):
    return Shared()
"""
QUESTION = "which connection pool"
TEXTS = (
    "The connection pool ran dry under load",
    "def get_user_by_id(user_id): return users[user_id]",
    "Größe, naïve, 東京の天気, שלום, 🧑‍🚀",
    "a",
)
ODD = ("\ud800 half a pair", "nul \x00 inside", "\u202eturned\u202c", "", " ", "🏳️‍🌈" * 50, "\x7f\x01", "word " * 30_000)
CHOICES = ("endpoint", "folder", "plugin")


def settings(reranker: str, url: str = "", key: str = "") -> dict[str, object]:
    return {"search.reranker": reranker, "search.reranker_url": url, "search.reranker_key": key}


def install(folder: Path, name: str, code: str) -> None:
    """A package with a reranker, as pip would have put it there."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[holdfast.rerankers]\n{name} = {name}_reranker:make\n")
    (folder / f"{name}_reranker.py").write_text(code)


@pytest.fixture(params=CHOICES)
def reranker(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reranker]:
    if request.param == "endpoint":
        with serving(ordering) as server:
            yield opened(settings("endpoint:some", server.url), tmp_path)
        return
    if request.param == "folder":
        write_tokenizer(tmp_path)
        write_cross_encoder(tmp_path / "model.onnx")
        yield opened(settings(f"folder:{tmp_path}"), tmp_path)
        return
    install(tmp_path, "shared", PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield opened(settings("shared"), tmp_path)
    sys.modules.pop("shared_reranker", None)


def opened(wanted: dict[str, object], home: Path) -> Reranker:
    found = open_reranker(wanted, str(home), {})
    if isinstance(found, NoReranker):
        assert "needs the package" in found.reason, found
        pytest.skip(found.reason)
    return found


def test_every_kind_is_tried_here() -> None:
    assert set(KINDS) < set(CHOICES)


def test_every_text_has_a_score(reranker: Reranker) -> None:
    scores = reranker.scores(QUESTION, TEXTS, 5)

    assert len(scores) == len(TEXTS)
    assert all(math.isfinite(score) for score in scores)


def test_the_same_texts_give_the_same_scores_in_any_order(reranker: Reranker) -> None:
    scores = list(reranker.scores(QUESTION, TEXTS, 5))

    assert list(reranker.scores(QUESTION, TEXTS[::-1], 5))[::-1] == pytest.approx(scores)
    assert [reranker.scores(QUESTION, [text], 5)[0] for text in TEXTS] == pytest.approx(scores)


def test_texts_differ(reranker: Reranker) -> None:
    assert len(set(reranker.scores(QUESTION, TEXTS, 5))) > 1


def test_no_texts_give_no_scores(reranker: Reranker) -> None:
    assert list(reranker.scores(QUESTION, [], 5)) == []


def test_odd_and_very_long_texts_are_taken(reranker: Reranker) -> None:
    scores = reranker.scores("\ud800 which \x00 pool " * 2_000, ODD, 20)

    assert len(scores) == len(ODD)
    assert all(math.isfinite(score) for score in scores)


def test_the_name_says_which_version(reranker: Reranker) -> None:
    assert "@" in reranker.name


def test_the_time_is_kept(reranker: Reranker) -> None:
    begun = time.process_time()
    scores = reranker.scores(QUESTION, ["pool " * 200] * 20, 1)

    assert time.process_time() - begun < 5
    assert 1 <= len(scores) <= 20
