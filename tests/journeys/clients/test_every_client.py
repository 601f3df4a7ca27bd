"""Every client: what it runs, we keep; what we keep, it is told."""

import pytest
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
from tests.journeys.clients.start import Driven


@pytest.fixture
def session(machine: Machine, client: Driven) -> Session:
    return client.start(machine)


@pytest.fixture
def set_up(session: Session, machine: Machine, client: Driven) -> None:
    machine.set_up(client.name)


def test_a_session_is_captured(machine: Machine, session: Session, client: Driven, set_up: None) -> None:
    check_captured(machine, client.name, session(PROMPT))


def test_the_next_session_is_told(moved: Machine, session: Session, client: Driven) -> None:
    moved.set_up(client.name)

    check_told(moved, session)


def test_a_resumed_session_is_told_what_was_said_in_it(
    machine: Machine, session: Session, client: Driven, set_up: None
) -> None:
    check_resumed(machine, session, *client.resume)


def test_a_project_that_was_never_initialised_is_left_alone(machine: Machine, session: Session, set_up: None) -> None:
    check_left_alone(machine, session)


def test_what_a_killed_session_did_is_kept(machine: Machine, session: Session, set_up: None) -> None:
    check_killed(machine, session)


def test_after_uninstalling_it_works_as_before(machine: Machine, session: Session, set_up: None) -> None:
    check_gone(machine, session)
