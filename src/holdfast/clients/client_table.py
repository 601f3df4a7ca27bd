"""The table of clients. Where the facts come from: docs/formats/clients.md."""

from holdfast.clients.client_spec import (
    Client,
    InstallWay,
    JsonPart,
    Leftover,
    MarkdownPart,
    OwnFile,
    OwnFolder,
    TomlPart,
    YamlPart,
)
from holdfast.core.errors import NotFound

PLUGIN = "holdfast@holdfast"
# The folder of a client's copy is named after it; it changes only with the files of the plugin (a test says so), for
# Codex asks the user to trust the hooks again whenever they change.
PLUGIN_VERSION = "1.0.0"
_ACTIVE = ".holdfast/context/active.md"
_RULES = f"""\
This project keeps its memory in `.holdfast/`. Before you start, read `{_ACTIVE}` if it is there: what stands under
CONSTRAINTS binds you, what stands under KNOWN DEAD ENDS was tried and failed.
"""

CLAUDE_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied",
    "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Stop", "StopFailure", "SessionEnd",
)  # fmt: skip
CODEX_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop", "PreCompact",
    "PostCompact", "Stop", "SessionEnd",
)  # fmt: skip
# PreCompress is left out: it fires before every call of the model, whether or not anything is compressed.
GEMINI_EVENTS = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd")
CURSOR_EVENTS = (
    "sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart",
    "subagentStop", "preCompact", "afterAgentResponse", "stop", "sessionEnd",
)  # fmt: skip
# In PascalCase, which both Copilot and VS Code read.
COPILOT_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart",
    "SubagentStop", "PreCompact", "Stop", "SessionEnd",
)  # fmt: skip
CLINE_EVENTS = (
    "TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "TaskComplete",
    "TaskCancel", "TaskError", "SessionShutdown",
)  # fmt: skip
WINDSURF_EVENTS = (
    "pre_user_prompt", "post_run_command", "post_write_code", "post_mcp_tool_use", "post_cascade_response",
)  # fmt: skip
OPENCODE_EVENTS = (
    "session.created", "chat.message", "tool.execute.before", "tool.execute.after", "message.part.updated",
    "session.idle", "session.error", "session.compacted", "session.deleted", "experimental.chat.system.transform",
    "experimental.session.compacting",
)  # fmt: skip


def _in_claudes_form(path: str, events: tuple[str, ...]) -> JsonPart:
    """Hooks as Claude Code and Codex have them in their settings."""
    handlers = [(event, {"type": "command", "command": "{command}", "timeout": _seconds(event)}) for event in events]
    return JsonPart(path=path, items=tuple((("hooks", event), {"hooks": [each]}) for event, each in handlers))


def _seconds(event: str) -> int:
    return 3 if event == "SessionEnd" else 10


CLAUDE_CODE = Client(
    id="claude-code",
    title="Claude Code",
    folder="{user}/.claude",
    folder_variable="CLAUDE_CONFIG_DIR",
    executables=("claude",),
    events=CLAUDE_EVENTS,
    sends=("claude-code", "claude-like"),
    ways=(
        InstallWay(
            name="plugin",
            parts=(
                OwnFolder(path="{home}/plugin", source="plugin"),
                JsonPart(
                    path="{client}/settings.json",
                    members=(
                        (
                            ("extraKnownMarketplaces", "holdfast"),
                            {"source": {"source": "directory", "path": "{home}/plugin"}},
                        ),
                        (("enabledPlugins", PLUGIN), True),
                    ),
                ),
            ),
            leftovers=(
                Leftover(path="{client}/plugins/known_marketplaces.json", members=(("holdfast",),)),
                Leftover(
                    path="{client}/plugins/installed_plugins.json",
                    members=(("plugins", PLUGIN),),
                    bare={"version": 2, "plugins": {}},
                ),
            ),
            copies=("{client}/plugins/cache/holdfast", "{client}/plugins/data/holdfast-holdfast"),
        ),
        InstallWay(name="settings", parts=(_in_claudes_form("{client}/settings.json", CLAUDE_EVENTS),)),
    ),
    notes=(
        "Sessions that run now know nothing of it: start a new one.",
        "`disableAllHooks` in a settings file, or `allowManagedHooksOnly` in a managed one, turns it off.",
    ),
)

CODEX = Client(
    id="codex",
    title="Codex",
    folder="{user}/.codex",
    folder_variable="CODEX_HOME",
    executables=("codex",),
    events=CODEX_EVENTS,
    sends=("codex",),
    ways=(
        InstallWay(
            name="plugin",
            parts=(
                OwnFolder(path="{home}/plugin", source="plugin"),
                OwnFolder(
                    path=f"{{client}}/plugins/cache/holdfast/holdfast/{PLUGIN_VERSION}", source="plugin/holdfast"
                ),
                TomlPart(
                    path="{client}/config.toml",
                    tables=(
                        ("marketplaces.holdfast", {"source_type": "local", "source": "{home}/plugin"}),
                        (f'plugins."{PLUGIN}"', {"enabled": True}),
                    ),
                    also=f'hooks.state."{PLUGIN}:',
                ),
            ),
        ),
        InstallWay(name="settings", parts=(_in_claudes_form("{client}/hooks.json", CODEX_EVENTS),)),
    ),
    needs_trust=True,
    notes=(
        "Codex runs no hook that you have not trusted: open `codex`, type /hooks, and trust those of holdfast.",
        "`codex exec` skips hooks that are not trusted, and says nothing.",
    ),
)

