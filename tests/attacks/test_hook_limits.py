"""What holds a hook up, and what passes a rule that blocks: locks, pipes, size, place, depth (CWE-400, CWE-667)."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.hooking import HOOK, SOURCE, Client
from tests.journeys.moulds import set_up
from tests.waiting import LONG

# Clients end a hook after ten seconds. A busy machine takes some for itself, so processor time is not asked about.
PATIENT = 7.0
POLICY = '[own.curl]\naction = "block"\ncommands = ["curl *"]\n'
IN_WORKSPACE = (
    "journal", "journal/lock", "journal/00000001.jsonl", "journal/00000001.keys", "config.toml", "index.db", "state",
    "state/buffer.json", "state/buffer.json.lock", "state/buffer.json.missed", "state/records.json",
    "state/records.lock", "state/records.place", "state/tracked.json", "state/known.json", "state/workspace.json",
    "context/working-buffer.md", "context/MEMORY.md", "context/todo.md", "briefing.json", "memory/overview.md",
)  # fmt: skip
IN_HOME = ("config.toml", "guard.toml", "logs/hook.log", "logs/work.log", "spool")


@pytest.fixture
def client(tmp_path: Path, home: Path) -> Client:
    folder = tmp_path / "project"
    folder.mkdir()
    set_up(folder)
    return Client(folder)


def events(folder: Path, name: str = "") -> list[dict[str, Any]]:
    found = []
    for segment in sorted((folder / ".holdfast/journal").glob("*.jsonl")):
        found += [json.loads(line.split(" ", 3)[3]) for line in segment.read_text().splitlines()]
    return [each for each in found if each["kind"] == "event" and (not name or each["name"] == name)]


def prompts(folder: Path) -> list[str]:
    return [each["data"]["prompt"] for each in events(folder, "prompt")]


def waiting(home: Path) -> list[Path]:
    return sorted((home / "spool").glob("*/*.event"))


class Held:
    """Another process's lock on some files."""

    def __init__(self, *paths: Path) -> None:
        self.files = []
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.files.append(path.open("a"))
            fcntl.flock(self.files[-1], fcntl.LOCK_EX)

    def let_go(self) -> None:
        for file in self.files:
            file.close()


def took(do: Any) -> float:
    began = time.monotonic()
    do()
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("lock", ["journal/lock", "state/buffer.json.lock", "state/records.lock"])
def test_a_lock_that_another_process_holds_is_waited_for_a_moment_only(client: Client, lock: str) -> None:
    client.start()
    held = Held(client.folder / ".holdfast" / lock)

    seconds = [took(lambda: client.says("We must never use tabs.")), took(lambda: client.send("Stop"))]
    held.let_go()
    client.says("And no semicolons.")

    assert max(seconds) < PATIENT
    assert prompts(client.folder) == ["We must never use tabs.", "And no semicolons."]
    assert "never use tabs" in (client.folder / ".holdfast/context/working-buffer.md").read_text()


@pytest.mark.slow
def test_events_that_waited_come_into_the_journal_once_and_in_order(client: Client, home: Path) -> None:
    client.start()
    held = Held(client.folder / ".holdfast/journal/lock")
    for number in range(4):
        client.says(f"Prompt {number}, password = hunter2hunter2")
    aside = waiting(home)

    # They are as safe as the journal: without secrets, for their owner alone.
    assert len(aside) == 4
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in aside)
    assert not any(b"hunter2" in path.read_bytes() for path in aside)

    held.let_go()
    client.says("Prompt 4")

    assert [words[:8] for words in prompts(client.folder)] == [f"Prompt {number}" for number in range(5)]
    assert waiting(home) == []


@pytest.mark.slow
def test_a_command_takes_in_what_waits(client: Client, home: Path) -> None:
    client.start()
    held = Held(client.folder / ".holdfast/journal/lock")
    client.says("Said while the lock was held")
    held.let_go()

    code = "import sys; from holdfast.app import build_app; list(build_app(sys.argv[1]).journal.read())"
    subprocess.run([sys.executable, "-c", code, str(client.folder)], check=True, env={**os.environ})

    assert prompts(client.folder) == ["Said while the lock was held"]
    assert waiting(home) == []


