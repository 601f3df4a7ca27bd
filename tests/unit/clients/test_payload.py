"""What clients send, in our words. The recorded payloads come from real clients (tests/data/clients)."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples

from holdfast.clients.payload import detect_client, normalise_payload, to_snake_case
from holdfast.clients.reply import build_reply, injection_limit, may_inject

DATA = Path(__file__).parents[2] / "data" / "clients"
RECORDED = [
    (client, json.loads(line))
    for client in ("claude-code", "codex", "gemini")
    for line in (DATA / f"{client}.jsonl").read_text().splitlines()
]
NAMES = {
    "SessionStart": "session_start", "UserPromptSubmit": "prompt", "PreToolUse": "before_tool",
    "PostToolUse": "after_tool", "PostToolUseFailure": "tool_failed", "PostToolBatch": "tool_batch", "Stop": "answer",
    "SubagentStart": "subagent_start", "SubagentStop": "subagent_stop", "PreCompact": "before_compact",
    "PostCompact": "after_compact", "SessionEnd": "session_end", "InstructionsLoaded": "instructions",
    "BeforeAgent": "prompt", "AfterAgent": "answer", "BeforeTool": "before_tool", "AfterTool": "after_tool",
    "PreCompress": "before_compact", "BeforeModel": "before_model", "AfterModel": "after_model",
    "BeforeToolSelection": "before_tool_selection",
}  # fmt: skip

# Made after the documentation of clients that we could not run.
CURSOR = {
    "conversation_id": "c-1", "generation_id": "g-1", "model": "m", "hook_event_name": "beforeSubmitPrompt",
    "cursor_version": "3.20.21", "workspace_roots": ["/home/dev/proj"], "user_email": "ann@example.org",
    "transcript_path": None, "prompt": "yes", "attachments": [],
}  # fmt: skip
WINDSURF = {
    "agent_action_name": "pre_user_prompt", "trajectory_id": "t-1", "execution_id": "e-1",
    "timestamp": "2026-11-15T07:10:41Z", "tool_info": {"user_prompt": "yes"},
}  # fmt: skip
CLINE = {
    "clineVersion": "4.1.12", "hookName": "PostToolUse", "timestamp": "1794726441201", "taskId": "1794",
    "workspaceRoots": ["/home/dev/proj"], "userId": "u", "model": {"provider": "p", "slug": "s"},
    "postToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}, "result": "no", "success": False},
}  # fmt: skip
COPILOT = {
    "sessionId": "s-1", "timestamp": 1794726441201, "cwd": "/home/dev/proj", "toolName": "bash",
    "toolArgs": '{"command":"ls"}', "toolResult": {"resultType": "success", "textResultForLlm": "x"},
}  # fmt: skip
VSCODE = {
    "sessionId": "s-2", "timestamp": "2026-11-15T07:10:41.201Z", "cwd": "/home/dev/proj", "hookEventName": "PreToolUse",
    "transcript_path": "/x/y.json", "tool_name": "runInTerminal", "tool_input": {"command": "ls"}, "tool_use_id": "a",
}  # fmt: skip
OPENCODE = {
    "holdfast_client": "opencode", "event": "prompt", "session": "ses_1", "cwd": "/home/dev/proj",
    "id": "msg_1de0a9826001mg6aDAJzu8krF1", "turn": "msg_1de0a9826001mg6aDAJzu8krF1", "prompt": "yes",
}  # fmt: skip
DOCUMENTED = [
    ("cursor", CURSOR), ("windsurf", WINDSURF), ("cline", CLINE), ("copilot", COPILOT), ("vscode", VSCODE),
    ("opencode", OPENCODE),
]  # fmt: skip


def event(payload: Mapping[str, Any], env: Mapping[str, str] | None = None) -> dict[str, Any]:
    found = normalise_payload(detect_client(payload, env or {}), payload)
    assert found is not None
    return found


@pytest.mark.parametrize(("client", "payload"), RECORDED + DOCUMENTED)
def test_a_client_is_told_by_its_payload_alone(client: str, payload: dict[str, Any]) -> None:
    assert detect_client(payload, {}) == client


@pytest.mark.parametrize(("client", "payload"), RECORDED)
def test_recorded_payloads_have_our_names_and_lose_nothing(client: str, payload: dict[str, Any]) -> None:
    found = event(payload)

    assert found["client"] == client
    assert found["name"] == NAMES[payload["hook_event_name"]]
    assert (found["session"], found["cwd"]) == (payload["session_id"], payload["cwd"])
    held = [*found["data"].values(), *found["data"].get("extra", {}).values()]
    told = {key: value for key, value in payload.items() if key not in {"hook_event_name", "session_id", "cwd"}}
    for key, value in told.items():
        assert value is None or value in held or (key == "prompt" and client == "gemini")


def test_deliveries_of_one_key_are_the_same_delivery() -> None:
    keys = Counter(event(payload)["key"] for _, payload in RECORDED)

    del keys[""]
    assert set(keys.values()) == {1}


@pytest.mark.parametrize(("client", "payload"), RECORDED + DOCUMENTED)
def test_the_same_delivery_has_the_same_key(client: str, payload: dict[str, Any]) -> None:
    again = json.loads(json.dumps(payload))

    assert event(again)["key"] == event(payload)["key"]


def test_prompts_tools_answers_and_starts_of_the_main_clients_have_keys() -> None:
    names = {"prompt", "before_tool", "after_tool", "tool_failed", "answer"}
    without = [
        (client, payload["hook_event_name"], payload.get("tool_use_id"))
        for client, payload in RECORDED
        if event(payload)["name"] in names and not event(payload)["key"]
    ]

    # The stub of that one recording numbers its calls anew in every answer.
    assert set(without) == {("codex", "PreToolUse", "call_0"), ("codex", "PostToolUse", "call_0")}


CLAUDE = {"session_id": "s", "cwd": "/w", "hook_event_name": "UserPromptSubmit", "prompt": "yes"}


@pytest.mark.parametrize(
    "payload",
    [
        CLAUDE,
        {**CLAUDE, "hook_event_name": "SessionStart", "source": "resume"},
        {**CLAUDE, "hook_event_name": "SessionStart", "source": "compact", "prompt_id": "p-1"},
        {**CLAUDE, "hook_event_name": "SessionEnd", "reason": "other"},
        {**CLAUDE, "hook_event_name": "PreCompact", "trigger": "auto", "prompt_id": "p-1"},
        {**CLAUDE, "hook_event_name": "Stop", "prompt_id": "p-1", "stop_hook_active": True},
        {**CLAUDE, "hook_event_name": "Stop", "prompt_id": "p-1", "background_tasks": [{"id": 1}]},
        {**CLAUDE, "hook_event_name": "PreToolUse", "tool_use_id": "call_12", "prompt_id": "p-1"},
        {**CLAUDE, "hook_event_name": "PreToolUse", "tool_use_id": "functions.bash:0", "prompt_id": "p-1"},
        {**CLAUDE, "hook_event_name": "PermissionRequest", "tool_name": "Bash", "prompt_id": "p-1"},
        {**CLAUDE, "hook_event_name": "Notification", "message": "waiting"},
        {**CLAUDE, "hook_event_name": "SubagentStop", "agent_id": "a9171dbe61e3030c0", "prompt_id": "p-1"},
        {**CURSOR, "hook_event_name": "afterAgentResponse", "text": "Let me look."},
        {**WINDSURF, "agent_action_name": "post_run_command", "execution_id": "e-1"},
        {**COPILOT, "timestamp": 1794726441},
        {**OPENCODE, "id": "call_1"},
        {**CLAUDE, "session_id": "", "sessionId": "", "prompt_id": "p-1"},
    ],
)
def test_what_could_happen_twice_in_the_same_words_has_no_key(payload: dict[str, Any]) -> None:
    found = normalise_payload(detect_client(payload, {}) or "claude-like", payload)

    assert found is not None
    assert found["key"] == ""


def test_another_prompt_session_client_or_time_is_another_key() -> None:
    claude = {**CLAUDE, "prompt_id": "p-1"}
    gemini = {**CLAUDE, "hook_event_name": "BeforeAgent", "timestamp": "2026-11-15T07:10:41.201Z"}
    payloads = [
        claude,
        {**claude, "prompt": "no"},
        {**claude, "prompt_id": "p-2"},
        {**claude, "session_id": "s2"},
        gemini,
        {**gemini, "timestamp": "2026-11-15T07:10:41.202Z"},
    ]

    keys = {event(payload)["key"] for payload in payloads} | {event(claude, {"CLAUDECODE": "1"})["key"]}

    assert len(keys) == 7
    assert "" not in keys


def test_what_only_the_environment_tells() -> None:
    assert detect_client(CLAUDE, {}) == "claude-like"
    assert detect_client(CLAUDE, {"CLAUDECODE": "1"}) == "claude-code"
    assert detect_client(CLAUDE, {"GEMINI_SESSION_ID": "x", "CLAUDE_PROJECT_DIR": "/w"}) == "gemini"
    assert detect_client(CLAUDE, {"CURSOR_VERSION": "3"}) == "cursor"
    assert detect_client({**CLAUDE, "timestamp": "2026-11-15T07:10:41Z"}, {}) == "copilot"


def test_a_client_started_by_another_clients_agent_is_still_told() -> None:
    inherited = {"CLAUDECODE": "1", "GEMINI_SESSION_ID": "x", "CURSOR_VERSION": "3"}

    for client, payload in RECORDED + DOCUMENTED:
        assert detect_client(payload, inherited) == client


def test_a_codex_session_that_is_not_on_disk_is_told_by_its_ids() -> None:
    payload = {**CLAUDE, "session_id": "01a1de09-dd6b-77f3-8837-4353d4e8cd0f", "transcript_path": None}

    assert detect_client(payload, {}) == "codex"


def test_what_is_no_payload_is_no_clients() -> None:
    payload: object
    for payload in ({}, {"hook_event_name": "Stop"}, {"session_id": "s"}, {"sessionId": "s"}, [], None, "x", 5):
        assert detect_client(payload, {}) == ""
        assert normalise_payload("claude-code", payload if payload != {"hook_event_name": "Stop"} else {}) is None


def test_what_gemini_injected_is_not_taken_for_the_users_words() -> None:
    prompts = [
        event(payload)["data"]["prompt"] for client, payload in RECORDED if payload.get("prompt") and client == "gemini"
    ]

    assert set(prompts) == {"say hi", 'CALLTOOL:mcp_mem_memory_search:{"query":"tabs"}ENDCALL'}


def test_failed_tools_are_told_as_failed() -> None:
    gemini = {**CLAUDE, "hook_event_name": "AfterTool", "tool_response": {"error": {"message": "no such file"}}}
    copilot = {**COPILOT, "toolResult": {"resultType": "failure"}}

    assert event(CLINE)["name"] == event(copilot)["name"] == event(gemini)["name"] == "tool_failed"
    assert (event(CLINE)["data"]["error"], event(gemini)["data"]["error"]) == ("no", "no such file")


def test_the_fields_of_documented_clients_have_our_names() -> None:
    assert event(CURSOR)["data"]["prompt"] == event(WINDSURF)["data"]["prompt"] == event(OPENCODE)["data"]["prompt"]
    assert event(CURSOR)["data"]["turn"] == "g-1"
    assert event(CURSOR)["cwd"] == event(CLINE)["cwd"] == "/home/dev/proj"
    assert event(CLINE)["data"]["tool"] == "execute_command"
    assert event(CLINE)["data"]["input"] == {"command": "ls"}
    assert event(COPILOT)["name"] == "after_tool"
    assert event({**CURSOR, "hook_event_name": "afterAgentResponse", "text": "Done."})["data"]["answer"] == "Done."
    assert event({**CLINE, "hookName": "TaskResume"})["data"]["source"] == "resume"


def test_windsurf_names_its_tool_in_the_event() -> None:
    info = {"mcp_server_name": "mem", "mcp_tool_name": "search", "mcp_tool_arguments": {"q": 1}, "mcp_result": "r"}
    mcp = event({**WINDSURF, "agent_action_name": "post_mcp_tool_use", "tool_info": info})
    ran = event({**WINDSURF, "agent_action_name": "pre_run_command", "tool_info": {"command_line": "ls", "cwd": "/w"}})

    assert (mcp["name"], mcp["data"]["tool"], mcp["data"]["output"]) == ("after_tool", "mcp__mem__search", "r")
    assert (ran["name"], ran["data"]["tool"], ran["cwd"]) == ("before_tool", "run_command", "/w")
    assert ran["data"]["input"] == {"command_line": "ls"}


def test_who_the_user_is_is_not_kept() -> None:
    assert "ann@example.org" not in json.dumps(event(CURSOR))
    assert "userId" not in json.dumps(event(CLINE))


def test_events_without_a_name_of_ours_keep_their_own() -> None:
    assert event({**CLAUDE, "hook_event_name": "PreModelSwitch"})["name"] == "pre_model_switch"
    assert to_snake_case("afterMCPExecution") == "after_mcpexecution"
    assert len(to_snake_case("A" * 10_000)) == 64


def test_a_field_of_the_wrong_type_is_kept_but_not_believed() -> None:
    found = event({**CLAUDE, "prompt": ["yes"], "tool_name": {"a": 1}, "error": 5})

    assert "prompt" not in found["data"]
    assert found["data"]["extra"] == {"prompt": ["yes"], "tool_name": {"a": 1}, "error": 5}


FIELDS = sorted(
    {field for _, payload in RECORDED + DOCUMENTED for field in payload} | {"tool_info", "postToolUse", "text"}
)
CLIENTS = [
    "claude-code",
    "codex",
    "gemini",
    "opencode",
    "cursor",
    "copilot",
    "vscode",
    "cline",
    "windsurf",
    "claude-like",
    "",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.just("\ud800"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.sampled_from(FIELDS), inner, max_size=3)
    ),
)


@settings(max_examples=examples(600), deadline=None)
@given(
    payload=st.dictionaries(
        st.sampled_from(FIELDS), VALUES | st.sampled_from([*NAMES, "preToolUse", "TaskStart"]), max_size=12
    ),
    client=st.sampled_from(CLIENTS),
    name=st.sampled_from([*NAMES.values(), "x"]),
)
def test_no_payload_can_make_it_raise(payload: dict[str, Any], client: str, name: str) -> None:
    for each in (client, detect_client(payload, {})):
        found = normalise_payload(each, payload)
        assert found is None or all(
            isinstance(found[field], str) for field in ("client", "session", "name", "key", "cwd")
        )
        json.loads(build_reply(each, name, "words", payload) or "{}") if name != "before_compact" else None


def test_depth_and_size_do_not_matter() -> None:
    deep: Any = "x"
    for _ in range(50_000):
        deep = [deep, 10**5000] if isinstance(deep, str) else [deep]
    huge = {
        **CLAUDE,
        "hook_event_name": "AfterTool",
        "timestamp": "2026-11-15T07:10:41.201Z",
        "tool_response": "x" * 10**7,
    }

    assert event({**huge, "tool_input": deep})["key"]
    assert build_reply("gemini", "after_tool", "words", {**huge, "tool_input": deep})


@pytest.mark.parametrize("client", [*CLIENTS, "aider"])
def test_nothing_is_injected_where_nothing_may_be(client: str) -> None:
    for name in set(NAMES.values()):
        assert injection_limit(client, name) == (8_000 if may_inject(client, name) else 0)
        if not may_inject(client, name):
            assert "words" not in build_reply(client, name, "words", CLAUDE)
