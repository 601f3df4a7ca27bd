"""OpenAI's Responses."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.model import Ask, Delta, Message, Reply, Role, Stop, Usage
from holdfast.llm.dialect import (
    DialectRequest,
    ModelStreamError,
    ReplyGatherer,
    ReplyReader,
    ShapeForm,
    count_or_zero,
    object_or_empty,
    objects_in,
    text_or_empty,
)

URL = "https://api.openai.com/v1"
LATER = frozenset({"server_error", "rate_limit_exceeded"})


class OpenAIResponses:
    """`POST {url}/responses`. Nothing is stored there: what the next request needs goes along with it."""

    forms = (ShapeForm.NATIVE, ShapeForm.PLAIN)

    def headers(self, key: str) -> Mapping[str, str]:
        """The key as a bearer's."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def request(self, ask: Ask, model: str, _: ShapeForm, /) -> DialectRequest:
        """What is posted."""
        body: dict[str, Any] = {
            "model": model,
            "max_output_tokens": ask.most_tokens,
            "stream": True,
            "store": False,
            "input": [item for message in ask.messages for item in _items(message)],
        }
        if ask.system:
            body["instructions"] = ask.system
        if ask.tools:
            body["include"] = ["reasoning.encrypted_content"]
            body["tools"] = [
                {
                    "type": "function", "name": tool.name, "description": tool.description,
                    "parameters": dict(tool.schema), "strict": False,
                }
                for tool in ask.tools
            ]  # fmt: skip
        if ask.shape is not None:
            shape = {"type": "json_schema", "name": ask.shape.name, "schema": dict(ask.shape.schema), "strict": True}
            body["text"] = {"format": shape}
        return DialectRequest(path="/responses", body=body)

    def reader(self, _: ShapeForm, /) -> ReplyReader:
        """What reads the answer."""
        return _ResponsesReader()


def _items(message: Message) -> Iterator[dict[str, Any]]:
    yield from (dict(item) for item in message.kept)
    for result in message.results:
        text = f"Error: {result.text}" if result.failed else result.text
        yield {"type": "function_call_output", "call_id": result.call, "output": text}
    if message.text:
        role, kind = ("assistant", "output_text") if message.role is Role.ASSISTANT else ("user", "input_text")
        yield {"type": "message", "role": role, "content": [{"type": kind, "text": message.text}]}
    for call in message.calls:
        # Without the item's own id: with it the vendor would want its reasoning back from its own store.
        arguments = call.broken or json.dumps(dict(call.arguments))
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


class _ResponsesReader:
    def __init__(self) -> None:
        self._got = ReplyGatherer()
        self._ended = self._refused = False

    def take(self, event: Mapping[str, Any]) -> Iterator[Delta]:
        place = count_or_zero(event.get("output_index"))
        match event.get("type"):
            case "response.output_text.delta":
                yield from self._got.text(text_or_empty(event.get("delta")))
            case "response.refusal.delta":
                self._refused = True
                yield from self._got.text(text_or_empty(event.get("delta")))
            case "response.output_item.added":
                item = object_or_empty(event.get("item"))
                if item.get("type") == "function_call":
                    yield from self._got.call(
                        place, text_or_empty(item.get("call_id")), text_or_empty(item.get("name"))
                    )
            case "response.function_call_arguments.delta":
                yield from self._got.arguments(place, text_or_empty(event.get("delta")))
            case "response.output_item.done":
                yield from self._whole(place, object_or_empty(event.get("item")))
            case "response.completed" | "response.incomplete" | "response.failed":
                self._end(object_or_empty(event.get("response")))
            case "error":
                raise ModelStreamError(
                    text_or_empty(event.get("message")) or "an error", again=event.get("code") in LATER
                )

    def reply(self) -> Reply | None:
        return self._got.reply() if self._ended else None

    def _whole(self, place: int, item: Mapping[str, Any]) -> Iterator[Delta]:
        if item.get("type") == "function_call":
            yield from self._got.call(place, text_or_empty(item.get("call_id")), text_or_empty(item.get("name")))
            if not self._got.has_arguments(place):
                yield from self._got.arguments(place, text_or_empty(item.get("arguments")))
        elif item.get("type") == "reasoning" and item.get("encrypted_content"):
            kept = ("type", "summary", "encrypted_content")
            self._got.keep({name: item[name] for name in kept if name in item})

    def _end(self, response: Mapping[str, Any]) -> None:
        if error := object_or_empty(response.get("error")):
            raise ModelStreamError(text_or_empty(error.get("message")) or "an error", again=error.get("code") in LATER)
        self._ended = True
        self._got.model = text_or_empty(response.get("model"))
        self._got.stop = self._stop(response)
        said = object_or_empty(response.get("usage"))
        self._got.usage = Usage(
            input=count_or_zero(said.get("input_tokens")),
            output=count_or_zero(said.get("output_tokens")),
            cached=count_or_zero(object_or_empty(said.get("input_tokens_details")).get("cached_tokens")),
        )

    def _stop(self, response: Mapping[str, Any]) -> Stop:
        if self._refused:
            return Stop.REFUSED
        if response.get("status") == "incomplete":
            why = object_or_empty(response.get("incomplete_details")).get("reason")
            return Stop.REFUSED if why == "content_filter" else Stop.LENGTH
        called = any(item.get("type") == "function_call" for item in objects_in(response.get("output")))
        return Stop.TOOLS if called or self._got.reply().calls else Stop.END