GEMINI = Client(
    id="gemini",
    title="Gemini CLI",
    folder="{user}/.gemini",
    executables=("gemini",),
    events=GEMINI_EVENTS,
    sends=("gemini",),
    ways=(
        InstallWay(
            name="extension",
            parts=(OwnFolder(path="{client}/extensions/holdfast", source="gemini-extension"),),
        ),
    ),
    notes=("`hooksConfig.enabled: false` in its settings.json turns it off.",),
)

OPENCODE = Client(
    id="opencode",
    title="OpenCode",
    folder="{user}/.config/opencode",
    folder_variable="XDG_CONFIG_HOME",
    folder_below="opencode",
    executables=("opencode",),
    events=OPENCODE_EVENTS,
    sends=("opencode",),
    ways=(
        InstallWay(
            name="plugin",
            parts=(OwnFile(path="{client}/plugins/holdfast.js", source="opencode/holdfast.js"),),
        ),
    ),
)

CURSOR = Client(
    id="cursor",
    title="Cursor",
    folder="{user}/.cursor",
    executables=("cursor", "cursor-agent"),
    events=CURSOR_EVENTS,
    sends=("cursor",),
    ways=(
        InstallWay(
            name="hooks",
            parts=(
                JsonPart(
                    path="{client}/hooks.json",
                    items=tuple((("hooks", event), {"command": "{command}"}) for event in CURSOR_EVENTS),
                    bare={"version": 1},
                ),
            ),
        ),
    ),
    notes=("Some versions of Cursor drop what a session's start injects.",),
)

# Copilot denies a tool when the hook before it fails in any way, and so also when the hook is no longer there.
_NEVER_FAILS = "{command} || exit 0"
COPILOT = Client(
    id="copilot",
    title="GitHub Copilot and VS Code",
    folder="{user}/.copilot",
    folder_variable="COPILOT_HOME",
    executables=("copilot", "code", "code-insiders"),
    events=COPILOT_EVENTS,
    sends=("copilot", "vscode"),
    ways=(
        InstallWay(
            name="hooks",
            parts=(
                JsonPart(
                    path="{client}/hooks/holdfast.json",
                    items=tuple(
                        (("hooks", event), {"type": "command", "command": _NEVER_FAILS}) for event in COPILOT_EVENTS
                    ),
                    bare={"version": 1},
                ),
            ),
        ),
    ),
    notes=("In VS Code, agent hooks are a preview; `chat.hookFilesLocations` says which files it reads them from.",),
)

CLINE = Client(
    id="cline",
    title="Cline",
    folder="{user}/.cline",
    executables=("cline",),
    marks=("{user}/Documents/Cline",),
    events=CLINE_EVENTS,
    sends=("cline",),
    ways=(
        InstallWay(
            name="scripts",
            parts=tuple(
                OwnFile(path=f"{{client}}/hooks/{event}", source="cline/hook", executable=True, shy=True)
                for event in CLINE_EVENTS
            ),
        ),
    ),
    notes=("In the extension for VS Code, hooks must be enabled in Cline's settings.",),
)

WINDSURF = Client(
    id="windsurf",
    title="Windsurf (Devin Desktop)",
    folder="{user}/.codeium/windsurf",
    executables=("windsurf", "devin-desktop"),
    events=WINDSURF_EVENTS,
    sends=("windsurf",),
    ways=(
        InstallWay(
            name="hooks and rules",
            parts=(
                JsonPart(
                    path="{client}/hooks.json",
                    items=tuple((("hooks", event), {"command": "{command}"}) for event in WINDSURF_EVENTS),
                ),
                MarkdownPart(
                    path="{workspace}/.devin/rules/holdfast.md", head="---\ntrigger: always_on\n---\n\n", text=_RULES
                ),
            ),
        ),
    ),
    notes=("It takes no words from hooks: memory reaches its agent through the rules file.",),
)

AIDER = Client(
    id="aider",
    title="Aider",
    folder="{user}",
    executables=("aider",),
    marks=("{workspace}/.aider.conf.yml", "{workspace}/.aider.chat.history.md", "{user}/.aider.conf.yml"),
    ways=(InstallWay(name="read", parts=(YamlPart(path="{workspace}/.aider.conf.yml", key="read", entry=_ACTIVE),)),),
    notes=(
        "Aider has no hooks: nothing is captured while it runs, and it reads memory when it starts.",
        "A `read:` in ~/.aider.conf.yml is overruled by the one in the workspace; name its files there too.",
    ),
)

CLIENTS = (CLAUDE_CODE, CODEX, GEMINI, OPENCODE, CURSOR, COPILOT, CLINE, WINDSURF, AIDER)


class UnknownClient(NotFound):
    """A client that is not in the table."""

    def __init__(self, name: str) -> None:
        known = ", ".join(client.id for client in CLIENTS)
        super().__init__(f"There is no client {name!r}.", f"the clients are {known}.")


def client_of(name: str) -> Client:
    """The client of this id, or of a payload's."""
    for client in CLIENTS:
        if name == client.id or name in client.sends:
            return client
    raise UnknownClient(name)
