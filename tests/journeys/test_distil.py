"""A finished session gives a summary, a briefing, lineage and candidates: by itself, once, and safely."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import wait_for

CHOICE = "Let's use SQLite, not Redis, Redis is too much to run for us."


class Talk:
    """A session of Claude Code, told by its hooks."""

    def __init__(self, run: Any, folder: Path, session: str, env: dict[str, str] | None = None) -> None:
        self._run, self._folder, self._session, self._env = run, folder, session, env
        self._calls = 0

    def say(self, name: str, **fields: object) -> None:
        payload = {
            "session_id": self._session, "transcript_path": f"/home/dev/.claude/p/{self._session}.jsonl",
            "cwd": str(self._folder), "hook_event_name": name, **fields,
        }  # fmt: skip
        assert self._run("hook", stdin=json.dumps(payload), env=self._env).status == 0

    def prompt(self, words: str) -> None:
        self.say("UserPromptSubmit", prompt=words)

    def tool(self, tool: str, given: dict[str, Any], error: str = "") -> None:
        self._calls += 1
        name = "PostToolUseFailure" if error else "PostToolUse"
        result: dict[str, Any] = {"error": error} if error else {"tool_response": {"success": True}}
        self.say(name, tool_name=tool, tool_use_id=f"{self._session}-{self._calls}", tool_input=given, **result)

    def answer(self, words: str) -> None:
        self.say("Stop", last_assistant_message=words)

    def end(self) -> None:
        self.say("SessionEnd", reason="exit")


@pytest.fixture
def talk(holdfast: Any, folder: Path) -> Talk:
    return Talk(holdfast, folder, "s1abcdef")


def cache_session(talk: Talk, folder: Path) -> None:
    talk.prompt(f"{CHOICE} Add a cache to src/cache.py.")
    talk.tool("Write", {"file_path": str(folder / "src/cache.py"), "content": "x = 1"})
    talk.answer("The cache is written in src/cache.py.")
    talk.end()


def test_a_decision_in_the_users_words_becomes_a_candidate_with_its_evidence(
    holdfast: Any, talk: Talk, folder: Path
) -> None:
    cache_session(talk, folder)

    [session] = holdfast("distil", "--json").json["sessions"]
    [decision] = [each for each in session["candidates"] if each["type"] == "decision"]
    assert decision["choice"] == "SQLite"
    assert [each["option"] for each in decision["rejected"]] == ["Redis"]
    assert "too much to run" in decision["rejected"][0]["reason"]
    [evidence] = decision["evidence"]
    assert evidence["quote"] in CHOICE
    assert evidence["quote"] in holdfast("show", evidence["event"]).out
    assert decision["said_by"] == "user"
    assert decision["id"] in holdfast("list", "--candidates").out


def struggle(talk: Talk, folder: Path) -> None:
    """A test that fails three times, each time after a change."""
    talk.prompt("Make the upload test pass.")
    for number, error in enumerate(("ConnectionError: refused", "TimeoutError: 5 s", "ConnectionError: refused")):
        talk.tool("Edit", {"file_path": str(folder / "src/upload.py"), "old_string": "a", "new_string": f"{number}"})
        talk.tool("Bash", {"command": "pytest tests/test_upload.py"}, error=f"Exit code 1\nE   {error}\n1 failed")


def test_a_failure_with_its_cause_and_remedy_is_one_candidate_with_the_count(
    holdfast: Any, talk: Talk, folder: Path
) -> None:
    struggle(talk, folder)
    talk.answer("The root cause is that the server refuses the connection without the proxy.")
    talk.tool("Edit", {"file_path": str(folder / "src/upload.py"), "old_string": "a", "new_string": "proxy"})
    talk.tool("Bash", {"command": "pytest tests/test_upload.py"})
    talk.end()

    [session] = holdfast("distil", "--json").json["sessions"]
    [failure] = [each for each in session["candidates"] if each["type"] == "failure"]
    assert failure["attempts"] == 3


def test_a_test_that_only_fails_is_told_to_the_next_session_and_proposes_nothing(
    holdfast: Any, talk: Talk, folder: Path
) -> None:
    struggle(talk, folder)
    talk.answer("It still fails: the server refuses the connection. Next I would look at the proxy.")
    talk.end()

    [session] = holdfast("distil", "--json").json["sessions"]
    assert session["candidates"] == []
    briefing = json.loads((folder / ".holdfast/briefing.json").read_text())
    assert briefing["nextAction"]
    assert briefing["status"] == "in_progress"


def test_every_page_of_a_session_is_there_and_the_run_is_found_by_search(
    holdfast: Any, talk: Talk, folder: Path
) -> None:
    cache_session(talk, folder)
    holdfast("distil")

    [run] = (folder / ".holdfast/runs").iterdir()
    assert sorted(path.name for path in run.iterdir()) == ["lineage.jsonl", "observations.jsonl", "summary.md"]
    [change] = [json.loads(line) for line in (run / "lineage.jsonl").read_text().splitlines()]
    assert (change["path"], change["what"]) == ("src/cache.py", "created")
    assert "src/cache.py" in (folder / ".holdfast/context/MEMORY.md").read_text()
    [day] = (folder / ".holdfast/log").glob("*.md")
    assert "session: " in day.read_text()
    assert holdfast("search", "changed src/cache.py", "--in", "runs", "--json").json["hits"]
    assert "## Observed\n\n- changed src/cache.py\n" in (run / "summary.md").read_text()


def test_distilling_again_proposes_nothing_twice_and_writes_the_same(holdfast: Any, talk: Talk, folder: Path) -> None:
    cache_session(talk, folder)
    holdfast("distil")
    before = {path: path.read_bytes() for path in (folder / ".holdfast/runs").rglob("*.*")}
    shutil.rmtree(folder / ".holdfast/state")

    assert holdfast("distil", "--json").json["sessions"][0]["fresh"] == []
    assert {path: path.read_bytes() for path in (folder / ".holdfast/runs").rglob("*.*")} == before
    assert len(list((folder / ".holdfast/candidates").glob("*.md"))) == 1
    [line] = [
        line for line in next((folder / ".holdfast/log").glob("*.md")).read_text().splitlines() if "session:" in line
    ]
    assert "Add a cache" in line


@pytest.mark.parametrize("verdict", [("reject", "--because", "no"), ("accept",)])
def test_what_a_person_decided_is_not_proposed_again(
    holdfast: Any, talk: Talk, folder: Path, verdict: tuple[str, ...]
) -> None:
    cache_session(talk, folder)
    [session] = holdfast("distil", "--json").json["sessions"]
    [candidate] = session["candidates"]
    assert holdfast(verdict[0], candidate["id"], *verdict[1:]).status == 0

    assert holdfast("distil", "--all", "--json").json["sessions"][0]["fresh"] == []
    assert holdfast("list", "--candidates", "--json").json["candidates"] == []


def test_an_open_session_waits_and_can_be_distilled_by_name(holdfast: Any, talk: Talk) -> None:
    talk.prompt(CHOICE)

    assert holdfast("distil").out == "Nothing waits.\n"
    assert holdfast("status", "--json").json["distilling"]["open"] == 1
    assert holdfast("distil", "s1", "--json").json["sessions"][0]["ok"]
    assert holdfast("distil", "nobody").status == 3


def test_a_dry_run_shows_and_writes_nothing(holdfast: Any, talk: Talk, folder: Path) -> None:
    cache_session(talk, folder)

    assert "SQLite" in holdfast("distil", "--dry-run").out
    assert not (folder / ".holdfast/runs").exists()
    assert holdfast("status", "--json").json["distilling"]["waiting"] == 1


def test_a_session_distils_itself_when_it_ends_and_leaves_no_process(holdfast: Any, folder: Path) -> None:
    talk = Talk(holdfast, folder, "s2abcdef", {"HOLDFAST_DISTIL_AUTO": "true"})
    cache_session(talk, folder)

    runs = folder / ".holdfast/runs"
    wait_for(lambda: any(runs.glob("*/summary.md")), "the summary")
    wait_for(lambda: holdfast("status", "--json").json["distilling"]["running"] is None, "the end of distilling")
    assert holdfast("status", "--json").json["distilling"] == {
        "waiting": 0, "running": None, "done": 1, "open": 0, "failed": [],
    }  # fmt: skip


def test_a_kill_loses_nothing_and_the_next_goes_on(holdfast: Any, folder: Path) -> None:
    for number in range(6):
        cache_session(Talk(holdfast, folder, f"s{number}abcdef"), folder)
    command = [sys.executable, "-m", "holdfast.cli.main", "distil"]
    for wait in (0.15, 0.3, 0.45, 0.6):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    assert holdfast("distil").status == 0
    assert len(list((folder / ".holdfast/runs").glob("*/summary.md"))) == 6
    assert holdfast("status", "--json").json["distilling"]["done"] == 6
    assert holdfast("doctor", "--verify").status == 0
    titles = [each["title"] for each in holdfast("list", "--candidates", "--json").json["candidates"]]
    assert len(titles) == len(set(titles)) == 1


def test_what_is_forgotten_is_gone_from_the_run_too(holdfast: Any, talk: Talk, folder: Path) -> None:
    talk.prompt(f"{CHOICE} Add a cache to src/cache.py.")
    talk.prompt("Add a retry for Wolperting to src/retry.py.")
    talk.tool("Write", {"file_path": str(folder / "src/retry.py"), "content": "x = 1"})
    talk.end()
    holdfast("distil")
    assert "Wolperting" in "".join(p.read_text() for p in (folder / ".holdfast/runs").rglob("*.*"))

    assert holdfast("forget", "--text", "Wolperting", "--purge", "--yes").status == 0
    assert "Wolperting" not in "".join(
        p.read_text(errors="replace") for p in (folder / ".holdfast").rglob("*") if p.is_file()
    )
    assert holdfast("distil").status == 0
    [summary] = (folder / ".holdfast/runs").glob("*/summary.md")
    assert "Add a cache" in summary.read_text()


def test_a_workstream_the_user_calls_done_is_proposed_and_accepting_edits_the_page(
    holdfast: Any, talk: Talk, folder: Path
) -> None:
    page = folder / ".holdfast/memory/overview.md"
    page.write_text("# Shop\r\n\r\n## Workstreams\r\n- Single sign-on (active)\r\n- Search (paused)\r\n")
    talk.prompt("The single sign-on workstream is done. Thanks!")
    talk.end()

    [session] = holdfast("distil", "--json").json["sessions"]
    [candidate] = session["candidates"]
    assert candidate["title"] == "Workstream done: Single sign-on"
    assert holdfast("accept", candidate["id"]).status == 0
    assert page.read_bytes().decode() == (
        "# Shop\r\n\r\n## Workstreams\r\n- Single sign-on (done)\r\n- Search (paused)\r\n"
    )
    assert holdfast("list", "--json").json["memories"] == []
    assert holdfast("list", "--candidates", "--json").json["candidates"] == []
    assert holdfast("status", "--json").json["new"] == []


def test_an_edit_of_a_line_that_is_gone_is_refused_and_waits(holdfast: Any, talk: Talk, folder: Path) -> None:
    page = folder / ".holdfast/memory/overview.md"
    page.write_text("## Workstreams\n- Single sign-on (active)\n")
    talk.prompt("The single sign-on workstream is done. Thanks!")
    talk.end()
    [session] = holdfast("distil", "--json").json["sessions"]
    page.write_text("## Workstreams\n- Search (active)\n")

    refused = holdfast("accept", session["candidates"][0]["id"])
    assert refused.status == 4
    assert "no longer holds the line" in refused.err
    assert len(holdfast("list", "--candidates", "--json").json["candidates"]) == 1


def test_the_next_session_hears_where_the_last_one_left_off_and_the_same_one_does_not(
    holdfast: Any, talk: Talk, folder: Path
) -> None:
    cache_session(talk, folder)
    holdfast("distil")

    told = _start(holdfast, folder, "s9abcdef")
    assert "LAST SESSION (" in told
    assert "› mission: Add a cache to src/cache.py (" in told
    assert "› files: src/cache.py" in told
    assert "LAST SESSION (" not in _start(holdfast, folder, "s1abcdef")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"updatedAt": 3}', '{"updatedAt": "2020-01-01T00:00:00Z", "mission": "x"}']
)
def test_a_briefing_that_is_broken_or_old_is_not_told(holdfast: Any, folder: Path, text: str) -> None:
    (folder / ".holdfast/briefing.json").write_text(text)

    assert "LAST SESSION" not in _start(holdfast, folder, "s9abcdef")
    assert "error" not in holdfast("doctor").err


def _start(holdfast: Any, folder: Path, session: str) -> str:
    payload = {
        "session_id": session, "transcript_path": f"/home/dev/.claude/p/{session}.jsonl", "cwd": str(folder),
        "hook_event_name": "SessionStart", "source": "startup",
    }  # fmt: skip
    return str(holdfast("hook", stdin=json.dumps(payload)).out)
