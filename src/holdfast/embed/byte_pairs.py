"""Byte pair encoding of bytes (GPT-2, RoBERTa) in numbers alone: a cold process maps its tables and parses nothing."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.uint32]]

# A piece's id and the next one's make one key.
WIDE = 1 << 16
CHARACTERS = 16
# Letters, numbers and the rest apart, each with the blank before it, as GPT-2 cuts them.
_WORDS = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def read_merges(tokenizer: str) -> dict[str, Numbers]:
    """The tables of a `tokenizer.json`: the id of every byte, and of every pair its key, its rank and what it makes."""
    model = json.loads(tokenizer)["model"]
    vocabulary: Mapping[str, int] = model["vocab"]
    written = {byte: character for character, byte in _bytes_by_character().items()}
    rows = []
    for rank, merge in enumerate(model["merges"]):
        one, other = merge.split(" ") if isinstance(merge, str) else merge
        rows.append((vocabulary[one] * WIDE + vocabulary[other], rank, vocabulary[one + other]))
    keys, ranks, made = np.array(sorted(rows), np.uint32).T
    return {
        "bytes": np.array([vocabulary[written[byte]] for byte in range(256)], np.uint32),
        "keys": np.ascontiguousarray(keys),
        "ranks": np.ascontiguousarray(ranks),
        "made": np.ascontiguousarray(made),
    }


class BytePairTokenizer:
    """Cuts texts into ids, between the marks for start and end, and no longer than a model can hold."""

    def __init__(self, tables: Mapping[str, Numbers], longest: int, *, start: int, end: int) -> None:
        self._bytes = tables["bytes"].tolist()
        self._keys, self._ranks, self._made = tables["keys"], tables["ranks"], tables["made"]
        self._longest, self._start, self._end = longest, start, end
        self._word = lru_cache(maxsize=65_536)(self._cut)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text. What lies far behind the cut is not looked at."""
        return [[self._start, *self._inner(text[: self._longest * CHARACTERS]), self._end] for text in texts]

    def _inner(self, text: str) -> list[int]:
        found: list[int] = []
        for word in _WORDS.findall(text):
            found += self._word(word)
            if len(found) > self._longest:
                break
        return found[: self._longest - 2]

    def _cut(self, word: str) -> tuple[int, ...]:
        """A word's pieces: the pair that was learned first becomes one, again and again."""
        ids = [self._bytes[byte] for byte in word.encode("utf-8", "replace")]
        while len(ids) > 1:
            keys = np.array([one * WIDE + other for one, other in pairwise(ids)], np.uint32)
            places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            known = self._keys[places] == keys
            if not known.any():
                break
            at = places[np.argmin(np.where(known, self._ranks[places], np.uint32(0xFFFFFFFF)))]
            one, other = divmod(int(self._keys[at]), WIDE)
            ids = _merged(ids, one, other, int(self._made[at]))
        return tuple(ids)


def _merged(ids: Sequence[int], one: int, other: int, made: int) -> list[int]:
    found: list[int] = []
    for piece in ids:
        if piece == other and found and found[-1] == one:
            found[-1] = made
        else:
            found.append(piece)
    return found


def _bytes_by_character() -> dict[str, int]:
    """GPT-2's letters for bytes: those that can be seen stand for themselves, the others for letters from 256 on."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + at): byte for at, byte in enumerate(others)}
