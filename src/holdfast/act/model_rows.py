"""Answers of models as rows: the shape that is asked for, and what can be used of the reply."""

import json
from typing import Any

from holdfast.core.model import Shape


def build_rows_shape(name: str, row: dict[str, Any]) -> Shape:
    """A shape that is a list of one kind of object under a name."""
    return Shape(name=name, schema=build_object_schema({name: {"type": "array", "items": build_object_schema(row)}}))


def build_object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object with these properties and no other."""
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False
    }  # fmt: skip


def read_json(text: str) -> Any:
    """The JSON object in a reply, also within a code fence or words. Raises ValueError where there is none."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        return json.loads(text[begin : end + 1] if 0 <= begin < end else text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_rows(name: str, text: str) -> list[dict[str, Any]]:
    """The objects under a name in a reply; nothing where it is rubbish."""
    try:
        found = read_json(text)
    except ValueError:
        return []
    rows = found.get(name) if isinstance(found, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
