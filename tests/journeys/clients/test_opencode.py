"""What only OpenCode does: quotation marks around the words it is given, and subagents as sessions of their own."""

from tests.journeys.clients import start
from tests.journeys.clients.machine import DECISION, Machine
from tests.journeys.clients.npm import installed
from tests.journeys.clients.stub.model import ANSWER, DELEGATED, TASK, texts_in


def test_a_prompt_is_what_the_user_typed(machine: Machine) -> None:
    start.opencode(machine)
    machine.set_up("opencode")
    program = installed("opencode-ai", "1.18.33", "opencode")

    done = machine.run(program, "run", f'{DECISION} And say "hello".')

    assert done.status == 0, (done.out, done.err)
    [prompt] = [event["data"]["prompt"] for event in machine.events() if event["name"] == "prompt"]
    assert prompt == f'{DECISION} And say "hello".'
    assert DECISION in machine.buffer()


def test_a_subagent_is_told_what_holds_and_its_answer_is_kept(machine: Machine) -> None:
    session = start.opencode(machine)
    machine.set_up("opencode")
    assert machine.holdfast("remember", "invariant", "Never log tokens").status == 0

    done = session(f"{DELEGATED}, then add what it found to the notes.")

    assert done.status == 0, (done.out, done.err)
    assert {"subagent_start", "subagent_stop"} <= {event["name"] for event in machine.events()}
    bodies = [body for body in machine.model.asked if not any(DELEGATED in text for text in texts_in(body["messages"]))]
    inside = [body for body in bodies if any(TASK in text for text in texts_in(body["messages"]))]
    assert inside
    assert all(any("Never log tokens" in text for text in texts_in(body["messages"])) for body in inside)
    [page] = machine.holdfast("report", "research", "--full", "--json").json["research"]
    assert (page["agent"], page["text"].strip()) == ("general", ANSWER)
