"""An agent in a real client that is about to break a decision is told so before it writes."""

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Session
from tests.journeys.clients.stub import model as stub

PROMPT = "Add the toolkit to the project."
DECISION = """\
---
id: DEC-7K2MQ4
type: decision
title: Use Textual for the TUI
enforce: {forbid_dependency: [urwid]}
---
Fast iteration.
"""
SAID = "CHECK (DEC-7K2MQ4): requirements.txt:2 forbids the dependency 'urwid'"


@pytest.fixture(params=[one for one in start.CLIENTS if one.hears], ids=lambda one: one.name)
def session(request: pytest.FixtureRequest, machine: Machine) -> Session:
    """A session in a project that decided against a dependency."""
    begun: Session = request.param.start(machine)
    machine.set_up(request.param.name)
    decided(machine)
    return begun


def decided(machine: Machine) -> None:
    (machine.folder / "requirements.txt").write_text("textual\n")
    kept = machine.folder / ".holdfast/memory/decisions/DEC-7K2MQ4.md"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(DECISION)
    assert machine.holdfast("allow").status == 0


def test_the_model_hears_of_it_before_the_command_runs(
    machine: Machine, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stub, "COMMAND", "echo urwid >> requirements.txt")

    done = session(PROMPT)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert SAID in machine.fences()
    # It is a warning: what the agent does is still its own.
    assert (machine.folder / "requirements.txt").read_text() == "textual\nurwid\n"


def test_claude_hears_of_it_before_it_writes_a_manifest(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = start.claude_code(machine)
    machine.set_up("claude-code")
    decided(machine)
    written = {"file_path": str(machine.folder / "requirements.txt"), "content": "textual\nurwid\n"}
    monkeypatch.setattr(stub, "CALL", ("Write", written))

    done = begun(PROMPT)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    assert SAID in machine.fences()
    # Nobody was there to permit the tool, and the warning was told all the same: before it ran.
    assert (machine.folder / "requirements.txt").read_text() == "textual\n"
