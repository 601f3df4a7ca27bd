"""What only Codex does: hooks must be trusted."""

from tests.journeys.clients import start
from tests.journeys.clients.machine import PROMPT, Machine


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
