"""OpenAI's Chat Completions, as Ollama, vLLM, llama.cpp, LM Studio and many others speak it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.core.model import Ask, Delta, Message, Reply, Role, Stop, Usage
from holdfast.llm.dialect import Form, Gathering, Reader, Request, Said, count, rows, table, word

STOPS = {
    "stop": Stop.END, "tool_calls": Stop.TOOLS, "function_call": Stop.TOOLS, "length": Stop.LENGTH,
    "content_filter": Stop.REFUSED,
}  # fmt: skip


class Chat:
    """`POST {url}/chat/completions`."""

    forms = (Form.NATIVE, Form.PLAIN)

    def headers(self, key: str) -> Mapping[str, str]:
        """The key as a bearer's."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def request(self, ask: Ask, model: str, _: Form, /) -> Request:
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
        return Request(path="/chat/completions", body=body)

    def reader(self, _: Form, /) -> Reader:
        """What reads the answer."""
        return _Reader()


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


class _Reader:
    def __init__(self) -> None:
        self._got = Gathering()
        self._ended = False

    def take(self, event: Mapping[str, Any]) -> Iterator[Delta]:
        if event.get("error"):
            error = event["error"]
            raise Said(word(table(error).get("message")) or word(error) or "an error", again=False)
        self._got.model = self._got.model or word(event.get("model"))
        if event.get("usage"):
            self._count(table(event["usage"]))
        for choice in rows(event.get("choices"))[:1]:
            yield from self._choice(choice)

    def reply(self) -> Reply | None:
        return self._got.reply() if self._ended else None

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Delta]:
        delta = table(choice.get("delta"))
        yield from self._got.text(word(delta.get("content")) or word(delta.get("refusal")))
        for at, call in enumerate(rows(delta.get("tool_calls"))):
            place = count(call.get("index", at))
            function = table(call.get("function"))
            yield from self._got.call(place, word(call.get("id")), word(function.get("name")))
            yield from self._got.arguments(place, word(function.get("arguments")))
        if stop := word(choice.get("finish_reason")):
            self._got.stop = Stop.REFUSED if delta.get("refusal") else STOPS.get(stop, Stop.OTHER)
            self._ended = True

    def _count(self, said: Mapping[str, Any]) -> None:
        details = table(said.get("prompt_tokens_details"))
        self._got.usage = Usage(
            input=count(said.get("prompt_tokens")),
            output=count(said.get("completion_tokens")),
            cached=count(details.get("cached_tokens")),
        )
