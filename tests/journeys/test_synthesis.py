"""Synthesis and activity over sessions that went through the real hook."""

import time
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.hooking import Client


@pytest.fixture
def lived(holdfast: Any, folder: Path) -> Any:
    """Two sessions: the same failure in both, ratings, changes."""
    for name in ("s1", "s2"):
        client = Client(folder, session=name)
        client.says("Add a retry to the upload client")
        edit = {"file_path": str(folder / "src/client.py"), "old_string": "a", "new_string": "b"}
        client.send("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={})
        failing = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
        client.send("PostToolUseFailure", **failing, error=f"E  TimeoutError: pool {name} ran dry at 12")
        client.send("Stop", last_assistant_message="Done.")
        client.says("2/10 - you ignored the timeout that I asked for")
        client.send("SessionEnd", reason="other")
        # Files are ordered by the second; no two sessions of a person are in one.
        time.sleep(1.1)
    return holdfast


def test_a_week_is_put_together_and_written_the_same_each_time(lived: Any, folder: Path) -> None:
    found = lived("report", "synthesis", "--week", "--json").json

    assert (found["sessions"], found["ratings"]["count"], found["ratings"]["mean"]) == (2, 2, 2.0)
    counts = sorted(each["count"] for each in found["failures"])
    assert counts == [2, 2]
    assert [each["path"] for each in found["files"]] == ["src/client.py"]
    assert len(found["learnings"]["algorithm"]) == 2
    written = folder / found["path"]
    assert written.name == "weekly-patterns.md"
    before = written.read_bytes()
    assert oct(written.stat().st_mode & 0o077) == "0o0"
    shown = lived("report", "synthesis")
    assert written.read_bytes() == before
    assert "TimeoutError" in shown.out
    assert "Learnings: algorithm" in shown.out


def test_month_and_all_have_files_of_their_own(lived: Any, folder: Path) -> None:
    month, whole = (
        lived("report", "synthesis", "--month", "--json").json,
        lived("report", "synthesis", "--all", "--json").json,
    )

    assert month["path"].endswith("/monthly-patterns.md")
    assert whole["path"] == ".holdfast/learning/synthesis/all-patterns.md"
    assert month["ratings"]["count"] == whole["ratings"]["count"] == 2


def test_a_terminal_without_blocks_gets_plain_characters(lived: Any) -> None:
    done = lived("report", "synthesis", env={"PYTHONIOENCODING": "ascii"})

    assert "####" in done.out
    assert "\\u" not in done.out.split("Most touched files")[1]


def test_activity_says_which_prompt_changed_a_file(lived: Any) -> None:
    [file] = lived("report", "activity", "--json").json["files"]

    assert (file["path"], file["changes"]) == ("src/client.py", 2)
    assert [each["session"] for each in file["sessions"]] == ["s2", "s1"]
    assert file["sessions"][0]["prompts"][0]["text"] == "Add a retry to the upload client"
    assert lived("report", "activity", "--path", "src", "--json").json["count"] == 1
    assert lived("report", "activity", "--path", "src/*.py", "--json").json["count"] == 1
    assert lived("report", "activity", "--path", "docs", "--json").json["count"] == 0


def test_nothing_yet_is_said_and_nothing_is_written(holdfast: Any, folder: Path) -> None:
    assert "nothing yet" in holdfast("report", "synthesis").out
    assert holdfast("report", "synthesis", "--month", "--json").json["path"] is None
    assert "No agent changed a file" in holdfast("report", "activity").out
    assert not (folder / ".holdfast/learning/synthesis").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("report", "synthesis", "--of", "yesterday"),
        ("report", "synthesis", "--of", "0001-01-01"),
        ("report", "synthesis", "--week", "--month"),
        ("report", "activity", "--days", "0"),
        ("report", "activity", "--days", "x"),
    ],
)
def test_bad_flags_are_refused(holdfast: Any, words: tuple[str, ...]) -> None:
    assert holdfast(*words).status == 2


def test_outside_a_workspace_there_is_none(bare: Any) -> None:
    for words in (("report", "synthesis"), ("report", "activity"), ("stats",), ("distil", "--code")):
        assert bare(*words).status == 3