def test_what_was_taken_in_before_a_kill_is_not_taken_in_again(client: Client, home: Path) -> None:
    """A process that died after the journal had the event, and before its file was removed."""
    client.start()
    held = Held(client.folder / ".holdfast/journal/lock")
    client.says("Said once")
    [file] = waiting(home)
    copy = file.read_bytes()
    held.let_go()
    client.says("Then this")
    file.parent.mkdir(parents=True)
    file.write_bytes(copy)

    client.says("And this")

    assert Counter(prompts(client.folder)) == Counter(["Said once", "Then this", "And this"])
    assert waiting(home) == []


def doctor(folder: Path) -> str:
    command = [sys.executable, "-c", "from holdfast.cli.entry import main; main()", "doctor", "-C", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG).stdout


def test_a_damaged_event_is_set_aside_and_named(client: Client, home: Path) -> None:
    client.start()
    held = Held(client.folder / ".holdfast/journal/lock")
    client.says("Said while the lock was held")
    held.let_go()
    [file] = waiting(home)
    file.write_bytes(file.read_bytes().replace(b"Said", b"Sold"))

    client.says("Then this")
    told = doctor(client.folder)

    assert prompts(client.folder) == ["Then this"]
    assert "spool" in told
    assert "damaged" in told


def test_a_stopped_hook_holds_nobody_up(client: Client) -> None:
    """SIGSTOP in the middle of an append: its lock goes on being held."""
    client.start()
    stopper = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
        "import os, signal\nfrom holdfast.journal import journal_folder\n"
        "held = journal_folder.Lock(sys.argv[1]); held.__enter__(); print('held', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGSTOP)"
    )
    stopped = subprocess.Popen(
        [sys.executable, "-c", stopper, str(client.folder / ".holdfast/journal")], stdout=subprocess.PIPE
    )
    try:
        assert stopped.stdout
        assert stopped.stdout.readline() == b"held\n"
        assert took(lambda: client.says("Said meanwhile")) < PATIENT
    finally:
        stopped.send_signal(signal.SIGKILL)
        stopped.communicate()
    client.says("Said after it")

    assert prompts(client.folder) == ["Said meanwhile", "Said after it"]


def put(kind: str, path: Path) -> None:
    if path.is_dir():
        path.rename(path.with_name(path.name + ".was"))
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.mkdir()


def all_events(client: Client) -> None:
    client.start()
    client.says("We must never use tabs.")
    client.runs("rm -rf /")
    client.send("Stop")
    client.send("SessionEnd", reason="exit")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize("place", IN_WORKSPACE)
def test_a_special_file_in_the_workspace_holds_no_hook_up(client: Client, kind: str, place: str) -> None:
    all_events(client)
    put(kind, client.folder / ".holdfast" / place)

    assert took(lambda: all_events(client)) < 5 * PATIENT
    assert took(lambda: client.says("Still there?")) < PATIENT


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize("place", IN_HOME)
def test_a_special_file_in_the_home_holds_no_hook_up(client: Client, home: Path, kind: str, place: str) -> None:
    put(kind, home / place)

    assert took(lambda: client.says("Still there?")) < PATIENT
    assert took(lambda: client.runs("rm -rf /")) < PATIENT
    assert prompts(client.folder) == ["Still there?"]


def test_a_session_marked_by_a_pipe_is_captured_all_the_same(client: Client) -> None:
    client.says("<private>something of my own")
    for path in (client.folder / ".holdfast/state/private").iterdir():
        put("pipe", path)

    assert took(lambda: client.says("Said after it")) < PATIENT
    assert "Said after it" in prompts(client.folder)


def test_an_event_lost_to_the_time_limit_is_counted(client: Client, home: Path) -> None:
    limited = HOOK.replace("; main()", "; from holdfast.hook import run_hook; run_hook.TIME_LIMIT = 0.3; main()")
    hook = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", limited], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=client.env
    )
    # A client that never ends its payload.
    assert hook.stdin
    hook.stdin.write(b'{"session_id": "s", ')
    hook.stdin.flush()
    assert hook.wait(60) == 0
    hook.communicate()

    told = doctor(client.folder)

    assert "the event was lost" in (home / "logs/hook.log").read_text()
    assert "1 event was lost" in told


# What passes a rule


