"""Gemini CLI's chats: messages that are written again when they grow, and changes to the head."""

from collections.abc import Iterator
from typing import Any

from holdfast.clients.payload import strip_hook_context
from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.transcript_pieces import (
    TranscriptPiece,
    encode_field,
    object_in,
    text_in,
)
from holdfast.harvest.transcript_reader import TranscriptReader

SKIPPED = frozenset({"info", "warning"})
_OVER = frozenset({"success", "error", "cancelled"})


class GeminiReader(TranscriptReader):
    """Reads records of one chat."""

    client = "gemini"
    skipped_starts: tuple[bytes, ...] = ()

    def read(self, record: dict[str, Any], at: int, after: int) -> Iterator[TranscriptPiece]:
        """What a record says."""
        base = TranscriptPiece(kind=of.NODE, at=at, after=after, session=self.session, thread=self.agent)
        if "$set" in record:
            for each in object_in(record, "$set").get("messages") or ():
                if isinstance(each, dict):
                    yield from self._message(each, base)
        elif isinstance(record.get("$rewindTo"), str):
            yield base._replace(kind=of.REWIND, id=record["$rewindTo"])
        elif "type" in record or "content" in record:
            yield from self._message(record, base)
        elif "sessionId" in record:
            yield base._replace(kind=of.START, ts=text_in(record, "startTime"))
            for each in record.get("messages") or ():
                if isinstance(each, dict):
                    yield from self._message(each, base)
        else:
            yield self._other("unnamed", record, base)

    def _message(self, record: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        kind = text_in(record, "type")
        base = base._replace(id=text_in(record, "id"), ts=text_in(record, "timestamp"))
        if kind == "user":
            text = _text_of(record.get("content"))
            if text.strip() and (piece := self._said(text, base)):
                yield piece
        elif kind == "gemini":
            yield from self._gemini(record, base)
        elif kind == "error":
            yield base._replace(
                kind=of.OTHER,
                name="error",
                body=encode_field("error", self.redact.text(_text_of(record.get("content")))),
            )
        elif kind not in SKIPPED:
            yield self._other(kind, record, base)

    def _gemini(self, record: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        text = _text_of(record.get("content"))
        calls = record.get("toolCalls")
        if text.strip():
            stop = of.GOES_ON if calls else of.UNKNOWN
            yield self._text(text, base._replace(stop=stop, name=self.redact.id(record.get("model"))))
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("status") in _OVER:
                yield from self._tool(call, base)

    def _tool(self, call: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        identity = self.redact.id(call.get("id"))
        ts = text_in(call, "timestamp") or base.ts
        made = base._replace(ts=ts, call=identity, id=f"{base.id}:{identity}")
        yield self._call(call.get("name"), call.get("args"), made)
        response = _response(call.get("result"))
        output: dict[str, object] = {"llmContent": response, "returnDisplay": call.get("resultDisplay")}
        failed = call.get("status") != "success"
        shown = self.redact.value("error" if failed else "output", response if failed else output)
        yield made._replace(kind=of.RESULT, failed=failed, body=encode_field("error" if failed else "output", shown))

    def _other(self, kind: str, held: dict[str, Any], base: TranscriptPiece) -> TranscriptPiece:
        extra = {key: value for key, value in held.items() if key not in {"id", "timestamp", "type", "thoughts"}}
        return super()._other(kind, extra, base)


def _text_of(content: object) -> str:
    """The words of a message, without what hooks put around them."""
    parts = content if isinstance(content, list) else [content]
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str | dict)]
    said = [strip_hook_context(text) for text in texts if isinstance(text, str)]
    return "\n".join(text for text in said if text.strip())


def _response(result: object) -> object:
    parts = result if isinstance(result, list) else [result]
    held = [object_in(part, "functionResponse") for part in parts if isinstance(part, dict)]
    texts = [
        part.get("response", {}).get("output", part.get("response", {}).get("error"))
        for part in held
        if isinstance(part.get("response"), dict)
    ]
    said = [text for text in texts if isinstance(text, str)]
    return "\n".join(said) if said else result
