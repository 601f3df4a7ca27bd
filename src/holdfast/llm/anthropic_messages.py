"""Anthropic's Messages."""

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.model import Ask, Delta, Message, Reply, Role, Stop, Usage
from holdfast.llm.dialect import (
    ANSWER_TOOL,
    DialectRequest,
    ModelStreamError,
    ReplyGatherer,
    ReplyReader,
    ShapeForm,
    count_or_zero,
    object_or_empty,
    reply_from_tool,
    text_or_empty,
)  # fmt: skip

URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
CACHED = {"type": "ephemeral"}
STOPS = {
    "end_turn": Stop.END, "stop_sequence": Stop.END, "tool_use": Stop.TOOLS, "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH, "refusal": Stop.REFUSED,
}  # fmt: skip
LATER = frozenset({"overloaded_error", "api_error", "rate_limit_error", "timeout_error"})


class AnthropicMessages:
    """`POST /v1/messages`."""

    forms = (ShapeForm.NATIVE, ShapeForm.TOOL, ShapeForm.PLAIN)

    def headers(self, key: str) -> Mapping[str, str]:
        """The key in the vendor's own header."""
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def request(self, ask: Ask, model: str, form: ShapeForm, /) -> DialectRequest:
        """What is posted: the system's words are cached, and a conversation up to its last turn."""
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": ask.most_tokens,
            "stream": True,
            "messages": [_message(each) for each in ask.messages],
        }
        if ask.system:
            body["system"] = [{"type": "text", "text": ask.system, "cache_control": CACHED}]
        if len(ask.messages) > 1 and body["messages"][-1]["content"]:
            last = body["messages"][-1]["content"]
            last[-1] = {**last[-1], "cache_control": CACHED}
        tools = [{"name": t.name, "description": t.description, "input_schema": dict(t.schema)} for t in ask.tools]
        if ask.shape is not None and form is ShapeForm.NATIVE:
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(ask.shape.schema)}}
        elif ask.shape is not None:
            tools.append(
                {"name": ANSWER_TOOL, "description": "Give the answer.", "input_schema": dict(ask.shape.schema)}
            )
            body["tool_choice"] = {"type": "tool", "name": ANSWER_TOOL}
        if tools:
            body["tools"] = tools
        return DialectRequest(path="/v1/messages", body=body)

    def reader(self, form: ShapeForm, /) -> ReplyReader:
        """What reads the answer."""
        return _MessagesReader(by_tool=form is ShapeForm.TOOL)


def _message(message: Message) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [dict(block) for block in message.kept]
    for result in message.results:
        block = {"type": "tool_result", "tool_use_id": result.call, "content": result.text}
        blocks.append({**block, "is_error": True} if result.failed else block)
    if message.text:
        blocks.append({"type": "text", "text": message.text})
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} for call in message.calls
    ]
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    return {"role": role, "content": blocks}


class _MessagesReader:
    def __init__(self, *, by_tool: bool) -> None:
        self._got = ReplyGatherer()
        self._by_tool = by_tool
        self._thought: dict[int, dict[str, Any]] = {}
        self._ended = False

    def take(self, event: Mapping[str, Any]) -> Iterator[Delta]:
        match event.get("type"):
            case "message_start":
                message = object_or_empty(event.get("message"))
                self._got.model = text_or_empty(message.get("model"))
                self._count(object_or_empty(message.get("usage")))
            case "content_block_start":
                yield from self._begin(count_or_zero(event.get("index")), object_or_empty(event.get("content_block")))
            case "content_block_delta":
                yield from self._more(count_or_zero(event.get("index")), object_or_empty(event.get("delta")))
            case "message_delta":
                stop = text_or_empty(object_or_empty(event.get("delta")).get("stop_reason"))
                self._got.stop = STOPS.get(stop, Stop.OTHER)
                self._count(object_or_empty(event.get("usage")))
            case "message_stop":
                self._ended = True
            case "error":
                error = object_or_empty(event.get("error"))
                raise ModelStreamError(
                    text_or_empty(error.get("message")) or "an error", again=error.get("type") in LATER
                )

    def reply(self) -> Reply | None:
        if not self._ended:
            return None
        for _, block in sorted(self._thought.items()):
            self._got.keep(block)
        made = self._got.reply()
        return reply_from_tool(made) if self._by_tool else made

    def _begin(self, place: int, block: Mapping[str, Any]) -> Iterator[Delta]:
        match block.get("type"):
            case "text":
                yield from self._got.text(text_or_empty(block.get("text")))
            case "tool_use":
                yield from self._got.call(place, text_or_empty(block.get("id")), text_or_empty(block.get("name")))
            case "thinking" | "redacted_thinking":
                self._thought[place] = dict(block)

    def _more(self, place: int, delta: Mapping[str, Any]) -> Iterator[Delta]:
        thought = self._thought.get(place, {})
        match delta.get("type"):
            case "text_delta":
                yield from self._got.text(text_or_empty(delta.get("text")))
            case "input_json_delta":
                yield from self._got.arguments(place, text_or_empty(delta.get("partial_json")))
            case "thinking_delta":
                thought["thinking"] = text_or_empty(thought.get("thinking")) + text_or_empty(delta.get("thinking"))
            case "signature_delta":
                thought["signature"] = text_or_empty(thought.get("signature")) + text_or_empty(delta.get("signature"))

    def _count(self, said: Mapping[str, Any]) -> None:
        # Numbers come twice, growing; what the later event leaves out holds from the first.
        before = self._got.usage
        cached = count_or_zero(said.get("cache_read_input_tokens")) or before.cached
        written = count_or_zero(said.get("cache_creation_input_tokens")) or before.written
        fresh = count_or_zero(said.get("input_tokens")) or before.input - before.cached - before.written
        self._got.usage = Usage(
            input=max(0, fresh) + cached + written,
            output=max(before.output, count_or_zero(said.get("output_tokens"))),
            cached=cached,
            written=written,
        )
