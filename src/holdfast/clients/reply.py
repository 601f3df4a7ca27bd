"""What may be printed back to a client: only the keys that its event takes, and never more than it reads.

The hot path, like `payload`: nothing is imported, and nothing raises. The sources are named in docs/formats/clients.md.
"""

from holdfast.clients.payload import CLAUDE_LIKE, event_name

LIMIT = 8_000

_CLAUDE = frozenset({
    "session_start", "setup", "prompt", "user_prompt_expansion", "before_tool", "after_tool", "tool_failed",
    "tool_batch", "notification", "subagent_start", "before_compact",
})  # fmt: skip
# `answer` is missing on purpose: words given to Stop send the agent back to work. `build_question` does so, once.
_INJECTS = {
    "claude-code": _CLAUDE,
    CLAUDE_LIKE: _CLAUDE,
    "codex": frozenset({"session_start", "prompt", "before_tool", "after_tool", "subagent_start"}),
    "gemini": frozenset({"session_start", "prompt", "after_tool", "tool_failed"}),
    "opencode": frozenset({"session_start", "prompt", "after_tool", "before_compact", "subagent_start"}),
    "copilot": frozenset({"session_start", "after_tool", "subagent_start", "notification"}),
    "vscode": frozenset({"session_start", "before_tool", "after_tool", "subagent_start"}),
    "cursor": frozenset({"session_start", "after_tool"}),
    "cline": frozenset({"session_start", "prompt", "before_tool", "after_tool", "tool_failed"}),
}
# Clients that count bytes: Codex cuts at about 2,500 tokens of four bytes, Copilot at 10 KB.
_BYTES = {"codex": 10_000, "copilot": 10_000}
# Cursor asks these hooks for leave and wants JSON back; this says neither yes nor no.
_CURSOR_ASKS = {"beforeSubmitPrompt": '{"continue":true}', "preToolUse": "{}", "subagentStart": "{}"}
_CURSOR_EXECUTIONS = frozenset({"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead"})
_ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | {
    ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", 0x7F: "\\u007f",
}  # fmt: skip


# They show a `systemMessage` to the user beside what the model gets.
_SHOWS = frozenset({"claude-code", CLAUDE_LIKE, "codex", "gemini"})
# Claude Code goes on with words for Stop as with a note; Codex shows why its turn goes on.
_ASKED = frozenset({"claude-code", "codex"})
# Codex knows the word `ask` and lets the call run.
_DECIDED = {"claude-code": "ask", CLAUDE_LIKE: "ask", "vscode": "ask", "codex": "deny"}


def may_inject(client: str, name: str) -> bool:
    """Whether words printed for this event reach the model of this client."""
    return name in _INJECTS.get(client, ())


def injection_limit(client: str, name: str) -> int:
    """How many characters may be injected: 0 where none may."""
    return LIMIT if may_inject(client, name) else 0


def build_reply(client: str, name: str, text: str, payload: object, shown: str = "") -> str:
    """All that may be printed for an event: the words to inject, and those that the user shall see; often nothing."""
    words = _fit_text(client, text) if text and may_inject(client, name) else ""
    if shown and client in _SHOWS:
        inner = _format_specific(words, event_name(payload))[1:-1] if words else ""
        return f'{{"systemMessage":{_quote_json(_fit_text(client, shown))}{"," if inner else ""}{inner}}}'
    match client:
        case "cursor":
            return _cursor(words, event_name(payload))
        case "cline":
            return f'{{"cancel":false,"contextModification":{_quote_json(words)}}}' if words else '{"cancel":false}'
    if not words:
        return ""
    match client:
        case "opencode":
            return f'{{"context":{_quote_json(words)}}}'
        case "copilot":
            return f'{{"additionalContext":{_quote_json(words)}}}'
    if name == "before_compact":
        return _format_plain(words)
    return _format_specific(words, event_name(payload))


def build_decision(client: str, action: str, reason: str, payload: object) -> str:
    """The answer by which a tool call is asked about or denied; empty where the client takes none.

    A client that cannot ask is told to deny; so are those that run such a call, or wait for ever where nobody is there.
    """
    why = _quote_json(reason)
    match client:
        case "gemini":
            return f'{{"decision":"deny","reason":{why}}}'
        case "opencode":
            return f'{{"deny":{why}}}'
        case "cursor":
            return f'{{"permission":"deny","user_message":{why},"agent_message":{why}}}'
        case "copilot":
            return f'{{"permissionDecision":"{_word(action, "ask")}","permissionDecisionReason":{why}}}'
        case "cline":
            return f'{{"cancel":true,"errorMessage":{why}}}'
    if client not in _DECIDED or event_name(payload) != "PreToolUse":
        return ""
    decided = f'"permissionDecision":"{_word(action, _DECIDED[client])}","permissionDecisionReason":{why}'
    return f'{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{decided}}}}}'


def may_ask(client: str) -> bool:
    """Whether an agent that ends its turn can be asked something without its user seeing an error.

    Gemini CLI drops the answer and has it made anew; the others take no words then, or fail where they get some.
    """
    return client in _ASKED


def build_question(client: str, words: str, payload: object) -> str:
    """What is printed at the end of a turn for the agent to go on with these words."""
    if not words or not may_ask(client) or event_name(payload) != "Stop":
        return ""
    if client == "codex":
        # It knows no `additionalContext` there, and drops an answer with keys it does not know.
        return f'{{"decision":"block","reason":{_quote_json(_fit_text(client, words))}}}'
    return _format_specific(_fit_text(client, words), "Stop")


def _word(action: str, asking: str) -> str:
    return "deny" if action == "block" else asking


def _format_specific(words: str, event: str) -> str:
    """The dialect of Claude Code. An event that is not named by its own name is refused, so it gets nothing."""
    if not event:
        return ""
    return f'{{"hookSpecificOutput":{{"hookEventName":{_quote_json(event)},"additionalContext":{_quote_json(words)}}}}}'


def _cursor(words: str, event: str) -> str:
    if words:
        return f'{{"additional_context":{_quote_json(words)}}}'
    return _CURSOR_ASKS.get(event) or ("{}" if event in _CURSOR_EXECUTIONS else "")


def _format_plain(words: str) -> str:
    """Claude Code takes plain words before compaction; what starts like JSON would be read as JSON."""
    return f"Keep:\n{words}" if words.lstrip().startswith("{") else words


def _fit_text(client: str, text: str) -> str:
    """The words without what no encoding can hold, cut at a line where they are too long."""
    words = text.encode("utf-8", "replace").decode("utf-8")
    if len(words) > LIMIT:
        words = _cut(words, LIMIT)
    most = _BYTES.get(client, 0)
    if most and len(words.encode("utf-8")) > most:
        words = _cut(words, len(words.encode("utf-8")[:most].decode("utf-8", "ignore")))
    return words


def _cut(words: str, most: int) -> str:
    end = words.rfind("\n", 0, most)
    return words[: end if end > most // 2 else most]


def _quote_json(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
