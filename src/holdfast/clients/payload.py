"""What a client's hook says, in our words: the client told by its payload, the event by our names.

The hot path: every event of every client comes through here in a fresh `python -I -S`, so nothing is imported but the
C module of BLAKE2, which the journal needs anyway. Nothing here raises, whatever the payload holds: a field of the
wrong type is not taken for what it should have been and stays in `extra`. See docs/formats/clients.md.
"""

from _blake2 import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CLAUDE_LIKE = "claude-like"
# What we add to a prompt that came while an agent's command was running: the agent may have said it. No payload can.
AMID_CALL = "amid_call"

# Every client's name of an event that has a name of ours. The others keep their own, in snake_case.
_NAMES = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "after_tool",
    "PostToolUseFailure": "tool_failed",
    "PostToolBatch": "tool_batch",
    "Stop": "answer",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "before_compact",
    "PostCompact": "after_compact",
    "SessionEnd": "session_end",
    "InstructionsLoaded": "instructions",
    "Notification": "notification",
    "PermissionRequest": "permission",
    # Gemini CLI
    "BeforeAgent": "prompt",
    "AfterAgent": "answer",
    "BeforeTool": "before_tool",
    "AfterTool": "after_tool",
    "PreCompress": "before_compact",
    # Cursor and Copilot
    "sessionStart": "session_start",
    "beforeSubmitPrompt": "prompt",
    "userPromptSubmitted": "prompt",
    "preToolUse": "before_tool",
    "postToolUse": "after_tool",
    "postToolUseFailure": "tool_failed",
    "afterAgentResponse": "answer",
    "agentStop": "answer",
    "subagentStart": "subagent_start",
    "subagentStop": "subagent_stop",
    "preCompact": "before_compact",
    "sessionEnd": "session_end",
    "permissionRequest": "permission",
}
_CLINE_NAMES = {
    "TaskStart": ("session_start", "source", "startup"),
    "TaskResume": ("session_start", "source", "resume"),
    "TaskComplete": ("session_end", "reason", "complete"),
    "TaskCancel": ("session_end", "reason", "cancel"),
    "TaskError": ("session_end", "reason", "error"),
    "SessionShutdown": ("session_end", "reason", "shutdown"),
}
# Windsurf names the tool in the event: pre_run_command, post_write_code.
_WINDSURF_NAMES = {"pre_user_prompt": "prompt", "post_cascade_response": "answer"}
_WINDSURF_TOOLS = ("read_code", "write_code", "run_command", "mcp_tool_use")
_GEMINI_ONLY = frozenset({
    "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "BeforeTool", "AfterTool",
    "PreCompress",
})  # fmt: skip

# Texts by the names clients give them; where two stand for one thing, the first that comes is taken.
_TEXTS = {
    "prompt": "prompt",
    "user_prompt": "prompt",
    "tool_name": "tool",
    "toolName": "tool",
    "error": "error",
    "error_message": "error",
    "last_assistant_message": "answer",
    "prompt_response": "answer",
    "response": "answer",
    "source": "source",
    "reason": "reason",
    "trigger": "trigger",
    "compact_summary": "summary",
    "custom_instructions": "instructions",
    "customInstructions": "instructions",
    "agent_id": "agent",
    "agentId": "agent",
    "subagent_id": "agent",
    "agent_type": "agent_type",
    "agentName": "agent_type",
    "subagent_type": "agent_type",
    "model": "model",
    "transcript_path": "transcript",
    "transcriptPath": "transcript",
    "prompt_id": "turn",
    "turn_id": "turn",
    "generation_id": "turn",
    "execution_id": "turn",
    "tool_use_id": "call",
    "toolUseId": "call",
}
_VALUES = {
    "tool_input": "input",
    "toolArgs": "input",
    "parameters": "input",
    "mcp_tool_arguments": "input",
    "tool_response": "output",
    "tool_output": "output",
    "toolResult": "output",
    "mcp_result": "output",
}
# What the shim for OpenCode sends has our names already.
_OUR_TEXTS = {
    name: name
    for name in (
        "prompt", "tool", "error", "answer", "source", "reason", "trigger", "summary", "instructions", "agent",
        "agent_type", "model", "transcript", "turn", "call",
    )
}  # fmt: skip
_OUR_VALUES = {"input": "input", "output": "output"}
_ENVELOPE = frozenset({
    "hook_event_name", "hookEventName", "hookName", "agent_action_name",
    "session_id", "sessionId", "conversation_id", "trajectory_id", "taskId", "cwd",
})  # fmt: skip
_OUR_ENVELOPE = frozenset({"holdfast_client", "event", "session", "cwd"})
# Who the user is has no place in a memory of the work.
_PERSONAL = frozenset({"user_email", "userId"})
_ONCE = frozenset({"", "startup", "new", "clear", "fork"})
_LONGEST_NAME = 64


