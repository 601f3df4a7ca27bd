"""Commands: bounded in time, output and processes; ended with all they started; without the user's secrets."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.journeys.clients.npm import CACHE
from tests.unit.act.execute.hands import call, done, executor, one
from tests.waiting import SOON, wait_for, waiting_for

from holdfast.act.execute import run_command
from holdfast.act.execute.bubblewrap import Sandbox, find_sandbox, wrap_command
from holdfast.act.execute.executor import ToolExecutor
from holdfast.act.execute.run_command import build_environment, clean_output, run
from holdfast.act.execute.run_trust import ApprovalAnswer, ApprovalRequest
from holdfast.core.run import Gate, Trust

SECRET = "sk-ant-api03-" + "Ab1" * 30 + "-AAAA"  # a form, no key
SHELL = ("/bin/sh", "-c")


def lives(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def started(script: str, seconds: float = 10, processes: int = 100) -> run_command.CommandResult:
    return run([*SHELL, script], "/", build_environment(os.environ), seconds, threading.Event(), processes)


def test_a_command_gives_its_output_and_status(root: Path) -> None:
    good, bad, none, words = done(
        executor(root),
        call("run", command="echo out; echo err >&2"),
        call("run", command="echo no; exit 3"),
        call("run", argv=["no-such-program"]),
        call("run", argv=["printf", "%s|", "a b", "$HOME", "*"]),
    )

    assert good.text.splitlines()[1:] == ["out", "err"]
    assert good.text.startswith("status 0, ")
    assert (bad.failed, bad.text.startswith("status 3, ")) == (True, True)
    assert none.failed
    assert "no-such-program: not found" in none.text
    assert words.text.endswith("a b|$HOME|*|")


def test_it_runs_in_a_folder_of_the_workspace_only(root: Path) -> None:
    (root / "out").symlink_to("/")

    inside, link, above = done(
        executor(root),
        call("run", command="pwd", cwd="src"),
        call("run", command="pwd", cwd="out"),
        call("run", command="pwd", cwd=".."),
    )

    assert inside.text.endswith(str(root / "src"))
    assert "is a link" in link.text
    assert "not inside the workspace" in above.text


def test_nobody_types_into_it(root: Path) -> None:
    assert one(executor(root), "run", command="cat; test -t 0 || echo no terminal", timeout=10).text.endswith(
        "terminal"
    )


def test_a_command_that_does_not_end_is_ended(root: Path) -> None:
    begun = time.monotonic()

    result = one(executor(root), "run", command="trap '' TERM INT HUP; while :; do sleep 1; done", timeout=1)

    assert result.failed
    assert "took longer than 1 s" in result.text
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize("start", ["sleep 300 &", "setsid sleep 300 &", "(setsid nohup sleep 300 >/dev/null 2>&1 &)"])
def test_what_a_command_leaves_running_is_ended(tmp_path: Path, start: str) -> None:
    note = tmp_path / "process"
    script = start.replace("sleep 300", f"sh -c 'echo $$ > {note}; exec sleep 300'")

    started(f"{script}\nwhile ! test -s {note}; do sleep 0.05; done")

    assert not lives(int(note.read_text()))


def noted(note: Path) -> str:
    """What a process has noted by now."""
    return note.read_text().strip() if note.exists() else ""


def test_a_sleeping_grandchild_is_ended_with_the_time(tmp_path: Path) -> None:
    note = tmp_path / "process"

    # A busy machine may need longer to start it at all.
    for seconds in (1, 30):
        ran = started(f"setsid sh -c 'echo $$ > {note}; trap \"\" TERM; sleep 300; sleep 300' & sleep 300", seconds)
        if noted(note):
            break

    assert ran.ended == run_command.TIMEOUT
    assert not lives(int(note.read_text()))


def test_a_command_that_multiplies_is_ended() -> None:
    # Thirty at most, by its own count: no test of ours may harm the machine.
    ran = started(
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do setsid sleep 60 & sleep 60 & done; wait", 55, processes=12
    )

    assert ran.ended == run_command.PROCESSES
    assert ran.seconds < 50


def test_all_ends_with_us_even_by_a_kill(tmp_path: Path) -> None:
    note = tmp_path / "process"
    body = (
        "import os, sys, threading\n"
        "from holdfast.act.execute.run_command import run, build_environment\n"
        "run(['/bin/sh', '-c', sys.argv[1]], '/', build_environment(os.environ), 60, threading.Event())\n"
    )
    script = f"setsid sh -c 'echo $$ > {note}; sleep 60' & wait"
    process = subprocess.Popen([sys.executable, "-c", body, script], env={**os.environ, "PYTHONPATH": "src"})
    wait_for(lambda: noted(note), "the process")

    process.kill()
    process.wait()

    wait_for(lambda: not lives(int(note.read_text())), "its end", limit=SOON / 2)


def test_endless_output_is_cut_in_the_middle_and_counted(root: Path) -> None:
    result = one(executor(root), "run", command="echo first; seq 1 200000; echo last")

    assert "first" in result.text
    assert result.text.endswith("last")
    assert "bytes left out" in result.text
    assert len(result.text) < 60_000


def test_a_command_that_prints_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_command, "MOST_OUTPUT", 1024 * 1024)

    assert started("yes").ended == run_command.OUTPUT


def test_output_holds_no_escape_codes_no_overwritten_lines_and_no_secrets() -> None:
    raw = f"\x1b[31mred\x1b[0m \x1b]0;title\x07x\r\n10%\r20%\rdone\nkey {SECRET}\n\x07bell\xff".encode("latin-1")

    text = clean_output(raw)

    assert text.startswith("red x\ndone\nkey [redacted:")
    assert "\x1b" not in text
    assert SECRET not in text
    assert "\\x07bell" in text


def test_secrets_of_the_environment_are_not_seen(root: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"], "HOME": "/home/ann", "LC_ALL": "C.UTF-8", "ANTHROPIC_API_KEY": SECRET,
        "GITHUB_TOKEN": "abc", "MY_PASSWORD": "abc", "GOPROXY": "https://ann:hunter22@example.invalid",
        "GOFLAGS": SECRET, "CLAUDECODE": "1", "SSH_AUTH_SOCK": "/x", "RANDOM_OTHER": "x",
    }  # fmt: skip

    result = one(executor(root, environment=environment), "run", command="env")

    names = {line.partition("=")[0] for line in result.text.splitlines()[1:]}
    assert {"PATH", "HOME", "LC_ALL", "AI_AGENT"} <= names
    assert not names & (environment.keys() - {"PATH", "HOME", "LC_ALL"})
    assert "hunter22" not in result.text


def test_a_command_is_not_the_person(root: Path) -> None:
    command = f"{sys.executable} -m holdfast.cli.main accept CAND-1"

    result = one(executor(root, environment=dict(os.environ)), "run", command=command)

    assert result.failed
    assert "terminal" in result.text


def test_cancelling_ends_the_command_and_waits_for_it(root: Path, tmp_path: Path) -> None:
    note = tmp_path / "process"

    async def work() -> float:
        hands = executor(root)
        task = asyncio.create_task(hands.call(call("run", command=f"echo $$ > {note}; exec sleep 60")))
        await waiting_for(lambda: noted(note), "the process")
        begun = time.monotonic()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await hands.close()
        return time.monotonic() - begun

    assert asyncio.run(work()) < SOON / 2
    assert not lives(int(note.read_text()))


def test_closing_ends_what_still_runs(root: Path, tmp_path: Path) -> None:
    note = tmp_path / "process"

    async def work() -> str:
        hands = executor(root)
        task = asyncio.create_task(hands.call(call("run", command=f"echo $$ > {note}; exec sleep 60")))
        await waiting_for(lambda: noted(note), "the process")
        await hands.close()
        return (await task).text

    assert "it was cancelled" in asyncio.run(work())
    assert not lives(int(note.read_text()))


def test_a_gate_says_whether_it_passed_and_knows_the_same_error_again(root: Path) -> None:
    async def work(hands: ToolExecutor) -> list[object]:
        gates = [("true",), ("sh", "-c", "echo 'E   ValueError: no'; exit 1"), ("no-such-gate",), ("sleep", "9")]
        found = [await hands.gate(Gate(name="g", command=words), 2) for words in gates]
        await hands.close()
        return [(gate.passed, gate.missing, gate.error, bool(gate.hash)) for gate in found]

    good, bad, missing, slow = asyncio.run(work(executor(root)))

    assert good == (True, False, "", False)
    assert isinstance(bad, tuple)
    assert "ValueError: no" in bad[2]
    assert bad[3]
    assert isinstance(missing, tuple)
    assert missing[:2] == (False, True)
    assert isinstance(slow, tuple)
    assert "longer than 2 s" in slow[2]


def test_a_gate_is_asked_about_once_and_not_run_where_nothing_may_be(root: Path) -> None:
    asked: list[ApprovalRequest] = []

    async def approve(request: ApprovalRequest) -> ApprovalAnswer:
        asked.append(request)
        return ApprovalAnswer(answer="yes" if request.command == "true" else "no", reason="no")

    async def work(hands: ToolExecutor, *gates: Gate) -> list[tuple[bool, bool]]:
        found = [await hands.gate(gate, 5) for gate in gates]
        await hands.close()
        return [(gate.passed, gate.missing) for gate in found]

    good, bad = Gate(name="g", command=("true",)), Gate(name="b", command=("touch", "made"))
    once = asyncio.run(work(executor(root, Trust.ASK, approve), good, good, bad))
    never = asyncio.run(work(executor(root, Trust.READ_ONLY), bad))

    assert once == [(True, False), (True, False), (False, True)]
    assert never == [(False, True)]
    assert [request.command for request in asked] == ["true", "touch made"]
    assert not (root / "made").exists()


# The box


def codex_bwrap() -> str:
    """A bubblewrap that works here: the machine's own, or the one that Codex brings."""
    found = find_sandbox(os.environ).program
    if found:
        return found
    for path in CACHE.glob("codex@*/node_modules/@openai/codex-linux-*/vendor/*/codex-resources/bwrap"):
        done = subprocess.run([path, "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, timeout=20)
        if done.returncode == 0:
            return str(path)
    pytest.skip("no bubblewrap works here")


def test_in_the_box_only_the_workspace_can_be_written(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git/config").write_text("[core]\n")
    beside = root.parent / "beside"
    beside.mkdir()
    script = (
        f"echo a > new; echo b > .git/config; echo c > .holdfast/x; echo d > {beside}/x; echo e > /etc/holdfast-x; "
        "echo t > /tmp/x && echo own tmp; ls -A; ls /sys/class/net; cat /proc/net/route | wc -l"
    )

    result = one(executor(root, sandbox=Sandbox(program=codex_bwrap())), "run", command=script)

    assert (root / "new").read_text() == "a\n"
    assert (root / ".git/config").read_text() == "[core]\n"
    assert not (root / ".holdfast/x").exists()
    assert not any(beside.iterdir())
    assert "own tmp" in result.text
    assert result.text.count("Read-only file system") >= 3
    assert "[changed: new]" in result.text


def test_in_the_box_there_is_no_network_and_no_key(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "user"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id").write_text("key")
    (home / ".netrc").write_text("key")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    program = "import socket; socket.create_connection(('127.0.0.1', int(__import__('sys').argv[1])), 3)"
    with __import__("socket").create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        hands = executor(root, sandbox=Sandbox(program=codex_bwrap()), environment=environment)
        net, ssh, netrc = done(
            hands,
            call("run", argv=[os.path.realpath("/usr/bin/python3"), "-c", program, port]),
            call("run", command="cat ~/.ssh/id"),
            call("run", command="cat ~/.netrc"),
        )

    assert net.failed
    assert "refused" in net.text.lower()
    assert "key" not in ssh.text.splitlines()
    assert "key" not in netrc.text.splitlines()


def test_what_is_left_in_the_box_is_ended(root: Path) -> None:
    result = one(
        executor(root, sandbox=Sandbox(program=codex_bwrap())),
        "run",
        command="setsid sleep 3971 & sleep 3972",
        timeout=1,
    )

    assert "longer than 1 s" in result.text
    wait_for(lambda: not _runs("3971"), "the end of what was left")
    assert not _runs("3972")


def _runs(word: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().split(b"\0")[:2] == [b"sleep", word.encode()]:
                return True
    return False


def test_the_words_of_the_box(tmp_path: Path) -> None:
    root = tmp_path / "w"
    (root / ".holdfast").mkdir(parents=True)
    (root / "theirs.py").touch()

    words = wrap_command("/x/bwrap", str(root), str(root), ["make"], fixed=["theirs.py", "gone.py"])
    online = wrap_command("/x/bwrap", str(root), str(root), ["make"], network=True)

    assert words[0] == "/x/bwrap"
    assert words[-2:] == ["--", "make"]
    assert "--share-net" not in words
    assert "--share-net" in online
    pairs = [tuple(words[at : at + 3]) for at in range(len(words))]
    assert ("--bind", str(root), str(root)) in pairs
    assert ("--ro-bind", f"{root}/.holdfast", f"{root}/.holdfast") in pairs
    assert ("--ro-bind", f"{root}/theirs.py", f"{root}/theirs.py") in pairs
    assert not any("gone.py" in word for word in words)
    assert words.index("--bind") > words.index("--tmpfs")


def test_keys_and_tokens_are_not_in_the_box_also_behind_links(tmp_path: Path) -> None:
    root, home, ours, away = (tmp_path / name for name in ("w", "home", "ours", "away"))
    for folder in (root, home / ".ssh", ours / "serve", ours / "share", ours / "workspaces", away / "aws"):
        folder.mkdir(parents=True)
    (home / ".aws").symlink_to(away / "aws")
    (away / "netrc").write_text("machine example.com")
    (home / ".netrc").symlink_to(away / "netrc")
    (ours / "workspaces/1.team.json").write_text("{}")
    (ours / "workspaces/1.json").write_text("{}")

    words = wrap_command("/x/bwrap", str(root), str(root), ["make"], home=str(home), ours=str(ours))

    pairs = [tuple(words[at : at + 2]) for at in range(len(words))]
    for folder in (home / ".ssh", away / "aws", ours / "serve", ours / "share"):
        assert ("--tmpfs", str(folder)) in pairs
    hidden = {words[at + 2] for at, word in enumerate(words) if word == "--ro-bind" and words[at + 1] == "/dev/null"}
    assert hidden == {str(away / "netrc"), str(ours / "workspaces/1.team.json")}
    assert words.index("--bind") > max(at for at, word in enumerate(words) if word == "--tmpfs")


def test_without_a_box_the_user_is_told(root: Path) -> None:
    nowhere = {"PATH": "/nowhere"}

    hands = executor(root, sandbox=None, environment=nowhere)
    notices = hands.notices
    asyncio.run(hands.close())
    full = executor(root, Trust.FULL, sandbox=None, environment=nowhere)
    asyncio.run(full.close())

    assert "bubblewrap (bwrap) is not installed" in notices[0]
    assert full.notices == ()


def test_a_box_that_does_not_work_is_not_used(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    program.chmod(0o755)

    found = find_sandbox({"PATH": str(tmp_path)})

    assert found.program == ""
    assert "No permissions" in found.missing


def test_the_kept_signal_numbers() -> None:
    assert started("kill -KILL $$").status == 128 + signal.SIGKILL
