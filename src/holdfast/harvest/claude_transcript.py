"""Claude Code's transcripts: one record a line, tied together by `uuid` and `parentUuid`."""

from collections.abc import Iterator
from typing import Any

from holdfast.clients.payload import to_snake_case
from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.transcript_pieces import (
    TranscriptPiece,
    encode_field,
    encode_fields,
    object_in,
    text_in,
    words_key,
)
from holdfast.harvest.transcript_reader import TranscriptReader
from holdfast.phrases.foreign_words import PEOPLE, SYSTEMS, why_foreign

SKIPPED = frozenset({
    "progress", "queue-operation", "mode", "permission-mode", "file-history-snapshot", "file-history-delta",
    "attribution-snapshot", "tools-used", "cost-state", "last-prompt", "api-request", "api-request-shape",
    "api-request-blob", "atis-latch", "agent-color", "agent-setting", "bridge-session", "session-owner", "memory-mode",
    "content-replacement", "fork-context-ref", "speculation-accept",
})  # fmt: skip
SKIPPED_SYSTEM = frozenset({
    "stop_hook_summary", "turn_duration", "informational", "local_command", "away_summary", "hook_summary",
})  # fmt: skip
# Lines that begin like this need not even be parsed.
SKIPPED_STARTS = tuple(
    f'{{"type":{space}"{name}"'.encode() for name in sorted(SKIPPED) for space in ("", " ")
)  # fmt: skip
_ENDING = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})
_ENVELOPE = frozenset({
    "uuid", "parentUuid", "logicalParentUuid", "isSidechain", "timestamp", "sessionId", "type", "userType",
    "entrypoint", "cwd", "gitBranch", "version", "slug",
})  # fmt: skip
# A subagent in the main file, of older versions, has no name of its own.
SIDE = "sidechain"
_THINKING = frozenset({"thinking", "redacted_thinking"})


