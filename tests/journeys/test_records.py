"""Records: a session through the real hook leaves work, log, todos, ratings and research, and they survive."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import LONG

SOURCE = Path(__file__).parents[2] / "src"
HOOK = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from holdfast.hook.run_hook import main; main()"
ORDER = "Add a retry to the upload client. The tests must pass. Let's go with tenacity for it."
Tell = Callable[..., None]


def _payload(folder: Path, event: str, session: str, more: dict[str, Any]) -> bytes:
    base = {
        "session_id": session, "transcript_path": f"/home/dev/.claude/projects/p/{session}.jsonl", "cwd": str(folder),
        "hook_event_name": event,
    }  # fmt: skip
    return json.dumps(base | more).encode()


@pytest.fixture
def tell(folder: Path) -> Tell:
    """One event of Claude Code through the hook."""

    def run(event: str, session: str = "s1", **more: Any) -> None:
        command = [sys.executable, "-I", "-S", "-c", HOOK]
        raw = _payload(folder, event, session, more)
        done = subprocess.run(command, input=raw, cwd=folder, capture_output=True, timeout=LONG)
        assert (done.returncode, done.stderr) == (0, b"")

    return run


@pytest.fixture
def told(holdfast: Any, tell: Tell, folder: Path) -> Any:
    """A workspace in which a whole session was had."""
    tell("SessionStart", source="startup")
    tell("UserPromptSubmit", prompt=ORDER)
    todos = [{"content": "Read the client", "status": "completed"}, {"content": "Add retry", "status": "pending"}]
    tell("PostToolUse", tool_name="TodoWrite", tool_input={"todos": todos}, tool_response={})
    edit = {"file_path": f"{folder}/src/client.py", "old_string": "a", "new_string": "b"}
    tell("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={})
    failing = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    tell("PostToolUseFailure", **failing, error="Exit code 1\nE  AssertionError: retried on 404")
    tell("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={})
    tell("PostToolUse", **failing, tool_response={"stdout": "4 passed", "stderr": ""})
    tell("PreToolUse", tool_name="Agent", tool_input={"subagent_type": "Explore", "prompt": "Find callers"})
    tell("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="In src/a.py.")
    tell("Stop", last_assistant_message="I added the retry. All tests pass.")
    tell("UserPromptSubmit", prompt="2/10 - you ignored the timeout that I asked for")
    tell("Stop", last_assistant_message="Sorry.")
    tell("SessionEnd", reason="other")
    return holdfast


def _files(folder: Path) -> dict[str, bytes]:
    below = folder / ".holdfast"
    kept = ("work", "learning", "research", "log", "context/todo.md", "candidates")
    found = {str(path.relative_to(below)): path for path in sorted(below.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name.startswith(kept)}


def _whole(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without what a killed writer leaves: locks, and files on their way to their names."""
    return {name: data for name, data in files.items() if ".lock" not in name and ".holdfast-tmp-" not in name}


def test_a_session_leaves_its_records_without_any_command(told: Any, folder: Path) -> None:
    names = _files(folder)
    [unit] = (folder / ".holdfast/work").iterdir()
    [failure] = (folder / ".holdfast/learning/failures").glob("*/*")

    assert 'status: "completed"' in (unit / "META.yaml").read_text()
    assert [one["status"] for one in json.loads((unit / "ISC.json").read_text())["criteria"]] == ["VERIFIED"]
    assert len(list((unit / "items").iterdir())) == 4
    assert len(list((unit / "verification").iterdir())) == 2
    assert {each.name for each in failure.iterdir()} == {
        "CONTEXT.md", "transcript.jsonl", "sentiment.json", "tool-calls.json",
    }  # fmt: skip
    assert len((failure / "transcript.jsonl").read_text().splitlines()) == 11
    assert [call["tool"] for call in json.loads((failure / "tool-calls.json").read_text())][:2] == ["TodoWrite", "Edit"]
    assert any(name.startswith("research/") and "AGENT-Explore_find-callers" in name for name in names)
    log = next((folder / ".holdfast/log").glob("*.md")).read_text()
    assert ["tried" in log, "done" in log, "failed" in log] == [True, True, True]
    assert all(oct(path.stat().st_mode & 0o077) == "0o0" for path in unit.rglob("*"))


