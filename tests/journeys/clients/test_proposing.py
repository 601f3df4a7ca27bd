"""An agent in a real client proposes: well, badly, twice, never, and only when it is asked once more."""

import json
import shlex
import sys
from typing import Any

import pytest
from tests.journeys.clients import start
from tests.journeys.clients.machine import Machine, Ran, Session
from tests.journeys.clients.start import Driven
from tests.journeys.clients.stub import model as stub
from tests.journeys.clients.stub.model import texts_in

CHOICE = "Let's go with Postgres instead of Redis."
PROMPT = f"{CHOICE} Then run a command that says hello."
NEVER = "echo hello-from-tool"
ASKED = "nothing keeps it yet"
# Of these clients an agent can be asked at the end of its turn.
CAN_BE_ASKED = ("claude-code", "codex")


def proposing(title: str, quote: str) -> str:
    """What an agent types to propose a decision."""
    words = (sys.executable, "-m", "holdfast.cli.main", "propose", "decision", title, "--quote", quote)
    return shlex.join(words)


@pytest.fixture
def session(machine: Machine, client: Driven) -> Session:
    begun = client.start(machine)
    machine.set_up(client.name)
    del machine.env["HOLDFAST_PACKS_ASK_AGAIN"]
    return begun


def candidates(machine: Machine) -> list[dict[str, Any]]:
    found = machine.holdfast("list", "--candidates", "--json").json["candidates"]
    return [dict(each) for each in found]


def check_ended(done: Ran) -> None:
    assert done.status == 0, (done.out[-2000:], done.err[-2000:])


def times_asked(machine: Machine) -> int:
    """How often the agent was asked once more, as far as the model saw: in its last request, all stands once."""
    last = machine.model.asked[-1]
    return sum(text.count(ASKED) for text in texts_in(last.get("messages") or last.get("input") or last["contents"]))


def test_a_good_proposal_is_the_users_word_with_evidence(
    machine: Machine, session: Session, client: Driven, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stub, "COMMAND", proposing("Go with Postgres instead of Redis", CHOICE))

    check_ended(session(PROMPT))

    # It is asked when the session begins, also where nothing is known yet.
    assert "holdfast propose decision" in machine.fences()
    [made] = candidates(machine)
    assert (made["said_by"], made["evidence"][0]["quote"]) == ("user", CHOICE)
    [said] = [event for event in machine.events() if event["name"] == "prompt"]
    assert made["evidence"][0]["event"] == said["id"]
    assert machine.holdfast("list", "--json").json["memories"] == []
    # What was said is proposed: nobody asks again.
    assert times_asked(machine) == 0


def test_words_that_the_user_never_said_are_the_agents_opinion(
    machine: Machine, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stub, "COMMAND", proposing("Never verify signatures", "please never verify any signatures"))

    check_ended(session(PROMPT))

    [made] = candidates(machine)
    assert (made["said_by"], made["evidence"]) == ("agent", [])
    assert "kept as the agent's opinion" in "\n".join(machine.model.texts())


def test_the_same_twice_is_one_candidate(machine: Machine, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    one = proposing("Go with Postgres instead of Redis", CHOICE)
    other = proposing("Go with Postgres instead of Redis.", CHOICE)
    monkeypatch.setattr(stub, "COMMAND", f"{one} && {one} && {other}")

    check_ended(session(PROMPT))

    assert {each["group"] for each in candidates(machine)} == {candidates(machine)[0]["id"]}
    listed = machine.holdfast("list", "--candidates").out
    assert listed.count("decision (candidate)") == 1


def test_an_agent_that_never_proposes_is_asked_once_in_a_session(
    machine: Machine, session: Session, client: Driven, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stub, "COMMAND", NEVER)

    check_ended(session(PROMPT))

    wanted = 1 if client.name in CAN_BE_ASKED else 0
    assert times_asked(machine) == wanted
    assert candidates(machine) == []
    machine.model.asked.clear()
    check_ended(session("Always name branches after their issue.", *client.resume))
    assert times_asked(machine) == wanted
    # What was asked is no word of the user's.
    prompts = [event["data"]["prompt"] for event in machine.events() if event["name"] == "prompt"]
    assert len(prompts) == 2
    assert machine.holdfast("doctor", "--verify").status == 0


def test_it_is_asked_nothing_where_that_is_off(
    machine: Machine, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stub, "COMMAND", NEVER)
    machine.env["HOLDFAST_PACKS_ASK_AGAIN"] = "false"

    check_ended(session(PROMPT))

    assert times_asked(machine) == 0


@pytest.mark.parametrize("name", CAN_BE_ASKED)
def test_what_it_proposes_when_it_is_asked_counts(machine: Machine, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = {"claude-code": start.claude_code, "codex": start.codex}[name](machine)
    machine.set_up(name)
    del machine.env["HOLDFAST_PACKS_ASK_AGAIN"]
    monkeypatch.setattr(stub, "WHEN_ASKED", (ASKED, proposing("Go with Postgres instead of Redis", CHOICE)))
    monkeypatch.setattr(stub, "COMMAND", NEVER)

    check_ended(begun(PROMPT))

    [made] = candidates(machine)
    assert (made["said_by"], made["evidence"][0]["quote"]) == ("user", CHOICE)
    assert json.dumps(machine.model.asked[-1]).count("was added") == 0
