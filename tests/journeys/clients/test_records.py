"""Records out of real clients: the work unit, the log and, where it went wrong, the failure."""

import json

import pytest
from tests.journeys.clients.machine import Machine, Session
from tests.journeys.clients.start import Driven
from tests.journeys.clients.stub import model as stub

PROMPT = "Create a greeting file in the project. It must say hello."
COMMAND = "echo hello > greeting.txt"


@pytest.fixture
def session(machine: Machine, client: Driven, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(stub, "COMMAND", COMMAND)
    begun = client.start(machine)
    machine.set_up(client.name)
    return begun


def test_a_session_leaves_a_completed_unit_and_a_line_in_the_log(
    machine: Machine, session: Session, client: Driven
) -> None:
    done = session(PROMPT)

    assert done.status == 0, (done.out[-2000:], done.err[-2000:])
    [unit] = (machine.folder / ".holdfast/work").iterdir()
    meta = dict(line.split(": ", 1) for line in (unit / "META.yaml").read_text().splitlines())
    items = {path.name: path.read_text() for path in (unit / "items").iterdir()}
    assert {name: json.loads(meta[name]) for name in ("status", "client", "files")} == {
        "status": "completed", "client": client.name, "files": ["greeting.txt"],
    }  # fmt: skip
    assert PROMPT in items["001-prompt.md"]
    assert stub.ANSWER in items["002-answer.md"]
    [criterion] = json.loads((unit / "ISC.json").read_text())["criteria"]
    assert criterion["text"] == "It must say hello."
    log = "".join(path.read_text() for path in (machine.folder / ".holdfast/log").glob("*.md"))
    assert f"done: Create a greeting file in the project [greeting.txt] ({client.name})" in log


def test_a_bad_rating_keeps_the_whole_session(machine: Machine, session: Session, client: Driven) -> None:
    session(PROMPT)

    assert machine.holdfast("log", "--rate", "2", "it greets everybody but the user").status == 0

    [dump] = (machine.folder / ".holdfast/learning/failures").glob("*/*")
    assert stub.ANSWER in (dump / "CONTEXT.md").read_text()
    assert COMMAND in (dump / "tool-calls.json").read_text()
    assert PROMPT in (dump / "transcript.jsonl").read_text()
    learned = [path.read_text() for path in (machine.folder / ".holdfast/learning").glob("*/*/*.md")]
    assert any("it greets everybody but the user" in text for text in learned)
