"""The table of clients."""

import hashlib
import json
from pathlib import Path

import pytest

from holdfast.clients.client_table import CLIENTS, GEMINI_EVENTS, PLUGIN_VERSION, client_of
from holdfast.clients.payload import normalise_payload

INTEGRATIONS = Path(__file__).parents[3] / "integrations"
OUR_NAMES = {
    "session_start", "prompt", "before_tool", "after_tool", "tool_failed", "answer", "subagent_start", "subagent_stop",
    "before_compact", "after_compact", "session_end", "permission_denied", "stop_failure", "stop",
}  # fmt: skip


def test_every_event_we_ask_for_has_a_name() -> None:
    for client in CLIENTS:
        for event in client.events if client.id != "opencode" else ():
            field = {"windsurf": "agent_action_name", "cline": "hookName"}.get(client.id, "hook_event_name")
            found = normalise_payload(client.id, {field: event, "session_id": "s"})

            assert found is not None
            assert found["name"] in OUR_NAMES, (client.id, event)


def test_ids_are_told_apart_and_found() -> None:
    sent = [each for client in CLIENTS for each in client.sends]

    assert len(set(sent)) == len(sent)
    assert [client_of(client.id) for client in CLIENTS] == list(CLIENTS)
    assert client_of("vscode").id == "copilot"


def test_the_plugin_changes_only_with_its_version() -> None:
    folder = INTEGRATIONS / "plugin" / "holdfast"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]

    # Codex asks every user to trust the hooks again when one of these files changes.
    assert [str(path.relative_to(folder)) for path in files] == [".claude-plugin/plugin.json", "hooks/hooks.json"]
    assert (PLUGIN_VERSION, digest) == ("1.0.0", "9dc5de63490bf535")
    assert json.loads((folder / ".claude-plugin" / "plugin.json").read_bytes())["version"] == PLUGIN_VERSION


def test_the_extension_for_gemini_asks_for_its_events_in_milliseconds() -> None:
    hooks = json.loads((INTEGRATIONS / "gemini-extension" / "hooks" / "hooks.json").read_bytes())["hooks"]

    assert tuple(hooks) == GEMINI_EVENTS
    assert {hook["timeout"] for groups in hooks.values() for group in groups for hook in group["hooks"]} == {10_000}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_no_hook_is_asynchronous(client: object) -> None:
    assert "async" not in repr(client)
