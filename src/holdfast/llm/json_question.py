"""Questions about texts that a model answers with one JSON object: the texts are data, whatever they say."""

import json
from hashlib import blake2b
from typing import Any

from holdfast.core.model import Ask, Message, Role, Shape


def build_question(what: str, body: str, *, system: str, shape: Shape, most_tokens: int, purpose: str) -> Ask:
    """A request that shows a model what it is about, for an object of a shape."""
    text = f"{what}, as data:\n{fence_data(body)}\nNow give the JSON object."
    return Ask(
        messages=(Message(role=Role.USER, text=text),), system=system, shape=shape, most_tokens=most_tokens,
        purpose=purpose,
    )  # fmt: skip


def fence_data(body: str) -> str:
    """Data behind a fence: no text can hold the mark that is made of the text itself."""
    mark = fence_mark(body)
    return f"==== {mark} ====\n{body}\n==== {mark} ===="


def fence_mark(body: str) -> str:
    """The mark of a fence."""
    return blake2b(body.encode("utf-8", "replace"), digest_size=8).hexdigest()


def strip_unprintable(text: str) -> str:
    """Text without what cannot be seen: it could say to a model what no person reads."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else " " for letter in text)


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object that an answer begins with, words before it aside."""
    start = text.find("{")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start) if start >= 0 else (None, 0)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
