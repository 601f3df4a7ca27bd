"""What lanes need of a text, worked out once, when it is written."""

import re

from holdfast.ports.shelf import numbered

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")


def read(said: str) -> tuple[str, bytes, float, int]:
    """The plain words of a text, each once, and their numbers; the share of its sentences that ask; all its words."""
    ends = _SENTENCE_END.findall(said)
    asks = sum("?" in end for end in ends) / len(ends) if ends else 0.0
    words = dict.fromkeys(_WORD.findall(said.lower()))
    return " ".join(words), numbered(words), asks, len(said.split())
