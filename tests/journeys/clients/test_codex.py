"""Codex: what it runs, we keep; what we keep, it is told."""

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
    return start.codex(machine)


@pytest.fixture
def set_up(session: Session, machine: Machine) -> None:
    machine.set_up("codex")


def test_a_session_is_captured(machine: Machine, session: Session, set_up: None) -> None:
    check_captured(machine, "codex", session(PROMPT))


def test_the_next_session_is_told(moved: Machine, session: Session) -> None:
    moved.set_up("codex")

    check_told(moved, session)


def test_a_resumed_session_is_told_what_was_said_in_it(machine: Machine, session: Session, set_up: None) -> None:
    check_resumed(machine, session, "resume", "--last")


def test_a_project_that_was_never_initialised_is_left_alone(machine: Machine, session: Session, set_up: None) -> None:
    check_left_alone(machine, session)


def test_what_a_killed_session_did_is_kept(machine: Machine, session: Session, set_up: None) -> None:
    check_killed(machine, session)


def test_after_uninstalling_it_works_as_before(machine: Machine, session: Session, set_up: None) -> None:
    check_gone(machine, session)


def test_hooks_that_nobody_trusted_are_silent_and_status_says_so(machine: Machine) -> None:
    session = start.codex(machine, trusting=False)
    machine.set_up("codex")

    done = session(PROMPT)

    state = machine.state("codex")
    assert done.status == 0, (done.out, done.err)
    assert machine.events() == []
    assert state["installed"]
    assert state["silent"]
    assert state["trusted"] is False
