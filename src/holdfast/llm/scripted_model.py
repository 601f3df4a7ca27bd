"""A model that says what a file says: for tests, and to try things without a model."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.model import Ask, CallDelta, Delta, Done, Reply, Stop, TextDelta, ToolCall, Usage
from holdfast.core.model_port import NoModel, Traits
from holdfast.core.value import Value
from holdfast.llm.dialect import count_or_zero, object_or_empty, objects_in, parse_json, text_or_empty
from holdfast.llm.threaded_reply import read_in_thread

FREE = Traits(free=True)
KEYS = frozenset({"text", "data", "calls", "stop", "usage", "cost", "error", "when"})


class ScriptLine(Value):
    """One reply. With `when`, it answers every request that holds those words; without, the next in order."""

    reply: Reply = Reply()
    error: str = ""
    when: str = ""


class ScriptedFailure(Unavailable):
    """The script says that the model fails here."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Model {name!r}: {why}.", "the script says so.")


class ScriptEnded(BadRequest):
    """More was asked than the script answers."""

    def __init__(self, name: str, asked: int) -> None:
        super().__init__(f"Model {name!r}: its script has no answer to request {asked}.", "add a line to it.")


class ScriptedModel:
    """Replies from a script, in order. What it was asked is in `asked`."""

    def __init__(self, lines: Sequence[ScriptLine], name: str = "scripted") -> None:
        self._left = [line for line in lines if not line.when]
        self._always = [line for line in lines if line.when]
        self.asked: list[Ask] = []
        self.name = name
        self.traits = FREE

    def complete(self, ask: Ask) -> Reply:
        """The next reply."""
        self.asked.append(ask)
        last = "\n".join([ask.system, *(message.text for message in ask.messages)])
        line = next((line for line in self._always if line.when in last), None)
        if line is None and not self._left:
            raise ScriptEnded(self.name, len(self.asked))
        line = line or self._left.pop(0)
        if line.error:
            raise ScriptedFailure(self.name, line.error)
        return line.reply

    def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """The next reply, word by word."""
        return read_in_thread(lambda _: self._pieces(ask))

    def _pieces(self, ask: Ask) -> Iterator[Delta]:
        reply = self.complete(ask)
        for piece in reply.text.splitlines(keepends=True):
            yield TextDelta(text=piece)
        for place, call in enumerate(reply.calls):
            yield CallDelta(place=place, name=call.name)
            yield CallDelta(place=place, arguments=json.dumps(dict(call.arguments)))
        yield Done(reply=reply)


def load_script(path: str) -> list[ScriptLine] | NoModel:
    """The lines of a script, or what is wrong with it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            texts = [(number, text) for number, text in enumerate(file, start=1) if text.strip()]
    except OSError as error:
        return NoModel(
            reason=f"the script {path!r} cannot be read: {error.strerror}", hint="name a file of JSON lines."
        )
    lines = []
    for number, text in texts:
        found = parse_json(text)
        if not isinstance(found, dict) or not found.keys() <= KEYS:
            return NoModel(
                reason=f"line {number} of the script {path!r} is no reply",
                hint=f"a line is a JSON object with some of {', '.join(sorted(KEYS))}.",
            )
        lines.append(parse_line(found))
    return lines


def parse_line(said: Mapping[str, Any]) -> ScriptLine:
    """A line of a script. `data` is JSON that the text shall be."""
    calls = tuple(
        ToolCall(
            id=f"call_{place}", name=text_or_empty(call.get("name")), arguments=object_or_empty(call.get("arguments"))
        )
        for place, call in enumerate(objects_in(said.get("calls")))
    )
    text = json.dumps(said["data"], ensure_ascii=False) if "data" in said else text_or_empty(said.get("text"))
    usage = object_or_empty(said.get("usage"))
    stop = text_or_empty(said.get("stop"))
    spent = said.get("cost")
    reply = Reply(
        text=text,
        calls=calls,
        stop=Stop(stop) if stop in set(Stop) else Stop.TOOLS if calls else Stop.END,
        usage=Usage(
            input=count_or_zero(usage.get("input")),
            output=count_or_zero(usage.get("output")),
            cached=count_or_zero(usage.get("cached")),
        ),
        model="scripted",
        cost=float(spent) if isinstance(spent, int | float) else 0.0,
    )
    return ScriptLine(reply=reply, error=text_or_empty(said.get("error")), when=text_or_empty(said.get("when")))
