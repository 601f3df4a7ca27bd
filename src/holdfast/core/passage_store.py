"""What every index has in common: its two collections, vectors, and what lanes need of a text."""

import re

from holdfast.core.memory import Memory
from holdfast.core.shelf import pack_numbers
from holdfast.core.value import Value

MEMORY, SAID = "memory", "said"
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")


class Vector(Value):
    """A passage's vector, one signed byte a number, and the static embedder's tokens in it."""

    row: int
    data: bytes
    tokens: tuple[int, ...] = ()


def read_words(said: str) -> tuple[str, bytes, float, int]:
    """The plain words of a text, each once, and their numbers; the share of its sentences that ask; all its words."""
    ends = _SENTENCE_END.findall(said)
    asks = sum("?" in end for end in ends) / len(ends) if ends else 0.0
    words = dict.fromkeys(_WORD.findall(said.lower()))
    return " ".join(words), pack_numbers(words), asks, len(said.split())


def embedded_words(memory: Memory) -> str:
    """What a memory says, as an embedder reads it."""
    parts = (memory.title, memory.question, memory.choice, memory.fact, memory.body, memory.root_cause)
    rejected = (f"{option.option} {option.reason}" for option in memory.rejected)
    return "\n".join(dict.fromkeys(part.strip() for part in (*parts, *rejected) if part.strip()))
