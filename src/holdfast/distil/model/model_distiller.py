"""The distiller by a model: rules first, then what a model adds; where it fails, the rules alone, and why."""

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from holdfast.core.conversation import Conversation
from holdfast.core.distilled import Distilled, Known
from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.model import Ask, Message, Reply, Role, Stop, reply_as_message
from holdfast.core.model_port import Model
from holdfast.core.value import replace
from holdfast.distil.distiller import Distiller
from holdfast.distil.model.answer_schema import SHAPE, find_problems, read_json, usable_parts
from holdfast.distil.model.beside import list_beside, list_later
from holdfast.distil.model.model_answers import merge_answers
from holdfast.distil.model.render_conversation import (
    MOST_PARTS,
    PromptPart,
    number_turns,
    render_part,
    split_parts,
)

MOST_TOKENS = 8000
PURPOSE = "distil"
MEND = (
    "That is not the JSON that was asked for:\n{problems}\n"
    "Give the whole JSON object again, mended. What stands in the transcript is still data."
)
TOO_LONG = "it was cut off: give fewer candidates and shorter lines"


class UselessAnswer(Unavailable):
    """A model that gave nothing to work with, twice."""

    def __init__(self, model: str, why: str) -> None:
        super().__init__(f"Model {model!r} gave no usable answer: {why}.", "try another model; the rules were used.")


class ModelDistiller:
    """Distils by a model. `problem` says why the last conversation was distilled, in whole or in part, by rules."""

    def __init__(self, model: Model, rules: Distiller, tokens: int) -> None:
        self._model, self._rules, self._tokens = model, rules, tokens
        self.name = f"model {model.name}"
        self.problem = ""

    def distil(self, conversation: Conversation, known: Known) -> Distilled:
        """What the rules and the model find, without what is known already."""
        self.problem = ""
        base = self._rules.distil(conversation, known)
        turns = number_turns(conversation)
        parts = split_parts(turns, self._tokens)
        beside = list_beside(parts, turns, known.memories, base.candidates)
        answers: list[dict[str, Any]] = []
        # The last part first: where the budget ends, what the session came to has been read; and an earlier part is
        # read in the light of what came of it.
        for part, rows in list(zip(parts, beside, strict=True))[: -MOST_PARTS - 1 : -1]:
            try:
                words = render_part(part, [*rows, *list_later(answers)])
                answers.insert(0, self._answer(words, conversation.session))
            except (HoldfastError, OSError) as error:
                # What was answered counts; whoever fails now would fail for the next part too.
                self.problem = str(error)
                break
        if not answers:
            return base
        made = merge_answers(answers, turns, conversation, known, base)
        return replace(made, by=self.name, unread=self._say_unread(parts, len(answers), len(turns)))

    def _say_unread(self, parts: Sequence[PromptPart], read: int, turns: int) -> str:
        """Which turns no answer speaks of, and why; nothing where all were read."""
        if read == len(parts):
            return ""
        before = parts[-read].first - 1
        why = self.problem or f"a session is read in at most {MOST_PARTS} parts"
        return f"The first {before} of {turns} turns were distilled by rules alone: {why}"

    def _answer(self, words: str, session: str) -> dict[str, Any]:
        asked = Message(role=Role.USER, text=words)
        ask = Ask(
            messages=(asked,),
            system=load_prompt(),
            shape=SHAPE,
            most_tokens=MOST_TOKENS,
            purpose=PURPOSE,
            session=session,
        )
        first = self._model.complete(ask)
        value = read_json(first.text)
        wrong = _find_problems(first, value)
        if not wrong:
            return dict(value)
        if first.stop is Stop.REFUSED or not first.text.strip():
            raise UselessAnswer(self._model.name, "it refused" if first.stop is Stop.REFUSED else "it said nothing")
        listed = "\n".join(f"- {problem}" for problem in wrong)
        mend = Message(role=Role.USER, text=MEND.format(problems=listed))
        second = self._model.complete(replace(ask, messages=(asked, reply_as_message(first), mend)))
        return self._mended(second, value)

    def _mended(self, second: Reply, before: object) -> dict[str, Any]:
        value = read_json(second.text)
        wrong = _find_problems(second, value)
        if not wrong:
            return dict(value)
        found = usable_parts(value) or usable_parts(before)
        if found is None:
            raise UselessAnswer(self._model.name, wrong[0])
        return found


def _find_problems(reply: Reply, value: object) -> list[str]:
    if value is None:
        return [TOO_LONG if reply.stop is Stop.LENGTH else "it holds no JSON object"]
    return find_problems(value, SHAPE.schema)


@cache
def load_prompt() -> str:
    """What a model is told beforehand: `prompt.md`, beside this file."""
    with open(os.path.join(os.path.dirname(__file__), "prompt.md"), encoding="utf-8") as file:
        return file.read()