def detect_client(payload: object, env: "Mapping[str, str]") -> str:
    """The client that sent a payload; `claude-like` for a stranger who speaks Claude's dialect, else empty."""
    if not isinstance(payload, dict):
        return ""
    if payload.get("holdfast_client") == "opencode":
        return "opencode"
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    if "agent_action_name" in payload:
        return "windsurf"
    if "clineVersion" in payload or "hookName" in payload:
        return "cline"
    if isinstance(payload.get("sessionId"), str):
        return _camel_case(payload)
    if _text(payload, "hook_event_name") and _text(payload, "session_id"):
        return _snake_case(payload, env)
    return ""


def normalise_payload(client: str, payload: object) -> "dict[str, Any] | None":
    """A payload as an event: client, session, name, key, cwd, data. None when it names no event."""
    if not isinstance(payload, dict):
        return None
    event = _event(payload)
    if not event:
        return None
    fields = payload
    if client in {"cline", "windsurf"}:
        fields = _unfold_payload(payload, "tool_info" if client == "windsurf" else event[0].lower() + event[1:])
    data, extra = _sort_fields(fields, ours=client == "opencode")
    name = _name_event(client, event, data, extra)
    session = _session(payload)
    key = key_of(client, event, name, session, data, extra)
    if extra:
        data["extra"] = extra
    return {"client": client, "session": session, "name": name, "key": key, "cwd": _cwd(fields), "data": data}


def event_name(payload: object) -> str:
    """The event's name in the client's own words, as its answer must repeat it."""
    return _event(payload) if isinstance(payload, dict) else ""


def to_snake_case(event: str) -> str:
    """A name in snake_case: PreModelSwitch is pre_model_switch."""
    name = ""
    for at, char in enumerate(event[:_LONGEST_NAME]):
        if char.isupper() and at and event[at - 1].islower():
            name += "_"
        name += char.lower() if char.isalnum() else "_"
    return name


def _camel_case(payload: "dict[str, Any]") -> str:
    if _text(payload, "hookEventName") and isinstance(payload.get("timestamp"), str):
        return "vscode"
    if isinstance(payload.get("timestamp"), int | float):
        return "copilot"
    return "vscode" if _text(payload, "hookEventName") else ""


def _snake_case(payload: "dict[str, Any]", env: "Mapping[str, str]") -> str:
    transcript = _text(payload, "transcript_path")
    if payload["hook_event_name"] in _GEMINI_ONLY or "/.gemini/" in transcript:
        return "gemini"
    if _is_codex(payload, transcript):
        return "codex"
    if "/.claude/" in transcript:
        return "claude-code"
    # Only now the environment: an agent's shell hands it down to clients started from there.
    if env.get("CURSOR_VERSION"):
        return "cursor"
    if env.get("GEMINI_SESSION_ID"):
        return "gemini"
    if env.get("CLAUDECODE"):
        return "claude-code"
    if "timestamp" in payload and "permission_mode" not in payload:
        return "copilot"
    return CLAUDE_LIKE if isinstance(payload.get("cwd"), str) else ""


def _is_codex(payload: "dict[str, Any]", transcript: str) -> bool:
    if "turn_id" in payload and "model" in payload:
        return True
    if "/.codex/" in transcript or transcript.rpartition("/")[2].startswith("rollout-"):
        return True
    # A session that is not kept on disk: Codex says null, and its ids are UUIDs of version 7.
    return "transcript_path" in payload and not transcript and payload["session_id"][14:15] == "7"


def _event(payload: "dict[str, Any]") -> str:
    for field in ("hook_event_name", "hookEventName", "hookName", "agent_action_name"):
        found = _text(payload, field)
        if found:
            return found
    if "holdfast_client" in payload:
        return _text(payload, "event")
    return _copilot_event(payload) if "sessionId" in payload else ""


