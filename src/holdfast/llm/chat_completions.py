"""OpenAI's Chat Completions, as Ollama, vLLM, llama.cpp, LM Studio and many others speak it."""

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

STOPS = {
    "stop": Stop.END, "tool_calls": Stop.TOOLS, "function_call": Stop.TOOLS, "length": Stop.LENGTH,
    "content_filter": Stop.REFUSED,
}  # fmt: skip


class ChatCompletions:
    """`POST {url}/chat/completions`."""

    forms = (ShapeForm.NATIVE, ShapeForm.PLAIN)

    def headers(self, key: str) -> Mapping[str, str]:
        """The key as a bearer's."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def request(self, ask: Ask, model: str, _: ShapeForm, /) -> DialectRequest:
        """What is posted."""
        messages = [{"role": "system", "content": ask.system}] if ask.system else []
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": ask.most_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            "messages": [*messages, *(part for message in ask.messages for part in _messages(message))],
        }
        if ask.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
                }
                for tool in ask.tools
            ]
        if ask.shape is not None:
            shape = {"name": ask.shape.name, "schema": dict(ask.shape.schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return DialectRequest(path="/chat/completions", body=body)

    def reader(self, _: ShapeForm, /) -> ReplyReader:
        """What reads the answer."""
        return _ChatReader()


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    for result in message.results:
        text = f"Error: {result.text}" if result.failed else result.text
        yield {"role": "tool", "tool_call_id": result.call, "content": text}
    if message.role is Role.USER:
        if message.text:
            yield {"role": "user", "content": message.text}
        return
    made: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.broken or json.dumps(dict(call.arguments))},
            }
            for call in message.calls
        ]
    yield made


class _ChatReader:
    def __init__(self) -> None:
        self._got = ReplyGatherer()
        self._ended = False

    def take(self, event: Mapping[str, Any]) -> Iterator[Delta]:
        if event.get("error"):
            error = event["error"]
            raise ModelStreamError(
                text_or_empty(object_or_empty(error).get("message")) or text_or_empty(error) or "an error", again=False
            )
        self._got.model = self._got.model or text_or_empty(event.get("model"))
        if event.get("usage"):
            self._count(object_or_empty(event["usage"]))
        for choice in objects_in(event.get("choices"))[:1]:
            yield from self._choice(choice)

    def reply(self) -> Reply | None:
        return self._got.reply() if self._ended else None

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Delta]:
        delta = object_or_empty(choice.get("delta"))
        yield from self._got.text(text_or_empty(delta.get("content")) or text_or_empty(delta.get("refusal")))
        for at, call in enumerate(objects_in(delta.get("tool_calls"))):
            place = count_or_zero(call.get("index", at))
            function = object_or_empty(call.get("function"))
            yield from self._got.call(place, text_or_empty(call.get("id")), text_or_empty(function.get("name")))
            yield from self._got.arguments(place, text_or_empty(function.get("arguments")))
        if stop := text_or_empty(choice.get("finish_reason")):
            self._got.stop = Stop.REFUSED if delta.get("refusal") else STOPS.get(stop, Stop.OTHER)
            self._ended = True

    def _count(self, said: Mapping[str, Any]) -> None:
        details = object_or_empty(said.get("prompt_tokens_details"))
        self._got.usage = Usage(
            input=count_or_zero(said.get("prompt_tokens")),
            output=count_or_zero(said.get("completion_tokens")),
            cached=count_or_zero(details.get("cached_tokens")),
        )
