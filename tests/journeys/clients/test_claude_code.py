"""Claude Code: what it runs, we keep; what we keep, it is told."""

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import (
    PROMPT,
    Machine,
    Session,
    check_captured,
    check_gone,
    check_killed,
    check_left_alone,
    check_resumed,
    check_told,
)


@pytest.fixture
def session(machine: Machine) -> Session:
    return start.claude_code(machine)


@pytest.fixture
def set_up(session: Session, machine: Machine) -> None:
    machine.set_up("claude-code")


def test_a_session_is_captured(machine: Machine, session: Session, set_up: None) -> None:
    check_captured(machine, "claude-code", session(PROMPT))


def test_the_next_session_is_told(moved: Machine, session: Session) -> None:
    moved.set_up("claude-code")

    check_told(moved, session)


def test_a_resumed_session_is_told_what_was_said_in_it(machine: Machine, session: Session, set_up: None) -> None:
    check_resumed(machine, session, "--continue")


def test_a_project_that_was_never_initialised_is_left_alone(machine: Machine, session: Session, set_up: None) -> None:
    check_left_alone(machine, session)


def test_what_a_killed_session_did_is_kept(machine: Machine, session: Session, set_up: None) -> None:
    check_killed(machine, session)


def test_after_uninstalling_it_works_as_before(machine: Machine, session: Session, set_up: None) -> None:
    check_gone(machine, session)


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
