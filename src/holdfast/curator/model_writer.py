"""A model puts several learnings into one, or a long memory into few words; what it adds of its own does not count."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from holdfast.conflicts.read_memory import MemoryReading
from holdfast.core.errors import HoldfastError
from holdfast.core.memory import Memory
from holdfast.core.model import Ask, Shape, Stop
from holdfast.core.model_port import Model
from holdfast.curator.find_clusters import CONSOLIDATE, ConsolidatedText, write_by_rules
from holdfast.llm.json_question import build_question, read_object, strip_unprintable
from holdfast.redact.clean import clean

PURPOSE = "curate"
MOST_TOKENS = 1500
MOST_ASKED = 20
LONGEST_BODY = 12_000
LONGEST_FACT = 600
MOST_FACTS = 40
LONGEST_TITLE = 80
# What must not be made up: numbers, and whatever is written like code or a name.
_TELLING = re.compile(r"[\w./:@-]*[\d_/][\w./:@-]*|\b\w+[a-z][A-Z]\w*")
SHAPE = Shape(
    name="note",
    schema={
        "type": "object",
        "properties": {"title": {"type": "string"}, "facts": {"type": "array", "items": {"type": "string"}}},
        "required": ["title", "facts"],
        "additionalProperties": False,
    },
)


class ModelWriter:
    """A model as writer. `problem` says why it was last not heard; the rules write then."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._left = MOST_ASKED
        self.problem = ""

    def write(self, group: Sequence[MemoryReading]) -> ConsolidatedText:
        """One text of several learnings."""
        return self._asked(CONSOLIDATE, [each.memory for each in group]) or write_by_rules(group)

    def shorten(self, memory: Memory) -> ConsolidatedText | None:
        """The same in fewer words; None where the model has nothing better."""
        return self._asked("shorten", [memory])

    def _asked(self, task: str, memories: Sequence[Memory]) -> ConsolidatedText | None:
        if not self._left:
            self.problem = f"the model is asked {MOST_ASKED} times at most in one run: the rest is by rules"
            return None
        self._left -= 1
        shown = [_redacted_fields(memory) for memory in memories]
        try:
            reply = self._model.complete(_build_request(task, shown))
        except (HoldfastError, OSError) as error:
            self.problem, self._left = str(error), 0
            return None
        found = _answer(reply.text) if reply.stop is not Stop.REFUSED else None
        whole = found is not None and (task != CONSOLIDATE or _omits_nothing(found, shown))
        if found is None or not whole or not _adds_nothing(found, shown):
            self.problem = f"model {self._model.name!r} gave no usable answer"
            return None
        return found


def _build_request(task: str, shown: Sequence[Mapping[str, Any]]) -> Ask:
    body = json.dumps({"task": task, "notes": shown}, ensure_ascii=False)
    return build_question(
        "The notes", body, system=load_prompt(), shape=SHAPE, most_tokens=MOST_TOKENS, purpose=PURPOSE
    )


def _redacted_fields(memory: Memory) -> dict[str, Any]:
    """What a model sees of a memory: its words, redacted once more, without what cannot be seen."""
    fields = {"title": memory.title, "fact": memory.fact, "choice": memory.choice, "body": memory.body}
    return {name: clean(strip_unprintable(value)[:LONGEST_BODY]).value for name, value in fields.items() if value}


def _answer(text: str) -> ConsolidatedText | None:
    found = read_object(text)
    if found is None or not isinstance(found.get("title"), str):
        return None
    facts = found.get("facts")
    if not isinstance(facts, list) or not 0 < len(facts) <= MOST_FACTS or not all(isinstance(f, str) for f in facts):
        return None
    kept = tuple(" ".join(strip_unprintable(fact).split())[:LONGEST_FACT] for fact in facts if fact.strip())
    title = " ".join(strip_unprintable(found["title"]).split())[:LONGEST_TITLE]
    return ConsolidatedText(title=title, facts=kept) if title and kept else None


def _adds_nothing(found: ConsolidatedText, shown: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each number and name of the answer stands in the notes."""
    said = " ".join(str(value) for note in shown for value in note.values())
    return _holds_names_of(said, " ".join((found.title, *found.facts)))


def _omits_nothing(found: ConsolidatedText, shown: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each number and name at the head of the notes stands in the answer."""
    heads = " ".join(str(note.get(name, "")) for note in shown for name in ("title", "fact"))
    return _holds_names_of(" ".join((found.title, *found.facts)), heads)


def _holds_names_of(text: str, other: str) -> bool:
    """Whether a text holds the numbers and names of another."""
    plain = text.casefold()
    return all(each.strip(".:/-").casefold() in plain for each in _TELLING.findall(other))


@cache
def load_prompt() -> str:
    """What a model is told beforehand: `writer.md`, beside this file."""
    with open(os.path.join(os.path.dirname(__file__), "writer.md"), encoding="utf-8") as file:
        return file.read()