def test_the_commands_show_them(told: Any) -> None:
    assert [work["status"] for work in told("work", "--json").json["work"]] == ["completed"]
    assert told("work", "show", "latest", "--json").json["isc"]["criteria"][0]["status"] == "VERIFIED"
    assert [todo["text"] for todo in told("todo", "--json").json["todos"]] == ["Add retry"]
    assert [line["rating"] for line in told("report", "ratings", "--json").json["ratings"]] == [2]
    assert len(told("report", "failures", "--json").json["failures"]) == 1
    assert "All tests pass" in told("report", "failures", "latest").out
    assert told("report", "research", "callers", "--full", "--json").json["research"][0]["text"] == "In src/a.py.\n"
    assert told("report", "research", "nothingofthekind").status == 1
    assert told("list", "--candidates", "--json").json["candidates"] == []


def test_state_deleted_comes_back_and_nothing_is_written_twice(told: Any, folder: Path) -> None:
    before = _files(folder)
    state = folder / ".holdfast/state"
    kept = {name: (state / name).read_bytes() for name in ("current-work.json", "algorithm-state.json", "streaks.json")}
    token, said = (state / "workspace.json").read_bytes(), told("session", "buffer").out
    shutil.rmtree(state)

    told("work")

    assert _files(folder) == before
    assert {name: (state / name).read_bytes() for name in kept} == kept
    assert ((state / "workspace.json").read_bytes(), told("session", "buffer").out) == (token, said)


def test_records_deleted_come_back_with_the_state(told: Any, folder: Path) -> None:
    before = _files(folder)
    for name in ("work", "learning", "research", "state", "log"):
        shutil.rmtree(folder / ".holdfast" / name)

    told("work")

    assert _files(folder).keys() == before.keys()


def test_a_purge_takes_the_words_out_of_everything_that_was_captured(told: Any, folder: Path) -> None:
    proof = told("forget", "--text", "tenacity", "--purge", "--yes", "--json")

    holding = [
        path for path in (folder / ".holdfast").rglob("*") if path.is_file() and b"tenacity" in path.read_bytes()
    ]
    assert (proof.status, holding) == (0, [])
    assert proof.json["records"]
    assert [line["rating"] for line in told("report", "ratings", "--json").json["ratings"]] == [2]
    assert told("doctor", "--verify").status == 0


def test_a_purge_of_words_that_stand_in_names_takes_the_names_too(told: Any, folder: Path) -> None:
    assert told("forget", "--subject", "upload client", "--purge", "--yes").status == 0

    assert not [path for path in (folder / ".holdfast").rglob("*") if "upload-client" in path.name]


def test_a_person_rates_ticks_closes_and_steers(told: Any) -> None:
    assert told("log", "--rate", "9", "much better now").status == 0
    assert [line["rating"] for line in told("report", "ratings", "--json").json["ratings"]] == [2, 9]
    assert told("todo", "add", "ask Ada").status == 0
    [ada] = [each for each in told("todo", "--json").json["todos"] if each["text"] == "ask Ada"]
    assert told("todo", "done", ada["id"]).status == 0
    assert "ask Ada" not in told("todo").out
    assert told("work", "abandon", "latest").status == 0
    assert [work["status"] for work in told("work", "--json").json["work"]] == ["abandoned"]
    assert told("report", "progress", "start", "sso", "Single sign-on", "--step", "pick").status == 0
    assert told("report", "progress", "tick", "sso", "pick").status == 0
    assert told("report", "progress", "done", "sso", "--json").json["goals"][0]["status"] == "done"


def test_an_agent_may_not_rate_or_close_its_own_work(told: Any) -> None:
    inside = {"CLAUDECODE": "1"}

    for words in (["log", "--rate", "10"], ["work", "done", "latest"], ["work", "verify", "latest", "tests"]):
        assert told(*words, env=inside).status == 2
    assert told("todo", "add", "more", env=inside).status == 0


@pytest.mark.parametrize(
    "words",
    [
        ["log", "--rate", "0"], ["log", "--rate", "eleven"], ["todo", "done"], ["todo", "add"], ["work", "show"],
        ["work", "verify", "latest"],
        ["work", "list", "x"], ["report", "progress", "note", "nope", "x"], ["todo", "done", "T-NONE"],
        ["report", "failures", "nope"],
    ],
)  # fmt: skip
def test_words_that_do_not_fit_are_refused_with_a_hint(told: Any, words: list[str]) -> None:
    refused = told(*words)

    assert refused.status in {2, 3}
    assert "hint:" in refused.err


