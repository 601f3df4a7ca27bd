"""What only Claude Code does: compaction, provoked."""

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import PROMPT, Machine, Session


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
    assert machine.holdfast("verify").status == 0
