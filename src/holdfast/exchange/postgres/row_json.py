"""JSON out of rows that anybody of the team may have written at a prompt: an object of ours, or nothing."""

import json
from math import isfinite
from typing import Any

# What is captured is at most 128 deep, in an event of a few more.
DEEPEST = 160


def read_object(text: str) -> dict[str, Any]:
    """The object that a text holds; empty for what no writer of ours wrote: no JSON, no object, deep beyond use."""
    try:
        held = json.loads(text, parse_constant=_parse_finite, parse_float=_parse_finite)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) and not _is_too_deep(held, text) else {}


def _parse_finite(text: str) -> float:
    """A number that JSON can write again. Raises ValueError."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


def _is_too_deep(held: dict[str, Any], text: str) -> bool:
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    level: list[Any] = [held]
    for _ in range(DEEPEST):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [value for values in inside for value in values if isinstance(value, dict | list)]
    return bool(level)