def test_broken_records_stop_nothing(told: Any, folder: Path) -> None:
    below = folder / ".holdfast"
    ratings = below / "learning/signals/ratings.jsonl"
    ratings.write_text(ratings.read_text() + '{"torn\n')
    next((below / "work").iterdir()).joinpath("ISC.json").write_text("[")
    (below / "state/records.json").write_text('{"v": 1, "cursor": "no"}')
    (below / "context/todo.md").write_bytes(b"\xff\xfe- [ ] odd\n")

    assert told("report", "ratings", "--json").json["broken"] == 1
    assert told("work", "show", "latest").status == 0
    assert told("todo").status == 0


def test_a_reader_killed_at_any_moment_leaves_records_that_the_next_one_completes(
    told: Any, folder: Path, tmp_path: Path
) -> None:
    before = _files(folder)
    for wait in (0.05, 0.08, 0.11, 0.14, 0.17, 0.2, 0.24, 0.3):
        for name in ("work", "learning", "research", "state", "log", "context"):
            shutil.rmtree(folder / ".holdfast" / name, ignore_errors=True)
        reader = subprocess.Popen(
            [sys.executable, "-m", "holdfast.cli.main", "work"], cwd=folder, stdout=subprocess.DEVNULL
        )
        time.sleep(wait)
        reader.send_signal(signal.SIGKILL)
        reader.wait()

        assert told("work").status == 0
        assert _whole(_files(folder)) == _whole(before)


def test_two_readers_at_once_write_everything_once(told: Any, folder: Path) -> None:
    before = _files(folder)
    shutil.rmtree(folder / ".holdfast/state")
    shutil.rmtree(folder / ".holdfast/log")

    readers = [
        subprocess.Popen([sys.executable, "-m", "holdfast.cli.main", "work"], cwd=folder, stdout=subprocess.DEVNULL)
        for _ in range(4)
    ]

    assert [reader.wait(LONG) for reader in readers] == [0] * 4
    assert {name for name in _files(folder) if "lock" not in name} == {name for name in before if "lock" not in name}
    log = next((folder / ".holdfast/log").glob("*.md")).read_text().splitlines()
    assert len(log) == len(set(log)) + log.count("") - (1 if "" in log else 0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_refuses_does_not_stop_the_hook(told: Any, tell: Tell, folder: Path) -> None:
    (folder / ".holdfast/work").chmod(0o500)

    tell("UserPromptSubmit", "s2", prompt="Implement the invoice export for accounting.")
    tell("Stop", "s2", last_assistant_message="Done.")

    assert told("doctor").status in {0, 1}


def _quotes(told: Any) -> list[str]:
    return [
        note["quote"] for session in told("session", "buffer", "--json").json["sessions"] for note in session["notes"]
    ]


def test_a_note_that_was_wrong_is_dropped_for_good(told: Any, folder: Path) -> None:
    assert _quotes(told) == ["Let's go with tenacity for it."]
    assert told("session", "buffer", "drop", "tenacity", env={"CLAUDECODE": "1"}).status == 2

    assert told("session", "buffer", "drop", "with Tenacity").status == 0

    assert _quotes(told) == []
    shutil.rmtree(folder / ".holdfast/state")
    assert _quotes(told) == []
    assert told("session", "buffer", "drop", "tenacity").status == 3


def test_while_another_process_writes_the_index_what_is_in_it_is_found(told: Any, folder: Path) -> None:
    assert told("search", "tenacity retry", "--in", "turns", "--json").json["hits"]
    (folder / ".holdfast/log/2020-01-02.md").write_text("# 2020-01-02\n\nThe walrus waits.\n")
    with closing(sqlite3.connect(folder / ".holdfast/index.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")

        found = told("search", "tenacity retry", "--in", "turns", "--json")

        assert found.json["hits"]
        assert "may be a moment behind" in found.err
    assert told("search", "walrus", "--in", "log", "--json").json["hits"]


def test_what_was_discussed_in_any_session_is_found_again(told: Any, folder: Path) -> None:
    turns = told("search", "tenacity retry", "--in", "turns", "--json").json["hits"]
    assert {hit["said_by"] for hit in turns} >= {"user", "agent"}
    assert all(hit["session"] == "s1" for hit in turns)
    assert told("search", "callers", "--in", "research", "--json").json["hits"] == []
    [page] = told("search", "src/a.py", "--in", "research", "--json").json["hits"]
    assert page["text"] == "In src/a.py."
    assert told("search", "retried on 404", "--in", "log", "--json").json["hits"]
    assert {hit["kind"] for hit in told("search", "retry", "--in", "all", "--json").json["hits"]} >= {"turn", "log"}
    assert told("search", "zebra", "--in", "all").status == 1

    assert told("forget", "--text", "tenacity", "--yes").status == 0
    assert told("search", "tenacity", "--in", "all").status == 1
