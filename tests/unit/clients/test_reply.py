"""What is printed back to a client."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.clients.reply import LIMIT, build_reply, may_inject

PAYLOAD = {"hook_event_name": "UserPromptSubmit", "session_id": "s"}
NESTED = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "words"}}


@pytest.mark.parametrize(
    ("client", "name", "payload", "printed"),
    [
        ("claude-code", "prompt", PAYLOAD, NESTED),
        ("claude-like", "prompt", PAYLOAD, NESTED),
        ("codex", "prompt", PAYLOAD, NESTED),
        ("gemini", "prompt", PAYLOAD, NESTED),
        ("vscode", "session_start", {"hookEventName": "UserPromptSubmit"}, NESTED),
        ("copilot", "session_start", PAYLOAD, {"additionalContext": "words"}),
        ("cursor", "session_start", PAYLOAD, {"additional_context": "words"}),
        ("cline", "prompt", PAYLOAD, {"cancel": False, "contextModification": "words"}),
        ("opencode", "prompt", PAYLOAD, {"context": "words"}),
    ],
)
def test_words_are_wrapped_as_the_client_takes_them(
    client: str, name: str, payload: dict[str, Any], printed: dict[str, Any]
) -> None:
    assert json.loads(build_reply(client, name, "words", payload)) == printed


def test_before_compaction_claude_code_takes_plain_words() -> None:
    assert build_reply("claude-code", "before_compact", "Keep DEC-1.", PAYLOAD) == "Keep DEC-1."
    assert not build_reply("claude-code", "before_compact", '{"a": 1}', PAYLOAD).startswith("{")
    assert build_reply("codex", "before_compact", "Keep DEC-1.", PAYLOAD) == ""


def test_nothing_to_say_is_nothing_printed_but_where_the_client_asks_for_leave() -> None:
    for client in ("claude-code", "codex", "gemini", "opencode", "copilot", "vscode", "windsurf", ""):
        assert build_reply(client, "prompt", "", PAYLOAD) == ""
    assert build_reply("cline", "before_tool", "", PAYLOAD) == '{"cancel":false}'
    assert build_reply("cursor", "prompt", "", {"hook_event_name": "beforeSubmitPrompt"}) == '{"continue":true}'
    assert build_reply("cursor", "before_tool", "", {"hook_event_name": "preToolUse"}) == "{}"
    assert build_reply("cursor", "answer", "", {"hook_event_name": "afterAgentResponse"}) == ""


def test_an_answer_never_sends_the_agent_back_to_work() -> None:
    for client in ("claude-code", "codex", "gemini", "cursor", "copilot", "vscode"):
        assert not may_inject(client, "answer")
        assert not may_inject(client, "subagent_stop")


def test_an_event_without_a_name_gets_nothing() -> None:
    assert build_reply("codex", "prompt", "words", {}) == ""
    assert build_reply("codex", "prompt", "words", {"hook_event_name": ["x"]}) == ""


@given(words=st.text(min_size=1, max_size=50))
def test_any_text_comes_through_as_json(words: str) -> None:
    printed = json.loads(build_reply("claude-code", "prompt", words, PAYLOAD))

    assert printed["hookSpecificOutput"]["additionalContext"] == words


def test_half_a_character_cannot_break_the_answer() -> None:
    assert (
        json.loads(build_reply("codex", "prompt", "a\ud800b", PAYLOAD))["hookSpecificOutput"]["additionalContext"]
        == "a?b"
    )


@given(
    words=st.text(alphabet="aé漢😀\n", min_size=1, max_size=9), client=st.sampled_from(["codex", "copilot", "gemini"])
)
def test_long_words_are_cut_to_what_the_client_reads(words: str, client: str) -> None:
    printed = build_reply(client, "session_start", words * LIMIT, PAYLOAD)

    found = json.loads(printed)
    text = found["additionalContext"] if client == "copilot" else found["hookSpecificOutput"]["additionalContext"]
    assert 0 < len(text) <= LIMIT
    assert client == "gemini" or len(text.encode()) <= 10_000


def test_words_are_cut_at_the_end_of_a_line() -> None:
    lines = "".join(f"line {n}\n" for n in range(2_000))

    text = json.loads(build_reply("gemini", "prompt", lines, PAYLOAD))["hookSpecificOutput"]["additionalContext"]

    assert LIMIT - 20 < len(text) <= LIMIT
    assert lines.startswith(text + "\n")
