"""How to tell that a client's agent runs us, and not a person: the marks clients leave in the environment."""

from collections.abc import Mapping

# Only marks that clients set for what their agent runs. Marks of an editor's own terminal
# (CURSOR_TRACE_ID, VSCODE_PID, CLAUDE_CODE_SSE_PORT) stand before people too, and CODEX_HOME is a person's setting.
MARKS: Mapping[str, tuple[str, ...]] = {
    "Claude Code": ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID"),
    "Codex": ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
    "Gemini CLI": ("GEMINI_CLI", "GEMINI_SESSION_ID"),
    "OpenCode": ("OPENCODE", "OPENCODE_CLIENT"),
    "Cursor": ("CURSOR_AGENT",),
    "Copilot": ("COPILOT_CLI", "COPILOT_AGENT"),
    "Cline": ("CLINE_ACTIVE",),
    "Augment": ("AUGMENT_AGENT",),
    "Antigravity": ("ANTIGRAVITY_AGENT",),
    "an agent": ("AI_AGENT", "AGENT"),
}


def find_calling_client(environment: Mapping[str, str]) -> str:
    """The client whose agent runs this process, or an empty text for a person."""
    for client, names in MARKS.items():
        if any(environment.get(name) for name in names):
            return client
    return ""
