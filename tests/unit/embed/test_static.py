"""The default embedder."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.unit.embed.models import settings
from tests.waiting import LONG
from tokenizers import Tokenizer

from holdfast.core.embedder import Missing, StaticEmbedder
from holdfast.embed import wordllama
from holdfast.embed.model_files import find_package_folder
from holdfast.embed.open_embedder import open_embedder, open_static
from holdfast.embed.wordllama_tokens import PieceTokenizer

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def default() -> StaticEmbedder:
    found = open_static()
    assert not isinstance(found, Missing)
    return found


@pytest.fixture(scope="module")
def pieces() -> PieceTokenizer:
    return PieceTokenizer(os.path.join(find_package_folder("wordllama"), wordllama.TOKENIZER))


def test_token_ids_are_those_of_the_library(pieces: PieceTokenizer) -> None:
    theirs = Tokenizer.from_file(os.path.join(find_package_folder("wordllama"), wordllama.TOKENIZER))
    texts = [line for path in sorted(ROOT.glob("docs/**/*.md")) for line in path.read_text("utf-8").splitlines()]
    texts += ["naïve Größe", "日本語のテキスト", "🎉🎉 \x00\x01", "tab\tand\r\nreturn", "ﬁ Å e\u0301", "a", "\u202eabc"]
    texts = [" ".join(text.split(" ")) for text in texts if "  " not in text and "<s>" not in text]
    chance = random.Random(7)
    texts += ["".join(chance.choices("aeinrstéж日", k=chance.randrange(1, 40))) for _ in range(300)]
    # The library looks at a text as one word: what is longer here is cut elsewhere.
    texts = [text for text in texts if text[:1] != " " and max(map(len, text.split(" "))) <= 48]

    assert len(texts) > 500
    for text in texts:
        assert pieces.ids(text) == theirs.encode(text, add_special_tokens=False).ids, text


def test_runs_of_spaces_count_as_one(pieces: PieceTokenizer) -> None:
    assert pieces.ids("  if   x:\n        y") == pieces.ids("if x:\n y")


def test_marks_of_the_model_are_text_in_a_text(pieces: PieceTokenizer) -> None:
    assert 2 not in pieces.ids("an old </s> tag")


def test_a_text_without_spaces_takes_no_longer_than_one_with_them(pieces: PieceTokenizer) -> None:
    started = time.process_time()

    pieces.ids("".join(chr(0x4E00 + place % 5000) for place in range(100_000)))

    assert time.process_time() - started < 5


def test_a_text_is_the_mean_of_its_tokens(default: StaticEmbedder) -> None:
    (ids,) = default.tokens(["the connection pool"])

    mean = default.mean(ids)

    np.testing.assert_allclose(default.embed(["the connection pool"])[0], mean / np.linalg.norm(mean), atol=1e-6)
    np.testing.assert_allclose(mean, np.mean([default.mean([one]) for one in ids], axis=0), atol=1e-6)


def test_weights_weigh(default: StaticEmbedder) -> None:
    (ids,) = default.tokens(["connection pool"])
    weights = np.array([3.0] + [0.0] * (len(ids) - 1), np.float32)

    np.testing.assert_allclose(default.mean(ids, weights), default.mean(ids[:1]), atol=1e-6)


def test_nothing_and_no_weight_give_zeros(default: StaticEmbedder) -> None:
    assert not default.mean([]).any()
    assert not default.mean([5, 6], np.zeros(2, np.float32)).any()


def test_words_have_vectors_of_their_own(default: StaticEmbedder) -> None:
    rows = default.words(["pool", "basin", "parser"])

    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    assert default.words([]).shape == (0, default.dims)


def test_a_word_has_the_direction_of_its_tokens(default: StaticEmbedder) -> None:
    words = ["pool", "", "pgbouncer", "Größe", "pool", "日本語"]

    means = [default.mean(ids) for ids in default.tokens(words)]

    expected = [mean / max(float(np.linalg.norm(mean)), 1e-12) for mean in means]
    np.testing.assert_allclose(default.words(words), expected, atol=1e-6)


def test_ids_are_within_the_vocabulary(default: StaticEmbedder) -> None:
    (ids,) = default.tokens(["Größe 日本語 🎉 plain"])

    assert max(ids) < default.vocabulary


def test_it_loads_neither_the_package_nor_what_it_depends_on() -> None:
    code = (
        "import sys\nfrom holdfast.embed.open_embedder import open_embedder\n"
        "assert 'numpy' not in sys.modules\n"
        "open_embedder({'embedder': 'static'}, '', {}).embed(['a'])\n"
        "print([name for name in ('wordllama', 'tokenizers', 'pydantic', 'requests', 'hashlib', 'urllib.request') "
        "if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG)

    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("absent", ["numpy", "wordllama"])
def test_without_a_package_there_is_a_notice_with_what_to_type(absent: str, tmp_path: Path) -> None:
    code = (
        f"import sys\nsys.modules[{absent!r}] = None\n"
        "from holdfast.embed.open_embedder import open_embedder\n"
        "found = open_embedder({'embedder': 'static'}, '', {})\nprint(found.reason)\nprint(found.hint)"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=LONG)

    reason, hint = done.stdout.splitlines()
    assert f"needs the package '{absent}'" in reason
    assert hint == f"{sys.executable} -m pip install wordllama"


def test_the_files_of_another_version_turn_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordllama, "find_package_folder", lambda package: str(tmp_path / package))

    found = open_embedder(settings("static"), "", {})

    assert isinstance(found, Missing)
    assert "could not be opened: FileNotFoundError" in found.reason