class ClaudeReader(TranscriptReader):
    """Reads records of one file."""

    client = "claude-code"
    skipped_starts = SKIPPED_STARTS

    def read(self, record: dict[str, Any], at: int, after: int) -> Iterator[TranscriptPiece]:
        """What a record says."""
        kind = text_in(record, "type")
        node = self._node(record, at, after)
        match kind:
            case "user":
                yield from self._user(record, node)
            case "assistant":
                yield from self._assistant(record, node)
            case "system":
                yield from self._system(record, node)
            case "attachment":
                yield from self._attachment(record, node)
            case _ if kind in SKIPPED:
                if node.id:
                    yield node
            case _:
                yield self._rest(record, kind, node)

    def _node(self, record: dict[str, Any], at: int, after: int) -> TranscriptPiece:
        """A record as a knot of the conversation, whatever it says."""
        agent = record.get("agentId")
        thread = (self.redact.id(agent) if agent else "") or self.agent
        return TranscriptPiece(
            kind=of.NODE,
            at=at,
            after=after,
            ts=text_in(record, "timestamp"),
            session=self.redact.id(record.get("sessionId")) or self.session,
            id=text_in(record, "uuid"),
            parent=text_in(record, "parentUuid") or None,
            thread=thread or (SIDE if is_sidechain(record) else ""),
            turn=self.redact.id(record.get("promptId")),
        )

    def _user(self, record: dict[str, Any], node: TranscriptPiece) -> Iterator[TranscriptPiece]:
        content = object_in(record, "message").get("content")
        texts: list[str] = []
        found = False
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_result":
                found = True
                yield self._result(record, block, node)
            elif isinstance(block.get("text"), str):
                texts.append(block["text"])
        text = content if isinstance(content, str) else "\n".join(texts)
        if not text.strip() or (found and not texts):
            if not found:
                yield node
            return
        yield self._heard(record, text, node)

    def _heard(self, record: dict[str, Any], text: str, node: TranscriptPiece) -> TranscriptPiece:
        why = self._why(record, text)
        if not why:
            return self._prompt(text, node)
        words = self.redact.value("output", text) if why != "summary" else self.redact.text(text)
        shown = str(words).strip()
        if not shown:
            return node
        body = encode_fields({"prompt": shown})
        return node._replace(kind=of.FOREIGN, name=why, raw=self.redact.text(text), words=words_key(shown), body=body)

    def _why(self, record: dict[str, Any], text: str) -> str:
        if is_sidechain(record) or self.agent:
            return "subagent"
        if record.get("isCompactSummary") is True:
            return "summary"
        if text_in(record, "promptSource") in SYSTEMS or text_in(record, "turnOrigin") in SYSTEMS:
            return "system"
        if text_in(object_in(record, "origin"), "kind") not in PEOPLE:
            return "system"
        if text_in(record, "planContent"):
            return "plan"
        if text_in(record, "sourceToolUseID"):
            return "instructions"
        return why_foreign(text) or ("meta" if record.get("isMeta") is True else "")

    def _result(self, record: dict[str, Any], block: dict[str, Any], node: TranscriptPiece) -> TranscriptPiece:
        failed = block.get("is_error") is True
        if failed:
            error = _text_of(block.get("content"))
            body = encode_field("error", self.redact.value("error", _strip_error_tag(error)))
        else:
            # The hook is given the structured result; the model a text made of it.
            output = record.get("toolUseResult")
            many = (
                not isinstance(record.get("message", {}).get("content"), list) or len(record["message"]["content"]) > 1
            )
            body = encode_field(
                "output", self.redact.value("output", block.get("content") if output is None or many else output)
            )
        call = self.redact.id(block.get("tool_use_id"))
        return node._replace(kind=of.RESULT, call=call, failed=failed, body=body)

    def _assistant(self, record: dict[str, Any], node: TranscriptPiece) -> Iterator[TranscriptPiece]:
        message = object_in(record, "message")
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        model, reason = self.redact.id(message.get("model")), message.get("stop_reason")
        stop = of.ENDS if reason in _ENDING else of.GOES_ON if reason else of.UNKNOWN
        base = node._replace(group=text_in(message, "id"), stop=stop)
        some = False
        for block in blocks:
            if isinstance(block, dict) and (piece := self._block(record, block, base, model)):
                some = True
                yield piece
        if not some:
            yield node

    def _block(
        self, record: dict[str, Any], block: dict[str, Any], base: TranscriptPiece, model: str
    ) -> TranscriptPiece | None:
        kind = block.get("type")
        if kind in _THINKING:
            return None
        if kind == "tool_use":
            call = self.redact.id(block.get("id"))
            return self._call(block.get("name"), block.get("input"), base._replace(call=call))
        if kind != "text" or not isinstance(block.get("text"), str):
            extra = encode_field("extra", self.redact.value("extra", block))
            return base._replace(kind=of.OTHER, name=f"block_{to_snake_case(str(kind))}", body=extra)
        text = block["text"]
        if not text.strip():
            return None
        if record.get("isApiErrorMessage") is True:
            return base._replace(kind=of.OTHER, name="api_error", body=encode_field("error", self.redact.text(text)))
        return self._text(text, base._replace(name=model))

    def _system(self, record: dict[str, Any], node: TranscriptPiece) -> Iterator[TranscriptPiece]:
        subtype = text_in(record, "subtype")
        if subtype == "compact_boundary":
            about = object_in(record, "compactMetadata")
            trigger = self.redact.id(about.get("trigger"))
            logical = text_in(record, "logicalParentUuid") or node.parent
            yield node._replace(kind=of.CUT, parent=logical, body=encode_fields({"trigger": trigger}))
        elif subtype in SKIPPED_SYSTEM:
            yield node
        else:
            yield self._rest(record, f"system_{subtype}", node)

    def _attachment(self, record: dict[str, Any], node: TranscriptPiece) -> Iterator[TranscriptPiece]:
        held = object_in(record, "attachment")
        said = held.get("prompt")
        text = said if isinstance(said, str) else _text_of(said)
        if held.get("type") == "queued_command" and text.strip():
            yield self._heard(record, text, node)
        else:
            yield node

    def _rest(self, record: dict[str, Any], kind: str, node: TranscriptPiece) -> TranscriptPiece:
        extra = {key: value for key, value in record.items() if key not in _ENVELOPE}
        made = self._other(kind, extra, node)
        return made if extra else made._replace(body=b"")


def is_sidechain(record: dict[str, Any]) -> bool:
    """Whether a record belongs to a subagent."""
    return record.get("isSidechain") is True


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)
        )
    return ""


def _strip_error_tag(error: str) -> str:
    return error.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
