"""Words are cut into the pieces that were learned first, and texts end where the model does."""

import json

import pytest

from holdfast.embed.byte_pairs import BytePairTokenizer, read_merges
from holdfast.embed.byte_pairs import _bytes_by_character as bytes_by_character

START, END = 1000, 1001
MERGES = ["l o", "lo w", "Ġ low", "e r", "low er"]


def _tokenizer(longest: int = 50) -> tuple[BytePairTokenizer, dict[str, int]]:
    pieces = [*bytes_by_character(), "lo", "low", "Ġlow", "er", "lower"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tables = read_merges(json.dumps({"model": {"vocab": vocabulary, "merges": MERGES}}))
    return BytePairTokenizer(tables, longest, start=START, end=END), vocabulary


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("low", ["low"]), ("lower", ["lower"]), ("low low", ["low", "Ġlow"]), ("lol", ["lo", "l"]), ("", []),
        ("12", ["1", "2"]), ("low,er", ["low", ",", "er"]),
    ],
)  # fmt: skip
def test_the_pair_that_was_learned_first_becomes_one(text: str, pieces: list[str]) -> None:
    tokenizer, vocabulary = _tokenizer()

    assert tokenizer.ids([text]) == [[START, *(vocabulary[piece] for piece in pieces), END]]


def test_every_byte_has_an_id() -> None:
    tokenizer, _ = _tokenizer()

    [found] = tokenizer.ids(["\x00é\ud800漢"])

    assert len(found) == 2 + 1 + 2 + 1 + 3


def test_a_long_text_is_cut_where_the_model_ends() -> None:
    tokenizer, _ = _tokenizer(longest=6)

    [found] = tokenizer.ids(["low " * 100])

    assert len(found) == 6
    assert (found[0], found[-1]) == (START, END)
