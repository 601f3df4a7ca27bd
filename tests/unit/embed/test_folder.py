"""Models in folders of the user's own."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.unit.embed.models import bert_weights, settings, write_bert, write_onnx, write_tokenizer

from holdfast.core.embedder import Embedder, Missing
from holdfast.embed.granite import load_pack
from holdfast.embed.open_embedder import open_embedder
from holdfast.embed.tokenizers import TransformerTokenizer

pytest.importorskip("onnxruntime", reason="extra `onnx`")
Rows = npt.NDArray[np.float32]


def found(folder: Path, home: str = "/") -> Embedder | Missing:
    return open_embedder(settings(f"folder:{folder}"), home, {})


def embedder(folder: Path, home: str = "/") -> Embedder:
    made = found(folder, home)
    assert not isinstance(made, Missing), made
    return made


def reason(folder: Path) -> str:
    made = found(folder)
    assert isinstance(made, Missing)
    return made.reason


def write(folder: Path, name: str, value: object) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(value), encoding="utf-8")


def table(folder: Path, text: str) -> Rows:
    """What the small network gives for each token."""
    ids = TransformerTokenizer((folder / "tokenizer.json").read_text("utf-8"), 512).ids([text])[0]
    return np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)[ids]


def unit(row: Rows) -> Rows:
    return np.asarray(row / np.linalg.norm(row), np.float32)


@pytest.mark.parametrize(
    ("config", "pool"),
    [
        ({"pooling_mode_cls_token": True}, lambda rows: rows[0]),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, lambda rows: rows.mean(0)),
        ({"pooling_mode": "max"}, lambda rows: rows.max(0)),
        ({"pooling_mode": "lasttoken"}, lambda rows: rows[-1]),
        ({}, lambda rows: rows.mean(0)),
    ],
)
def test_tokens_are_pooled_as_the_folder_says(
    config: dict[str, object], pool: Callable[[Rows], Rows], tmp_path: Path
) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "model.onnx")
    write(tmp_path, "1_Pooling/config.json", config)

    row = embedder(tmp_path).embed(["some words"])[0]

    np.testing.assert_allclose(row, unit(pool(table(tmp_path, "some words"))), atol=1e-5)


def test_questions_are_marked_as_the_folder_says(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "onnx/model.onnx")
    write(tmp_path, "config_sentence_transformers.json", {"prompts": {"query": "ask: ", "document": "doc: "}})

    made = embedder(tmp_path)

    np.testing.assert_allclose(made.embed(["x"], query=True)[0], unit(table(tmp_path, "ask: x").mean(0)), atol=1e-5)
    np.testing.assert_allclose(made.embed(["x"])[0], unit(table(tmp_path, "doc: x").mean(0)), atol=1e-5)


def test_one_file_of_several_may_be_named(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "onnx/model_qint8.onnx")

    assert embedder(tmp_path / "onnx/model_qint8.onnx").name == embedder(tmp_path).name


def test_a_relative_path_counts_from_home(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "model.onnx")

    assert embedder(Path(tmp_path.name), home=str(tmp_path.parent)).dims == 8


def test_a_folder_may_be_called_what_it_likes(tmp_path: Path) -> None:
    folder = tmp_path / "a [b] *c"
    folder.mkdir()
    write_tokenizer(folder)
    write_onnx(folder / "onnx/model_int8.onnx")

    assert embedder(folder).name.startswith("folder:a [b] *c@")


def test_another_file_is_another_name(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "model.onnx")
    before = embedder(tmp_path).name

    write(tmp_path, "1_Pooling/config.json", {"pooling_mode": "cls"})

    assert embedder(tmp_path).name != before


def test_a_text_is_cut_where_the_model_ends(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "model.onnx")
    write(tmp_path, "sentence_bert_config.json", {"max_seq_length": 5})

    made = embedder(tmp_path)

    np.testing.assert_array_equal(made.embed(["abcdefgh"]), made.embed(["abcdxyz"]))


def test_what_cannot_be_used_is_said(tmp_path: Path) -> None:
    assert "there is no" in reason(tmp_path / "nowhere")
    assert "has no tokenizer.json" in reason(tmp_path)
    write_tokenizer(tmp_path)
    assert "has no ONNX file" in reason(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a network")
    assert "could not be opened" in reason(tmp_path)
    write_onnx(tmp_path / "model.onnx", inputs=("pixel_values",))
    assert "'pixel_values'" in reason(tmp_path)
    write_onnx(tmp_path / "model.onnx")
    write(tmp_path, "modules.json", [{"type": "sentence_transformers.models.Dense"}])
    assert "Dense" in reason(tmp_path)


def test_a_network_that_pools_itself_needs_no_pooling(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_onnx(tmp_path / "model.onnx", output="sentence_embedding")
    write(tmp_path, "modules.json", [{"type": "sentence_transformers.models.Dense"}])

    assert embedder(tmp_path).dims == 8


def test_weights_of_the_bert_family_run_without_a_runtime(tmp_path: Path) -> None:
    write_bert(tmp_path)
    ids = TransformerTokenizer((tmp_path / "tokenizer.json").read_text("utf-8"), 64).ids(["some words"])[0]

    row = embedder(tmp_path).embed(["some words"])[0]

    np.testing.assert_allclose(row, unit(by_the_book(ids).mean(0)), atol=1e-4)


def test_another_family_is_not_guessed_at(tmp_path: Path) -> None:
    write_bert(tmp_path, model_type="mpnet")

    assert "no plain network of the BERT family" in reason(tmp_path)


def test_a_damaged_file_turns_it_off(tmp_path: Path) -> None:
    write_bert(tmp_path)
    held = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(held[: len(held) // 2])

    assert "could not be opened" in reason(tmp_path)


def test_a_pack_of_another_format_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pack").write_bytes(b"something else altogether")

    with pytest.raises(ValueError, match="HMSEMB01"):
        load_pack(str(tmp_path / "pack"))


def test_granite_gives_what_its_network_gives_in_a_runtime(tmp_path: Path) -> None:
    made = open_embedder(settings("granite"), str(tmp_path), {})
    if isinstance(made, Missing):
        pytest.skip(made.reason)

    row = made.embed(["which toolkit for the terminal ui"], query=True)[0]

    # By onnxruntime, from the same pack.
    np.testing.assert_allclose(row[:4], [-0.00839996, 0.01251396, -0.0062954, -0.01747154], atol=2e-6)


def by_the_book(ids: list[int]) -> Rows:
    """BERT, head by head and number by number."""
    weights = bert_weights()

    def linear(value: Rows, name: str) -> Rows:
        return np.asarray(value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])

    def normal(value: Rows, name: str) -> Rows:
        spread = np.sqrt(value.var(-1, keepdims=True) + 1e-12)
        scaled = (value - value.mean(-1, keepdims=True)) / spread
        return np.asarray(scaled * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"])

    words, places, kinds = (
        weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
    )
    state = normal(words[ids] + places[: len(ids)] + kinds[0], "embeddings")
    gelu = np.vectorize(lambda number: number * 0.5 * (1 + math.erf(number / math.sqrt(2))))
    for layer in range(2):
        name = f"encoder.layer.{layer}"
        query, key, value = (linear(state, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        heard = []
        for head in (slice(0, 4), slice(4, 8)):
            share = np.exp(query[:, head] @ key[:, head].T / 2)
            heard.append(share / share.sum(-1, keepdims=True) @ value[:, head])
        told = linear(np.concatenate(heard, axis=1), f"{name}.attention.output.dense")
        state = normal(told + state, f"{name}.attention.output")
        wide = gelu(linear(state, f"{name}.intermediate.dense"))
        state = normal(linear(wide, f"{name}.output.dense") + state, f"{name}.output")
    return state
