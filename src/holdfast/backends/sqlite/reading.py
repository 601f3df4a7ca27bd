"""What lanes need of a text, worked out once, when it is written."""

import re
from array import array
from collections.abc import Iterable
from zlib import crc32

UNSIGNED = "I"
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")


def numbered(terms: Iterable[str]) -> bytes:
    """Terms as numbers of four bytes. Hardly ever have two terms the same; then one is counted for the other."""
    return array(UNSIGNED, map(number, terms)).tobytes()


def number(term: str) -> int:
    """A term as a number."""
    return crc32(term.encode("utf-8", "replace"))


def read(said: str) -> tuple[str, float, int]:
    """The plain words of a text, each once; the share of its sentences that ask; how many words it has."""
    ends = _SENTENCE_END.findall(said)
    asks = sum("?" in end for end in ends) / len(ends) if ends else 0.0
    return " ".join(dict.fromkeys(_WORD.findall(said.lower()))), asks, len(said.split())
