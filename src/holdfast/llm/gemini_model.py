"""Google's Gemini: generateContent."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

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

URL = "https://generativelanguage.googleapis.com"
REFUSED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"})
# What its schemas know; it refuses a request that holds any other word.
KNOWN = frozenset({
    "type", "properties", "required", "items", "enum", "description", "minimum", "maximum", "minItems", "maxItems",
    "nullable", "format", "title",
})  # fmt: skip
LATER = frozenset({429, 500, 503, 504})


class GenerateContent:
    """`POST /v1beta/models/NAME:streamGenerateContent`."""

    forms = (ShapeForm.NATIVE, ShapeForm.PLAIN)

    def headers(self, key: str) -> Mapping[str, str]:
        """The key in a header: in the address it would stand in logs."""
        return {"x-goog-api-key": key} if key else {}

    def request(self, ask: Ask, model: str, _: ShapeForm, /) -> DialectRequest:
        """What is posted."""
        settings: dict[str, Any] = {"maxOutputTokens": ask.most_tokens}
        if ask.shape is not None:
            settings |= {"responseMimeType": "application/json", "responseSchema": _schema(ask.shape.schema)}
        body: dict[str, Any] = {
            "contents": [_content(message) for message in ask.messages],
            "generationConfig": settings,
        }
        if ask.system:
            body["systemInstruction"] = {"parts": [{"text": ask.system}]}
        if ask.tools:
            declared = [
                {"name": tool.name, "description": tool.description, "parameters": _schema(tool.schema)}
                for tool in ask.tools
            ]
            body["tools"] = [{"functionDeclarations": declared}]
        return DialectRequest(path=f"/v1beta/models/{quote(model, safe='')}:streamGenerateContent?alt=sse", body=body)

    def reader(self, _: ShapeForm, /) -> ReplyReader:
        """What reads the answer."""
        return _GeminiReader()


def _content(message: Message) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for result in message.results:
        said = {"error" if result.failed else "output": result.text}
        parts.append({"functionResponse": {"name": result.name, "response": said}})
    if message.text:
        parts.append({"text": message.text})
    for call in message.calls:
        part: dict[str, Any] = {"functionCall": {"name": call.name, "args": dict(call.arguments)}}
        parts.append({**part, "thoughtSignature": call.mark} if call.mark else part)
    return {"role": "model" if message.role is Role.ASSISTANT else "user", "parts": parts}


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {name: value for name, value in schema.items() if name in KNOWN}
    if isinstance(schema.get("properties"), Mapping):
        made["properties"] = {name: _schema(inner) for name, inner in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        made["items"] = _schema(schema["items"])
    return made


class _GeminiReader:
    def __init__(self) -> None:
        self._got = ReplyGatherer()
        self._calls = 0
        self._ended = False

    def take(self, event: Mapping[str, Any]) -> Iterator[Delta]:
        if error := object_or_empty(event.get("error")):
            raise ModelStreamError(text_or_empty(error.get("message")) or "an error", again=error.get("code") in LATER)
        self._got.model = text_or_empty(event.get("modelVersion")) or self._got.model
        if event.get("usageMetadata"):
            self._count(object_or_empty(event["usageMetadata"]))
        if object_or_empty(event.get("promptFeedback")).get("blockReason"):
            self._got.stop, self._ended = Stop.REFUSED, True
        for candidate in objects_in(event.get("candidates"))[:1]:
            yield from self._candidate(candidate)

    def reply(self) -> Reply | None:
        return self._got.reply() if self._ended else None

    def _candidate(self, candidate: Mapping[str, Any]) -> Iterator[Delta]:
        for part in objects_in(object_or_empty(candidate.get("content")).get("parts")):
            if part.get("thought"):
                continue
            yield from self._got.text(text_or_empty(part.get("text")))
            if call := object_or_empty(part.get("functionCall")):
                place, self._calls = self._calls, self._calls + 1
                mark = text_or_empty(part.get("thoughtSignature"))
                yield from self._got.call(place, text_or_empty(call.get("id")), text_or_empty(call.get("name")), mark)
                yield from self._got.arguments(place, json.dumps(dict(object_or_empty(call.get("args")))))
        if stop := text_or_empty(candidate.get("finishReason")):
            self._ended = True
            self._got.stop = self._stop(stop)

    def _stop(self, said: str) -> Stop:
        if said == "STOP":
            return Stop.TOOLS if self._calls else Stop.END
        if said == "MAX_TOKENS":
            return Stop.LENGTH
        return Stop.REFUSED if said in REFUSED else Stop.OTHER

    def _count(self, said: Mapping[str, Any]) -> None:
        self._got.usage = Usage(
            input=count_or_zero(said.get("promptTokenCount")),
            output=count_or_zero(said.get("candidatesTokenCount")) + count_or_zero(said.get("thoughtsTokenCount")),
            cached=count_or_zero(said.get("cachedContentTokenCount")),
        )
