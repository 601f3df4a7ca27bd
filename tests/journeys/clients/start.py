"""How each client is started offline, with a prompt and nobody at the keyboard. The versions are pinned here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.journeys.clients.machine import Machine, Ran, Session
from tests.journeys.clients.npm import installed

CODEX_CONFIG = """\
model = "gpt-5.4"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STUB_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""
GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def claude_code(machine: Machine) -> Session:
    """Claude Code. `--allowedTools`, for it refuses to skip permissions for root."""
    program = installed("@anthropic-ai/claude-code", "2.1.325", "claude")
    machine.env |= {
        "ANTHROPIC_BASE_URL": machine.model.url,
        "ANTHROPIC_API_KEY": "test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }

    def run(prompt: str, *words: str, at: Path | None = None) -> Ran:
        return machine.run(program, "-p", prompt, "--allowedTools", "Bash", *words, at=at)

    return run


def codex(machine: Machine, *, trusting: bool = True) -> Session:
    """Codex. It asks a person to trust hooks; here nobody is there to ask."""
    program = installed("@openai/codex", "0.166.0", "codex")
    machine.env["STUB_KEY"] = "test"
    _write(machine.user / ".codex/config.toml", CODEX_CONFIG.format(url=machine.model.url))
    trust = ("--dangerously-bypass-hook-trust",) if trusting else ()

    def run(prompt: str, *words: str, at: Path | None = None) -> Ran:
        return machine.run(program, "exec", *trust, *words, prompt, at=at)

    return run


def gemini(machine: Machine) -> Session:
    """Gemini CLI."""
    program = installed("@google/gemini-cli", "0.61.0", "gemini")
    machine.env |= {
        "GEMINI_API_KEY": "test",
        "GOOGLE_GEMINI_BASE_URL": machine.model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    _write(machine.user / ".gemini/settings.json", json.dumps(GEMINI_SETTINGS))

    def run(prompt: str, *words: str, at: Path | None = None) -> Ran:
        return machine.run(program, "--approval-mode", "yolo", *words, "-p", prompt, at=at)

    return run


def opencode(machine: Machine) -> Session:
    """OpenCode. It puts quotation marks around an argument that has a blank in it, so no argument has one."""
    program = installed("opencode-ai", "1.18.33", "opencode")
    switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    machine.env |= {f"OPENCODE_DISABLE_{switch}": "1" for switch in switches}
    stub = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Stub",
        "options": {"baseURL": f"{machine.model.url}/v1", "apiKey": "test"},
        "models": {"fake": {"name": "fake", "limit": {"context": 200_000, "output": 8_000}}},
    }
    settings = {
        "model": "stub/fake",
        "small_model": "stub/fake",
        "autoupdate": False,
        "share": "disabled",
        "provider": {"stub": stub},
        "permission": {"bash": "allow"},
    }
    _write(machine.user / ".config/opencode/opencode.json", json.dumps(settings))

    def run(prompt: str, *words: str, at: Path | None = None) -> Ran:
        return machine.run(program, "run", *words, *prompt.split(), at=at)

    return run


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text)


class Driven(NamedTuple):
    """A client: its name, how a session of it starts, the words that resume the last one, whether warnings reach it."""

    name: str
    start: Callable[[Machine], Session]
    resume: tuple[str, ...]
    hears: bool


CLIENTS = (
    Driven("claude-code", claude_code, ("--continue",), hears=True),
    Driven("codex", codex, ("resume", "--last"), hears=True),
    Driven("gemini", gemini, ("--resume", "latest"), hears=False),
    Driven("opencode", opencode, ("--continue",), hears=False),
)