def _copilot_event(payload: "dict[str, Any]") -> str:
    """Copilot's camelCase payloads do not name their event; what they carry tells it."""
    for field, event in (
        ("toolResult", "postToolUse"),
        ("toolName", "preToolUse"),
        ("prompt", "userPromptSubmitted"),
        ("stopReason", "agentStop"),
        ("error", "errorOccurred"),
        ("source", "sessionStart"),
        ("trigger", "preCompact"),
        ("reason", "sessionEnd"),
    ):
        if field in payload:
            return event
    return ""


def _unfold_payload(payload: "dict[str, Any]", inner: str) -> "dict[str, Any]":
    """The payload with the object that its event is wrapped in laid open."""
    found = payload.get(inner)
    if not isinstance(found, dict):
        return payload
    flat = {**payload, **found}
    if inner not in found:
        del flat[inner]
    return flat


def _sort_fields(fields: "dict[str, Any]", *, ours: bool) -> "tuple[dict[str, Any], dict[str, Any]]":
    texts, values, envelope = (
        (_OUR_TEXTS, _OUR_VALUES, _OUR_ENVELOPE) if ours else (_TEXTS, _VALUES, _ENVELOPE)
    )  # fmt: skip
    data: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for field, value in fields.items():
        is_text = isinstance(value, str)
        if value is None or field in _PERSONAL or (is_text and field in envelope):
            continue
        name = (texts.get(field) if is_text else None) or values.get(field)
        if name and name not in data:
            data[name] = value
        else:
            extra[field] = value
    return data, extra


def _name_event(client: str, event: str, data: "dict[str, Any]", extra: "dict[str, Any]") -> str:
    """Our name of the event; what only one client does is put right on the way."""
    if client == "opencode":
        return to_snake_case(event)
    if client == "windsurf":
        return _windsurf(event, data, extra)
    if client == "cline":
        return _cline(event, data, extra)
    name = _NAMES.get(event) or to_snake_case(event)
    if client == "gemini":
        return _name_gemini_event(name, data)
    if client == "cursor":
        _cursor_answer(event, data, extra)
    if client == "copilot" and name == "after_tool" and _is_failed_result(data.get("output")):
        return "tool_failed"
    return name


def _name_gemini_event(name: str, data: "dict[str, Any]") -> str:
    if "prompt" in data:
        data["prompt"] = strip_hook_context(data["prompt"])
    output = data.get("output")
    error = output.get("error") if name == "after_tool" and isinstance(output, dict) else None
    if not error:
        return name
    data.setdefault("error", _message(error))
    return "tool_failed"


def strip_hook_context(prompt: str) -> str:
    """Gemini hands back what hooks injected, before the words of the user."""
    while prompt.startswith("<hook_context>") and "</hook_context>" in prompt:
        prompt = prompt.partition("</hook_context>")[2].lstrip("\n")
    return prompt


def _cursor_answer(event: str, data: "dict[str, Any]", extra: "dict[str, Any]") -> None:
    field = {"afterAgentResponse": "text", "subagentStop": "summary"}.get(event, "")
    if isinstance(extra.get(field), str):
        data["answer"] = extra.pop(field)


def _is_failed_result(output: object) -> bool:
    kind = output.get("resultType") if isinstance(output, dict) else None
    return isinstance(kind, str) and kind != "success"


def _windsurf(event: str, data: "dict[str, Any]", extra: "dict[str, Any]") -> str:
    when, _, tool = event.partition("_")
    if tool not in _WINDSURF_TOOLS or when not in {"pre", "post"}:
        return _WINDSURF_NAMES.get(event) or to_snake_case(event)
    data["tool"] = tool
    server, called = extra.pop("mcp_server_name", None), extra.pop("mcp_tool_name", None)
    if isinstance(server, str) and isinstance(called, str):
        data["tool"] = f"mcp__{server}__{called}"
    told = {field: extra.pop(field) for field in ("file_path", "edits", "command_line") if field in extra}
    if told:
        data.setdefault("input", told)
    return "before_tool" if when == "pre" else "after_tool"


def _cline(event: str, data: "dict[str, Any]", extra: "dict[str, Any]") -> str:
    if event in _CLINE_NAMES:
        name, field, value = _CLINE_NAMES[event]
        data.setdefault(field, value)
        return name
    name = _NAMES.get(event) or to_snake_case(event)
    if name == "after_tool" and "result" in extra:
        data.setdefault("output", extra.pop("result"))
    if name == "after_tool" and extra.get("success") is False:
        data.setdefault("error", _message(data.get("output")))
        return "tool_failed"
    return name


