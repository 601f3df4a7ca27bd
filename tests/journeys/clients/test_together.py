"""Several clients in one project: one memory."""

from concurrent.futures import ThreadPoolExecutor

from tests.journeys.clients import start
from tests.journeys.clients.machine import PROMPT, SESSION, Machine, names


def test_what_was_said_to_one_client_is_told_to_another(machine: Machine) -> None:
    claude_code, codex = start.claude_code(machine), start.codex(machine)
    machine.set_up("claude-code", "codex")
    said = claude_code(PROMPT)
    machine.model.asked.clear()

    done = codex("Which storage do we have?")

    assert (said.status, done.status) == (0, 0), (said.err, done.err)
    [line, *_] = [line for line in machine.fences().splitlines() if "Postgres instead of Redis" in line]
    assert "unconfirmed" in line
    assert {event["client"] for event in machine.events()} == {"claude-code", "codex"}


def test_three_at_once_lose_nothing(machine: Machine) -> None:
    sessions = [start.claude_code(machine), start.codex(machine), start.claude_code(machine)]
    machine.set_up("claude-code", "codex")

    with ThreadPoolExecutor(len(sessions)) as pool:
        done = list(pool.map(lambda session: session(PROMPT), sessions))

    events = machine.events()
    assert [each.status for each in done] == [0, 0, 0], done
    found = {event["session"] for event in events}
    assert len(found) == 3
    for session in found:
        assert names([event for event in events if event["session"] == session]) == SESSION
    assert machine.holdfast("doctor", "--verify").status == 0
