"""What the vendors' formats share: reading foreign JSON safely, putting a reply together, asking for a shape."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Protocol

from holdfast.core.model import Ask, CallDelta, Delta, Reply, Shape, Stop, TextDelta, ToolCall, Usage
from holdfast.core.value import Value, replace

NOTHING: Mapping[str, Any] = {}
ANSWER_TOOL = "answer"
MOST_CALLS = 256
ONLY_JSON = "Answer with one JSON object and nothing else: no words around it, no code fence. Its JSON Schema:"


class ShapeForm(StrEnum):
    """How a shape is asked for: the vendor's own way, as the arguments of a tool, or in words."""

    NATIVE = "native"
    TOOL = "tool"
    PLAIN = "plain"


class ModelStreamError(Exception):
    """An error that stands in the stream itself."""

    def __init__(self, text: str, *, again: bool) -> None:
        super().__init__(text)
        self.again = again


class DialectRequest(Value):
    """What is posted where."""

    path: str
    body: Mapping[str, Any]


class ReplyReader(Protocol):
    """Reads one answer's events."""

    def take(self, event: Mapping[str, Any]) -> Iterator[Delta]:
        """The pieces in an event."""

    def reply(self) -> Reply | None:
        """The whole; None where the answer broke off."""


class Dialect(Protocol):
    """One vendor's format."""

    @property
    def forms(self) -> tuple[ShapeForm, ...]:
        """The ways of asking for a shape, the best first; each later one is tried where one is refused."""

    def headers(self, key: str) -> Mapping[str, str]:
        """The headers, with the key."""

    def request(self, ask: Ask, model: str, form: ShapeForm, /) -> DialectRequest:
        """What is posted."""

    def reader(self, form: ShapeForm, /) -> ReplyReader:
        """What reads the answer."""


class ReplyGatherer:
    """A reply that comes in pieces."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._kept: list[Mapping[str, Any]] = []
        self.usage = Usage()
        self.stop = Stop.OTHER
        self.model = ""

    def text(self, piece: str) -> Iterator[Delta]:
        """More text."""
        if piece:
            self._text.append(piece)
            yield TextDelta(text=piece)

    def call(self, place: int, call_id: str = "", name: str = "", mark: str = "") -> Iterator[Delta]:
        """A call begins, or says more of itself."""
        if place not in self._calls and len(self._calls) >= MOST_CALLS:
            raise ModelStreamError("more tool calls than there can be", again=False)
        held = self._calls.setdefault(place, _Call())
        held.id, held.mark = held.id or call_id, held.mark or mark
        if name and not held.name:
            held.name = name
            yield CallDelta(place=place, name=name)

    def arguments(self, place: int, piece: str) -> Iterator[Delta]:
        """More of a call's arguments."""
        yield from self.call(place)
        if piece:
            self._calls[place].pieces.append(piece)
            yield CallDelta(place=place, arguments=piece)

    def has_arguments(self, place: int) -> bool:
        """Whether a call's arguments came already."""
        return place in self._calls and bool(self._calls[place].pieces)

    def keep(self, block: Mapping[str, Any]) -> None:
        """What goes back as it came."""
        self._kept.append(block)

    def reply(self) -> Reply:
        """All of it."""
        return Reply(
            text="".join(self._text),
            calls=tuple(call.made(place) for place, call in sorted(self._calls.items()) if call.name),
            stop=self.stop,
            usage=self.usage,
            model=self.model,
            kept=tuple(self._kept),
        )


class _Call:
    """A call that comes in pieces."""

    def __init__(self) -> None:
        self.id = self.name = self.mark = ""
        self.pieces: list[str] = []

    def made(self, place: int) -> ToolCall:
        text = "".join(self.pieces).strip()
        found = parse_json(text) if text else {}
        whole = isinstance(found, dict)
        return ToolCall(
            id=self.id or f"call_{place}",
            name=self.name,
            arguments=found if whole else {},
            mark=self.mark,
            broken="" if whole else text,
        )


def reply_from_tool(reply: Reply) -> Reply:
    """The reply whose shape came as a tool's arguments, as if it had come as text."""
    found = next((call for call in reply.calls if call.name == ANSWER_TOOL), None)
    if found is None:
        return reply
    text = found.broken or json.dumps(dict(found.arguments), ensure_ascii=False)
    return replace(reply, text=text, calls=(), stop=Stop.END if reply.stop is Stop.TOOLS else reply.stop)


def ask_in_words(ask: Ask, shape: Shape) -> Ask:
    """The request with its shape asked for in words."""
    words = f"{ONLY_JSON}\n{json.dumps(shape.schema, ensure_ascii=False)}"
    return replace(ask, system=f"{ask.system}\n\n{words}".strip(), shape=None)


def parse_json(text: str) -> Any:
    """A JSON document, None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def text_or_empty(value: object) -> str:
    """A text, empty where it is none."""
    return value if isinstance(value, str) else ""


def count_or_zero(value: object) -> int:
    """A number of things, 0 where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def object_or_empty(value: object) -> Mapping[str, Any]:
    """An object, empty where it is none."""
    return value if isinstance(value, dict) else NOTHING


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list, none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
