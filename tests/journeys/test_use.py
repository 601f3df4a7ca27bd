"""Did it help? Sessions through the real hook are judged when they end; it all comes back from the journal."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.hooking import Client, injected

from holdfast.inject.holdout import is_held_out

TELLS = "Use Textual for the status panel"
SHARE = "0.5"


def session(folder: Path, name: str, **env: str) -> Client:
    return Client(folder, session=name, **env)


def uses(client: Client) -> None:
    client.says("add a status panel, please, for the deploy view")
    path = str(client.folder / "src/panel.py")
    given = {"file_path": path, "old_string": "", "new_string": "from textual.app import App"}
    client.send("PostToolUse", tool_name="Write", tool_input=given, tool_response={})
    client.send("Stop", last_assistant_message="The panel is there.")
    client.send("SessionEnd", reason="other")


def contradicts(client: Client) -> None:
    client.says("add a status panel, please, for the deploy view")
    given = {"command": "pip install curses"}
    client.send("PostToolUse", tool_name="Bash", tool_input=given, tool_response={"stdout": ""})
    client.send("Stop", last_assistant_message="Done.")
    client.send("SessionEnd", reason="other")


@pytest.fixture
def decision(holdfast: Any) -> str:
    done = holdfast("remember", "decision", TELLS, "--choice", "Textual", "--rejected", "curses: no layout", "--json")
    return str(done.json["id"])


def line_file(folder: Path) -> Path:
    return folder / ".holdfast/learning/signals/use.jsonl"


def test_used_and_contradicted_sessions_are_told_apart(holdfast: Any, decision: str, folder: Path) -> None:
    assert "No session" in holdfast("stats").out
    uses(session(folder, "s-used"))
    contradicts(session(folder, "s-contra"))

    found = holdfast("stats", "--json").json

    assert (found["sessions"], found["used"], found["contradicted"], found["ignored"]) == (2, 1, 1, 0)
    assert found["memories"][0]["id"] == decision
    assert found["memories"][0]["tokens"] > 0
    assert found["hit_rate"]["low"] < 0.5 < found["hit_rate"]["high"]
    assert found["holdout"] is None
    shown = holdfast("stats", decision[:6])
    assert "used: textual stands in what came after" in shown.out
    assert "contradicted: curses was installed" in shown.out
    assert json.loads((folder / ".holdfast/state/use.json").read_text()) == {decision: [2, 1]}


def test_manifests_that_could_not_be_read_are_told(holdfast: Any, decision: str, folder: Path) -> None:
    client = session(folder, "s-broken")
    client.says("add a status panel, please, for the deploy view")
    given = {"file_path": str(folder / "composer.json"), "content": '{"require": {"curses/curses": '}
    client.send("PostToolUse", tool_name="Write", tool_input=given, tool_response={})
    client.send("SessionEnd", reason="other")

    shown = holdfast("stats")

    assert "could not be read, so nothing can be said of what they brought in: composer.json" in shown.out + shown.err


def test_deleting_it_brings_back_the_same(holdfast: Any, decision: str, folder: Path) -> None:
    uses(session(folder, "s-1"))
    contradicts(session(folder, "s-2"))
    holdfast("stats")
    before = line_file(folder).read_bytes()

    line_file(folder).unlink()
    holdfast("stats")
    assert line_file(folder).read_bytes() == before

    line_file(folder).unlink()
    shutil.rmtree(folder / ".holdfast/state")
    holdfast("stats")
    assert line_file(folder).read_bytes() == before
    assert before.count(b"\n") == 2


def test_a_session_that_goes_on_after_its_end_is_judged_again_on_its_one_line(
    holdfast: Any, decision: str, folder: Path
) -> None:
    client = session(folder, "s-1")
    uses(client)
    contradicts(client)

    [line] = line_file(folder).read_text().splitlines()

    assert json.loads(line)["memories"][0]["verdict"] == "contradicted"


def test_a_held_out_session_is_told_nothing_and_it_is_known(holdfast: Any, decision: str, folder: Path) -> None:
    names = [f"s-{n}" for n in range(40)]
    held = next(name for name in names if is_held_out(name, float(SHARE)))
    told = next(name for name in names if not is_held_out(name, float(SHARE)))
    env = {"HOLDFAST_PACKS_HOLDOUT": SHARE}

    assert session(folder, held, **env).start() == ""
    assert session(folder, held, **env).says("add a status panel") == ""
    assert "Textual" in session(folder, told, **env).start()
    for name in (held, told):
        uses(session(folder, name, **env))

    lines = {each["session"]: each for each in map(json.loads, line_file(folder).read_text().splitlines())}
    assert (lines[held]["arm"], lines[told]["arm"]) == ("held", "told")
    assert (lines[held]["memories"], lines[held]["tokens"]) == ([], 0)
    assert [each["holdout"] for each in injected(folder)] == [float(SHARE)]
    found = holdfast("stats", "--json").json["holdout"]
    assert (found["told"], found["held"], found["rating"]["verdict"]) == (1, 1, "cannot tell yet")
    assert "cannot tell yet" in holdfast("stats").out


@pytest.mark.parametrize("value", ["0.6", "-1", "much", "true"])
def test_a_hold_out_that_cannot_be_is_refused(holdfast: Any, value: str) -> None:
    done = holdfast("config", "packs.holdout", value)

    assert done.status == 2
    assert "a number from 0 to 0.5" in done.err or "unrecognized" in done.err.lower()


def test_a_hold_out_is_set_by_its_user_and_by_no_repository(holdfast: Any, folder: Path) -> None:
    (folder / ".holdfast/config.toml").write_text("[packs]\nholdout = 0.5\n")

    assert "a repository may not set it" in holdfast("stats").err
    assert holdfast("config", "packs.holdout", "0.25").status == 0
    assert "0.25" in holdfast("config").out


def test_unknown_ids_bad_flags_and_broken_lines_are_told(holdfast: Any, bare: Any, folder: Path) -> None:
    assert holdfast("stats", "DEC-NOSUCH").status == 3
    assert holdfast("stats", "--days", "0").status == 2
    line_file(folder).parent.mkdir(parents=True, exist_ok=True)
    line_file(folder).write_text('not json\n{"session": 3}\n')

    assert "2 lines of use.jsonl could not be read" in holdfast("stats").out
    assert holdfast("stats", "--json").json["broken"] == 2


def test_a_purge_takes_what_the_tellings_knew_of_a_memory(holdfast: Any, decision: str, folder: Path) -> None:
    uses(session(folder, "s-1"))
    assert injected(folder)[0]["about"][decision]["for"]

    done = holdfast("forget", decision, "--purge", "--yes")

    assert done.status == 0, done.err
    assert injected(folder) == []
    assert not line_file(folder).exists() or decision not in line_file(folder).read_text()
