"""A session's events as a conversation."""

import json
import os
from pathlib import Path

import pytest
from tests.transcripts import Claude, lay_out, payloads, reap

from holdfast.clients import payload as payload_of
from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.harvest.journal_events import read_session_events
from holdfast.journal import capture_event
from holdfast.records.build_conversation import build_conversation, count_branches

COMPACTED = "7a5f5bd6-cc17-41fe-8e52-c2b795deab97"
DELEGATED = "ce73b99e-2035-4ffd-9641-03eadd36455d"


@pytest.fixture
def user() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = (tmp_path / "project").resolve()
    (path / ".holdfast").mkdir(parents=True)
    return path


def read(project: Path, session: str) -> Conversation:
    return build_conversation(read_session_events(str(project / ".holdfast/journal"), {session}), session)


def by_text(found: Conversation) -> dict[str, Turn]:
    return {turn.text or turn.tool: turn for turn in found.turns}


def test_a_turn_follows_the_one_before_it(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("go")
    session.says("First I look.", stop="tool_use")
    session.gets(session.calls(command="ls"), "a b")
    session.says("Done.")
    reap(project)

    turns = read(project, session.session).turns

    assert [turn.kind for turn in turns] == [
        TurnKind.START,
        TurnKind.PROMPT,
        TurnKind.ANSWER,
        TurnKind.TOOL,
        TurnKind.ANSWER,
    ]
    assert [turn.parent for turn in turns] == ["", *(turn.id for turn in turns[:-1])]
    assert (turns[3].tool, turns[3].output, turns[3].failed) == ("Bash", "a b", False)


def test_an_edited_prompt_begins_a_branch(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("start")
    fork = session.says("ready")
    session.prompt("use Redis")
    session.says("I use Redis")
    session.prompt("use SQLite instead", parent=fork)
    session.says("I use SQLite")
    reap(project)

    found = read(project, session.session)

    turns = by_text(found)
    assert turns["use Redis"].parent == turns["use SQLite instead"].parent == turns["ready"].id
    assert turns["I use SQLite"].parent == turns["use SQLite instead"].id
    assert count_branches(found) == 1


def test_a_branch_is_found_through_records_that_say_nothing(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("start")
    session.says("ready")
    fork = session.record("attachment", attachment={"type": "hook_success"})
    session.prompt("one way")
    session.record("progress", parent=fork)
    session.prompt("another way")
    reap(project)

    turns = by_text(read(project, session.session))

    assert turns["another way"].parent == turns["ready"].id


def test_a_branch_is_found_when_its_beginning_was_read_earlier(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("start")
    fork = session.says("ready")
    reap(project)
    session.prompt("one way", parent=fork)
    session.says("went there")
    session.prompt("another way", parent=fork)
    reap(project)

    turns = by_text(read(project, session.session))

    assert turns["one way"].parent == turns["another way"].parent == turns["ready"].id


def test_calls_made_at_once_are_no_branches(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("look at both")
    both = {"id": "msg_1", "role": "assistant", "stop_reason": "tool_use"}
    calls = ["toolu_00000000000001", "toolu_00000000000002"]
    for call in calls:
        block = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": call}}
        session.record("assistant", message={**both, "content": [block]})
    above = session.last
    second = session.gets(calls[1], "b")
    session.last = above
    first = session.gets(calls[0], "a")
    assert second != first
    session.says("Both seen.", parent=first)
    reap(project)

    assert count_branches(read(project, session.session)) == 0


def test_a_cut_follows_what_it_cut_off(project: Path, user: Path) -> None:
    lay_out(project, user)
    reap(project)

    found = read(project, COMPACTED)

    [cut] = [turn for turn in found.turns if turn.kind is TurnKind.CUT]
    parent = next(turn for turn in found.turns if turn.id == cut.parent)
    assert parent.ts <= cut.ts
    assert found.title == "hello there interactive"
    foreign = [turn.extra["why"] for turn in found.turns if turn.foreign]
    assert sorted(foreign) == ["command", "command output", "command output", "summary"]
    assert [turn.text for turn in found.turns if turn.kind is TurnKind.PROMPT and not turn.foreign] == [found.title]


def test_a_subagents_thread_begins_at_the_call_that_started_it(project: Path, user: Path) -> None:
    lay_out(project, user)
    reap(project)

    found = read(project, DELEGATED)

    [call] = [turn for turn in found.turns if turn.tool == "Agent"]
    thread = [turn for turn in found.turns if turn.agent]
    assert thread[0].text == "NOTOOL look around"
    assert thread[0].foreign
    assert thread[0].parent == call.id
    assert thread[1].parent == thread[0].id
    assert count_branches(found) == 0


def test_told_and_harvested_a_turn_is_one(project: Path, user: Path) -> None:
    lay_out(project, user)
    reap(project)
    before = {name: read(project, name) for name in (COMPACTED, DELEGATED, "cbad6164-be73-4ee5-b5af-f9866e0c0280")}
    for payload in payloads(project):
        event = payload_of.normalise_payload(payload_of.detect_client(payload, {}), payload)
        assert event is not None
        capture_event.capture_event(f"{project}/.holdfast", event)

    for name, harvested in before.items():
        both = read(project, name)
        for kind in (TurnKind.PROMPT, TurnKind.TOOL):
            assert len([t for t in both.turns if t.kind is kind]) == len([t for t in harvested.turns if t.kind is kind])


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>x</system-reminder>",
        "<command-name>/compact</command-name>",
        "<local-command-stdout>x</local-command-stdout>",
        "This session is being continued from a previous conversation",
        "[Request interrupted by user]",
        "Stop hook feedback:\nno",
    ],
)
def test_words_that_nobody_typed_are_foreign(project: Path, user: Path, text: str) -> None:
    session = Claude(project, user)
    session.prompt(text)
    session.prompt("my own words")
    reap(project)

    turns = by_text(read(project, session.session))

    assert turns[text].foreign
    assert not turns["my own words"].foreign
    assert read(project, session.session).title == "my own words"


def test_a_failed_command_is_told_by_its_status_where_the_client_does_not_say(project: Path, user: Path) -> None:
    meta = '{"timestamp":"2026-11-15T07:00:00.000Z","type":"session_meta","payload":{"id":"%s","cwd":"%s"}}'
    call = '{"timestamp":"2026-11-15T07:00:0%d.000Z","type":"response_item","payload":%s}'
    name = "01a1de09-dd6b-77f3-8837-000000000000"
    given = json.dumps({"command": ["bash", "-lc", "make"]})
    asked = json.dumps({"type": "function_call", "name": "shell", "arguments": given, "call_id": "call_abcdefgh123"})
    gave = (
        '{"type":"function_call_output","call_id":"call_abcdefgh123","output":"Process exited with code 2\\nno rule"}'
    )
    path = user / f".codex/sessions/2026/11/15/rollout-2026-11-15T07-00-00-{name}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join([meta % (name, project), call % (1, asked), call % (2, gave)]) + "\n")
    reap(project)

    [turn] = [turn for turn in read(project, name).turns if turn.kind is TurnKind.TOOL]

    assert (turn.tool, turn.input, turn.failed) == ("Bash", {"command": "make"}, True)
