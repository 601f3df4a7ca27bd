"""A strong model's answers that were written down, given again to the requests they were written for.

`recorded/answers.jsonl`, a line a request: the session, which part of how many, `request` (a mark of the turns that
were shown) and `answer`, without the fields that are empty. Where a part's turns are rendered otherwise than they were
then, the part's answer is given all the same, its quotes looked up again, and it is counted in `changed`.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from holdfast.core.errors import Unavailable
from holdfast.core.model import Ask, Reply, Usage
from holdfast.core.model_port import Traits
from holdfast.distil.model.answer_schema import SHAPE
from holdfast.llm.metered_model import estimate_tokens

FOLDER = Path(__file__).with_name("recorded")
ANSWERS = FOLDER / "answers.jsonl"
TURN = '{"n": '
EMPTY: Mapping[str, Any] = {"string": "", "array": [], "number": 0.5, "integer": 0}


class NoAnswer(Unavailable):
    """Nothing was written down for a request."""

    def __init__(self, session: str, part: int) -> None:
        super().__init__(f"There is no recorded answer for part {part} of session {session!r}.", "play it, or leave it")


class RecordedModel:
    """Answers from a file, by what was asked."""

    def __init__(self, answers: Path = ANSWERS) -> None:
        text = answers.read_text(encoding="utf-8") if answers.is_file() else ""
        rows = [json.loads(line) for line in text.splitlines()]
        self._by_request = {row["request"]: row for row in rows}
        self._by_part = {(row["session"], row["part"], row["of"]): row for row in rows}
        self.name, self.traits = "recorded", Traits(free=True)
        self.changed = 0
        self.asked: list[tuple[Ask, Usage]] = []

    def complete(self, ask: Ask) -> Reply:
        """The answer that was written for these turns."""
        text = ask.messages[0].text
        part, of = read_place(text)
        row = self._by_request.get(mark_turns(text))
        if row is None:
            row = self._by_part.get((ask.session, part, of))
            self.changed += row is not None
        if row is None:
            raise NoAnswer(ask.session, part)
        said = json.dumps(find_turns(fill_answer(row["answer"], SHAPE.schema), text), ensure_ascii=False)
        usage = Usage(input=estimate_tokens(ask), output=len(said.encode()) // 3)
        self.asked.append((ask, usage))
        return Reply(text=said, usage=usage, model=self.name, cost=0.0)

    def stream(self, ask: Ask) -> Any:
        """Nobody reads along here."""
        raise NotImplementedError(ask.purpose)


def read_place(text: str) -> tuple[int, int]:
    """Which part of how many a request shows."""
    words = text.split(",", 2)[1].split()
    return int(words[1]), int(words[3])


def mark_turns(text: str) -> str:
    """A mark of the turns that a request shows: what stands beside them may change with the rules."""
    turns = "\n".join(line for line in text.splitlines() if line.startswith(TURN))
    return blake2b(turns.encode(), digest_size=8).hexdigest()


def fill_answer(value: Any, schema: Mapping[str, Any]) -> Any:
    """An answer with the fields that were left out because they are empty."""
    kind = schema["type"]
    if kind == "array":
        return [fill_answer(each, schema["items"]) for each in value or []]
    if kind == "object":
        given = value or {}
        return {name: fill_answer(given.get(name), inner) for name, inner in schema["properties"].items()}
    return value if value is not None else schema.get("enum", [EMPTY[kind]])[0]


def find_turns(answer: dict[str, Any], text: str) -> dict[str, Any]:
    """An answer whose quotes name the turns in which they stand now, where they stand elsewhere than they did."""
    shown = {row["n"]: " ".join(_words(row).split()) for row in _rows(text)}
    for each in answer["candidates"]:
        for said in each["evidence"]:
            quote = " ".join(said["quote"].split())
            if quote not in shown.get(said["turn"], ""):
                said["turn"] = next((n for n, words in shown.items() if quote in words), said["turn"])
    return answer


def _rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith(TURN)]


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(map(_words, value.values()))
    return " ".join(map(_words, value)) if isinstance(value, list) else str(value)