def _message(error: object) -> str:
    if isinstance(error, dict):
        error = error.get("message")
    return error if isinstance(error, str) else ""


def _session(payload: "dict[str, Any]") -> str:
    for field in ("conversation_id", "session_id", "sessionId", "trajectory_id", "taskId", "session"):
        found = _text(payload, field)
        if found:
            return found
    return ""


def _cwd(fields: "dict[str, Any]") -> str:
    found = _text(fields, "cwd")
    if found:
        return found
    for field in ("workspace_roots", "workspaceRoots"):
        roots = fields.get(field)
        if isinstance(roots, list) and roots and isinstance(roots[0], str):
            return roots[0]
    return ""


def _text(payload: "dict[str, Any]", field: str) -> str:
    found = payload.get(field)
    return found if isinstance(found, str) else ""


# Keys. Empty, unless the client says something that no second event of that session can say too.


def key_of(client: str, event: str, name: str, session: str, data: "dict[str, Any]", extra: "dict[str, Any]") -> str:
    """The key of an event, by what its client said of it."""
    if not session:
        return ""
    identity = _identity(client, name, data, extra)
    return f"{name}:{hash_json([client, session, event, *identity])}" if identity else ""


def _identity(client: str, name: str, data: "dict[str, Any]", extra: "dict[str, Any]") -> "list[Any]":
    """What makes this delivery this one, or nothing."""
    if client == "opencode":
        return [_text(extra, "id"), data.get("turn")] if is_unique_id(_text(extra, "id")) else []
    stamp = _stamp(extra.get("timestamp"))
    if stamp:
        return [stamp, data, extra]
    call, turn = data.get("call", ""), data.get("turn", "")
    if call:
        return [turn, call] if is_unique_id(call) else []
    match name:
        case "tool_batch":
            return _calls(extra.get("tool_calls"))
        case "prompt":
            return [turn, data.get("prompt", "")] if turn else []
        case "answer":
            return [turn, data.get("answer", "")] if turn and _ends_turn(client, extra) else []
        case "session_start":
            return [data.get("source", "")] if data.get("source", "") in _ONCE else []
        case "session_end":
            return [turn, data.get("reason", "")] if turn else []
        case "before_compact" | "after_compact":
            return [turn] if turn and data.get("trigger") == "manual" else []
    return []


def _ends_turn(client: str, extra: "dict[str, Any]") -> bool:
    """Whether this answer ends its turn: nothing sends the agent back to work, or speaks again within it."""
    again = extra.get("stop_hook_active") or extra.get("background_tasks") or extra.get("session_crons")
    return client != "cursor" and not again


def _calls(calls: object) -> "list[Any]":
    if not isinstance(calls, list) or not calls:
        return []
    ids = [_text(call, "tool_use_id") if isinstance(call, dict) else "" for call in calls]
    return ids if all(is_unique_id(each) for each in ids) else []


def is_unique_id(identity: str) -> bool:
    """Whether an id tells one from all others; `call_0` only counts, and starts again with the next answer."""
    stem = identity.rstrip("0123456789")
    counted = len(identity) - len(stem) <= 4 and stem[-1:] in {"_", "-", ":", "."}
    return len(identity) > 8 and not counted


def _stamp(timestamp: object) -> str:
    """A client's time where it is fine enough to tell two events apart: milliseconds."""
    if isinstance(timestamp, str):
        fine = "." in timestamp if "T" in timestamp else len(timestamp) >= 13 and timestamp.isdigit()
        return timestamp if fine else ""
    if isinstance(timestamp, int | float) and 10**12 < timestamp < 10**14:
        return str(timestamp)
    return ""


def hash_json(value: object) -> str:
    """A hash over all that a JSON value holds; by a stack of our own, for no depth may stop it."""
    made = blake2b(digest_size=16)
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            made.update(b"{%d" % len(value))
            for field, inner in value.items():
                todo += (inner, field)
        elif isinstance(value, list):
            made.update(b"[%d" % len(value))
            todo += value
        else:
            # Hexadecimal, for Python refuses to write very long whole numbers in decimal.
            text = value if isinstance(value, str) else f"{value:x}" if type(value) is int else repr(value)
            data = text.encode("utf-8", "surrogatepass")
            made.update(b"%s%d:" % (b"s" if isinstance(value, str) else b"o", len(data)))
            made.update(data)
    return made.hexdigest()
