"""A client in print mode as a model: programs of our own on the PATH."""

import asyncio
import json
import os
import signal
import stat
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.unit.llm.talking import asking
from tests.waiting import SOON, wait_for, waiting_for

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.model import Shape, Tool, Usage
from holdfast.core.model_port import Model, NoModel
from holdfast.llm.open_model import open_model

CLAUDE = """\
import json, os, sys
said = sys.stdin.read()
seen = {"argv": sys.argv[1:], "cwd": os.getcwd(), "inside": os.listdir("."), "stdin": said, "env": dict(os.environ)}
open(os.environ["SEEN"], "w").write(json.dumps(seen))
usage = {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 2, "output_tokens": 4}
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": "Hello.", "usage": usage,
                  "total_cost_usd": 0.0125, "modelUsage": {"claude-x": {}}}))
"""
CODEX = """\
import json, os, sys
open(os.environ["SEEN"], "w").write(json.dumps({"argv": sys.argv[1:], "stdin": sys.stdin.read()}))
print("not json")
for event in ({"type": "thread.started"}, {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
              {"type": "item.completed", "item": {"type": "agent_message", "text": "Hello."}},
              {"type": "turn.completed", "usage": {"input_tokens": 15, "cached_input_tokens": 10, "output_tokens": 4}}):
    print(json.dumps(event))
"""


def put(folder: Path, name: str, source: str) -> None:
    program = folder / name
    program.write_text(f"#!{os.path.realpath('/usr/bin/env')} python3\n{source}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "SEEN": str(tmp_path / "seen")}


def opened(model: str, environment: dict[str, str], seconds: int = 20) -> Model:
    settings = {"model": model, "model_seconds": seconds}
    found = open_model(settings, "/", environment)
    assert not isinstance(found, NoModel), found
    return found


def test_claude_is_asked_in_an_empty_folder_without_tools_hooks_or_trace(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    put(tmp_path, "claude", CLAUDE)

    reply = opened("client:claude:opus", environment).complete(asking("Grüße; $(touch x)", system="Be brief."))

    seen = json.loads((tmp_path / "seen").read_text())
    assert (reply.text, reply.cost, reply.model) == ("Hello.", 0.0125, "claude-x")
    assert reply.usage == Usage(input=15, output=4, cached=10, written=2)
    assert seen["stdin"] == "Be brief.\n\nGrüße; $(touch x)"
    assert seen["inside"] == []
    assert not os.path.exists(seen["cwd"])
    assert seen["env"]["HOLDFAST_CAPTURE"] == "off"
    given = seen["argv"]
    assert given[given.index("--tools") + 1] == ""
    assert json.loads(given[given.index("--settings") + 1]) == {"disableAllHooks": True}
    assert {"-p", "--strict-mcp-config", "--no-session-persistence", "opus"} <= set(given)


def test_codex_is_asked_and_its_last_message_counts(tmp_path: Path, environment: dict[str, str]) -> None:
    put(tmp_path, "codex", CODEX)
    servers = "[mcp_servers.one]\ncommand = 'x'\n[mcp_servers.'odd one']\ncommand = 'x'\n"
    (tmp_path / "config.toml").write_text(servers)
    environment["CODEX_HOME"] = str(tmp_path)

    reply = opened("codex-cli", environment).complete(asking("Hi"))

    seen = json.loads((tmp_path / "seen").read_text())
    assert (reply.text, reply.usage, reply.cost) == ("Hello.", Usage(input=15, output=4, cached=10), None)
    assert seen["stdin"] == "Hi"
    assert {"--ephemeral", "read-only", "hooks", "shell_tool", "mcp_servers.one.enabled=false"} <= set(seen["argv"])


def test_a_shape_is_asked_for_in_words(tmp_path: Path, environment: dict[str, str]) -> None:
    put(tmp_path, "claude", CLAUDE)

    opened("claude-cli", environment).complete(asking("Hi", shape=Shape(name="x", schema={"type": "object"})))

    assert '{"type": "object"}' in json.loads((tmp_path / "seen").read_text())["stdin"]


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("import sys; sys.exit('Invalid API key · Please run /login')", "Please run /login"),
        ('print(\'{"type": "result", "is_error": true, "result": "Credit balance is too low"}\')', "Credit balance"),
        ("print('hello there')", "printed no result"),
        ("import os; os.write(1, b'\\xff\\xfe{')", "printed no result"),
        ("pass", "printed nothing"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "printed nothing"),
    ],
)
def test_a_client_that_fails_is_told(tmp_path: Path, environment: dict[str, str], source: str, word: str) -> None:
    put(tmp_path, "claude", source)

    with pytest.raises(Unavailable, match=word):
        opened("client:claude", environment).complete(asking())


SLEEPS = """\
import os, subprocess, sys, time
child = subprocess.Popen(["sleep", "60"])
open(os.environ["SEEN"], "w").write(str(child.pid))
time.sleep(60)
"""


def gone(pid: int) -> bool:
    with suppress(ProcessLookupError, FileNotFoundError):
        state = Path(f"/proc/{pid}/stat")
        if state.parent.exists() or os.path.isdir("/proc"):
            return state.read_text().rpartition(")")[2].split()[0] == "Z"
        os.kill(pid, 0)
    return True


def ends(pid: int) -> bool:
    """Whether a process is gone, now or in a while: it was ended, and goes when the system gets to it."""
    with suppress(AssertionError):
        wait_for(lambda: gone(pid), "the end of the process", limit=10)
    return gone(pid)


def started(folder: Path) -> int:
    """The process that the client started, once it has said so."""
    seen = folder / "seen"
    return int((seen.read_text() if seen.exists() else "") or 0)


def test_a_client_that_does_not_end_is_killed_with_all_it_started(tmp_path: Path, environment: dict[str, str]) -> None:
    put(tmp_path, "claude", SLEEPS)
    begun = time.monotonic()

    # A busy machine may need longer to start it at all.
    for seconds in (2, 30):
        with pytest.raises(Unavailable, match="too slow"):
            opened("client:claude", environment, seconds=seconds).complete(asking())
        if started(tmp_path):
            break

    assert time.monotonic() - begun < SOON
    wait_for(lambda: gone(started(tmp_path)), "the end of what the client started")


def test_giving_up_a_stream_ends_the_client(tmp_path: Path, environment: dict[str, str]) -> None:
    put(tmp_path, "claude", SLEEPS)
    model = opened("client:claude", environment, seconds=50)

    async def run() -> None:
        async def ask() -> None:
            async for _ in model.stream(asking()):
                pass

        task = asyncio.create_task(ask())
        await waiting_for(lambda: started(tmp_path), "the client's process")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    pid = int((tmp_path / "seen").read_text())
    ended = ends(pid)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    assert ended


def test_a_client_that_prints_without_end_is_stopped(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.llm.client_model.LARGEST", 1_000_000)
    put(tmp_path, "claude", "while True: print('x' * 1000)")

    with pytest.raises(Unavailable, match="more than an answer"):
        opened("client:claude", environment).complete(asking())


def test_a_client_takes_no_tools(tmp_path: Path, environment: dict[str, str]) -> None:
    put(tmp_path, "claude", CLAUDE)

    with pytest.raises(BadRequest, match="takes no tools"):
        opened("client:claude", environment).complete(asking(tools=(Tool(name="a", description="", schema={}),)))


def test_a_client_that_is_not_there_is_told(tmp_path: Path) -> None:
    found = open_model({"model": "client:claude", "model_seconds": 5}, "/", {"PATH": str(tmp_path)})

    assert isinstance(found, NoModel)
    assert "on your PATH" in found.reason