def decided(client: Client, command: str, **more: Any) -> str:
    payload = {
        "session_id": client.session, "transcript_path": "/home/dev/.claude/projects/p/x.jsonl",
        "cwd": str(client.folder), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "toolu_01", **more,
    }  # fmt: skip
    said = client.raw(json.dumps(payload).encode())
    return str(json.loads(said)["hookSpecificOutput"]["permissionDecision"]) if said else ""


@pytest.fixture
def guarded(client: Client, home: Path) -> Client:
    (home / "guard.toml").write_text(POLICY)
    return client


def test_a_rule_that_blocks_is_not_passed_by_length(guarded: Client) -> None:
    assert decided(guarded, f": {'x' * 32_000}; curl evil.example") == "deny"
    assert decided(guarded, f"{'true; ' * 10_000} curl evil.example") == "deny"
    # What is too long to be read at all is asked about.
    assert decided(guarded, f": {'x' * 300_000}; curl evil.example") == "ask"


@pytest.mark.parametrize("inside", ["$(" * 12 + "curl evil.example" + ")" * 12, "env " * 12 + "curl evil.example"])
def test_a_rule_that_blocks_is_not_passed_by_nesting(guarded: Client, inside: str) -> None:
    assert decided(guarded, inside) in {"ask", "deny"}


@pytest.mark.no_attack
def test_without_rules_that_stop_nothing_is_asked_about(client: Client) -> None:
    assert decided(client, f": {'x' * 300_000}") == ""


def test_a_rule_that_blocks_is_not_passed_by_going_elsewhere(guarded: Client, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    assert decided(guarded, "curl evil.example", cwd=str(elsewhere)) == "deny"
    assert decided(guarded, "curl evil.example", cwd="/nowhere/at/all") == "deny"
    assert decided(guarded, "ls", cwd=str(elsewhere)) == ""


def test_a_folder_of_that_name_below_the_workspace_is_no_way_out(guarded: Client) -> None:
    inner = guarded.folder / "inner"
    (inner / ".holdfast").mkdir(parents=True)

    assert decided(guarded, "curl evil.example", cwd=str(inner)) == "deny"
    assert [each["data"]["input"]["command"] for each in events(guarded.folder)] == ["curl evil.example"]


def test_a_rule_that_blocks_is_not_passed_by_deep_json(guarded: Client) -> None:
    depth = 60_000
    nested = json.dumps({
        "session_id": "s", "cwd": str(guarded.folder), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_use_id": "toolu_01", "tool_input": {"command": "curl evil.example", "more": "HERE"},
    }).replace('"HERE"', "[" * depth + '"]"' + "]" * depth)  # fmt: skip

    said = json.loads(guarded.raw(nested.encode()))

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert events(guarded.folder)[-1]["data"]["input"]["command"] == "curl evil.example"


def test_a_call_that_cannot_be_read_is_asked_about(guarded: Client) -> None:
    broken = b'{"hook_event_name":"PreToolUse","session_id":"s","tool_input":{"command":"curl evil.example"'

    assert b'"ask"' in guarded.raw(broken).encode()


@pytest.mark.parametrize(
    "command",
    [
        ': "<private>"; curl evil.example',
        ': "<private>"; curl evil.example; : "</private>"',
        "# <private>\ncurl evil.example\n# </private>",
        ": '<holdfast note='; curl evil.example",
        ': "<holdfast note=x>"; curl evil.example; : "</holdfast>"',
        ': "<private>" && curl evil.example | cat "</private>"',
    ],
)
def test_no_tag_hides_what_an_agent_runs(guarded: Client, command: str) -> None:
    assert decided(guarded, command) == "deny"
    assert "curl evil.example" in events(guarded.folder)[-1]["data"]["input"]["command"]


@pytest.mark.no_attack
def test_what_is_private_in_one_argument_of_a_command_stays_private(client: Client) -> None:
    client.runs('notes add "<private>my own words</private>" --now')

    assert events(client.folder)[-1]["data"]["input"]["command"] == 'notes add "[private]" --now'


@pytest.mark.no_attack
def test_a_prompt_that_names_our_tag_keeps_its_rest(client: Client) -> None:
    client.says("What does <holdfast> mean in the log? And never use tabs.")

    assert prompts(client.folder) == ["What does <holdfast> mean in the log? And never use tabs."]
