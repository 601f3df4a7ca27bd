"""A model's second look: it may make a relation stricter or give a reason, and must quote both texts to do so."""

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from holdfast.conflicts.relate import ORDER
from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Memory
from holdfast.core.model import Ask, Shape, Stop
from holdfast.core.model_port import Model
from holdfast.core.relation import Kind, Relation
from holdfast.core.value import replace
from holdfast.llm.json_question import build_question, read_object, strip_unprintable
from holdfast.redact.clean import clean

PURPOSE = "judge"
MOST_TOKENS = 600
LONGEST_BODY = 1500
LONGEST_FIELD = 400
LEAST_WORDS = 2
SUREST = 0.95
SHAPE = Shape(
    name="relation",
    schema={
        "type": "object",
        "properties": {
            "relation": {"type": "string", "enum": [str(kind) for kind in Kind]},
            "reason": {"type": "string"},
            "new_quote": {"type": "string"},
            "old_quote": {"type": "string"},
            "sure": {"type": "number"},
        },
        "required": ["relation", "reason", "new_quote", "old_quote", "sure"],
        "additionalProperties": False,
    },
)
_TEXTS = ("reason", "new_quote", "old_quote")


class RelationJudge(Protocol):
    """Somebody who looks again at what the rules found."""

    def judge(self, new: Memory, old: Memory, relation: Relation) -> Relation | None:
        """The relation made stricter, or with a better reason; None where there is nothing to add."""


class ModelJudge:
    """A model as judge. What it cannot prove by quotes does not count; `problem` says why it was last not heard."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.problem = ""

    def judge(self, new: Memory, old: Memory, relation: Relation) -> Relation | None:
        """Ask the model once. A failure leaves what the rules found."""
        self.problem = ""
        shown = {"new": _redacted_fields(new), "old": _redacted_fields(old)}
        try:
            reply = self._model.complete(_build_request(shown, relation))
        except (HoldfastError, OSError) as error:
            self.problem = str(error)
            return None
        answer = _answer(reply.text) if reply.stop is not Stop.REFUSED else None
        if answer is None:
            self.problem = f"model {self._model.name!r} gave no usable answer"
            return None
        return _accept_answer(answer, shown, relation)


def _build_request(shown: Mapping[str, Any], relation: Relation) -> Ask:
    found = {"relation": str(relation.kind), "reason": relation.reason}
    body = json.dumps({**shown, "found": clean(found).value}, ensure_ascii=False)
    return build_question(
        "The two notes", body, system=load_prompt(), shape=SHAPE, most_tokens=MOST_TOKENS, purpose=PURPOSE
    )


def _redacted_fields(memory: Memory) -> dict[str, Any]:
    """What a model sees of a memory: its words, redacted once more, without what cannot be seen."""
    fields: dict[str, str | list[str]] = {
        "type": str(memory.type), "title": memory.title, "question": memory.question, "choice": memory.choice,
        "rejected": [f"{option.option}: {option.reason}" for option in memory.rejected[:8]], "fact": memory.fact,
        "root_cause": memory.root_cause, "paths": list(memory.paths[:8]), "valid_until": memory.valid_until,
        "body": memory.body[:LONGEST_BODY],
    }  # fmt: skip
    return {name: clean(_shorten(value)).value for name, value in fields.items() if value}


def _shorten(value: str | list[str]) -> str | list[str]:
    if isinstance(value, list):
        return [strip_unprintable(each)[:LONGEST_FIELD] for each in value]
    return strip_unprintable(value)[:LONGEST_BODY]


def _answer(text: str) -> Mapping[str, Any] | None:
    """The JSON object of an answer, if it is of the shape."""
    found = read_object(text)
    if found is None or found.get("relation") not in set(Kind):
        return None
    sure = found.get("sure")
    right = all(isinstance(found.get(name), str) for name in _TEXTS)
    return found if right and isinstance(sure, int | float) and not isinstance(sure, bool) and 0 <= sure <= 1 else None


def _accept_answer(answer: Mapping[str, Any], shown: Mapping[str, Any], relation: Relation) -> Relation | None:
    kind = Kind(answer["relation"])
    if ORDER[kind] > ORDER[relation.kind] or not answer["reason"].strip():
        return None
    if not (
        _quote_stands_in(answer["new_quote"], shown["new"]) and _quote_stands_in(answer["old_quote"], shown["old"])
    ):
        return None
    if kind is relation.kind:
        return replace(relation, reason=f"{relation.reason}; {_one_line(answer['reason'])}".strip("; "))
    return replace(
        relation, kind=kind, rule=PURPOSE, reason=_one_line(answer["reason"]),
        sure=round(min(SUREST, float(answer["sure"])), 3),
        new_text=_one_line(answer["new_quote"]), old_text=_one_line(answer["old_quote"]),
    )  # fmt: skip


def _quote_stands_in(quote: str, shown: Mapping[str, Any]) -> bool:
    """Whether a quote stands in what was shown, white space and case aside, with two words or more."""
    wanted = " ".join(quote.split()).casefold()
    texts = [text for value in shown.values() for text in (value if isinstance(value, list) else [value])]
    return len(wanted.split()) >= LEAST_WORDS and any(
        wanted in " ".join(str(text).split()).casefold() for text in texts
    )


def _one_line(text: str) -> str:
    return " ".join(strip_unprintable(text).split())[:LONGEST_FIELD]


@cache
def load_prompt() -> str:
    """What a model is told beforehand: `judge.md`, beside this file."""
    with open(os.path.join(os.path.dirname(__file__), "judge.md"), encoding="utf-8") as file:
        return file.read()
