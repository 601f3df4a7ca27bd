"""The JSON that a model is asked for, and what is wrong with the JSON it gave."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.distilled import Progress
from holdfast.core.memory import MemoryType
from holdfast.core.model import Shape

MOST_PROBLEMS = 12
DEEPEST = 12
# Braces in the words before the JSON.
MOST_STARTS = 20
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    # Vendors that guarantee a shape want every property required and no other allowed.
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


CANDIDATE = _object(
    type={"type": "string", "enum": [str(kind) for kind in MemoryType]},
    title=_TEXT,
    body=_TEXT,
    category=_TEXT,
    question=_TEXT,
    choice=_TEXT,
    rejected=_list(_object(option=_TEXT, reason=_TEXT)),
    fact=_TEXT,
    root_cause=_TEXT,
    error_type=_TEXT,
    error_message=_TEXT,
    paths=_TEXTS,
    tags=_TEXTS,
    confidence={"type": "number"},
    evidence=_list(_object(turn={"type": "integer"}, quote=_TEXT)),
    replaces=_TEXTS,
)
ACCEPT, REWORD, REJECT, SUPERSEDE = "accept", "reword", "reject", "supersede"
VERDICT = _object(
    id=_TEXT,
    verdict={"type": "string", "enum": [ACCEPT, REWORD, REJECT, SUPERSEDE]},
    title=_TEXT,
    reason=_TEXT,
)
SUMMARY = _object(title=_TEXT, request=_TEXTS, investigated=_TEXTS, completed=_TEXTS, next=_TEXTS)
BRIEFING = _object(
    mission=_TEXT,
    status={"type": "string", "enum": [str(each) for each in Progress]},
    progress=_TEXT,
    hazards=_TEXTS,
    next_action=_TEXT,
)
SHAPE = Shape(
    name="session",
    schema=_object(candidates=_list(CANDIDATE), verdicts=_list(VERDICT), summary=SUMMARY, briefing=BRIEFING),
)
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "array": (list,), "object": (dict,), "integer": (int,), "number": (int, float),
}  # fmt: skip


def read_json(text: str) -> Any:
    """The JSON object in a model's answer, though words or a code fence stand around it; None where there is none."""
    start = text.find("{")
    for _ in range(MOST_STARTS):
        if start < 0:
            break
        try:
            found, _end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
        else:
            return found
    return None


def _refuse_constant(said: str) -> Any:
    raise ValueError(f"{said} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def find_problems(value: object, schema: Mapping[str, Any], place: str = "") -> list[str]:
    """What does not fit a schema, the first dozen, each with its place."""
    found = []
    for problem in _problems(value, schema, place, 0):
        found.append(problem)
        if len(found) == MOST_PROBLEMS:
            break
    return found


def _problems(value: object, schema: Mapping[str, Any], place: str, depth: int) -> Iterator[str]:
    kind, where = str(schema["type"]), place or "the answer"
    if not isinstance(value, _KINDS[kind]) or isinstance(value, bool) or depth > DEEPEST:
        yield f"{where} must be of type {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} must be one of {', '.join(schema['enum'])}"
    if isinstance(value, dict):
        for name, inner in schema["properties"].items():
            if name not in value:
                yield f"{where} lacks {name!r}"
            else:
                yield from _problems(value[name], inner, f"{place}.{name}" if place else name, depth + 1)
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _problems(each, schema["items"], f"{place}[{number}]", depth + 1)


def usable_parts(value: object) -> dict[str, Any] | None:
    """The parts of an answer that fit, where not all of it does; None where nothing does."""
    if not isinstance(value, dict):
        return None
    kept, verdicts = _fitting(value.get("candidates"), CANDIDATE), _fitting(value.get("verdicts"), VERDICT)
    parts = {name: value.get(name) for name, schema in (("summary", SUMMARY), ("briefing", BRIEFING))
             if not find_problems(value.get(name), schema)}  # fmt: skip
    return {"candidates": kept, "verdicts": verdicts, **parts} if kept or verdicts or parts else None


def _fitting(listed: object, schema: Mapping[str, Any]) -> list[Any]:
    return [each for each in listed if not find_problems(each, schema)] if isinstance(listed, list) else []
