"""What only Claude Code does: compaction, provoked; and subagents."""

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import PROMPT, Machine, Session
from tests.journeys.clients.stub.model import ANSWER, DELEGATED, TASK, texts_in


@pytest.fixture
def session(machine: Machine) -> Session:
    return start.claude_code(machine)


@pytest.fixture
def set_up(session: Session, machine: Machine) -> None:
    machine.set_up("claude-code")


def test_a_bad_summary_loses_nothing(machine: Machine, session: Session, set_up: None) -> None:
    session(PROMPT)
    machine.model.asked.clear()

    done = session("/compact", "--continue")
    asked = "\n".join(machine.model.texts())
    machine.model.asked.clear()
    session("And what comes next?", "--continue")

    assert done.status == 0, (done.out, done.err)
    compaction = [event for event in machine.events() if "compact" in event["name"] + event["data"].get("source", "")]
    assert [event["name"] for event in compaction] == ["before_compact", "session_start", "after_compact"]
    assert "Keep these lines word for word" in asked
    assert "They talked about a project." in compaction[-1]["data"]["summary"]
    assert "They talked about a project." in "\n".join(machine.model.texts())
    assert "Postgres instead of Redis" in machine.fences()
    assert machine.holdfast("doctor", "--verify").status == 0


def test_a_subagent_is_told_what_holds_like_its_parent(machine: Machine, session: Session, set_up: None) -> None:
    assert machine.holdfast("remember", "invariant", "Never log tokens").status == 0

    done = session(f"{DELEGATED}.", "--allowedTools", "Agent", "Bash")

    assert done.status == 0, (done.out, done.err)
    assert "subagent_start" in [event["name"] for event in machine.events()]
    # What the parent says is in each of its requests; the subagent's have its task and not the parent's prompt.
    own = [body for body in machine.model.asked if not any(DELEGATED in text for text in texts_in(body["messages"]))]
    inside = [body for body in own if any(TASK in text for text in texts_in(body["messages"]))]
    assert inside
    assert all(any("Never log tokens" in text for text in texts_in(body["messages"])) for body in inside)
    [page] = machine.holdfast("report", "research", "--full", "--json").json["research"]
    assert (page["agent"], page["task"], page["text"].strip()) == ("general-purpose", TASK, ANSWER)
    assert machine.holdfast("doctor", "--verify").status == 0
