"""What is said to a model and what it says: messages, tools, replies, and a reply in pieces."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from holdfast.core.value import Value

NOTHING: Mapping[str, Any] = {}


class Role(StrEnum):
    """Who speaks. What is said before all of it is `Ask.system`."""

    USER = "user"
    ASSISTANT = "assistant"


class Stop(StrEnum):
    """Why a reply ends. `TOOLS`: it waits for its calls' results; `LENGTH`: it was cut off."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"
    REFUSED = "refused"
    OTHER = "other"


class ToolCall(Value):
    """A model asks for a tool. `mark` is the vendor's own and goes back as it came.

    `broken` holds arguments that are no JSON object, as they came; `arguments` is then empty.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = NOTHING
    mark: str = ""
    broken: str = ""


class ToolResult(Value):
    """What a call gave."""

    call: str
    name: str
    text: str
    failed: bool = False


class Message(Value):
    """One turn. `kept` holds what a vendor wants back as it came: reasoning that we do not read."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    kept: tuple[Mapping[str, Any], ...] = ()


class Tool(Value):
    """A tool that a model may call; `schema` is JSON Schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any]


class Shape(Value):
    """The JSON that an answer must be: a name, and JSON Schema whose every property is required."""

    name: str
    schema: Mapping[str, Any]


class Ask(Value):
    """One request. `purpose` and `session` stand in the ledger; neither is sent."""

    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    shape: Shape | None = None
    most_tokens: int = 4096
    purpose: str = ""
    session: str = ""


class Usage(Value):
    """Tokens. `input` is all that was read; `cached` and `written` are its parts from and into the vendor's cache."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0


class Reply(Value):
    """What a model said. `cost` is in US dollars, None where nobody knows; `remembered`: no request was made for it."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = Stop.END
    usage: Usage = Usage()
    model: str = ""
    cost: float | None = None
    kept: tuple[Mapping[str, Any], ...] = ()
    remembered: bool = False


class TextDelta(Value):
    """More text."""

    text: str


class CallDelta(Value):
    """More of the call at a place: its name once, its arguments as pieces of JSON."""

    place: int
    name: str = ""
    arguments: str = ""


class Done(Value):
    """The last piece: the whole reply."""

    reply: Reply


Delta = TextDelta | CallDelta | Done


def reply_as_message(reply: Reply) -> Message:
    """A reply as the turn that the next request carries."""
    return Message(role=Role.ASSISTANT, text=reply.text, calls=reply.calls, kept=reply.kept)
