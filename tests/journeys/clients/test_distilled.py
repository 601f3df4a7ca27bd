"""A real client's session: a candidate in the user's words, a briefing; its transcript adds nothing twice."""

import json
import time
from collections import Counter

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Session
from tests.journeys.clients.start import Driven
from tests.journeys.clients.stub import model as stub
from tests.waiting import wait_for

CHOICE = "Let's use SQLite, not Redis, Redis is too much to run for us."
PROMPT = f"{CHOICE} Create a greeting file in the project."


@pytest.fixture
def session(machine: Machine, client: Driven, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(stub, "COMMAND", "echo hello > greeting.txt")
    begun = client.start(machine)
    machine.set_up(client.name)
    return begun


def test_a_choice_becomes_a_candidate_and_the_transcript_adds_nothing_twice(
    machine: Machine, session: Session, client: Driven
) -> None:
    done = session(PROMPT)
    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    told = Counter(_words(event) for event in machine.events())
    # The newest lines of a transcript wait for their hook.
    time.sleep(21)

    assert machine.holdfast("harvest").status == 0
    with_transcript = Counter(_words(event) for event in machine.events() if event["name"] != "message")
    names = {event["session"] for event in machine.events()}
    assert machine.holdfast("distil", *names).status == 0

    doubled = {each: count for each, count in with_transcript.items() if each[1] and count > max(1, told[each])}
    assert doubled == {}
    [decision] = [
        each for each in machine.holdfast("list", "--candidates", "--json").json["candidates"] if _is_decision(each)
    ]
    shown = machine.holdfast("show", decision["id"], "--json").json["memories"][0]
    assert shown["choice"] == "SQLite"
    assert shown["rejected"][0]["option"] == "Redis"
    assert "too much to run" in shown["rejected"][0]["reason"]
    assert shown["evidence"][0]["quote"] in PROMPT
    briefing = json.loads((machine.folder / ".holdfast/briefing.json").read_text())
    assert briefing["client"] == client.name
    assert briefing["hotFiles"] == ["greeting.txt"]


def test_a_session_of_claude_code_distils_itself_when_it_ends(machine: Machine) -> None:
    begun = start.claude_code(machine)
    machine.set_up("claude-code")
    machine.env["HOLDFAST_DISTIL_AUTO"] = "true"

    begun(PROMPT)

    runs = machine.folder / ".holdfast/runs"
    [summary] = wait_for(lambda: list(runs.glob("*/summary.md")), "the summary")
    assert "Create a greeting file in the project" in summary.read_text()


def _is_decision(candidate: dict[str, str]) -> bool:
    return candidate["type"] == "decision"


def _words(event: dict[str, object]) -> tuple[str, str]:
    """What an event says, by which doubles are known."""
    data = event["data"]
    assert isinstance(data, dict)
    said = data.get("prompt") or data.get("answer") or (data.get("tool") and json.dumps(data.get("input")))
    return str(event["name"]), str(said or "")
