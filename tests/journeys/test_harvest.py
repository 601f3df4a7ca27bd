"""Harvesting and reading sessions, as a user does it."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.journeys.conftest import Run
from tests.journeys.hooking import Client
from tests.transcripts import Claude, lay_out
from tests.waiting import wait_for


@pytest.fixture
def user() -> Path:
    return Path(os.environ["HOME"])


def test_what_clients_kept_is_read_listed_and_shown(holdfast: Run, folder: Path, user: Path) -> None:
    lay_out(folder.resolve(), user)

    read = holdfast("harvest")
    again = holdfast("harvest", "--json").json
    listed = holdfast("session", "list", "--json").json["sessions"]
    shown = holdfast("session", "show", "7a5f5bd6")

    assert read.status == 0
    assert "events new, 0 known already" in read.out
    assert (again["new"], again["read"]) == (0, 0)
    assert {each["client"] for each in listed} == {"claude-code", "codex", "gemini", "opencode"}
    assert {"title": "hello", "branches": 0}.items() <= next(e for e in listed if e["id"].startswith("12b7")).items()
    assert "cut: what stood before was compacted (manual)" in shown.out
    assert "Bash: echo hello-from-tool" in shown.out
    assert "\x1b" not in shown.out
    assert holdfast("doctor", "--verify").status == 0


def test_a_search_finds_what_was_harvested_and_opens_it_there(holdfast: Run, folder: Path, user: Path) -> None:
    session = Claude(folder.resolve(), user)
    for number in range(20):
        session.prompt(f"question {number} about gardens")
        session.says(f"answer {number}")
    session.prompt("which database did the walrus choose?")
    session.says("The walrus chose SQLite.")
    holdfast("harvest")
    shutil.rmtree(user / ".claude")

    [hit, *_] = holdfast("search", "walrus", "--in", "turns", "--json").json["hits"]
    opened = holdfast("session", "show", "--turn", hit["id"], "--context", "1")
    whole = holdfast("session", "show", "--turn", hit["id"], "--json").json

    assert "▶" in opened.out
    assert "walrus" in opened.out
    assert "question 3" not in opened.out
    assert whole["turn"] == hit["id"]
    assert len(whole["turns"]) <= 11


def test_the_tree_shows_branches_and_subagents(holdfast: Run, folder: Path, user: Path) -> None:
    lay_out(folder.resolve(), user)
    session = Claude(folder.resolve(), user)
    session.prompt("start")
    fork = session.says("ready")
    session.prompt("use Redis")
    session.prompt("use SQLite", parent=fork)
    holdfast("harvest")

    tree = holdfast("session", "tree", session.session).out
    helped = holdfast("session", "tree", "ce73").out

    assert "1 branch" in tree
    assert "branch: ● user: use Redis" in tree
    assert "├ subagent a9171dbe61e3030c0: ● not typed, subagent: NOTOOL look around" in helped


def test_live_and_harvested_a_session_is_one(holdfast: Run, folder: Path, user: Path) -> None:
    session = Claude(folder.resolve(), user)
    session.prompt("hello there")
    call = session.calls(command="ls")
    session.gets(call, "files")
    session.says("All seen.")
    client = Client(folder.resolve(), session.session)
    client.send("UserPromptSubmit", prompt="hello there", prompt_id=session.turn)
    step = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": call, "prompt_id": session.turn}
    client.send("PreToolUse", **step)
    client.send("PostToolUse", **step, tool_response={"stdout": "files", "stderr": ""})
    client.send("Stop", last_assistant_message="All seen.", prompt_id=session.turn, stop_hook_active=False)

    found = holdfast("harvest", "--json").json
    turns = holdfast("session", "show", session.session, "--json").json["turns"]

    assert found["events"] == {"session_start": 1}
    assert sorted(turn["kind"] for turn in turns) == ["answer", "prompt", "start", "tool"]


def test_each_workspace_gets_its_own(bare: Run, folder: Path, tmp_path: Path, user: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for place in (folder, other):
        assert bare("init", "--yes", "--client", "none", at=place).status == 0
        Claude(place.resolve(), user).prompt(f"said in {place.name}")

    assert bare("harvest", "--all").status == 0

    for place in (folder, other):
        listed = bare("session", "list", "--json", at=place).json["sessions"]
        assert [each["title"] for each in listed] == [f"said in {place.name}"]


def test_a_workspace_inside_another_keeps_its_sessions(bare: Run, folder: Path, user: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    for place in (folder, inner):
        assert bare("init", str(place), "--yes", "--client", "none").status == 0
        Claude(place.resolve(), user).prompt(f"said in {place.name}")

    bare("harvest")

    titles = [each["title"] for each in bare("session", "list", "--json").json["sessions"]]
    assert titles == [f"said in {folder.name}"]


def test_sessions_of_a_former_folder_can_be_taken_in(holdfast: Run, tmp_path: Path, user: Path) -> None:
    old = tmp_path / "old-name"
    old.mkdir()
    Claude(old.resolve(), user).prompt("said before the move")

    holdfast("harvest", "--project", str(old))

    assert [each["title"] for each in holdfast("session", "list", "--json").json["sessions"]] == [
        "said before the move"
    ]


def test_a_foreign_workspace_is_refused(bare: Run, folder: Path, user: Path) -> None:
    (folder / ".holdfast").mkdir()
    Claude(folder.resolve(), user).prompt("not to be captured")

    done = bare("harvest")

    assert done.status == 2
    assert "not initialised by you" in done.err
    assert not (folder / ".holdfast/journal").exists()


def test_odd_requests_are_answered_with_what_to_do(holdfast: Run, folder: Path, user: Path) -> None:
    lay_out(folder.resolve(), user)
    holdfast("harvest")

    assert holdfast("harvest", "--since", "yesterday-ish").status == 2
    assert holdfast("harvest", "--client", "cursor").status == 2
    assert holdfast("harvest", "--recent", "0").status == 2
    assert holdfast("session", "show").status == 2
    assert holdfast("session", "show", "nosuch").status == 3
    assert holdfast("session", "show", "--turn", "nosuch").status == 3
    several = holdfast("session", "show", "")
    assert several.status == 2
    assert json.loads(holdfast("harvest", "--dry-run", "--json").out)["dry_run"] is True


def test_a_journal_that_cannot_be_written_is_told_and_costs_nothing(holdfast: Run, folder: Path, user: Path) -> None:
    lay_out(folder.resolve(), user)
    shutil.rmtree(folder / ".holdfast/journal", ignore_errors=True)
    (folder / ".holdfast/journal").write_text("in the way")

    done = holdfast("harvest")
    (folder / ".holdfast/journal").unlink()

    assert done.status in {5, 6}
    assert "hint:" in done.err
    assert holdfast("harvest", "--json").json["new"] > 30


def test_a_session_that_ran_while_init_was_done_comes_by_itself(bare: Run, folder: Path, user: Path) -> None:
    old = Claude(folder.resolve(), user)
    old.prompt("long before, about the gnu")
    running = Claude(folder.resolve(), user)
    running.prompt("set up the memory, says the walrus")
    bare("init", "--yes")
    running.prompt("and now the tests")
    os.utime(running.path)

    bare("distil", "--quiet")
    listed = bare("session", "list", "--json").json["sessions"]

    assert [each["id"] for each in listed] == [running.session]


def test_after_a_large_harvest_records_and_index_follow_in_the_background(
    holdfast: Run, folder: Path, user: Path
) -> None:
    session = Claude(folder.resolve(), user)
    for number in range(200):
        session.prompt(f"question {number} about the walrus")
        session.calls(command="ls")
        session.says(f"answer {number}")

    read = holdfast("harvest")

    assert "records and search follow in the background" in read.out
    wait_for((folder / ".holdfast/state/records.place").exists, "the records")
    wait_for(lambda: holdfast("search", "walrus", "--in", "turns", "--json").json["hits"], "the index")
