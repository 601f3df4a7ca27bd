"""A memory → its triples, by a model. What it says is checked against the memory's own words; the rest is dropped."""

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from holdfast.core.memory import Memory
from holdfast.core.model import Ask, Reply, Shape, Stop
from holdfast.core.model_port import Model
from holdfast.core.triple import Fact, Triple
from holdfast.core.value import Value
from holdfast.index.extract_names import normalize_name, stem_name
from holdfast.index.terms import split_terms
from holdfast.llm.json_question import build_question, read_object, strip_unprintable
from holdfast.redact.clean import clean

PURPOSE = "triples"
MOST_TOKENS = 1000
MOST = 12
LONGEST_END, LONGEST_RELATION = 60, 40
LONGEST_FIELD, LONGEST_BODY = 600, 4000
_PART = {"type": "string"}
_PARTS = ("subject", "relation", "object")
SHAPE = Shape(
    name="triples",
    schema={
        "type": "object",
        "properties": {
            "triples": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": dict.fromkeys(_PARTS, _PART),
                    "required": list(_PARTS),
                    "additionalProperties": False,
                },
            }
        },
        "required": ["triples"],
        "additionalProperties": False,
    },
)


class TriplesAnswer(Value):
    """What a model made of a memory: facts that its words bear out; or a note why the answer is of no use."""

    facts: tuple[Fact, ...] = ()
    note: str = ""
    reply: Reply = Reply()


class ModelTriples:
    """Asks a model for the triples of memories, one request each."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def of(self, memory: Memory) -> TriplesAnswer:
        """The triples of a memory. Raises what the model raises when it gives no answer at all."""
        reply = self._model.complete(build_request(memory))
        if reply.stop is Stop.REFUSED:
            return TriplesAnswer(note="the model refused", reply=reply)
        said = _parse_answer(reply.text)
        if said is None:
            return TriplesAnswer(note="the answer is not the JSON that was asked for", reply=reply)
        return TriplesAnswer(facts=tuple(_facts(said, memory))[:MOST], reply=reply)


def build_request(memory: Memory) -> Ask:
    """The request for one memory: redacted once more, behind a fence that no text can close."""
    body = json.dumps(clean(_redacted_fields(memory)).value, ensure_ascii=False)
    return build_question("The note", body, system=load_prompt(), shape=SHAPE, most_tokens=MOST_TOKENS, purpose=PURPOSE)


def words_digest(memory: Memory) -> str:
    """The sha256 of what a model would be shown: another status, date or tag asks nobody again."""
    return sha256(json.dumps(_redacted_fields(memory), sort_keys=True).encode()).hexdigest()


def _redacted_fields(memory: Memory) -> dict[str, Any]:
    fields: Mapping[str, str] = {
        "type": str(memory.type), "title": memory.title, "question": memory.question, "choice": memory.choice,
        "fact": memory.fact, "context": memory.context, "because": memory.because, "root_cause": memory.root_cause,
        "error_type": memory.error_type, "body": memory.body[:LONGEST_BODY],
    }  # fmt: skip
    shown: dict[str, Any] = {
        name: strip_unprintable(value[:LONGEST_BODY]) for name, value in fields.items() if value.strip()
    }
    if memory.rejected:
        shown["rejected"] = [
            strip_unprintable(f"{each.option}: {each.reason}")[:LONGEST_FIELD] for each in memory.rejected[:8]
        ]
    return shown


def _parse_answer(text: str) -> list[Any] | None:
    """The list in an answer; nothing where it is not the object that was asked for."""
    said = (read_object(text) or {}).get("triples")
    return said if isinstance(said, list) else None


def _facts(said: list[Any], memory: Memory) -> Iterator[Fact]:
    """The statements whose both ends stand in the memory's words, each once."""
    there = {*split_terms(" ".join(_texts(clean(_redacted_fields(memory)).value)))}
    seen: set[tuple[str, ...]] = set()
    for each in said:
        fact = _fact(each, there) if isinstance(each, dict) else None
        if fact is not None and (*fact.ends, fact.triple.relation.casefold()) not in seen:
            seen.add((*fact.ends, fact.triple.relation.casefold()))
            yield fact


def _fact(said: Mapping[str, Any], there: set[str]) -> Fact | None:
    parts = [said.get(name) for name in _PARTS]
    if not all(isinstance(part, str) for part in parts):
        return None
    subject, relation, object_ = (" ".join(strip_unprintable(str(part)[:LONGEST_BODY]).split()) for part in parts)
    ends = normalize_name(subject), normalize_name(object_)
    if not (all(ends) and relation and ends[0] != ends[1]) or len(relation) > LONGEST_RELATION:
        return None
    stems = stem_name(ends[0]), stem_name(ends[1])
    # What a model makes up of its own is no fact of this memory.
    if max(len(subject), len(object_)) > LONGEST_END or not {*stems[0].split(), *stems[1].split()} <= there:
        return None
    triple = Triple(subject=subject, relation=str(clean(relation).value), object=object_)
    return Fact(triple=triple, ends=ends, stems=stems)


def _texts(value: Any) -> Iterator[str]:
    for each in value.values():
        yield from each if isinstance(each, list) else (str(each),)


@cache
def load_prompt() -> str:
    """What a model is told beforehand: `prompt.md`, beside this file."""
    with open(os.path.join(os.path.dirname(__file__), "prompt.md"), encoding="utf-8") as file:
        return file.read()
