"""How a client is told to ask about a tool call or to deny it."""

import json

import pytest

from holdfast.clients.reply import build_decision

REASON = 'a "quoted"\nreason'
CLAUDE = {"hook_event_name": "PreToolUse"}


@pytest.mark.parametrize(
    ("client", "action", "word"),
    [
        ("claude-code", "block", "deny"),
        ("claude-code", "ask", "ask"),
        ("claude-like", "ask", "ask"),
        ("vscode", "ask", "ask"),
        ("codex", "block", "deny"),
        # It lets a call run that a hook asks about.
        ("codex", "ask", "deny"),
    ],
)
def test_the_dialect_of_claude(client: str, action: str, word: str) -> None:
    said = json.loads(build_decision(client, action, REASON, CLAUDE))

    assert said == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": REASON,
        }
    }


@pytest.mark.parametrize("action", ["ask", "block"])
@pytest.mark.parametrize(
    ("client", "said"),
    [
        ("gemini", {"decision": "deny", "reason": REASON}),
        ("opencode", {"deny": REASON}),
        ("cursor", {"permission": "deny", "user_message": REASON, "agent_message": REASON}),
        ("cline", {"cancel": True, "errorMessage": REASON}),
    ],
)
def test_clients_that_cannot_ask_are_told_to_deny(client: str, action: str, said: object) -> None:
    assert json.loads(build_decision(client, action, REASON, {})) == said


@pytest.mark.parametrize(("action", "word"), [("ask", "ask"), ("block", "deny")])
def test_copilot_takes_a_flat_answer(action: str, word: str) -> None:
    said = json.loads(build_decision("copilot", action, REASON, {}))

    assert said == {"permissionDecision": word, "permissionDecisionReason": REASON}


def test_a_client_that_takes_no_decision_is_told_nothing() -> None:
    assert build_decision("windsurf", "block", REASON, {}) == ""
    assert build_decision("claude-code", "block", REASON, {"hook_event_name": "Stop"}) == ""
