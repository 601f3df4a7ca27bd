"""Codex's rollouts: items of the model's conversation, with the events of the program between them."""

from collections.abc import Iterator
from json import JSONDecodeError, loads
from typing import Any

from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.transcript_pieces import TranscriptPiece, encode_field, encode_fields, object_in, text_in
from holdfast.harvest.transcript_reader import TranscriptReader
from holdfast.phrases.foreign_words import SYSTEMS

SKIPPED = frozenset({"world_state", "token_usage_record", "inter_agent_communication_metadata", "ghost_snapshot"})
SKIPPED_ITEMS = frozenset({"reasoning", "ghost_snapshot", "compaction", "compaction_summary"})
# What these say, items of the conversation say too.
SKIPPED_EVENTS = frozenset({
    "token_count", "item_started", "item_completed", "user_message", "agent_message", "agent_reasoning",
    "agent_reasoning_raw_content", "agent_reasoning_section_break", "thread_settings_applied", "exec_command_begin",
    "exec_command_end", "exec_command_output_delta", "mcp_tool_call_begin", "mcp_tool_call_end", "patch_apply_begin",
    "patch_apply_end", "web_search_begin", "web_search_end", "turn_diff", "plan_update", "background_event",
    "session_configured", "context_compacted", "thread_name_updated", "undo_started", "undo_completed",
})  # fmt: skip
_SHELLS = frozenset({"shell", "exec_command", "shell_command", "local_shell", "container.exec", "local_shell_call"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "mcp_tool_call"})
_OUTPUTS = frozenset({
    "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output",
    "mcp_tool_call_output",
})  # fmt: skip


class CodexReader(TranscriptReader):
    """Reads records of one rollout."""

    client = "codex"
    skipped_starts: tuple[bytes, ...] = ()

    def read(self, record: dict[str, Any], at: int, after: int) -> Iterator[TranscriptPiece]:
        """What a record says."""
        kind, held = text_in(record, "type"), object_in(record, "payload")
        ts = text_in(record, "timestamp")
        base = TranscriptPiece(kind=of.NODE, at=at, after=after, ts=ts, session=self.session, thread=self.agent)
        turn = text_in(object_in(held, "internal_chat_message_metadata_passthrough"), "turn_id") or text_in(
            held, "turn_id"
        )
        base = base._replace(turn=self.redact.id(turn))
        match kind:
            case "session_meta":
                about = {
                    name: self.redact.id(held.get(key))
                    for name, key in (("version", "cli_version"), ("source", "source"))
                }
                yield base._replace(kind=of.START, body=encode_fields({"version": about["version"]}))
            case "turn_context":
                yield base._replace(name=self.redact.id(held.get("model")))
            case "response_item":
                yield from self._item(held, base)
            case "event_msg":
                yield from self._event(record, held, base)
            case "compacted":
                summary = self.redact.text(text_in(held, "message"))
                yield base._replace(kind=of.CUT, body=encode_fields({"summary": summary}))
            case _ if kind in SKIPPED:
                return
            case _:
                yield self._other(kind, held or record, base)

    def _item(self, held: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        kind = text_in(held, "type")
        if kind == "message":
            yield from self._message(held, base)
        elif kind in _CALLS:
            yield self._tool(kind, held, base)
        elif kind in _OUTPUTS:
            output = self.redact.value("output", _output(held.get("output")))
            yield base._replace(
                kind=of.RESULT, call=self.redact.id(held.get("call_id")), body=encode_field("output", output)
            )
        elif kind not in SKIPPED_ITEMS:
            yield self._other(kind, held, base)

    def _message(self, held: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        role, identity = text_in(held, "role"), text_in(held, "id")
        base = base._replace(id=identity)
        text = _text_of(held.get("content"))
        if not text.strip() or role not in {"user", "assistant"}:
            return
        if role == "assistant":
            yield self._text(text, base)
        elif piece := self._said(text, base, _provenance(held)):
            yield piece

    def _tool(self, kind: str, held: dict[str, Any], base: TranscriptPiece) -> TranscriptPiece:
        name = text_in(held, "name") or kind
        given: object = held.get("arguments", held.get("input", held.get("action")))
        if isinstance(given, str):
            given = _arguments(given)
        # As the hook is told of them: every shell is Bash with one command.
        if name in _SHELLS:
            name, given = "Bash", _join_command(given)
        elif isinstance(given, str):
            given = {"command": given} if name == "apply_patch" else {"input": given}
        return self._call(name, given, base._replace(call=self.redact.id(held.get("call_id") or held.get("id"))))

    def _event(self, record: dict[str, Any], held: dict[str, Any], base: TranscriptPiece) -> Iterator[TranscriptPiece]:
        kind = text_in(held, "type")
        if kind in {"task_started", "turn_started"}:
            yield base
        elif kind in {"task_complete", "turn_complete"}:
            yield base._replace(kind=of.NODE, stop=of.ENDS, raw=text_in(held, "last_agent_message"))
        elif kind not in SKIPPED_EVENTS:
            yield self._other(kind or "event_msg", held or record, base)


def _provenance(held: dict[str, Any]) -> str:
    about = object_in(held, "internal_chat_message_metadata_passthrough")
    kinds = about.get("content_item_kinds")
    kinds = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []
    if any(kind.startswith("hooks.") for kind in kinds):
        return "hook"
    if text_in(about, "turn_trigger") in SYSTEMS:
        return "system"
    known = [kind for kind in kinds if kind != "unknown"]
    return "instructions" if known and not any(kind.startswith("user") for kind in known) else ""


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(texts)


def _arguments(text: str) -> object:
    try:
        found = loads(text)
    except (JSONDecodeError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def _join_command(given: object) -> object:
    if not isinstance(given, dict):
        return {"command": given}
    command = given.get("cmd", given.get("command"))
    if isinstance(command, list) and len(command) == 3 and command[1] in {"-lc", "-c"}:
        command = command[2]
    elif isinstance(command, list):
        command = " ".join(map(str, command))
    rest = {key: value for key, value in given.items() if key in {"workdir", "description"} and value}
    return {"command": command, **rest}


def _output(output: object) -> object:
    """What a tool gave back; older versions wrap it in JSON of their own."""
    if isinstance(output, str) and output.startswith('{"output":'):
        found = _arguments(output)
        if isinstance(found, dict) and isinstance(found.get("output"), str):
            about = object_in(found, "metadata")
            status = about.get("exit_code")
            return f"Exit code {status}\n{found['output']}" if isinstance(status, int) and status else found["output"]
    return output
